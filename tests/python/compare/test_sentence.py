"""The sentence counts the cases without a figure, and says where no turns are possible."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from halocline.base.errors import UserError
from halocline.compare.comparison import Comparison, Row, of_turns, to_json
from halocline.compare.sentence import sentence
from halocline.compare.sides import check_live
from halocline.launch.job import Job
from halocline.launch.turns import check_place
from halocline.samples.dataset import load
from halocline.samples.lines import OTHER_SIDE
from halocline.specification.cases import Case
from halocline.summary.ratios import Ratio, judged_estimates
from halocline.summary.stats import Estimate
from samples_records import complete, jsonl, samples, start

CASE = Case("pingpong", (("bytes", 8), ("protocol", "send_recv")), "mpich", "here", 2)


def rows(*reasons: str) -> tuple[Row, ...]:
    """A row without a difference, and silent ones with these reasons."""
    estimates = [Estimate(0.0, 0.001, 19), *(None for _ in reasons)]
    ratios = judged_estimates(estimates, [20] * len(estimates), 0.03)
    measured = Row(CASE, CASE, 1e-6, 1e-6, ratios[0], 0.998, 1.002)
    return (
        measured,
        *(_silent(measured, ratio, why) for ratio, why in zip(ratios[1:], reasons, strict=True)),
    )


def _silent(row: Row, ratio: Ratio, reason: str) -> Row:
    return replace(row, ratio=ratio, low=None, high=None, reason=reason)


def test_cases_without_a_figure_are_reported() -> None:
    found = rows("refused: busy", "refused: busy", "failed: gone")
    comparison = Comparison("A", "B", found, found[0].ratio, True, 20)
    assert sentence(comparison).startswith("No difference larger than")
    assert sentence(comparison).endswith("3 of 4 cases gave no figure: refused: busy.")


@pytest.mark.parametrize(
    ("centres", "verdict"),
    [
        ([0.1, 0.0], "slower"),
        ([-0.1, 0.0], "faster"),
        ([-0.1, 0.1], "mixed"),
        ([0.0, 0.0], "none"),
        ([0.0, None], "none"),
        ([None], "unknown"),
    ],
)
def test_the_verdict_of_a_table_is_that_of_its_rows(
    centres: list[float | None], verdict: str
) -> None:
    estimates = [None if centre is None else Estimate(centre, 0.001, 19) for centre in centres]
    found = tuple(
        Row(CASE, CASE, 1e-6, 1e-6, ratio, *((None, None) if one is None else (0.9, 1.1)))
        for one, ratio in zip(
            estimates, judged_estimates(estimates, [20] * len(estimates)), strict=True
        )
    )
    comparison = Comparison("A", "B", found, Ratio("faster", 0.5, 0.4, 0.6, 20), True, 20)
    assert comparison.verdict == verdict
    assert to_json(comparison, "")["verdict"] == verdict
    assert "verdict" not in to_json(comparison, "")["overall"]


def test_equal_differences_are_reported_once() -> None:
    ratios = judged_estimates([Estimate(0.1, 0.001, 19)] * 2, [20] * 2)
    found = tuple(Row(CASE, CASE, 1e-6, 1.1e-6, ratio, 1.1, 1.11) for ratio in ratios)
    comparison = Comparison("A", "B", found, found[0].ratio, True, 20)
    assert sentence(comparison) == "B is slower than A by 11 % in 2 of 2 cases."


def test_what_would_round_to_nothing_is_no_difference() -> None:
    (ratio,) = judged_estimates([Estimate(0.0002, 0.0, 19)], [20])
    assert ratio.verdict == "none"


def test_sides_take_no_turns_where_no_turn_can_be_given() -> None:
    elsewhere = cast(Job, SimpleNamespace(hosts=SimpleNamespace(made=None), nodes=("far-7",)))
    with pytest.raises(UserError, match="take turns only from their first host, far-7"):
        check_place(elsewhere)
    simulated: Any = SimpleNamespace(machine="cluster", mocked=False)
    with pytest.raises(UserError, match="simulated"):
        check_live(simulated)


def test_why_one_side_skipped_a_case_is_what_both_rows_say(tmp_path: Path) -> None:
    """The other one only reports that it waited in vain; no remedy of a busy node helps."""
    sides = []
    for name, reason in (("a", OTHER_SIDE), ("b", "no room; choose fewer levels")):
        records = [
            record
            for launch in range(1, 9)
            for record in (
                start(launch),
                samples(
                    launch,
                    CASE.id,
                    status="skipped",
                    reason=reason,
                    elapsed_s=[],
                    preempted=[],
                    line_s=[],
                ),
                complete(launch),
            )
        ]
        file = tmp_path / f"{name}.jsonl"
        file.write_text(jsonl(records))
        sides.append(load(file))
    for datasets in (sides, sides[::-1]):
        comparison = of_turns(("A", "B"), (datasets[0], datasets[1]), [(CASE, CASE)])
        assert (
            sentence(comparison)
            == "B against A is inconclusive: skipped: no room; choose fewer levels."
        )


def test_what_a_third_side_could_not_measure_was_not_left_out_for_time(tmp_path: Path) -> None:
    """No side launches such a case again; a larger budget would not help."""
    sides = []
    for name in ("a", "b"):
        file = tmp_path / f"{name}.jsonl"
        records = (start(1), samples(1, CASE.id), complete(1))
        file.write_text(jsonl(records))
        sides.append(load(file))
    ended = {CASE.id: "C failed: 1 byte is wrong"}
    both = sides[0], sides[1]
    (row,) = of_turns(("A", "B"), both, [(CASE, CASE)], ended=ended).rows
    assert row.reason == "ended after 1 of 8 launches: C failed: 1 byte is wrong"
    (row,) = of_turns(("A", "B"), both, [(CASE, CASE)]).rows
    assert row.reason.startswith("left out for time: 1 of 8 launches")
