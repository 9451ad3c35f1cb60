"""`halocline detect` on machines whose times are made up: it finds what was put into them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import Command
from halocline.launch import mock
from halocline.launch.job import Job, Outcome
from halocline.launch.mock import mock_job
from halocline.summary.summary import of_run

LIMIT = 5000
MOCK = "halocline.campaign.starters.mock_job"
Times = Callable[[str, dict[str, str]], float]


@pytest.fixture
def driver_catalogue(driver_catalogue: dict[str, Any]) -> dict[str, Any]:
    """The stand-in driver's catalogue with all that is looked into."""
    pingpong = driver_catalogue["workloads"][0]
    sizes = pingpong["axes"][1]
    patience = sizes | {"name": "patience", "unit": "µs", "default": [2000]}
    pairs = sizes | {"name": "pairs", "unit": "pairs", "default": [0]}
    structure = {"name": "structure", "kind": "choice", "choices": ["flat"], "default": ["flat"]}
    many = {"ranks_maximum": 2**20}
    driver_catalogue["workloads"] += [
        pingpong | {"name": "eager_probe", "axes": [sizes, patience]},
        pingpong | {"name": "pairs", "axes": [*pingpong["axes"], pairs]} | many,
        pingpong | {"name": "allreduce", "axes": [sizes, structure]} | many,
        pingpong | {"name": "barrier", "axes": [structure]} | many,
    ]
    return driver_catalogue


@pytest.fixture
def times(monkeypatch: pytest.MonkeyPatch) -> Callable[[Times], None]:
    """Makes the times of a mock machine depend on the case; each launch has noise of 0.5 %."""
    samples = mock._samples

    def use(of_case: Times) -> None:
        count = 0

        def noisy(line: str, _: float) -> dict[str, Any]:
            nonlocal count
            count += 1
            _identity, workload, *axes = line.split()
            exact_s = of_case(workload, dict(axis.split("=") for axis in axes))
            random = np.random.default_rng(zlib.crc32(f"{line} {count}".encode()))
            return samples(line, exact_s * float(np.exp(random.normal(0, 0.005))))

        monkeypatch.setattr(mock, "_samples", noisy)

    return use


def with_a_limit(_: str, axes: dict[str, str]) -> float:
    """The probe's sends return up to the limit."""
    return 2e-6 if int(axes["bytes"]) <= LIMIT else 20e-3


def test_the_eager_limit_is_found_to_the_byte(
    command: Command, times: Callable[[Times], None]
) -> None:
    times(with_a_limit)
    ended = command("detect", "eager-limit", "--machine", "mock:1us", "--output", "e")
    assert ended.code == 0, ended.err
    assert ended.out.splitlines() == [
        "mpich pingpong: MPI_Send returns before its receive is posted up to 5000 B, and not from "
        "5001 B on (99.6 % sure)",
        "report: e/report.html",
    ]
    page = Path("e/report.html").read_text(encoding="utf-8")
    assert "and not from 5001 B on (99.6 % sure)" in page
    # What was found is read again without measuring.
    size = Path("e/samples.jsonl").stat().st_size
    ended = command("detect", "eager-limit", "--in", "e", "--json")
    assert ended.code == 0, ended.err
    assert Path("e/samples.jsonl").stat().st_size == size
    result = json.loads(ended.out)
    assert (result["schema"], result["what"]) == (1, "eager-limit")
    (only,) = result["detections"]
    assert only["found"]["probed"] == {
        "below": 5000,
        "above": 5001,
        "confidence": 1 - 0.5**8,
    }
    assert (only["mpi"], only["ranks"], only["configuration"], only["run"]) == ("mpich", 2, {}, "e")


def test_without_a_limit_none_is_found(command: Command, times: Callable[[Times], None]) -> None:
    times(lambda *_: 2e-6)
    ended = command("detect", "eager-limit", "--machine", "mock:1us", "--output", "e")
    assert ended.out.splitlines() == [
        "mpich pingpong: no eager limit up to 1 MiB: MPI_Send returns before its receive is posted",
        "report: e/report.html",
    ]


def test_every_setting_of_every_library_is_searched_by_itself(
    command: Command, times: Callable[[Times], None]
) -> None:
    times(with_a_limit)
    words = ("env.LIMIT=1,2", "bytes=1024..8192")
    options = ("--mpi", "mpich", "--mpi", "intel", "--machine", "mock:1us", "--output", "e")
    ended = command("detect", "eager-limit", *words, *options, "--json")
    assert ended.code == 0, ended.err
    found = [
        (each["mpi"], each["configuration"], each["found"]["probed"]["above"], each["run"])
        for each in json.loads(ended.out)["detections"]
    ]
    assert found == [
        (mpi, {"env.LIMIT": value}, 5001, f"e/{mpi}")
        for mpi in ("mpich", "intel")
        for value in ("1", "2")
    ]


def test_packets(command: Command, times: Callable[[Times], None]) -> None:
    times(lambda _, axes: 1e-5 + int(axes["bytes"]) // 2049 * 2e-6)
    ended = command("detect", "packets", "--machine", "mock:1us", "--output", "p")
    assert ended.code == 0, ended.err
    first, report = ended.out.splitlines()
    assert first.startswith("mpich pingpong protocol=send_recv: steps up by 2.0")
    assert "every 20" in first and "at 4 boundaries" in first
    assert report == "report: p/report.html"


def test_half_of_the_bandwidth(command: Command, times: Callable[[Times], None]) -> None:
    times(lambda _, axes: 1e-6 + int(axes["bytes"]) / 8.192e9)
    ended = command("detect", "half-bandwidth", "--machine", "mock:1us", "--output", "h", "--json")
    assert ended.code == 0, ended.err
    (only,) = json.loads(ended.out)["detections"]
    assert only["axes"] == {"protocol": "send_recv"}
    assert only["found"]["size_bytes"]["median"] == pytest.approx(8192, rel=0.03)


def test_where_half_of_the_bandwidth_is_not_found_it_says_why(
    command: Command, times: Callable[[Times], None]
) -> None:
    times(lambda _, axes: int(axes["bytes"]) / 8.192e9)
    options = ("bytes=1KiB..64KiB", "--machine", "mock:1us", "--output", "h")
    ended = command("detect", "half-bandwidth", *options)
    assert ended.code == 0, ended.err
    assert "protocol=send_recv: no size found that reaches half the peak bandwidth" in ended.out
    assert "in 12 of 12 launches the smallest size already reaches it" in ended.out
    ended = command("detect", "half-bandwidth", "--in", "h", "--json")
    (only,) = json.loads(ended.out)["detections"]
    assert only["found"] is None and len(only["texts"]) == 1


def test_a_change_of_algorithm(command: Command, times: Callable[[Times], None]) -> None:
    def reduced(_: str, axes: dict[str, str]) -> float:
        size = int(axes["bytes"])
        return 2e-6 + size / 1e9 if size < 3000 else 5e-6 + size / 1.5e9

    times(reduced)
    options = ("--ranks", "4", "--machine", "mock:1us", "--output", "a")
    ended = command("detect", "algorithm", "allreduce", *options)
    assert ended.code == 0, ended.err
    first, _ = ended.out.splitlines()
    assert first.startswith("mpich allreduce structure=flat on 4 ranks: steps up by")
    assert first.endswith("between 2999 B and 3000 B")


def test_saturation(command: Command, times: Callable[[Times], None]) -> None:
    """Four pairs fill what they share."""
    times(lambda _, axes: 1e-3 * max(1, int(axes["pairs"]) / 4))
    words = ("bytes=1MiB", "protocol=send_recv")
    options = ("--ranks", "32", "--machine", "mock:1us", "--output", "s", "--json")
    ended = command("detect", "saturation", *words, *options)
    assert ended.code == 0, ended.err
    (only,) = json.loads(ended.out)["detections"]
    found = only["found"]
    assert (found["linear_to"], found["full_at"]) == (4, 4)


def test_saturation_needs_two_numbers_of_pairs(command: Command) -> None:
    for words in ((), ("pairs=2", "--ranks", "8")):
        ended = command("detect", "saturation", *words, "--machine", "mock:1us", "--output", "s")
        assert ended.code == 2
        assert "give --ranks 4 or more, and no pairs=N or several" in ended.err
        assert not Path("s").exists()


def test_saturation_of_one_number_of_pairs_says_what_is_missing(command: Command) -> None:
    command("run", "pairs", "bytes=8", "pairs=1", "--machine", "mock:1us", "--output", "one")
    ended = command("detect", "saturation", "--in", "one")
    assert ended.code == 0, ended.err
    assert ended.out.splitlines()[0].endswith(
        ": growth with the pairs unknown: "
        "no two numbers of pairs were measured in the same launches"
    )


def test_what_a_run_cannot_answer_is_reported(command: Command) -> None:
    command("run", "pingping", "bytes=8", "--machine", "mock:1us", "--output", "r")
    ended = command("detect", "eager-limit", "--in", "r")
    assert (ended.code, ended.out) == (
        0,
        "r: too few measured cases that this search can use: see `halocline summary r`\n",
    )


def test_too_few_sizes_or_launches_are_not_taken_for_an_absence(command: Command) -> None:
    ranks = ("--machine", "mock:1us", "--output")
    command("run", "allreduce", "bytes=8,64,512", *ranks, "a")
    (line, *_) = command("detect", "algorithm", "--in", "a").out.splitlines()
    assert line.endswith(
        "steps and bends unknown: 3 points of the curve have 4 launches or more, needed: 6"
    )
    command("detect", "packets", "--launches", "3", *ranks, "p")
    ended = command("detect", "packets", "--in", "p", "--json")
    (only,) = json.loads(ended.out)["detections"]
    assert only["found"] is None
    assert only["texts"][0].startswith("periodic steps unknown: 0 points of the curve have 4")


def test_an_interrupted_search_is_refined_when_it_is_resumed(
    command: Command, times: Callable[[Times], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def reduced(_: str, axes: dict[str, str]) -> float:
        size = int(axes["bytes"])
        return 2e-6 + size / 1e9 if size < 3000 else 5e-6 + size / 1.5e9

    def interrupted(job: Job, *others: Any) -> Outcome:
        if job.launch == 2:
            raise KeyboardInterrupt
        return mock_job(job, *others)

    times(reduced)
    monkeypatch.setattr(MOCK, interrupted)
    options = ("--ranks", "4", "--machine", "mock:1us", "--output", "a")
    ended = command("detect", "algorithm", "allreduce", *options)
    assert ended.code == 130
    assert ended.err.endswith("resume with `halocline detect algorithm --resume a`\n")
    monkeypatch.setattr(MOCK, mock_job)
    wrong = command("detect", "packets", "--resume", "a")
    assert (wrong.code, wrong.out) == (2, "")
    assert "a is not a search by `halocline detect packets`" in wrong.err
    ended = command("detect", "algorithm", "--resume", "a")
    assert ended.code == 0, ended.err
    assert ended.out.splitlines()[0].endswith("between 2999 B and 3000 B")
    refused = command("detect", "algorithm", "bytes=8", "--resume", "a")
    assert "leave it out: a search resumes with its original settings" in refused.err


def test_a_library_that_fails_hides_no_answer_of_another(
    command: Command, times: Callable[[Times], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(job: Job, *others: Any) -> Outcome:
        outcome = mock_job(job, *others)
        return (
            outcome
            if job.toolchain.name == "mpich"
            else replace(outcome, ok=False, reason="it crashed")
        )

    times(with_a_limit)
    monkeypatch.setattr(MOCK, failing)
    words = ("--mpi", "mpich", "--mpi", "openmpi", "--machine", "mock:1us", "--output", "e")
    ended = command("detect", "eager-limit", *words)
    assert ended.code == 1
    assert "up to 5000 B, and not from 5001 B on" in ended.out
    assert "report: e/mpich/report.html" in ended.out
    assert "it crashed" in ended.err


def test_what_is_measured_has_no_place_beside_a_recorded_run(command: Command) -> None:
    ended = command("detect", "packets", "bytes=8", "--mpi", "intel", "--in", "r")
    assert ended.code == 2
    assert ended.err.startswith("halocline: bytes=8, --mpi with --in; leave it out: --in searches")


def test_an_algorithm_of_nothing_is_refused(command: Command) -> None:
    ended = command("detect", "algorithm", "bytes=8")
    assert ended.code == 2
    assert ended.err == (
        "halocline: no collective operation named; name it first, as in "
        "`halocline detect algorithm allreduce`\n"
    )


def test_an_operation_without_sizes_is_refused_before_anything_is_written(
    command: Command, driver_catalogue: dict[str, Any]
) -> None:
    ended = command("detect", "algorithm", "barrier", "--machine", "mock:1us", "--output", "a")
    assert ended.code == 2
    assert "barrier has no sizes to search" in ended.err
    ended = command("detect", "algorithm", "pingpong", "--machine", "mock:1us", "--output", "a")
    assert ended.code == 2
    assert "pingpong is not a collective operation" in ended.err
    assert not Path("a").exists()


def test_no_size_beyond_the_largest_is_tried(command: Command) -> None:
    words = ("bytes=64MiB..1GiB", "--machine", "mock:1s", "--launches", "3", "--output", "h")
    command("detect", "half-bandwidth", *words)
    sizes = {case.case.axis("bytes") for case in of_run(Path("h")).cases}
    assert {2**26, 3 * 2**25, 2**30} <= sizes
    assert max(sizes) == 2**30
