"""Peggy Li, ESMF Bundle Redistribution Scalability Benchmark, 2007: the tables."""

from __future__ import annotations

GRID = "512x1024x16"

# Table 1: bytes that change rank, of eight fields on GRID, by the number of ranks.
REDISTRIBUTED_BYTES = {
    4: 402_653_184,
    8: 402_653_184,
    16: 469_762_048,
    32: 503_316_480,
    64: 503_316_480,
    128: 520_093_696,
    256: 520_093_696,
    512: 520_093_696,
    1024: 528_482_304,
    2048: 528_482_304,
}

# Table 2: ESMF's route creation and precomputation on a Cray XT3/XT4, by the number of ranks.
STORE_S = {
    32: 0.132084e-3,
    64: 0.230073e-3,
    128: 0.458205e-3,
    256: 1.232135e-3,
    512: 3.7798e-3,
    1024: 13.862e-3,
    2048: 55.3349e-3,
}
FIRST_RANKS = min(STORE_S)  # the table's last column, and its figure 8, are ratios to these
