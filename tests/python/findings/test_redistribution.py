"""The rows on redistribution: every verdict follows from the numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from findings.made_up import measured, skipped, summary
from halocline.findings.claim import Answer, answer
from halocline.findings.redistribution import GRIDS, LISTS_GRID
from halocline.findings.rows import e1, e2, e3, e4, e5, e6, e7, e8, e9, e10
from halocline.metrics import Metric
from halocline.store.paper import GRID, REDISTRIBUTED_BYTES
from halocline.summary import CaseSummary, Summary

RANKS = (32, 64, 128, 256, 512, 1024, 2048)


def verdict(found: Summary, row: object) -> Answer:
    return answer(row.claim, found)  # type: ignore[attr-defined]


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
        layouts=layouts,
        near="messages",
        memory="user",
        protocol=protocol,
        packing=packing,
        bundle=bundle,
    )


def copied(time_s: float, grid: str) -> CaseSummary:
    return measured("redistribution", time_s, grid=grid, near="shared", memory="library")


def store(ranks: int, time_s: float, total: float = 0, grid: str = GRID) -> CaseSummary:
    found = measured(
        "redistribution_store", time_s, grid=grid, layouts="table1", planned_ranks=ranks
    )
    facts = {"route memory": 368.0, "route boxes": 4.0, "redistributed": total}
    return replace(
        found,
        metrics=found.metrics
        + tuple(
            Metric(name, "B", value, value, value, value, 12, 100, (), 0.0, 0.0)
            for name, value in facts.items()
        ),
    )


@pytest.mark.parametrize(("more", "expected"), [(0, "reproduced"), (1, "differs")])
def test_table_1_is_told_to_the_byte(more: int, expected: str) -> None:
    cases = [
        store(ranks, 1e-6, total + (more if ranks == 64 else 0))
        for ranks, total in REDISTRIBUTED_BYTES.items()
    ]
    assert verdict(summary(*cases), e1).verdict == expected
    lacking = verdict(summary(*cases[1:]), e1)
    assert (lacking.verdict, lacking.because) == (
        "cannot be answered",
        "the routes of 4 ranks were not made",
    )


@pytest.mark.parametrize(("slower", "expected"), [(1.0, "reproduced"), (3.0, "differs")])
def test_store_may_not_depend_on_the_grid(slower: float, expected: str) -> None:
    cases = [
        store(ranks, 1e-6 * factor, grid=grid)
        for ranks in RANKS
        for grid, factor in ((GRID, 1.0), (e2.LARGE_GRID, slower))
    ]
    assert verdict(summary(*cases), e2).verdict == expected


@pytest.mark.parametrize(("power", "expected"), [(0.0, "differs"), (2.0, "reproduced")])
def test_the_growth_of_store_is_fitted(power: float, expected: str) -> None:
    cases = [store(ranks, 1e-6 * (ranks / 32) ** power) for ranks in RANKS]
    result = verdict(summary(*cases), e3)
    assert result.verdict == expected
    assert result.numbers[0].value == pytest.approx(power, abs=0.01)
    assert result.numbers[0].paper == "1 up to 128, 1.73 from there"
    assert verdict(summary(*cases[:2]), e3).verdict == "cannot be answered"


def test_the_exchange_over_many_ranks_waits_for_simulated_machines() -> None:
    result = verdict(summary(), e4)
    assert result.verdict == "cannot be answered"
    assert "simulated" in result.because


@pytest.mark.parametrize(("times", "expected"), [(8.0, "reproduced"), (16.0, "differs")])
def test_the_large_grid_is_called_inconsistent(times: float, expected: str) -> None:
    too_large = skipped(
        "redistribution", "too little memory", grid="2048x4096x32", near="shared", memory="library"
    )
    cases = [copied(0.03, GRID), copied(0.03 * times, "2048x4096x8"), too_large]
    result = verdict(summary(*cases), e5)
    assert result.verdict == expected
    assert "inconsistent" in result.because
    assert "too little memory" in result.because
    assert "2048x4096x16 near=shared is not among" in result.because


@pytest.mark.parametrize(("synchronous", "expected"), [(1.1, "reproduced"), (0.8, "differs")])
def test_synchronous_may_not_be_faster(synchronous: float, expected: str) -> None:
    cases = [
        exchange(0.1 * factor, grid, protocol)
        for grid in GRIDS
        for protocol, factor in (("isend_irecv", 1.0), ("sendrecv", synchronous))
    ]
    assert verdict(summary(*cases), e6).verdict == expected


@pytest.mark.parametrize(
    ("box", "run", "listed_box", "listed_run", "expected"),
    [
        (1.0, 5.0, 5.0, 5.0, "reproduced"),
        (2.0, 5.0, 5.0, 5.0, "differs"),
        (1.0, 1.1, 5.0, 5.0, "differs"),
        (1.0, 5.0, 1.0, 5.0, "differs"),
        (1.0, 5.0, 1.1, 1.1, "differs"),
    ],
)
def test_runs_must_be_much_slower_and_boxes_alike(
    box: float, run: float, listed_box: float, listed_run: float, expected: str
) -> None:
    blocks = [
        exchange(0.1 * factor, grid, packing=packing)
        for grid in GRIDS
        for packing, factor in (("rank", 1.0), ("box", box), ("run", run))
    ]
    lists = [
        exchange(0.1 * factor, LISTS_GRID, packing=packing, bundle=bundle, layouts="lists")
        for bundle in ("whole", "fields")
        for packing, factor in (("rank", 1.0), ("box", listed_box), ("run", listed_run))
    ]
    assert verdict(summary(*blocks, *lists), e7).verdict == expected
    lacking = verdict(summary(*blocks), e7)
    assert lacking.verdict == "cannot be answered"
    assert "layouts=lists" in lacking.because


@pytest.mark.parametrize(("fields", "expected"), [(1.3, "reproduced"), (0.9, "differs")])
def test_the_whole_bundle_must_be_faster(fields: float, expected: str) -> None:
    cases = [
        each
        for grid in GRIDS
        for each in (
            exchange(0.1, grid),
            exchange(0.1 * fields, grid, bundle="fields"),
            exchange(0.2, grid, "isend_irecv_type", "type"),
        )
    ]
    assert verdict(summary(*cases), e8).verdict == expected
    assert verdict(summary(*cases[:2]), e8).verdict == "cannot be answered"


@pytest.mark.parametrize(("other", "expected"), [(0.11, "reproduced"), (0.08, "differs")])
def test_the_default_must_be_among_the_best(other: float, expected: str) -> None:
    cases = [
        each
        for grid in GRIDS
        for each in (
            exchange(0.1, grid),
            exchange(other, grid, "sendrecv"),
            exchange(0.01, grid, "isend_irecv_type", "type"),  # no combination of ESMF's
        )
    ]
    result = verdict(summary(*cases, copied(0.025, GRID)), e9)
    assert result.verdict == expected
    assert "take 1/4" in result.because


def test_the_benchmark_tells_the_paper_s_figure_and_what_was_verified() -> None:
    default = exchange(0.1)
    result = verdict(summary(default, exchange(0.2, protocol="sendrecv")), e10)
    assert result.verdict == "reproduced"
    assert "2 configurations" in result.because
    assert result.numbers[0].value == min(list(default.figures_s.values())[:10])
    wrong = replace(exchange(0.2, protocol="sendrecv"), status="failed", metrics=())
    assert verdict(summary(default, wrong), e10).verdict == "differs"
    few = replace(default, figures_s={1: 0.1, 2: 0.1})
    assert verdict(summary(few), e10).verdict == "cannot be answered"
