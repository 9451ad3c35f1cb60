"""A mock's times are the number in its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from halocline.base.errors import UserError
from halocline.base.toolchain import Family, Toolchain
from halocline.launch.job import Job, Progress
from halocline.launch.mock import mock_job, parse_mock
from halocline.samples import records
from launch.trace import kinds
from launch.trace import records as lines

MOCK = Toolchain("mock", Family.MPICH, "mock", Path("/none"), Path("/none"))
CASES = ("a pingpong bytes=8 protocol=send_recv", "b pingping bytes=4096 protocol=send_recv")


def job(samples: Path, launch: int = 1) -> Job:
    return Job(MOCK, ranks=2, launch=launch, cases=CASES, samples=samples)


@pytest.mark.parametrize(
    ("name", "traversal_s"),
    [("mock:1.5us", 1.5e-6), ("mock:20ns", 2e-8), ("mock:3ms", 3e-3), ("mock:1s", 1.0)],
)
def test_parse_mock(name: str, traversal_s: float) -> None:
    assert parse_mock(name) == pytest.approx(traversal_s, rel=1e-15)


@pytest.mark.parametrize("name", ["mock:", "mock:0us", "mock:fast", "mock:1.5", "here", "1us"])
def test_what_is_not_a_mock(name: str) -> None:
    with pytest.raises(UserError, match=r"write for example mock:1\.5us"):
        parse_mock(name)


@pytest.mark.parametrize("traversal_s", [1.5e-6, 1e-9, 0.1, 1 / 3])
def test_every_batch_takes_exactly_that_time(tmp_path: Path, traversal_s: float) -> None:
    samples = tmp_path / "samples.jsonl"
    progress: list[Progress] = []
    outcome = mock_job(job(samples), traversal_s, progress.append)
    assert (outcome.ok, outcome.reason) == (True, "complete")
    assert progress == [Progress(1, 2), Progress(2, 2)]
    found, cut_off = records.read(samples, samples.read_bytes())
    assert cut_off == 0
    measured = [record for record in found if isinstance(record, records.Samples)]
    assert [list(set(record.traversal_s)) for record in measured] == [[traversal_s]] * 2
    assert [record.moved_bytes for record in measured] == [8, 8192]
    assert [record.elapsed_s.shape[0] for record in measured] == [1, 2]
    assert isinstance(found[-1], records.Completion)


def test_an_interrupted_mock_says_so(tmp_path: Path) -> None:
    one = job(tmp_path / "samples.jsonl")

    def interrupt(progress: Progress) -> None:
        if progress.case == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mock_job(one, 1e-6, interrupt)
    assert kinds(one) == ["start", "samples", "failure"]
    assert lines(one)[-1]["reason"] == "interrupted"


def test_an_unfinished_line_is_ended_first(tmp_path: Path) -> None:
    samples = tmp_path / "samples.jsonl"
    samples.write_text('{"type":"sam')
    assert mock_job(job(samples), 1e-6, lambda progress: None).ok
    first, second, *_ = samples.read_text().splitlines()
    assert first == '{"type":"sam'
    assert second.startswith('{"type":"start"')


def test_a_mock_that_cannot_write(tmp_path: Path) -> None:
    outcome = mock_job(job(tmp_path / "none/samples.jsonl"), 1e-6, lambda progress: None)
    assert (
        outcome.reason == f"cannot write {tmp_path}/none/samples.jsonl: No such file or directory"
    )
