"""What `make bench` makes of figures: which goals are missed, and what it exits with."""

from __future__ import annotations

import json
import subprocess
import sys
from math import inf
from pathlib import Path

import numpy as np
import pytest

from documents import CHECKOUT

sys.path.insert(0, str(CHECKOUT))

from benchmarks import __main__ as all_of_them
from benchmarks import advisor, chosen_way, verdicts
from benchmarks.table import Row, likely_median, likely_share, show, without_figure

from halocline.cli.here import own_catalogue
from halocline.specification.catalogue import from_json
from halocline.specification.spec import Known, load
from halocline.summary.summary import Status
from report.instruments import measured, unmeasured


@pytest.mark.parametrize(
    ("launches", "verdict"),
    [
        ((1.01, 1.02, 1.03), "met"),
        ((1.04, 1.06, 1.09), "open"),
        ((1.20, 1.21, 1.22), "missed"),
    ],
)
def test_a_goal_is_missed_beyond_its_interval(
    launches: tuple[float, ...], verdict: str, capsys: pytest.CaptureFixture[str]
) -> None:
    row = Row("ratio", float(np.median(launches)), 0, 1.05, "", likely_median(launches))
    assert row.verdict == verdict
    assert show([row]) == (verdict == "missed")
    assert verdict in capsys.readouterr().out


def test_a_figure_without_an_interval_is_missed_where_it_is_outside() -> None:
    assert Row("seconds", 301, 0, 300, "").missed
    assert not Row("seconds", 300, 0, 300, "").missed
    assert not Row("no goal", 7, 0, inf, "").missed


@pytest.mark.parametrize(("status", "verdict"), [("refused", "open"), ("failed", "missed")])
def test_a_case_without_a_figure_leaves_its_goal_open_unless_it_failed(
    status: Status, verdict: str, capsys: pytest.CaptureFixture[str]
) -> None:
    case = unmeasured(measured("atmosphere", 1.0, balance="twin"), status, "why")
    row = without_figure("ratio", (0.9, 1.1), case, "twin")
    assert row.verdict == verdict
    assert show([row]) == (verdict == "missed")
    assert f"twin: {status}, why" in capsys.readouterr().out


def test_a_share_has_the_interval_of_its_count() -> None:
    assert likely_share(0, 10) == pytest.approx((0, 0.3085), abs=1e-4)
    assert likely_share(10, 10) == pytest.approx((0.6915, 1), abs=1e-4)
    assert likely_share(5, 50) == pytest.approx((0.0333, 0.2181), abs=1e-4)


def trials(claims: int, false_failures: int, found: int) -> list[verdicts.Trial]:
    return [
        verdicts.Trial(4, number < claims, 0.02, number < false_failures, number < found)
        for number in range(20)
    ]


def test_verdicts_that_are_wrong_too_often_are_missed() -> None:
    def missed(*counts: int) -> list[str]:
        return [row.what for row in verdicts.rows(trials(*counts), 1, 0.05) if row.missed]

    assert missed(1, 0, 20) == []
    assert missed(2, 0, 18) == []  # by chance
    assert missed(8, 0, 20) == ["reports that claim one, share"]
    assert missed(0, 1, 20) == ["gate: false failures"]
    assert missed(0, 0, 10) == ["gate: 5 % found, share"]


def printed(**elapsed_s: list[float]) -> str:
    named = {name.replace("_", " "): times for name, times in elapsed_s.items()}
    line = {"grid": "16x32x4", "fields": 8, "memory": "user", "origin": "", "fixed_ways": 30}
    return json.dumps({**line, "elapsed_s": named}) + "\n"


def test_the_choice_is_compared_where_the_best_was_not_chosen() -> None:
    # `lucky` is fastest in every second turn, which decides; in the others it is as slow as all.
    shown = printed(the_choice=[1.0] * 8, lucky=[0.5, 1.0] * 4, steady=[0.9] * 8)
    (row,) = chosen_way.rows_of("one node", [shown] * 3)
    assert row.figure == 1.0
    assert "best of 30 ways: lucky" in row.evidence
    (row,) = chosen_way.rows_of("one node", [printed(the_choice=[1.2] * 8, steady=[1.0] * 8)] * 3)
    assert row.verdict == "missed"


def test_turns_in_which_a_rank_lost_its_core_do_not_count() -> None:
    shown = printed(the_choice=[1.0, 1.0, 1.0, 0.0] * 4, steady=[0.0, 1.0, 1.0, 1.0] * 4)
    (row,) = chosen_way.rows_of("one node", [shown] * 3)
    assert row.figure == 1.0


def test_the_sweep_of_layouts_is_an_experiment(tmp_path: Path) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text(advisor.SWEEP, encoding="utf-8")
    words = Known(from_json(own_catalogue()), ("mpich",), ())
    assert len(load(file, words).all_parts) == 3


def test_a_part_that_fails_is_missed_and_the_others_are_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def hangs() -> list[Row]:
        raise subprocess.TimeoutExpired(["mpiexec"], 600)

    parts = {"hangs": hangs, "works": lambda: [Row("ratio", 1.0, 0, 2, "as ever")]}
    monkeypatch.setattr(all_of_them, "parts", lambda *folders: parts)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "a", "b", "c"])
    with pytest.raises(SystemExit) as ended:
        all_of_them.main()
    assert ended.value.code
    shown = capsys.readouterr().out
    assert "timed" in shown and "missed" in shown
    assert "as ever" in shown


def test_a_part_that_is_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["benchmarks", "a", "b", "c", "halos"])
    with pytest.raises(SystemExit, match=r"no part halos; there are .*, halo, "):
        all_of_them.main()
