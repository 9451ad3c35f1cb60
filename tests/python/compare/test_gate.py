"""The gate: what passes, what fails, and what it leaves behind."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import vl_convert

from conftest import Command
from halocline.base.errors import RunFailed, Undecided, UserError
from halocline.cli.gate import judge
from halocline.compare.comparison import Comparison
from halocline.compare.history import Entry
from halocline.launch.job import Job, Outcome
from halocline.launch.mock import mock_job
from halocline.report import history
from samples_records import jsonl

GATE = ("--gate", "3%", "--launches", "8")


def live(command: Command, time: str, *more: str) -> tuple[int, str, str]:
    sides = ("--a", "machine=mock:1us", "--b", f"machine=mock:{time}")
    ended = command("compare", *sides, "pingpong", "bytes=8", "protocol=send_recv", *GATE, *more)
    return ended.code, ended.out, ended.err


def test_it_fails_by_a_regression_and_names_it(command: Command) -> None:
    code, out, _ = live(command, "1.05us", "--junit", "out/gate.xml")
    assert code == 1
    assert "Gate failed: 1 of 1 case regressed by 3.0 % or more, most pingpong bytes=8" in out
    suite = ET.parse("out/gate.xml").getroot().find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert "slower by 5.0 %" in str(failure.get("message"))


def test_it_passes_what_is_slower_by_less(command: Command) -> None:
    code, out, _ = live(command, "1.02us", "--junit", "gate.xml")
    assert code == 0
    assert "Gate passed: none of 1 case regressed by 3.0 %" in out
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


def test_a_setting_of_one_side_alone_is_compared_with_the_default(command: Command) -> None:
    words = ("bytes=8", "protocol=send_recv", "--machine", "mock:1us", "--output")
    command("run", "pingpong", *words, "baseline")
    gate = command("compare", "--gate", "3%", "baseline", "--b", "env.UCX_TLS=tcp")
    assert gate.code == 0, gate.err
    command("run", "pingpong", "env.UCX_TLS=tcp", *words, "set")
    recorded = command("compare", "baseline", "set")
    assert recorded.code == 0, recorded.err
    command("run", "pingpong", "env.UCX_TLS=tcp,self", *words, "swept")
    several = command("compare", "baseline", "swept")
    assert "no case in common" in several.err


@pytest.mark.parametrize(("time", "code"), [("1us", 0), ("1.04us", 1)])
def test_times_without_noise_are_decided_however_many_cases(
    command: Command, time: str, code: int
) -> None:
    words = (
        "bytes=0,8,64,512,4KiB,32KiB",
        "protocol=send_recv,ssend_recv",
        "--machine",
        "mock:1us",
        "--output",
        "baseline",
    )
    command("run", "pingpong,pingping", *words)
    now = ("--b", f"machine=mock:{time}") if time != "1us" else ()
    ended = command("compare", "--gate", "3%", "baseline", *now)
    assert ended.code == code, ended.err
    line = ended.out.splitlines()[-1]
    if code:
        assert line.startswith("Gate failed: 24 of 24 cases regressed by 3.0 % or more")
    else:
        assert line == "Gate passed: none of 24 cases regressed by 3.0 %."


def test_the_history_names_cases_by_what_they_differ_in() -> None:
    cases = [f"pingpong bytes={size} protocol=send_recv mpi=mpich" for size in (8, 64)]
    entries = [Entry("2026-11-20T10:00:00Z", "", c, 1e-6, 1.0, 0.9, 1.1, False) for c in cases]
    page = history.page(entries)
    assert "pingpong bytes=8<" in page and "protocol=send_recv" not in page
    assert cases[0] in history.page(entries[:1])


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
    assert "The last run (commit def), " in page and ": 1 of 1 case regressed: " in page
    assert "Cases regressed in 1 of 2 runs." in page
    assert "+20 %" in page


def test_the_times_of_a_history_are_as_in_its_table() -> None:
    """Of 24 hours, in UTC, whatever the reader's zone is."""
    one = Entry("2026-11-25T13:26:14Z", "", "case", 1e-6, 1.0, 0.99, 1.01, False)
    page = history.page([one, replace(one, when="2026-11-25T13:29:02Z")])
    data = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)
    assert data
    drawn = json.loads(data[1])["charts"]["history"]["specification"]
    labels = re.findall(r">(\d\d:\d\d(?::\d\d)?)<", vl_convert.vegalite_to_svg(drawn))
    assert labels and {label[:4] for label in labels} == {"13:2"}


def test_a_damaged_history_is_named(command: Command) -> None:
    Path("past").mkdir()
    Path("past/history.jsonl").write_text("nonsense\n", encoding="utf-8")
    code, _, err = live(command, "1.001us", "--history", "past")
    assert code == 2
    assert "past/history.jsonl:1" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("mpich", "--gate", "3%"), "is not a baseline"),
        (("--gate", "3%", "baseline", "pingpong"), "'pingpong' with a baseline"),
        (("--gate", "300%", "baseline"), "--gate 300%"),
        (("--a", "env.X=1", "pingpong", "--junit", "x.xml"), "--junit without --gate"),
    ],
)
def test_wrong_usage(words: tuple[str, ...], said: str, command: Command) -> None:
    command("run", "pingpong", "bytes=8", "--machine", "mock:1us", "--output", "baseline")
    ended = command("compare", *words)
    assert ended.code == 2
    assert said in ended.err


def test_a_gate_that_could_compare_nothing_neither_passes_nor_fails(command: Command) -> None:
    words = ("bytes=8", "protocol=send_recv", "--machine", "mock:1us", "--output", "few")
    command("run", "pingpong", *words, "--launches", "1")
    ended = command("compare", "--gate", "3%", "few", "--junit", "gate.xml")
    assert ended.code == 3
    assert "Gate undecided" in ended.out
    assert "nothing could be compared: " in ended.err
    assert ET.parse("gate.xml").getroot().find(".//skipped") is not None


def test_settings_without_a_case_in_common_are_refused_before_a_measurement(
    command: Command,
) -> None:
    words = ("bytes=8", "protocol=send_recv", "layout=1N2P,2N1P", "--machine", "mock:1us")
    command("run", "pingpong", *words, "--output", "baseline")
    gate = command("compare", *GATE[:2], "baseline", "--b", "layout=1N1P", "--output", "now")
    assert gate.code == 2
    assert "--b layout=1N1P: no case would be comparable with baseline" in gate.err
    assert not Path("now").exists()


@pytest.mark.parametrize("option", ["--junit", "--history"])
def test_unwritable_files_are_reported_before_a_measurement(option: str, command: Command) -> None:
    Path("file").write_text("")
    ended = live(command, "1us", option, "file/inside/gate", "--output", "both")
    assert ended[0] == 2
    assert f"{option}: cannot write into file/inside" in ended[2]
    assert not Path("both").exists()


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("machine=mock:-1us", "--b machine: machine 'mock:-1us' is not mock:TIME"),
        ("mpi=nosuch", "--b mpi: unknown MPI 'nosuch'"),
        ("bytes=16", "--b bytes with a baseline; leave it out"),
    ],
)
def test_a_baseline_is_not_measured_with_what_cannot_be_compared(
    setting: str, said: str, command: Command
) -> None:
    command("run", "pingpong", "bytes=8", "--machine", "mock:1us", "--output", "base")
    ended = command("compare", "base", "--b", setting, "--gate", "3%", "--output", "now")
    assert (ended.code, Path("now").exists()) == (2, False)
    assert said in ended.err


def test_a_page_of_others_in_the_history_is_kept(command: Command) -> None:
    (page := Path("site/index.html")).parent.mkdir()
    page.write_text("<html>my site</html>")
    command("run", "pingpong", "bytes=8", "--machine", "mock:1us", "--output", "base")
    ended = command("compare", "base", "--gate", "3%", "--history", "site")
    assert ended.code == 2
    assert "site/index.html is not a page of Halocline; choose another file with --hi" in ended.err
    assert page.read_text() == "<html>my site</html>"


def test_only_an_earlier_result_is_replaced(command: Command) -> None:
    command("run", "pingpong", "bytes=8", "--machine", "mock:1us", "--output", "base")
    samples, result = Path("base/samples.jsonl"), Path("gate.xml")
    refused = command("compare", "base", "--gate", "3%", "--junit", str(samples))
    assert (refused.code, samples.is_file()) == (2, True)
    assert "--junit base/samples.jsonl is not JUnit XML" in refused.err
    result.write_text("<testsuites/>")
    assert command("compare", "base", "--gate", "much", "--junit", "gate.xml").code == 2
    assert result.read_text() == "<testsuites/>"


def test_two_libraries_in_a_baseline_are_two_cases(command: Command) -> None:
    words = ("bytes=8", "protocol=send_recv", "--machine", "mock:1us", "--output", "base")
    assert command("run", "pingpong", *words, "--mpi", "mpich", "--mpi", "intel").code == 0
    ended = command("compare", "--gate", "3%", "base", "--b", "machine=mock:1.2us")
    assert ended.code == 1
    assert "Gate failed: 2 of 2 cases" in ended.out


def test_a_folder_or_a_damaged_history_is_reported_before_a_measurement(
    command: Command,
) -> None:
    Path("gate.xml").mkdir()
    assert live(command, "1us", "--junit", "gate.xml")[::2][0] == 2
    Path("past").mkdir()
    Path("past/history.jsonl").write_text("nonsense\n")
    code, _, err = live(command, "1us", "--history", "past", "--output", "both")
    assert code == 2
    assert "past/history.jsonl:1" in err
    assert not Path("both").exists()


def test_json_is_all_that_is_on_stdout(command: Command) -> None:
    code, out, err = live(command, "1.05us", "--json")
    assert code == 1
    assert json.loads(out)["verdict"] == "slower"
    assert "Gate failed" in err


def test_bad_input_is_refused_before_a_measurement() -> None:
    def refuses(number: int) -> Comparison:
        raise UserError("no such library", remedy="name another")

    with pytest.raises(UserError, match="no such library"):
        judge(refuses, 0.03)


def test_a_launch_that_fails_is_no_regression() -> None:
    def fails(number: int) -> Comparison:
        raise RunFailed("mpich: crashed", remedy="see its log")

    with pytest.raises(Undecided, match="the gate is undecided: mpich: crashed"):
        judge(fails, 0.03)


def wrong_in(folder: str) -> Callable[..., Outcome]:
    """The first launch of a run finds a wrong byte."""

    def wrong(job: Job, *others: Any) -> Outcome:
        outcome = mock_job(job, *others)
        if job.samples.parent.name == folder and job.launch == 1:
            lines = job.samples.read_text().splitlines()
            at = next(at for at, line in enumerate(lines) if '"status":"measured"' in line)
            lines[at] = lines[at].replace(
                '"status":"measured","reason":""', '"status":"failed","reason":"byte 3 is wrong"'
            )
            job.samples.write_text(jsonl(lines))
        return outcome

    return wrong


def test_a_wrong_payload_fails_the_gate(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("halocline.campaign.starters.mock_job", wrong_in("b"))
    sides = ("--a", "machine=mock:1us", "--b", "machine=mock:1us")
    cases = ("pingpong", "bytes=8,64", "protocol=send_recv")
    ended = command("compare", *sides, *cases, *GATE, "--junit", "gate.xml", "--output", "both")
    assert ended.code == 1
    assert "Gate failed: 1 of 2 cases failed on a side, first pingpong " in ended.out
    assert "mpi=mpich: byte 3 is wrong." in ended.out
    suite = ET.parse("gate.xml").getroot().find("testsuite")
    assert suite is not None and (suite.get("errors"), suite.get("skipped")) == ("1", "0")
    assert suite.find(".//error") is not None
    again = command("compare", "both")
    assert again.code == 1
    assert "failed: byte 3 is wrong" in again.out
    recorded = command("compare", "both/a", "both/b")
    assert recorded.code == 1
    assert "failed: byte 3 is wrong" in recorded.out


def test_a_wrong_payload_fails_the_gate_against_a_baseline_too(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("bytes=8", "protocol=send_recv", "--machine", "mock:1us", "--output", "before")
    command("run", "pingpong", *words, "--launches", "8..8")
    monkeypatch.setattr("halocline.campaign.starters.mock_job", wrong_in("now"))
    words = ("--gate", "3%", "--junit", "gate.xml", "--output", "now")
    ended = command("compare", "before", *words)
    assert ended.code == 1, ended.err
    assert "byte 3 is wrong" in ended.out
    suite = ET.parse("gate.xml").getroot().find("testsuite")
    assert suite is not None and suite.get("errors") == "1"
