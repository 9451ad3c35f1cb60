"""What a gate makes of its measurements: what passes, what fails, what is undecided."""

from __future__ import annotations

import fcntl
import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from halocline.base.errors import RunFailed, UserError
from halocline.cli.gate import judge
from halocline.compare import history as past
from halocline.compare.comparison import Comparison, Row
from halocline.compare.gate import Judgement, sentence, suspects, write_junit
from halocline.samples.run_folder import drop_unended_line_of
from halocline.specification.cases import Case
from halocline.summary.ratios import Ratio


def test_a_shared_history_loses_no_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file of a history is locked before it is looked at, and never replaced."""
    file = tmp_path / past.NAME
    file.write_text('{"whole": 1}\n{"cut')
    file.chmod(0o640)
    before, locked = file.stat(), []

    def drop(path: Path) -> None:
        with path.open("a") as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        locked.append(path)
        drop_unended_line_of(path)

    monkeypatch.setattr(past, "drop_unended_line_of", drop)
    past.append(tmp_path, judged(compared(1.0, "equivalent"))[0], "abc")
    assert locked == [file]
    first, second = file.read_text().splitlines()
    assert (first, json.loads(second)["commit"]) == ('{"whole": 1}', "abc")
    after = file.stat()
    assert (after.st_ino, after.st_mode) == (before.st_ino, before.st_mode)


def compared(ratio: float, verdict: str) -> Comparison:
    case = Case("pingpong", (("bytes", 8),), "mpich", "here", 2)
    measured_ratio = Ratio(verdict, ratio, 0.99 * ratio, 1.01 * ratio, 8)  # type: ignore[arg-type]
    row = Row(case, case, 1e-6, ratio * 1e-6, measured_ratio, 0.99 * ratio, 1.01 * ratio)
    return Comparison("before", "now", (row,), measured_ratio, False, 8)


BAD, LEANING, GOOD = compared(1.05, "slower"), compared(1.04, "unknown"), compared(1.0, "none")


def judged(*measured: Comparison) -> tuple[Judgement, int]:
    """The judgement, and how many of these measurements it took."""
    taken: list[int] = []

    def measure(number: int) -> Comparison:
        taken.append(number)
        return measured[number]

    return judge(measure, 0.03), len(taken)


def test_what_no_other_measurement_confirms_passes() -> None:
    assert suspects(BAD, 0.03)
    assert not suspects(BAD, 0.06)
    passed, taken = judged(BAD, GOOD)
    assert taken == 2
    assert passed == Judgement(BAD, 0.03, (), 1)
    assert "not confirmed by another measurement" in sentence(passed)


def test_what_is_as_fast_is_measured_once() -> None:
    assert judged(GOOD)[1] == 1


@pytest.mark.parametrize(
    ("measured", "ok"),
    [
        ((BAD, BAD), False),
        ((BAD, LEANING, BAD), False),
        ((LEANING, BAD, BAD), False),  # what was missed once is found
        ((BAD, LEANING, LEANING), True),
        ((LEANING, LEANING), True),  # no third could make two of it
        ((LEANING, GOOD), True),
    ],
)
def test_a_regression_is_one_in_two_measurements(
    measured: tuple[Comparison, ...], ok: bool
) -> None:
    found, taken = judged(*measured)
    assert (found.ok, taken) == (ok, len(measured))


def test_a_regression_is_reported_with_its_first_ratio() -> None:
    assert "slower by 5.0 %" in sentence(judged(LEANING, BAD, BAD)[0])


def test_what_cannot_be_ruled_out_is_said() -> None:
    assert "for 1 this cannot be ruled out" in sentence(judged(LEANING, GOOD)[0])
    assert "ruled out" not in sentence(judged(GOOD)[0])


def test_a_recorded_baseline_takes_no_budget() -> None:
    found, _ = judged(LEANING, GOOD)
    for taken, remedy in ((True, "raise --budget"), (False, "a baseline with more launches")):
        assert remedy in sentence(replace(found, found=replace(found.found, taken=taken)))


def test_a_program_that_writes_colours_leaves_well_formed_xml(tmp_path: Path) -> None:
    found, _ = judged(GOOD)
    write_junit(replace(found, undecided="failed with \x1b[31merror\x1b[0m"), tmp_path / "j.xml")
    error = ET.parse(tmp_path / "j.xml").getroot().find(".//error")
    assert error is not None
    assert error.get("message") == "failed with ?[31merror?[0m"


def test_a_case_that_only_the_baseline_has_is_undecided_and_named() -> None:
    (row,) = GOOD.rows
    skipped = replace(
        row,
        other=replace(row.other, axes=(("bytes", 16),)),
        other_s=None,
        ratio=Ratio("unknown", 1.0, None, None, 0),
        low=None,
        high=None,
        reason="skipped: this library cannot",
    )
    lost = replace(GOOD, rows=(row, skipped))
    found, _ = judged(lost)
    assert "bytes=16" in found.undecided
    assert "figure in the baseline only: skipped: this library cannot" in found.undecided
    never = replace(GOOD, rows=(row, replace(skipped, baseline_s=None)))
    found, _ = judged(never)
    assert (found.ok, found.undecided) == (True, "")
    assert "; 1 case could not be compared, pingpong bytes=16" in sentence(found)


def test_what_could_not_be_measured_again_is_undecided() -> None:
    (row,) = BAD.rows
    nothing = Ratio("unknown", 1.0, None, None, 3)
    row = replace(row, ratio=nothing, low=None, high=None, reason="refused")
    lost = replace(BAD, rows=(row,))
    found, taken = judged(BAD, lost, lost)
    assert (found.ok, taken) == (True, 3)
    assert "could not be measured again" in found.undecided
    assert judged(BAD, lost, BAD)[0].ok is False


@pytest.mark.parametrize("kind", [RunFailed, UserError])
def test_a_second_measurement_that_fails_loses_nothing_of_the_first(
    kind: type[RunFailed] | type[UserError],
) -> None:
    def fails(number: int) -> Comparison:
        if number:
            raise kind("mpich: crashed", remedy="see its log")
        return BAD

    found = judge(fails, 0.03)
    assert (found.found, found.ok) == (BAD, True)
    assert "mpich: crashed" in found.undecided


def test_an_open_gate_is_an_error_in_its_file(tmp_path: Path) -> None:
    judged_ = Judgement(BAD, 0.03, (), 1, "mpich: crashed")
    write_junit(judged_, tmp_path / "gate.xml")
    suite = ET.parse(tmp_path / "gate.xml").getroot().find("testsuite")
    assert suite is not None
    assert suite.get("errors") == "1"
    assert suite.find("testcase/error") is not None
