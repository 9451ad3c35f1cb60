"""Shares of bounds: from kernels of the same launches, and only from those that bound the case."""

from __future__ import annotations

from pathlib import Path

import pytest

from halocline.cli.summary_table import show
from halocline.samples.dataset import load
from halocline.specification.cases import AxisValue, Case
from halocline.specification.configuration import Configuration
from halocline.specification.experiment import Experiment
from halocline.summary.bounds import Bounds
from halocline.summary.phases import OfBound
from halocline.summary.shares import Measured, Shares
from halocline.summary.summary import CaseSummary, Summary, summarise, to_json
from samples_records import Record, complete, jsonl, samples, start

MIB = 1024**2
LARGE = 64 * MIB


def case(
    workload: str,
    mpi: str = "mpich",
    ranks: int = 2,
    configuration: Configuration = (),
    **axes: AxisValue,
) -> Case:
    return Case(workload, tuple(sorted(axes.items())), mpi, "here", ranks, configuration)


def copy(size: int, active: str = "one", stores: str = "plain", mpi: str = "mpich") -> Case:
    return case("memory_copy", mpi, active=active, bytes=size, stores=stores)


def triad(size: int, active: str = "one") -> Case:
    return case("stream_triad", active=active, bytes=size, stores="plain")


def dgemm(n: int) -> Case:
    return case("dgemm", active="all", n=n)


def multiply_adds(operations: int) -> Case:
    return case("multiply_add", active="all", operations=operations)


APART: Configuration = (("layout", "2N1P"),)
PINGPONG = case("pingpong", protocol="send_recv", bytes=MIB)
BUNDLE = case("redistribution", grid="64x128x16", fields=8, near="shared")  # 4 MiB for each rank


def summary(path: Path, *launches: dict[Case, float]) -> Summary:
    """Of cases that take so many seconds in each launch."""
    records: list[Record] = []
    for number, times in enumerate(launches, start=1):
        labels = dict.fromkeys(each.mpi for each in times)
        records += [start(number, label) for label in labels]
        records += [
            samples(number, each.id, label=each.mpi, repeats=1, elapsed_s=[[time_s]], preempted=[0])
            for each, time_s in times.items()
        ]
        records += [complete(number, label) for label in labels]
    file = path / "samples.jsonl"
    file.write_text(jsonl(records))
    cases = tuple(dict.fromkeys(each for times in launches for each in times))
    caches = {"processor": {"caches": [{"size_bytes": 32 * MIB}]}}
    return summarise(load(file), cases, Experiment("shares", ("pingpong",)), caches)


def first(path: Path, *launches: dict[Case, float]) -> CaseSummary:
    return summary(path, *launches).cases[0]


@pytest.mark.parametrize(
    ("bounded", "kernel", "bound", "share"),
    [
        (PINGPONG, copy(MIB), "memory_copy 1 MiB, active=one", 0.25),
        (
            case("pingping", protocol="send_recv", bytes=MIB),
            copy(MIB, "all", "streaming"),
            "memory_copy 1 MiB, active=all, streaming stores",
            0.25,
        ),
        # 4 MiB at the rate of 8 MiB a second.
        (BUNDLE, copy(8 * MIB, "all"), "memory_copy 8 MiB, active=all", 0.125),
        # A copy moves two thirds of what a triad of such arrays moves.
        (copy(LARGE), triad(LARGE), "stream_triad 64 MiB, active=one", 0.25 * 2 / 3),
        # Twice the length is eight times the work.
        (dgemm(512), multiply_adds(2 * 1024**3), "multiply_add, active=all", 0.25 / 8),
    ],
)
def test_a_share_is_the_time_of_the_bound_over_that_of_the_case(
    tmp_path: Path, bounded: Case, kernel: Case, bound: str, share: float
) -> None:
    found = first(tmp_path, {bounded: 4.0, kernel: 1.0}, {bounded: 4.0, kernel: 1.0})
    assert found.of_bound is not None and found.of_bound.bound == bound
    assert found.of_bound.share == found.of_bound.low == found.of_bound.high
    assert found.of_bound.share == pytest.approx(share)
    assert found.unbounded == ()


def test_shares_are_of_the_same_launch(tmp_path: Path) -> None:
    """The machine becomes ten times as slow: the case's share stays as it is."""
    launches = [{PINGPONG: 4.0 * slow, copy(MIB): 1.0 * slow} for slow in (1, 10, 2, 5)]
    assert first(tmp_path, *launches).of_bound == OfBound(
        "memory_copy 1 MiB, active=one", 0.25, 0.25, 0.25
    )


def test_a_kernel_of_another_launch_bounds_nothing(tmp_path: Path) -> None:
    found = first(tmp_path, {PINGPONG: 4.0}, {copy(MIB): 1.0})
    assert found.of_bound is None
    assert found.unbounded == ("shares of copies: memory_copy active=one bytes=1MiB on 2 ranks",)


@pytest.mark.parametrize(
    "other",
    [copy(MIB, "all"), copy(2 * MIB), copy(MIB, mpi="intel"), triad(MIB)],
    ids=["all ranks", "another size", "another library", "another kernel"],
)
def test_other_kernels_bound_no_message(tmp_path: Path, other: Case) -> None:
    assert first(tmp_path, {PINGPONG: 4.0, other: 1.0}).of_bound is None


def test_the_fastest_kernel_bounds(tmp_path: Path) -> None:
    found = first(tmp_path, {PINGPONG: 4.0, copy(MIB): 2.0, copy(MIB, stores="streaming"): 1.0})
    assert found.of_bound is not None and found.of_bound.share == 0.25


@pytest.mark.parametrize(
    "free",
    [
        case("pingpong", protocol="send_recv", bytes=0),
        case("pingpong", configuration=(("layout", "2N1P"),), protocol="send_recv", bytes=MIB),
        copy(MIB),  # within the caches
        triad(LARGE),
        case("barrier"),
    ],
    ids=["nothing moves", "between nodes", "in cache", "the bound itself", "no bytes"],
)
def test_what_has_no_bound_has_no_share(tmp_path: Path, free: Case) -> None:
    found = first(tmp_path, {free: 4.0, triad(2 * LARGE, "all"): 1.0})
    assert (found.of_bound, found.unbounded) == (None, ())


@pytest.mark.parametrize(
    ("pattern", "pairs", "ranks", "share"),
    [
        ("pingping", 0, 2, 0.5),
        ("pingping", 1, 2, 0.5),
        ("pingpong", 0, 2, None),
        ("pingping", 1, 4, None),
    ],
)
def test_pairs_that_copy_all_at_once_have_a_bound(
    tmp_path: Path, pattern: str, pairs: int, ranks: int, share: float | None
) -> None:
    both = case("pairs", ranks=ranks, pattern=pattern, pairs=pairs, bytes=MIB)
    kernel = case("memory_copy", ranks=ranks, active="all", bytes=MIB, stores="plain")
    found = first(tmp_path, *[{both: 2e-4, kernel: 1e-4}] * 3)
    assert (found.of_bound.share if found.of_bound else None) == share


@pytest.mark.parametrize(
    ("each", "time_s", "share"),
    [
        (case("pingpong", configuration=APART, bytes=MIB), 0.01, 0.8389),
        (case("pairs", ranks=4, configuration=APART, pairs=0, bytes=MIB), 0.02, 0.8389),
        (case("pingpong", configuration=APART, bytes=MIB // 2), 0.01, None),
        (case("halo", configuration=APART, words=MIB), 0.01, None),
        (case("pairs", configuration=(*APART, ("placement", "wrap")), pairs=0, bytes=MIB), 1, None),
    ],
)
def test_a_link_made_here_bounds_long_messages(
    each: Case, time_s: float, share: float | None
) -> None:
    shares = Shares([], Bounds([], {}), "1gbit")
    found = shares.of(Measured(each, dict.fromkeys(range(3), time_s)))
    assert (found and found.share) == (share and pytest.approx(share, rel=1e-3))
    if found:
        assert found.bound == "the link made here, 1 Gbit/s"
    assert Shares([], Bounds([], {})).of(Measured(each, {1: time_s})) is None


def test_shares_are_in_json_and_on_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = summary(tmp_path, {PINGPONG: 4.0, BUNDLE: 4.0, copy(MIB): 1.0})
    pingpong, bundle, _ = to_json(found)["cases"]
    bound = "memory_copy 1 MiB, active=one"
    assert pingpong["of_bound"] == {"bound": bound, "share": 0.25, "low": None, "high": None}
    assert bundle["of_bound"] is None
    show(found)
    shown = capsys.readouterr().out
    assert "25.0 %" in shown
    assert f"Of bound: the time of {bound} in the same launches" in shown
