"""Cases and phases of the atmosphere that several claims speak of."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from halocline.findings.claim import Quantity, Unanswered
from halocline.findings.evidence import case, in_phases, ratio
from halocline.summary.summary import CaseSummary, Summary

WORKLOAD = "atmosphere"
COUPLING = ("remap_out", "remap_back")
PHYSICS = ("physics",)
SPECTRAL = ("dynamics", "transposes")
FINITE_VOLUME = ("dynamics", "halos", "transport", "transposes", "vertical_remap")

Find = Callable[[], CaseSummary]


def spectral(summary: Summary | None, layout: str | None, protocol: str, balance: str) -> Find:
    """A spectral case whose two ranks have day and night unless they are balanced."""
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


def between_phases(
    one: Find, names: tuple[str, ...], other: Find, others: tuple[str, ...]
) -> Callable[[], Quantity]:
    """A function for the time in some phases over that in others, of the same case or another."""
    return lambda: ratio(in_phases(one(), *names), in_phases(other(), *others))


def on_nodes(find: Find, summary: Summary | None) -> Find:
    """The same, but not between hosts made here, which share cores and have no network."""

    def on_real_nodes() -> CaseSummary:
        if summary is not None and summary.made_rate is not None:
            raise Unanswered(f"hosts made here, {summary.between}, share this machine's cores")
        return find()

    return on_real_nodes
