"""The gate: what passes, what fails, and what it leaves behind."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from conftest import Command
from halocline.cases import Case
from halocline.compare.comparison import Comparison, Row
from halocline.compare.gate import Judgement, judgement, sentence, suspects
from halocline.ratios import Ratio

GATE = ("--gate", "3%", "--launches", "8")


def live(command: Command, time: str, *more: str) -> tuple[int, str, str]:
    sides = ("--a", "machine=mock:1us", "--b", f"machine=mock:{time}")
    ended = command("compare", *sides, "pingpong", "bytes=8", "protocol=send_recv", *GATE, *more)
    return ended.code, ended.out, ended.err


def test_it_fails_by_a_regression_and_names_it(command: Command) -> None:
    code, out, _ = live(command, "1.05us", "--junit", "out/gate.xml")
    assert code == 1
    assert "Gate failed: 1 of 1 cases regressed by 3.0 % or more, most pingpong bytes=8" in out
    suite = ET.parse("out/gate.xml").getroot().find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert "slower by 5.0 %" in str(failure.get("message"))


def test_it_passes_what_is_slower_by_less(command: Command) -> None:
    code, out, _ = live(command, "1.02us", "--junit", "gate.xml")
    assert code == 0
    assert "Gate passed: none of 1 cases regressed by 3.0 %" in out
    assert ET.parse("gate.xml").getroot().find(".//failure") is None


def test_a_recorded_baseline_is_measured_again(command: Command) -> None:
    words = ("bytes=8", "protocol=send_recv", "--machine", "mock:1us", "--output", "baseline")
    command("run", "pingpong", *words)
    same = command("compare", "--gate", "3%", "baseline", "--output", "now")
    assert same.code == 0, same.err
    slower = ("--b", "machine=mock:1.2us")
    worse = command("compare", "--gate", "3%", "baseline", *slower, "--output", "worse")
    assert worse.code == 1
    assert Path("worse-again/samples.jsonl").is_file()  # it was confirmed


def test_the_history_grows_and_has_a_page(command: Command) -> None:
    live(command, "1.001us", "--history", "past", "--commit", "abc")
    code, out, said = live(command, "1.2us", "--history", "past", "--commit", "def")
    assert code == 1, said
    assert "history: past/index.html" in out
    lines = [json.loads(line) for line in Path("past/history.jsonl").read_text().splitlines()]
    assert [line["commit"] for line in lines] == ["abc", "def"]
    assert [line["cases"][0]["regressed"] for line in lines] == [False, True]
    page = Path("past/index.html").read_text(encoding="utf-8")
    assert "2 runs" in page
    assert "+20 %" in page


def test_a_damaged_history_is_named(command: Command) -> None:
    Path("past").mkdir()
    Path("past/history.jsonl").write_text("nonsense\n", encoding="utf-8")
    code, _, err = live(command, "1.001us", "--history", "past")
    assert code == 2
    assert "past/history.jsonl:1" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("mpich", "--gate", "3%"), "no baseline"),
        (("--gate", "3%", "baseline", "pingpong"), "'pingpong' beside a baseline"),
        (("--gate", "300%", "baseline"), "--gate 300%"),
        (("--a", "env.X=1", "pingpong", "--junit", "x.xml"), "--junit without --gate"),
    ],
)
def test_wrong_usage(words: tuple[str, ...], said: str, command: Command) -> None:
    command("run", "pingpong", "bytes=8", "--machine", "mock:1us", "--output", "baseline")
    ended = command("compare", *words)
    assert ended.code == 2
    assert said in ended.err


def compared(ratio: float, verdict: str) -> Comparison:
    case = Case("pingpong", (("bytes", 8),), "mpich", "here", 2)
    told = Ratio(verdict, ratio, 0.99 * ratio, 1.01 * ratio, 8)  # type: ignore[arg-type]
    row = Row(case, case, 1e-6, ratio * 1e-6, told, 0.99 * ratio, 1.01 * ratio)
    return Comparison("before", "now", (row,), told, False, 8)


def test_what_a_second_measurement_does_not_confirm_passes() -> None:
    bad, good = compared(1.05, "slower"), compared(1.0, "none")
    assert suspects(bad, 0.03)
    assert not suspects(bad, 0.06)
    assert not judgement(bad, bad, 0.03).ok
    passed = judgement(bad, good, 0.03)
    assert passed == Judgement(bad, 0.03, (), 1)
    assert "did not confirm" in sentence(passed)


def test_slower_only_as_far_as_can_be_told_passes() -> None:
    assert judgement(compared(1.05, "unknown"), None, 0.03).ok
