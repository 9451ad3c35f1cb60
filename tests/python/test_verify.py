"""Every combination has a status, whatever becomes of the launches."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from conftest import Command
from halocline.base.progress import Estimate
from halocline.base.toolchain import Family, Toolchain
from halocline.launch.job import Job, Outcome, Progress
from halocline.specification.catalogue import Catalogue, from_json
from halocline.verify.combinations import Combination, Selection, grids, verify

TOOL = Toolchain("old", Family.MPICH, "MPICH 3", Path("/nonexistent"), Path("/nonexistent"))
CRASHED = "rank 1 crashed"
BOTH = Selection(("pingpong", "pingping"), {"bytes": (0, 8)})


class Heard:
    """A reporter that keeps every message."""

    def __init__(self) -> None:
        self.launches: list[tuple[str, int, int]] = []
        self.said: list[str] = []

    def launch(self, name: str, number: int, cases: int, left: Estimate | None) -> None:
        self.launches.append((name, number, cases))

    def case(self, case: int, cases: int, left: Estimate | None = None) -> None:
        raise AssertionError("the stand-in reports no case")

    def say(self, line: str) -> None:
        self.said.append(line)


def driver(
    outcomes: dict[str, tuple[str, str]], jobs: list[Job]
) -> Callable[[Job, Callable[[Progress], None]], Outcome]:
    """A stand-in for launches: cases with these words go so, all others are verified.

    `crash` ends the launch at that case, `never` before its first record.
    """

    def start(job: Job, on_progress: Callable[[Progress], None]) -> Outcome:
        jobs.append(job)
        fate = {line: _fate(line, outcomes) for line in job.cases}
        if ("never", CRASHED) in fate.values():
            return Outcome(False, CRASHED)
        records: list[dict[str, Any]] = [_began(job)]
        ended = Outcome(True, "complete")
        for line in job.cases:
            status, reason = fate[line]
            if status == "crash":
                ended = Outcome(False, reason)
                break
            records.append(_samples(job, line.split()[0], status, reason))
        with job.samples.open("a", encoding="utf-8") as samples:
            samples.writelines(f"{json.dumps(record)}\n" for record in records)
        return ended

    return start


def _fate(line: str, outcomes: dict[str, tuple[str, str]]) -> tuple[str, str]:
    return next((fate for words, fate in outcomes.items() if words in line), ("verified", ""))


def _began(job: Job) -> dict[str, Any]:
    library = {"library_version": "MPICH 3", "standard": "3.1", "abi": "", "library_path": ""}
    texts = dict.fromkeys(("clock", "compiler", "flags"), "") | {"started": "2026-11-21T11:00:00Z"}
    numbers = {"schema": 1, "ranks": job.ranks, "nodes": 1, "clock_cost_s": 1e-8}
    own = {"type": "start", "label": job.label, "launch": job.launch, "simulated": False}
    return {**own, **texts, **numbers, "mpi": library, "hosts": [], "cpus": []}


def _samples(job: Job, case: str, status: str, reason: str) -> dict[str, Any]:
    lists: dict[str, Any] = {"elapsed_s": [], "preempted": [], "line_s": []}
    own = {"type": "samples", "label": job.label, "launch": job.launch, "case": case}
    return {**own, "status": status, "reason": reason, "repeats": 0, "moved_bytes": 0, **lists}


@pytest.fixture
def catalogue(driver_catalogue: dict[str, Any]) -> Catalogue:
    return from_json(driver_catalogue)


def found(
    catalogue: Catalogue, outcomes: dict[str, tuple[str, str]], ranks: int = 2
) -> tuple[dict[tuple[str, str], Combination], Heard, list[Job]]:
    heard, jobs = Heard(), list[Job]()
    combinations = verify(TOOL, catalogue, ranks, BOTH, driver(outcomes, jobs), heard, 60.0)
    by_place = {(each.workload, each.protocol): each for each in combinations}
    assert len(by_place) == len(combinations)
    assert set(by_place) == {
        (workload, protocol.name) for workload in BOTH.workloads for protocol in catalogue.protocols
    }
    return by_place, heard, jobs


def test_all_cases_share_a_launch_that_times_nothing(catalogue: Catalogue) -> None:
    combinations, heard, jobs = found(catalogue, {})
    assert {(each.status, each.reason, each.cases) for each in combinations.values()} == {
        ("verified", "", 2)
    }
    assert heard.launches == [("old on 2 ranks", 1, 12)]
    assert [job.verify_only for job in jobs] == [True]
    assert jobs[0].cases[:2] == (
        "0 pingpong protocol=send_recv bytes=0",
        "1 pingpong protocol=send_recv bytes=8",
    )


def test_what_a_library_lacks_is_skipped_with_the_reason(catalogue: Catalogue) -> None:
    combinations, _, _ = found(catalogue, {"isendrecv": ("skipped", "it came with MPI 4")})
    skipped = combinations["pingping", "isendrecv"]
    assert (skipped.status, skipped.reason, skipped.cases) == ("skipped", "it came with MPI 4", 0)


def test_a_combination_of_which_some_cases_are_skipped_says_why(catalogue: Catalogue) -> None:
    combinations, _, _ = found(catalogue, {"bytes=0": ("skipped", "nothing to send")})
    partly = combinations["pingpong", "send_recv"]
    assert (partly.status, partly.reason, partly.cases) == ("verified", "nothing to send", 1)


def test_a_wrong_byte_fails_its_combination_alone(catalogue: Catalogue) -> None:
    wrong = {"pingping protocol=ssend_recv bytes=8": ("failed", "byte 3 is 1")}
    combinations, heard, _ = found(catalogue, wrong)
    failed = combinations["pingping", "ssend_recv"]
    assert (failed.status, failed.reason) == ("failed", "bytes=8: byte 3 is 1")
    assert [each for each in combinations.values() if each.status != "verified"] == [failed]
    assert len(heard.launches) == 1


def test_the_others_go_on_without_a_combination_that_crashes(catalogue: Catalogue) -> None:
    crash = {
        "pingpong protocol=ssend_recv bytes=0": ("crash", CRASHED),
        "pingping protocol=isendrecv bytes=8": ("crash", "no progress for 60 s"),
    }
    combinations, heard, jobs = found(catalogue, crash)
    failed = [each for each in combinations.values() if each.status == "failed"]
    assert [(each.workload, each.protocol, each.reason) for each in failed] == [
        ("pingpong", "ssend_recv", f"bytes=0: {CRASHED}"),
        ("pingping", "isendrecv", "bytes=8: no progress for 60 s"),
    ]
    assert all(each.cases == 2 for each in combinations.values() if each.status == "verified")
    # Twelve; without the two before and the two of the crash; the second is the very last.
    assert heard.launches == [("old on 2 ranks", 1, 12), ("old on 2 ranks", 2, 8)]
    assert [job.launch for job in jobs] == [1, 2]
    assert len(heard.said) == 2
    assert heard.said[0] == (
        f"old on 2 ranks: pingpong protocol=ssend_recv bytes=0: {CRASHED}; continuing without it"
    )


def test_a_library_that_does_not_start_fails_everything_at_once(catalogue: Catalogue) -> None:
    combinations, heard, _ = found(catalogue, {"pingpong": ("never", CRASHED)})
    assert {each.status for each in combinations.values()} == {"failed"}
    assert all(each.reason.endswith(CRASHED) for each in combinations.values())
    assert len(heard.launches) == 1


def test_ranks_that_a_workload_does_not_take_are_a_reason(catalogue: Catalogue) -> None:
    combinations, heard, jobs = found(catalogue, {}, ranks=4)
    assert {(each.status, each.reason) for each in combinations.values()} == {
        ("skipped", "takes 2 ranks")
    }
    assert (heard.launches, jobs) == ([], [])


def test_a_workload_without_protocols_is_one_combination(driver_catalogue: dict[str, Any]) -> None:
    plain = deepcopy(driver_catalogue["workloads"][0])
    plain |= {
        "name": "barrier",
        "axes": [{"name": "kind", "kind": "choice", "choices": ["a", "b"]}],
    }
    plain["axes"][0]["default"] = ["a", "b"]
    catalogue = from_json({**driver_catalogue, "workloads": [plain]})
    jobs: list[Job] = []
    only = Selection(("barrier",), {})
    (combination,) = verify(TOOL, catalogue, 2, only, driver({}, jobs), Heard(), 60.0)
    assert combination == Combination("old", 2, "barrier", "", "verified", "", 2)
    assert jobs[0].cases == ("0 barrier kind=a", "1 barrier kind=b")


def test_sizes_of_words_are_those_of_bytes(driver_catalogue: dict[str, Any]) -> None:
    words = deepcopy(driver_catalogue["workloads"][0])
    words["axes"][1] |= {"name": "words", "unit": "words", "low": 1, "high": 2**20}
    catalogue = from_json({**driver_catalogue, "workloads": [words]})
    jobs: list[Job] = []
    axes = {"protocol": ("send_recv",)}
    verify(TOOL, catalogue, 2, Selection(("pingpong",), axes), driver({}, jobs), Heard(), 60.0)
    assert [line.split("=")[-1] for line in jobs[0].cases] == ["1", "126", "8192", "131072"]


@pytest.mark.parametrize(("ranks", "points"), [(4, 4 * 2), (5, 1)])
def test_on_many_ranks_each_axis_takes_one_value(
    driver_catalogue: dict[str, Any], ranks: int, points: int
) -> None:
    many = deepcopy(driver_catalogue["workloads"][0])
    kinds = {"name": "kind", "kind": "choice", "choices": ["a", "b"], "default": ["a", "b"]}
    many |= {"ranks_maximum": 16, "axes": [*many["axes"], kinds]}
    many["axes"][1] |= {"name": "words", "unit": "words", "low": 1, "high": 2**20}
    catalogue = from_json({**driver_catalogue, "workloads": [many]})
    jobs: list[Job] = []
    axes = {"protocol": ("send_recv",)}
    selection = Selection(("pingpong",), axes)
    (found,) = verify(TOOL, catalogue, ranks, selection, driver({}, jobs), Heard(), 60.0)
    assert found.cases == points
    assert "0 pingpong protocol=send_recv words=8193 kind=a" in jobs[0].cases or ranks == 4


@pytest.mark.parametrize("ranks", [2, 8])
def test_an_axis_may_name_what_verification_takes(
    driver_catalogue: dict[str, Any], ranks: int
) -> None:
    named = deepcopy(driver_catalogue["workloads"][0])
    grid = {"name": "grid", "kind": "choice", "choices": ["large", "small", "tiny"]}
    grid |= {"default": ["large"], "verified": ["small", "tiny"]}
    named |= {"ranks_maximum": 16, "axes": [named["axes"][0], grid]}
    catalogue = from_json({**driver_catalogue, "workloads": [named]})
    jobs: list[Job] = []
    axes = {"protocol": ("send_recv",)}
    verify(TOOL, catalogue, ranks, Selection(("pingpong",), axes), driver({}, jobs), Heard(), 60.0)
    assert [line.split("=")[-1] for line in jobs[0].cases] == ["small", "tiny"]


@pytest.mark.parametrize("ranks", [2, 8])
def test_an_axis_of_numbers_may_name_them_too(driver_catalogue: dict[str, Any], ranks: int) -> None:
    named = deepcopy(driver_catalogue["workloads"][0])
    named["axes"][1] |= {"default": [64, 128], "verified": [16]}
    named |= {"ranks_maximum": 16}
    catalogue = from_json({**driver_catalogue, "workloads": [named]})
    jobs: list[Job] = []
    axes = {"protocol": ("send_recv",)}
    verify(TOOL, catalogue, ranks, Selection(("pingpong",), axes), driver({}, jobs), Heard(), 60.0)
    assert [line.split("=")[-1] for line in jobs[0].cases] == ["16"]


def test_orders_of_matrices_stay_small(driver_catalogue: dict[str, Any]) -> None:
    order = deepcopy(driver_catalogue["workloads"][0])
    order["axes"][1] |= {"name": "n", "unit": "", "low": 1, "high": 2**14, "default": [128, 512]}
    catalogue = from_json({**driver_catalogue, "workloads": [order]})
    jobs: list[Job] = []
    axes = {"protocol": ("send_recv",)}
    verify(TOOL, catalogue, 2, Selection(("pingpong",), axes), driver({}, jobs), Heard(), 60.0)
    assert [line.split("=")[-1] for line in jobs[0].cases] == ["1", "128"]


def test_a_table_says_what_runs_where_and_numbers_the_reasons() -> None:
    def at(ranks: int, workload: str, status: Any, reason: str = "") -> Combination:
        return Combination("old", ranks, workload, "put", status, reason)

    (grid,) = grids(
        [
            at(2, "pingpong", "verified"),
            at(4, "pingpong", "skipped", "takes 2 ranks"),
            at(8, "pingpong", "skipped", "takes 2 ranks"),
            at(2, "halo", "verified"),
            at(4, "halo", "verified"),
            at(8, "halo", "failed", "it hung"),
            at(2, "pairs", "skipped", "takes 2 ranks"),
            Combination("old", 2, "barrier", "", "verified"),
        ]
    )
    assert grid.workloads == ("pingpong", "halo", "pairs", "barrier")
    assert grid.protocols == ("put", "(no protocol)")
    assert grid.notes == ("takes 2 ranks", "it hung")
    assert grid.cells == {
        ("put", "pingpong"): "✓ 2; – 4, 8 [1]",
        ("put", "halo"): "✓ 2, 4; ✗ 8 [2]",
        ("put", "pairs"): "– 2 [1]",
        ("(no protocol)", "barrier"): "✓ 2",  # nothing is said of ranks that were not tried
    }


@pytest.fixture
def library(standin: Path, monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """One library, whose second protocol crashes."""
    jobs: list[Job] = []
    tool = Toolchain("old", Family.MPICH, "MPICH 3", Path("/nonexistent"), standin)
    monkeypatch.setattr("halocline.cli.verify.toolchains_of", lambda *_: {"old": tool})
    crash = driver({"ssend_recv": ("crash", CRASHED)}, jobs)
    monkeypatch.setattr("halocline.cli.verify.run_job", crash)
    return jobs


def test_the_command_prints_everything_as_json(command: Command, library: list[Job]) -> None:
    ended = command("verify", "pingpong", "bytes=8", "--ranks", "2", "--ranks", "4", "--json")
    assert ended.code == 1
    result = json.loads(ended.out)
    assert result["schema"] == 1
    assert result["libraries"] == [{"name": "old", "library": "MPICH 3"}]
    assert result["combinations"][1] == {
        "mpi": "old",
        "ranks": 2,
        "workload": "pingpong",
        "protocol": "ssend_recv",
        "status": "failed",
        "reason": f"bytes=8: {CRASHED}",
        "cases": 0,
    }
    assert [each["status"] for each in result["combinations"]] == [
        *("verified", "failed", "verified"),
        *("skipped",) * 3,
    ]


def test_the_command_shows_people_a_table(command: Command, library: list[Job]) -> None:
    out = command("verify", "pingpong", "bytes=8", "protocol=send_recv").out.splitlines()
    assert [line.rstrip() for line in out] == [
        "old: MPICH 3, on 2, 4 ranks",
        "           pingpong",
        "send_recv  ✓ 2; – 4 [1]",
        "[1] takes 2 ranks",
        "",
        "✓ runs, every byte checked   – does not run   ✗ failed",
    ]


def test_axes_alone_select_the_workloads_that_have_them(
    command: Command, library: list[Job], driver_catalogue: dict[str, Any]
) -> None:
    catalogue = from_json(driver_catalogue)
    has = {each.name for each in catalogue.workloads if each.axis("protocol")}
    ended = command("verify", "protocol=send_recv", "--ranks", "2", "--json")
    combinations = json.loads(ended.out)["combinations"]
    assert {each["workload"] for each in combinations} == has
    assert {each["protocol"] for each in combinations} == {"send_recv"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nonsense"], "unknown workload 'nonsense'"),
        (["colour=blue"], "no axis 'colour'"),
        (["pingpong", "bytes=x"], "'x'"),
        (["pingpong", "placement=smp"], "placement is not an axis"),
        (["pingpong", "--deadline", "0s"], "--deadline"),
        (["pingpong", "--ranks", "0"], "'--ranks'"),
    ],
)
def test_wrong_words_are_refused(
    command: Command, library: list[Job], words: list[str], said: str
) -> None:
    ended = command("verify", *words)
    assert ended.code == 2
    assert said in ended.err
    assert library == []
