"""U8: the simple specification as a model."""

from __future__ import annotations

from halocline.findings.claim import Claim

claim = Claim(
    id="U8",
    text="the simple specifications predict relative communication performance rather well",
    paper="X1, XD1 and XT3, conclusions",
    lacks="needs a fitted model (latency, bandwidth, contention) and what it predicts, which "
    "Halocline does not make yet",
)
