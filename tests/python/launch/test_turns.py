"""Jobs that take turns: real ones, with the driver as it is."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path

import pytest

from halocline.launch.job import Deadlines, Job, Progress
from halocline.launch.run_job import run_job
from halocline.launch.turns import ENDED_WITH_OTHERS, order_of_turns, take_turns
from halocline.samples.dataset import load
from libraries import TOOLCHAINS

CASES = ("c1 pingpong protocol=send_recv bytes=8", "c2 pingping protocol=sendrecv bytes=64")


def job(samples: Path, label: str, cases: tuple[str, ...] = CASES, delay_share: float = 0.0) -> Job:
    return Job(TOOLCHAINS["mpich"](), 2, 1, cases, samples, label=label, delay_share=delay_share)


def test_turns_are_balanced_and_each_side_begins() -> None:
    assert order_of_turns(2, 0) == (0, 1, 1, 0)
    assert order_of_turns(2, 1) == (1, 0, 0, 1)
    assert order_of_turns(3, 1) == (1, 2, 0, 0, 2, 1)


@pytest.mark.launches
@pytest.mark.waits
def test_three_sides_measure_every_case_in_as_many_blocks(tmp_path: Path) -> None:
    files = [tmp_path / f"{side}.jsonl" for side in "abc"]
    progress: list[Progress] = []
    jobs = [
        job(file, file.stem, delay_share=delay)
        for file, delay in zip(files, (0, 0, 2), strict=True)
    ]
    outcomes = take_turns(jobs, 1, progress.append)
    assert [outcome.reason for outcome in outcomes] == ["complete"] * 3
    assert progress == [Progress(1, 2), Progress(2, 2)]
    datasets = [load(file) for file in files]
    for case in ("c1", "c2"):
        found = [dataset.case_samples(case)[0] for dataset in datasets]
        blocks = {len(each.preempted) / each.block_batches for each in found}
        assert len(blocks) == 1
        assert blocks.pop() % 2 == 0
        fastest = [float(each.traversal_s.min()) for each in found]
        assert fastest[2] > 1.5 * min(fastest[:2])  # its batches take three times as long


@pytest.mark.launches
@pytest.mark.waits
def test_a_case_that_one_side_skips_is_skipped_by_all(tmp_path: Path) -> None:
    able, unable = tmp_path / "able.jsonl", tmp_path / "unable.jsonl"
    cases = ("c1 pingpong protocol=send_recv bytes=8",)
    lacking = ("c1 pingpong protocol=shmem_put bytes=8",)
    outcomes = take_turns([job(able, "a", cases), job(unable, "b", lacking)], 1, lambda _: None)
    assert all(outcome.ok for outcome in outcomes)
    reasons = [load(file).case_samples("c1")[0].reason for file in (able, unable)]
    assert reasons[0] == "another side cannot measure it"
    assert "OpenSHMEM" in reasons[1]


@pytest.mark.launches
@pytest.mark.waits
def test_when_one_fails_the_others_are_ended(tmp_path: Path) -> None:
    wrong = ("c1 nothing_of_the_kind bytes=8", "c2 pingping protocol=sendrecv bytes=64")
    outcomes = take_turns(
        [job(tmp_path / "a.jsonl", "a"), job(tmp_path / "b.jsonl", "b", wrong)], 1, lambda _: None
    )
    assert [outcome.ok for outcome in outcomes] == [False, False]
    assert outcomes[0].reason == ENDED_WITH_OTHERS  # not to blame
    assert "nothing_of_the_kind" in outcomes[1].reason


@pytest.mark.launches
@pytest.mark.waits
def test_an_error_that_the_launcher_loses_is_still_reported(tmp_path: Path) -> None:
    """Under load, launchers may end without passing on what was printed before MPI_Abort."""
    whole = job(tmp_path / "a.jsonl", "a", ("c1 nothing_of_the_kind bytes=8",))
    launcher = tmp_path / "launcher"
    launcher.write_text(f'#!/bin/sh\nexec {whole.toolchain.launcher} "$@" 2>/dev/null\n')
    launcher.chmod(0o755)
    outcome = run_job(
        replace(whole, toolchain=replace(whole.toolchain, launcher=launcher)), lambda _: None
    )
    assert "halocline-driver" not in outcome.output
    assert re.search("before the first case: rank [01]: ", outcome.reason)
    assert "nothing_of_the_kind" in outcome.reason


@pytest.mark.launches
@pytest.mark.waits
def test_a_stop_ends_all_of_them(tmp_path: Path) -> None:
    def stop(_: Progress) -> None:
        raise KeyboardInterrupt

    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    with pytest.raises(KeyboardInterrupt):
        take_turns([job(file, file.stem) for file in files], 1, stop)
    assert all(load(file).failures for file in files)


@pytest.mark.launches
@pytest.mark.waits
def test_a_side_outlives_the_long_preparations_of_the_first(tmp_path: Path) -> None:
    def prepare(progress: Progress) -> None:
        if progress.case == 1:
            time.sleep(12)

    deadlines = Deadlines(start_s=60, progress_s=10, total_s=120)
    jobs = [
        replace(job(tmp_path / f"{side}.jsonl", side), deadlines=deadlines) for side in ("a", "b")
    ]
    outcomes = take_turns(jobs, 1, prepare)
    assert [outcome.reason for outcome in outcomes] == ["complete"] * 2


@pytest.mark.launches
@pytest.mark.waits
def test_jobs_sleep_through_the_rows_that_are_not_theirs(tmp_path: Path) -> None:
    files = [tmp_path / f"{side}.jsonl" for side in "abc"]
    cases = (CASES, CASES[:1], CASES[1:])
    jobs = [job(file, file.stem, each) for file, each in zip(files, cases, strict=True)]
    outcomes = take_turns(jobs, 1, lambda _: None, 0, [(0, 1), (0, 2)])
    assert [outcome.reason for outcome in outcomes] == ["complete"] * 3
    found = [[each.case for each in load(file).samples] for file in files]
    assert found == [["c1", "c2"], ["c1"], ["c2"]]
