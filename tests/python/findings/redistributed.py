"""Made-up exchanges and Stores of redistributions, for the claims of Li 2007."""

from __future__ import annotations

from dataclasses import replace

from findings.made_up import measured
from halocline.findings.redistribution import GRIDS, LISTS_GRID
from halocline.findings.rows import e2, e5, e9
from halocline.store.paper import GRID, STORE_S
from halocline.summary.esmf import NAME
from halocline.summary.metrics import Metric
from halocline.summary.summary import CaseSummary

Cases = dict[str, list[CaseSummary]]


def exchange(
    time_s: float,
    grid: str = GRID,
    protocol: str = "isend_irecv",
    packing: str = "rank",
    bundle: str = "whole",
    layouts: str = "table1",
) -> CaseSummary:
    return measured(
        "redistribution",
        time_s,
        grid=grid,
        near="messages",
        memory="user",
        layouts=layouts,
        protocol=protocol,
        packing=packing,
        bundle=bundle,
    )


def copied(time_s: float, grid: str) -> CaseSummary:
    return measured("redistribution", time_s, grid=grid, near="shared", memory="library")


def store(ranks: int, time_s: float, total: float = 0, grid: str = GRID) -> CaseSummary:
    return with_facts(
        measured("redistribution_store", time_s, grid=grid, layouts="table1", planned_ranks=ranks),
        total,
    )


def whole_store(ranks: int, time_s: float) -> CaseSummary:
    """On ranks that exist."""
    return with_facts(
        measured(
            "redistribution_store",
            time_s,
            ranks=ranks,
            grid=GRID,
            layouts="table1",
            planned_ranks=0,
            store="whole",
            way="chosen",
        )
    )


def with_facts(found: CaseSummary, total: float = 0) -> CaseSummary:
    facts = {"route memory": 368.0, "route boxes": 4.0, "redistributed": total}
    return replace(
        found,
        metrics=found.metrics
        + tuple(
            Metric(name, "B", value, value, value, value, 12, 100, (), 0.0, 0.0)
            for name, value in facts.items()
        ),
    )


def e2_cases(holds: bool) -> Cases:
    return {
        "redistribution_store": [
            store(ranks, 1e-6 * factor, grid=grid)
            for ranks in STORE_S
            for grid, factor in ((GRID, 1.0), (e2.LARGE_GRID, 1.0 if holds else 3.0))
        ]
    }


def e3_cases(holds: bool) -> Cases:
    return {"redistribution_whole": grown(2.0 if holds else 0.0)}


def grown(power: float) -> list[CaseSummary]:
    """The whole of Store, linear up to 128 ranks, then with this power."""
    return [
        whole_store(ranks, 1e-6 * ranks / 32 * (max(ranks, 128) / 128) ** (power - 1))
        for ranks in STORE_S
    ]


def e5_cases(holds: bool) -> Cases:
    times = dict(zip(e5.READINGS, (8.0, 9.0, 10.0) if holds else (2.0, 16.0, 32.0), strict=True))
    return {
        "redistribution_grids": [
            copied(0.03, GRID),
            *(copied(0.03 * times[grid], grid) for grid in e5.READINGS),
        ]
    }


def e6_cases(holds: bool) -> Cases:
    return {
        "redistribution": [
            exchange(0.1 * factor, grid, protocol)
            for grid in GRIDS
            for protocol, factor in (("isend_irecv", 1.0), ("sendrecv", 1.12 if holds else 0.8))
        ]
        + [
            measured("redistribution_store", 1e-3, grid=grid, store="whole", way=protocol)
            for grid in GRIDS
            for protocol in ("isend_irecv", "sendrecv")
        ]
    }


def e7_cases(holds: bool) -> Cases:
    blocks = [
        exchange(0.1 * factor, grid, packing=packing)
        for grid in GRIDS
        for packing, factor in (("rank", 1.0), ("box", 1.0 if holds else 1.5), ("run", 5.0))
    ]
    lists = [
        exchange(0.1 * factor, LISTS_GRID, packing=packing, bundle="fields", layouts="lists")
        for packing, factor in (("rank", 1.0), ("box", 5.0), ("run", 5.0))
    ]
    return {"redistribution": [*blocks, *lists]}


def e8_cases(holds: bool) -> Cases:
    return {
        "redistribution": [
            each
            for grid in GRIDS
            for each in (
                exchange(0.1, grid),
                exchange(0.13 if holds else 0.08, grid, bundle="fields"),
                exchange(0.2, grid, "isend_irecv_type", "type"),
            )
        ]
    }


def e9_cases(holds: bool) -> Cases:
    return {
        "redistribution": [
            exchange(
                0.1 if way == e9.DEFAULT else 0.07 if not holds and "box" in way else 0.15,
                grid,
                *way,
            )
            for grid in GRIDS
            for way in e9.COMBINATIONS
        ]
    }


def with_smallest_mean(of: CaseSummary, time_s: float, runs: int = 10) -> CaseSummary:
    mean = replace(of.metrics[0], name=NAME, median=time_s, low=None, high=None, launches=runs)
    return replace(of, metrics=(*of.metrics, mean))


def e10_cases(holds: bool) -> Cases:
    small, large = (with_smallest_mean(exchange(0.1, grid), 0.09) for grid in GRIDS)
    if not holds:
        small = replace(small, status="failed", reason="point 3 is wrong", metrics=())
    return {"redistribution_benchmark": [small, large]}
