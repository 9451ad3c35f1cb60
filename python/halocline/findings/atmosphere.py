"""Atmosphere cases and phases that several claims use."""

from __future__ import annotations

from functools import partial

from halocline.findings.evidence import Find, case
from halocline.summary.summary import Summary

WORKLOAD = "atmosphere"
COUPLING = ("remap_out", "remap_back")
PHYSICS = ("physics",)
SPECTRAL = ("dynamics", "transposes")
FINITE_VOLUME = ("dynamics", "halos", "transport", "transposes", "vertical_remap")


def spectral(summary: Summary | None, layout: str | None, protocol: str, balance: str) -> Find:
    """A spectral case on two ranks, one in day and one in night unless they are balanced."""
    return partial(
        case,
        summary,
        WORKLOAD,
        layout,
        core="spectral",
        along_longitude=2,
        protocol=protocol,
        balance=balance,
    )


def many(summary: Summary | None, ranks: int, protocol: str) -> Find:
    """The spectral case with its dynamics on 128 ranks."""
    return partial(case, summary, WORKLOAD, ranks=ranks, dynamics_ranks=128, protocol=protocol)


def finite_volume(summary: Summary | None, along_vertical: int, layout: str | None = None) -> Find:
    """A finite-volume case in one of its decompositions."""
    return partial(
        case,
        summary,
        WORKLOAD,
        layout,
        core="finite_volume",
        along_vertical=along_vertical,
    )
