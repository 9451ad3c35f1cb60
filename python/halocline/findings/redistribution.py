"""The cases that the rows on redistribution share."""

from __future__ import annotations

from collections.abc import Callable

from halocline.findings.claim import Known
from halocline.findings.evidence import all_cases, case, is_wrong
from halocline.store.paper import GRID
from halocline.summary.summary import CaseSummary, Summary

WORKLOAD = "redistribution"
EXPERIMENT = "redistribution"
STORE_EXPERIMENT = "redistribution_store"
WHOLE_EXPERIMENT = "redistribution_whole"
GRIDS_EXPERIMENT = "redistribution_grids"
BENCHMARK_EXPERIMENT = "redistribution_benchmark"
PAPER = "ESMF bundle redistribution (Li 2007)"
SMALL_GRID = "64x128x16"
GRIDS = (SMALL_GRID, GRID)  # where the routing options are compared
TABLE_1 = "table1"
LISTS = "lists"  # a layout that distributes single points
# One message per point: with more points an exchange takes too long for any machine to stay quiet.
LISTS_GRID = "16x32x4"


def way(
    summary: Summary,
    grid: str,
    protocol: str = "isend_irecv",
    packing: str = "rank",
    bundle: str = "whole",
    layouts: str = TABLE_1,
) -> CaseSummary:
    """One of ESMF's ways: by messages, in the program's own memory."""
    axes = {"layouts": layouts, "protocol": protocol, "packing": packing, "bundle": bundle}
    return case(summary, WORKLOAD, grid=grid, near="messages", memory="user", **axes)


def wrong_cases(
    summary: Summary, grid: str, right: Callable[[], CaseSummary], **axes: str
) -> Known:
    """The number of a grid's cases with a wrong point. Without any, `right` finds one that was
    measured: Unanswered if it does not.
    """
    cases = all_cases(summary, WORKLOAD, grid=grid, **axes)
    wrong = sum(map(is_wrong, cases))
    if not wrong:
        right()
    return Known(wrong, wrong, wrong)


def whole_store(summary: Summary, grid: str, protocol: str) -> CaseSummary:
    """All that a program prepares once, with messages by this protocol."""
    return case(summary, "redistribution_store", grid=grid, store="whole", way=protocol)


def copied(summary: Summary, grid: str) -> CaseSummary:
    """Halocline's own way on a node."""
    return case(summary, WORKLOAD, grid=grid, near="shared", memory="library")
