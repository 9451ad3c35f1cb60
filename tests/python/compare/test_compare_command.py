"""`halocline compare` from words to verdict, on machines whose times are in their names."""

from __future__ import annotations

import errno
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conftest import Command
from documents import CHECKOUT
from halocline.base.errors import UserError
from halocline.cli.sides import asked_of
from halocline.compare.recorded import assumed, common_cases
from halocline.mpi import registry
from halocline.specification.cases import Case
from halocline.specification.catalogue import Axis, from_json
from samples_records import alter

SLOWER = ("--a", "machine=mock:1us", "--b", "machine=mock:1.02us")
CASES = ("pingpong", "bytes=8,64", "protocol=send_recv")


def test_it_says_which_is_slower_and_by_how_much(command: Command) -> None:
    ended = command("compare", *SLOWER, *CASES, "--output", "both")
    assert ended.code == 0
    assert (
        "machine=mock:1.02us is slower than machine=mock:1us by 2.0 % in 2 of 2 cases." in ended.out
    )
    page = Path("both/report.html").read_text(encoding="utf-8")
    assert 'id="comparison"' in page
    assert "slower by 2.0 %" in page


def test_it_says_that_there_is_no_difference(command: Command) -> None:
    same = ("--a", "machine=mock:1us", "--b", "machine=mock:1.0001us")
    ended = command("compare", *same, "pingpong", "bytes=8", "protocol=send_recv", "--json")
    result = json.loads(ended.out)
    assert result["cases"][0]["ratio"]["ratio"] == pytest.approx(1.0001)
    assert result["interleaved"]
    assert result["launches"] == 20


def test_settings_of_both_sides_distinguish_rows(command: Command) -> None:
    ended = command("compare", *SLOWER, "pingpong", "bytes=8", "env.GROUP=1,2", "--output", "both")
    assert ended.code == 0, ended.err
    page = Path("both/report.html").read_text(encoding="utf-8")
    for setting in ("env.GROUP=1", "env.GROUP=2"):
        assert setting in ended.out
        assert setting in page


def test_every_key_is_in_the_reference(command: Command) -> None:
    result = json.loads(command("compare", *SLOWER, *CASES, "--json").out)
    page = (CHECKOUT / "docs/reference/comparison-json.md").read_text(encoding="utf-8")
    keys = {*result, *result["overall"], *result["cases"][0], *result["cases"][0]["ratio"]}
    assert sorted(key for key in keys if f"`{key}`" not in page) == []


def test_a_comparison_is_read_again(command: Command) -> None:
    command("compare", *SLOWER, *CASES, "--output", "both")
    again = command("compare", "both", "--json")
    assert again.code == 0
    assert json.loads(again.out)["cases"][0]["ratio"]["verdict"] == "slower"


def test_protocols_are_compared_case_by_case(command: Command) -> None:
    Path("pingpong").mkdir()  # such as `halocline run pingpong --output pingpong` makes
    sides = ("--a", "protocol=send_recv", "--b", "protocol=ssend_recv", "--a", "machine=mock:1us")
    ended = command("compare", *sides, "--b", "machine=mock:2us", "pingpong", "bytes=8", "--json")
    (case,) = json.loads(ended.out)["cases"]
    assert case["axes"] == {"protocol": "send_recv", "bytes": 8}
    assert case["id"] != case["other_id"]
    assert case["ratio"]["ratio"] == pytest.approx(2)


def test_sides_differ_in_any_axis_given_or_not(command: Command) -> None:
    sides = ("--a", "bytes=64KiB", "--b", "bytes=1MiB", "--a", "machine=mock:1us")
    words = ("pingpong", "protocol=send_recv", "--json")
    ended = command("compare", *sides, "--b", "machine=mock:2us", *words)
    (case,) = json.loads(ended.out)["cases"]
    assert case["axes"] == {"protocol": "send_recv", "bytes": 65536}
    shown = command("compare", *sides, "--b", "machine=mock:2us", *words[:-1]).out
    assert " send_recv  " in shown  # without the size, which the heads have


@pytest.mark.parametrize("wrong", ["placement=wrap", "bytes=8,16", "bytes=128"])
def test_a_comparison_that_cannot_begin_leaves_nothing(wrong: str, command: Command) -> None:
    """Its folder would be in the way of the next try."""
    other = ("--a", "bytes=8") if wrong == "bytes=8,16" else ()
    ended = command("compare", *SLOWER, "--b", wrong, *other, *CASES, "--output", "both")
    assert ended.code == 2
    assert not Path("both").exists()


def test_what_another_process_measures_is_kept(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def create(folder: Path, *_: object) -> None:
        raise UserError(f"{folder.parent} is not empty", remedy="choose another folder")

    (kept := Path("both/a/samples.jsonl")).parent.mkdir(parents=True)
    kept.write_text("of another process")
    monkeypatch.setattr("halocline.samples.run_folder.require_new", lambda path: None)
    monkeypatch.setattr("halocline.samples.run_folder.create", create)
    assert command("compare", *SLOWER, *CASES, "--output", "both").code == 2
    assert kept.read_text() == "of another process"


def test_a_full_disk_keeps_what_was_measured(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "both/report.html")

    with monkeypatch.context() as patched:
        patched.setattr("halocline.report.html.write_text", full)
        ended = command("compare", *SLOWER, *CASES, "--output", "both")
    assert ended.code == 1
    assert "what was measured is saved in both; free some space, then write the report" in ended.err
    assert command("compare", "both").code == 0


@pytest.mark.parametrize("asked", [("report", "here"), ("compare", "here", "here")])
def test_a_report_replaces_no_measurements(asked: tuple[str, ...], command: Command) -> None:
    command("run", "pingpong", "bytes=8", "--machine", "mock:1us", "--output", "here")
    before = (samples := Path("here/samples.jsonl")).read_bytes()
    ended = command(*asked, "--output", str(samples))
    assert ended.code == 2
    assert "here/samples.jsonl is not a page of Halocline; choose another file" in ended.err
    assert samples.read_bytes() == before


def test_recorded_runs_are_compared_with_what_runs_differ_by(command: Command) -> None:
    for name, time in (("monday", "1us"), ("tuesday", "1.01us")):
        words = ("bytes=8", "protocol=send_recv", "--machine", f"mock:{time}", "--output", name)
        assert command("run", "pingpong", *words).code == 0
        samples = Path(name, "samples.jsonl")  # as of a machine that is not the same every day
        alter(samples, '"simulated":true', '"simulated":false')
    ended = command("compare", "monday", "tuesday", "--json")
    result = json.loads(ended.out)
    (case,) = result["cases"]
    assert not result["interleaved"]
    assert case["ratio"]["verdict"] == "unknown"  # the runs' own difference may be all of it
    assert case["low"] < 1 < case["high"]
    assert "taken turns" in result["notes"][-1]
    assert "compare live sides" in result["sentence"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nobody", "else"), "'nobody' is neither an MPI library nor a run folder"),
        (("--a", "env.X", "pingpong"), "'env.X' is not a setting"),
        (("--a", "colour=red", "pingpong"), "sides cannot differ in 'colour'"),
        (("--a", "placement=best", "pingpong"), "placement=best"),
        (("--a", "bytes=-1", "pingpong"), "bytes '-1' is not a size"),
        (("--a", "protocol=ring", "pingpong"), "protocol=ring: unknown protocol"),
        (("--a", "env.X=1", "pingpong", "--launches", "3"), "8 or more"),
        (("--a", "env.X=1", "pingpong", "--resolution", "much"), "--resolution much"),
        (("here", "env.X=1"), "'env.X=1' with a recorded run"),
        (("here",), "only one is a recorded run"),
        (("here", "nosuch"), "'nosuch' is not a run folder"),
        (("--a", "machine=mock:1us", "pingpong"), "one side is measured on a made-up machine"),
        ((*SLOWER, "--b", "mpi=nosuch", "pingpong"), "--b mpi: unknown MPI 'nosuch'"),
        ((*SLOWER, "--b", "machine=mock:-1us", "pingpong"), "--b machine: "),
        ((*SLOWER, *CASES, "--commit", "abc"), "--commit without --history"),
        ((), "both sides are missing; allowed: mpich, "),
        (("mpich",), "mpich: one side is missing; allowed: mpich, "),
        (
            ("mpich", "pingpong", "bytes=8"),
            "`halocline compare mpich intel pingpong bytes=8`; `mpich mpich` compares a library",
        ),
        (("here", "here", "--budget", "1s"), "--budget with a recorded run"),
        (("here", "--gate", "3%", "--launches", "8"), "--launches with a recorded run"),
        (("mpich", "intel", "--hosts", "made"), "--hosts without WORKLOAD"),
    ],
)
def test_wrong_usage_names_the_remedy(words: tuple[str, ...], said: str, command: Command) -> None:
    Path("here").mkdir()
    ended = command("compare", *words)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert ended.err.count("\n") == 1


def test_a_side_with_several_cases_for_one_is_refused(command: Command) -> None:
    sides = ("--a", "protocol=send_recv", "--a", "machine=mock:1us", "--b", "machine=mock:2us")
    ended = command("compare", *sides, "pingpong", "bytes=8")
    assert ended.code == 2
    assert "several values of protocol where a case needs one" in ended.err
    assert "--b protocol=VALUE" in ended.err


def test_runs_of_different_sizes_have_nothing_in_common(command: Command) -> None:
    for name, size in (("small", "8"), ("large", "64KiB")):
        words = ("pingpong", f"bytes={size}", "protocol=send_recv", "--machine", "mock:1us")
        assert command("run", *words, "--launches", "8", "--output", name).code == 0
    ended = command("compare", "small", "large")
    assert ended.code == 2
    assert "no case in common" in ended.err


def test_an_axis_that_one_version_lacks_counts_only_off_its_default(
    driver_catalogue: dict[str, Any],
) -> None:
    former = from_json(driver_catalogue)
    (name, axes) = (former.workloads[0].name, former.workloads[0].axes)
    more = replace(former.workloads[0], axes=(*axes, Axis("grid_y", "integer", default=(0,))))
    newer = replace(former, workloads=(more, *former.workloads[1:]))
    old, same, other = (
        Case(name, (*new, ("words", 8)), "mpich", "here", 2)
        for new in ((), (("grid_y", 0),), (("grid_y", 1),))
    )
    for cases, catalogues, pair in (
        (((old,), (same, other)), (former, newer), (old, same)),
        (((other, same), (old,)), (newer, former), (same, old)),
    ):
        assert common_cases(cases, frozenset(), catalogues) == (pair,)
    with pytest.raises(UserError, match="no case in common"):
        common_cases(((old,), (other,)), frozenset(), (former, newer))
    assert assumed((same, same), newer, former) == ("grid_y=0",)
    assert assumed((old,), former, newer) == ()


def test_the_figures_of_a_comparison_s_folder_are_exported(command: Command) -> None:
    sides = ("--a", "machine=mock:1us", "--b", "machine=mock:2us")
    words = ("pingpong", "bytes=8", "protocol=send_recv", "--launches", "8")
    assert command("compare", *sides, *words, "--output", "both").code == 0
    ended = command("report", "both", "--figures", "svg", "--output", "new/page.html")
    assert (ended.code, ended.err) == (0, "")
    first, *figures = ended.out.splitlines()
    assert first == "report: new/page.html"
    assert figures[0] == "figure: new/page-figures/comparison-ratios.svg"
    assert "figure: new/page-figures/pingpong-latency.svg" in figures
    verdict = Path("new/page-figures/comparison-ratios.svg").read_text(encoding="utf-8")
    assert "machine=mock:2us" in verdict


def test_the_figure_of_two_programs_is_exported(command: Command) -> None:
    sides = ("--a", "program=true", "--b", "program=true x")
    assert command("compare", *sides, "--launches", "8", "--output", "both").code == 0
    ended = command("report", "both", "--figures", "pdf")
    assert ended.out.splitlines() == [
        "report: both/report.html",
        "figure: both/report-figures/comparison-programs.pdf",
    ]
    assert Path("both/report-figures/comparison-programs.pdf").read_bytes().startswith(b"%PDF")


def test_a_folder_named_like_a_library_is_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "known", lambda: [SimpleNamespace(name="mpich")])
    Path("mpich").mkdir()
    assert asked_of(["mpich", "./mpich", "pingpong"], [], []).runs == (Path("mpich"),)
    assert asked_of(["mpich", "mpich", "pingpong"], [], []).runs == ()


def test_simulated_runs_are_compared_by_the_launches_they_have_by_default(command: Command) -> None:
    """Sides cannot take turns there, and a second launch repeats the first to the last bit."""
    for name, time in (("monday", "1us"), ("tuesday", "2us")):
        words = ("bytes=8", "protocol=send_recv", "--machine", f"mock:{time}", "--output", name)
        assert command("run", "pingpong", *words, "--launches", "2..2").code == 0
    (case,) = json.loads(command("compare", "monday", "tuesday", "--json").out)["cases"]
    assert case["ratio"]["verdict"] == "slower"
    assert case["ratio"]["ratio"] == pytest.approx(2)


def test_a_simulated_side_is_refused_for_what_it_is(command: Command) -> None:
    ended = command("compare", "--a", "machine=two-nodes", "--b", "mpi=intel")
    assert ended.code == 2
    assert "machine two-nodes is simulated: its jobs cannot take turns" in ended.err
