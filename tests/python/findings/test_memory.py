"""E13: what a rank of the paper's large grid needs, from the bytes that its routes move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from findings.made_up import measured, summary
from halocline.findings.claim import Answer
from halocline.findings.rows import e13
from halocline.findings.verdicts import answer

GIB = 1024**3


def answered(totals: Mapping[int, float]) -> Answer:
    cases = []
    for ranks, total in totals.items():
        each = measured(
            "redistribution_store",
            1e-6,
            grid=e13.PRINTED,
            layouts="table1",
            planned_ranks=ranks,
            store="route",
        )
        (time,) = each.metrics
        moved = replace(time, name="redistributed", unit="B", median=total)
        cases.append(replace(each, metrics=(*each.metrics, moved)))
    return answer(e13.claim, {"redistribution_store": summary(*cases)})


def test_readings_of_the_large_grid_disagree_on_eight_ranks() -> None:
    """As printed, 4 GiB: source, destination and three quarters of each once more are 1.75 GiB."""
    found = answered({4: 3 * GIB, 8: 3 * GIB})
    assert found.verdict == "cannot be answered"
    sizes = {number.what: number.value / GIB for number in found.numbers}
    assert sizes["bytes of a rank, 2048x4096x8, 4 ranks"] == pytest.approx(3.5)
    assert sizes["bytes of a rank, 2048x4096x8, 8 ranks"] == pytest.approx(1.75)
    assert sizes["bytes of a rank, 2048x4096x32, 8 ranks"] == pytest.approx(7.0)
    (fails,) = [part for part in found.parts if part.status == "fails"]
    assert fails.what == "2048x4096x8, 8 ranks"


def test_where_all_readings_are_too_large_the_claim_is_reproduced() -> None:
    assert answered({4: 4 * GIB, 8: 5 * GIB}).verdict == "reproduced"


def test_without_routes_nothing_is_answered() -> None:
    found = answered({4: 3 * GIB})
    assert found.verdict == "cannot be answered"
    assert "its routes were not made" in found.because
