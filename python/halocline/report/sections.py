"""All sections, in the order of the page; each appears if its workloads were measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from halocline.report.collectives import collectives
from halocline.report.halo import halo
from halocline.report.kernels import kernels
from halocline.report.one_sided import one_sided
from halocline.report.options import options
from halocline.report.phases import phases
from halocline.report.pictures import pictures
from halocline.report.proof import proof
from halocline.report.redistribution import redistribution
from halocline.report.redistribution_store import redistribution_store
from halocline.report.replay import replay
from halocline.report.section import Section
from halocline.report.simultaneous import contention, distance, pairs
from halocline.summary.summary import Summary

_SECTIONS: tuple[Callable[[Sequence[Summary]], Section | None], ...] = (
    one_sided,
    pairs,
    distance,
    contention,
    halo,
    redistribution,
    redistribution_store,
    replay,
    collectives,
    phases,
    pictures,
    kernels,
    options,
    proof,
)


def sections(summaries: Sequence[Summary]) -> tuple[Section, ...]:
    """The sections that have data."""
    return tuple(section for make in _SECTIONS if (section := make(summaries)) is not None)
