"""A samples file read back: exact values, what is tolerated, and every error with its line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from halocline.base.errors import UserError
from halocline.campaign.ledger import Ledger
from halocline.campaign.log import Launched
from halocline.samples.dataset import Dataset, load
from samples_records import Record, complete, failure, jsonl, samples, start

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_lines(*records: Record | str, end: str = "\n") -> Path:
        path = tmp_path / "samples.jsonl"
        path.write_text(jsonl(records, end))
        return path

    return write_lines


def clean_s(data: Dataset, case: str) -> list[float]:
    """All times per traversal that count."""
    return [float(time) for record in data.usable(case) for time in record.clean_traversal_s]


def test_figures_are_medians_of_clean_batches(write: Write) -> None:
    data = load(
        write(
            start(1),
            samples(1),
            complete(1),
            start(2),
            samples(2, elapsed_s=[[4.0, 4.0, 8.0]], preempted=[0, 0, 0]),
            complete(2),
        )
    )
    # Launch 1: the slower rank, 4 repeats: 1, 3 and (preempted) 100; launch 2: 1, 1, 2.
    np.testing.assert_array_equal(data.launch_figures("a"), [2.0, 1.0])
    assert clean_s(data, "a") == [1.0, 3.0, 1.0, 1.0, 2.0]
    assert data.preempted_share("a") == 1 / 6
    assert data.statuses("a") == ("measured", "measured")
    assert data.labels == ("mpich",)
    assert data.launches_completed("mpich") == 2
    assert data.next_launch("mpich") == 3
    assert data.next_launch("intel") == 1


def test_a_case_nobody_measured_is_empty(write: Write) -> None:
    data = load(write(start(1)))
    assert data.launch_figures("b").size == 0
    assert clean_s(data, "b") == []
    assert data.preempted_share("b") == 0.0
    assert data.statuses("b") == ()


def test_a_launch_without_clean_batches_has_no_figure(write: Write) -> None:
    data = load(write(start(1), samples(1, preempted=[1, 1, 1])))
    assert data.launch_figures("a").size == 0
    assert data.preempted_share("a") == 1.0


def test_a_launch_under_load_goes_as_a_whole(write: Write) -> None:
    """Three long preemptions in one case of a launch: the other case gives no figure either."""
    loaded: Record = {"elapsed_s": [[4.0] * 6 + [40.0] * 3], "preempted": [0] * 6 + [1] * 3}
    path = write(start(1), samples(1, "a", **loaded), samples(1, "b"), start(2), samples(2, "b"))
    data, ledger = load(path), Ledger(path)
    # Lost: 3 batches 36 s each, and 4 of 1200 s in case b, whose other batches took 4 and 12 s.
    assert data.under_load == {("mpich", 1): pytest.approx((108 + 392) / (144 + 416))}
    assert [data.launch_figures(case).size for case in "ab"] == [0, 1]
    assert [len(ledger.measured(case).figures) for case in "ab"] == [0, 1]
    assert ledger.share_lost("mpich", 1) == data.under_load["mpich", 1]
    assert ledger.share_lost("mpich", 2) is None


def test_discarded_launches_do_not_spoil_the_others(write: Write) -> None:
    loaded: Record = {"elapsed_s": [[4.0] * 6 + [40.0] * 3], "preempted": [0] * 6 + [1] * 3}
    clean: Record = {"preempted": [0, 0, 0]}
    path = write(start(1), samples(1, "a", **loaded), start(2), samples(2, "a", **clean))
    data = load(path)
    assert set(data.under_load) == {("mpich", 1)}
    assert data.preempted_share("a") == 0.0


def test_late_batches_are_left_out_like_preempted_ones(write: Write) -> None:
    late: Record = {"late_s": [3e-8, 2e-6, 3e-8], "late_allowed_s": 2e-7}
    data = load(write(start(1), samples(1, preempted=[0, 0, 0], elapsed_s=[[4, 8, 12]], **late)))
    assert clean_s(data, "a") == [1, 3]
    assert data.preempted_share("a") == 1 / 3


def test_lateness_is_given_for_every_batch_or_for_none(write: Write) -> None:
    with pytest.raises(UserError, match="late_s needs to be empty or as long as preempted"):
        load(write(start(1), samples(1, late_s=[1e-6])))


def test_skipped_and_failed_have_reasons_and_no_figures(write: Write) -> None:
    nothing: Record = {"elapsed_s": [], "preempted": [], "repeats": 0}
    data = load(
        write(
            start(1),
            samples(1, "a", status="skipped", reason="no rsend", **nothing),
            samples(1, "b", status="failed", reason="byte 7 at rank 1"),
        )
    )
    assert data.statuses("a") == ("skipped",)
    assert data.statuses("b") == ("failed",)
    assert data.launch_figures("a").size == data.launch_figures("b").size == 0
    assert data.case_samples("b")[0].reason == "byte 7 at rank 1"


def test_a_dataset_cannot_be_changed(write: Write) -> None:
    data = load(write(start(1), samples(1)))
    with pytest.raises(ValueError, match="read-only"):
        data.samples[0].elapsed_s[0, 0] = 1.0
    with pytest.raises(AttributeError):
        data.samples = ()  # type: ignore[misc]


def test_failures_use_up_their_launch_number(write: Write) -> None:
    data = load(write(start(1), failure(1), failure(2)))
    assert [(f.launch, f.reason) for f in data.failures] == [
        (1, "rank 1 was killed"),
        (2, "rank 1 was killed"),
    ]
    assert data.next_launch("mpich") == 3
    assert data.launches_completed("mpich") == 0


def test_an_empty_file_is_an_empty_dataset(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_bytes(b"")
    assert load(path).starts == ()
    assert Dataset(path).next_launch("mpich") == 1


@pytest.mark.parametrize("length", [1, 10, 100, -1])
def test_a_last_line_cut_off_is_left_out(write: Write, length: int) -> None:
    cut = json.dumps(samples(1))[:length]
    data = load(write(start(1), cut, end=""))
    assert (len(data.samples), data.truncated_lines) == (0, 1)


def test_a_whole_last_line_counts_without_its_newline(write: Write) -> None:
    data = load(write(start(1), samples(1), end=""))
    assert (len(data.samples), data.truncated_lines) == (1, 0)


@pytest.mark.parametrize("following", [start(2), failure(1)])
def test_a_cut_off_line_ended_by_the_next_writer_is_left_out(
    write: Write, following: Record
) -> None:
    data = load(write(start(1), json.dumps(samples(1))[:50], following))
    assert (len(data.samples), data.truncated_lines) == (0, 1)


def test_launch_figures_survive_a_cut_at_every_byte(write: Write) -> None:
    path = write(start(1), samples(1), complete(1))
    content = path.read_bytes()
    whole = len(content[: content.index(b"\n", content.index(b"\n") + 1)])
    for length in range(len(content)):
        path.write_bytes(content[:length])
        assert load(path).launch_figures("a").tolist() == ([2.0] if length >= whole else [])


NEAR_S, FAR_S = 50e-9, 130e-9


def changed(key: str, value: Any) -> Record:
    return start(2, mpi=start(1)["mpi"] | {key: value})


MALFORMED: dict[str, tuple[int, list[Record | str]]] = {
    "cut off amid a launch": (2, ["{" + '"type":"sam', samples(1)]),
    "not JSON": (2, ["halocline: complete", start(2)]),
    "not an object": (2, ["[1]"]),
    "empty line": (2, ["", samples(1)]),
    "not UTF-8 text": (2, ['"\udcff"', samples(1)]),
    "unknown type": (2, [{"type": "sample"}]),
    "no status": (2, [{k: v for k, v in samples(1).items() if k != "status"}]),
    "unknown status": (2, [samples(1, status="fine")]),
    "flags too short": (2, [samples(1, preempted=[0])]),
    "ragged rows": (2, [samples(1, elapsed_s=[[1.0, 2.0, 3.0], [1.0]])]),
    "a time of zero": (2, [samples(1, elapsed_s=[[0.0, 1.0, 1.0]])]),
    "an infinite time": (2, [samples(1, elapsed_s=[[float("inf"), 1.0, 1.0]])]),
    "no repeats": (2, [samples(1, repeats=0)]),
    "text for a number": (2, [samples(1, repeats="many")]),
    "another schema": (2, [start(2, schema=2)]),
    "mpi is no object": (2, [start(2, mpi="MPICH")]),
    "no time of the start": (2, [start(2, started="2026-13-21T11:00:00Z")]),
    "a launch begun twice": (2, [start(1)]),
    "a case twice in a launch": (3, [samples(1), samples(1)]),
    "samples without a start": (2, [samples(7)]),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_lines_are_named_with_a_remedy(write: Write, name: str) -> None:
    line, records = MALFORMED[name]
    path = write()
    path.write_text(
        "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in [start(1), *records]),
        errors="surrogateescape",
    )
    with pytest.raises(UserError) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:{line}: ")
    assert "; " in message and "\n" not in message


LEFT_OUT: dict[str, tuple[Record, str]] = {
    "library": (
        changed("library_version", "MPICH Version: 4.0"),
        "library_version 'MPICH Version: 4.0', launch 1 had 'MPICH Version: 5.0.2'",
    ),
    "library file": (
        changed("library_path", "/elsewhere.so"),
        "library_path '/elsewhere.so', launch 1 had '/lib/libmpi_abi.so.1'",
    ),
    "host": (start(2, hosts=["h", "k"]), "hosts 'h | k', launch 1 had 'h | h'"),
    "core": (start(2, cpus=["0", "2"]), "cpus '0 | 2', launch 1 had '0 | 1'"),
    "flags": (start(2, flags="-O0"), "flags '-O0', launch 1 had '-O3'"),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_launch_unlike_the_first_is_left_out_with_its_samples(write: Write, name: str) -> None:
    other, reason = LEFT_OUT[name]
    one, two, three = ([samples(n), complete(n)] for n in (1, 2, 3))
    path = write(start(1), *one, other, *two, start(3), *three)
    data = load(path)
    assert data.left_out == {("mpich", 2): reason}
    assert [record.launch for record in data.case_samples("a")] == [1, 3]
    assert (data.launches_completed("mpich"), data.next_launch("mpich")) == (2, 4)
    # The launch is not repeated for it, but makes no figure.
    measured = Ledger(path).measured("a")
    assert (measured.launches, measured.figures) == (3, (2.0, 2.0))


def test_launches_on_other_nodes_of_the_same_kind_are_pooled(write: Write) -> None:
    """As those of a batch job that was put back into its queue."""
    path = write(
        *(start(1, nodes=2, hosts=["a", "b"]), samples(1), complete(1)),
        *(start(2, nodes=2, hosts=["d", "c"]), samples(2), complete(2)),
        *(start(3, nodes=2, hosts=["d", "d"]), samples(3), complete(3)),
    )
    assert list(load(path).left_out) == [("mpich", 3)]
    assert len(Ledger(path).measured("a").figures) == 2


def test_a_failed_launch_on_another_library_is_no_measure_for_the_others(write: Write) -> None:
    wrong = start(1, mpi=start(1)["mpi"] | {"library_version": "Open MPI"}, ranks=1)
    path = write(
        *(wrong, samples(1, status="failed", reason="byte 3"), failure(1)),
        *(start(2), samples(2), complete(2)),
    )
    data = load(path)
    assert list(data.left_out) == [("mpich", 1)]
    assert data.statuses("a") == ("measured",)
    first = data.start("mpich")
    assert first is not None and first.launch == 2
    ledger = Ledger(path)
    assert (ledger.failed_cases, ledger.measured("a").settled) == ({}, False)


@pytest.mark.parametrize(
    ("cpus", "preempted", "settled"),
    [
        pytest.param(["0", "0"], [1, 1, 1], True, id="by own ranks"),
        pytest.param(["0", "0"], [1, 1, 0], False, id="not in every batch"),
        pytest.param(["0", "1"], [1, 1, 1], False, id="by other work, which may end"),
    ],
)
def test_a_case_that_its_own_ranks_preempt_is_not_launched_again(
    write: Write, cpus: list[str], preempted: list[int], settled: bool
) -> None:
    path = write(start(1, cpus=cpus), samples(1, preempted=preempted), complete(1))
    assert Ledger(path).measured("a").settled == settled


def test_a_case_that_gave_a_figure_once_is_launched_again(write: Write) -> None:
    path = write(
        *(start(1, cpus=["0", "0"]), samples(1), complete(1)),
        *(start(2, cpus=["0", "0"]), samples(2, preempted=[1, 1, 1]), complete(2)),
    )
    assert not Ledger(path).measured("a").settled


def test_a_launch_that_failed_as_two_worlds_is_left_out(write: Write) -> None:
    worlds = [start(1, ranks=1), start(1, ranks=1), samples(1), samples(1), failure(1)]
    data = load(write(*worlds, start(2), samples(2), complete(2)))
    assert data.left_out == {("mpich", 1): "it started 2 times"}
    assert [record.launch for record in data.case_samples("a")] == [2]


def test_other_numbers_of_ranks_have_other_cores(write: Write) -> None:
    four = start(2, ranks=4, hosts=["h"] * 4, cpus=["0", "1", "2", "3"])
    data = load(write(start(1), samples(1), complete(1), four, samples(2, "b"), complete(2)))
    assert data.left_out == {}
    assert data.launch_figures("a").tolist() == data.launch_figures("b").tolist() == [2.0]


def test_most_batches_preempted_give_no_figure_but_count(write: Write) -> None:
    mostly: Record = {"preempted": [0, 1, 1]}
    half: Record = {"elapsed_s": [[4.0, 8.0]], "preempted": [0, 1]}
    path = write(start(1), samples(1, **mostly), start(2), samples(2, **half))
    data, measured = load(path), Ledger(path).measured("a")
    assert data.launch_figures("a").tolist() == clean_s(data, "a") == [1.0]
    assert data.preempted_share("a") == 3 / 5
    assert (measured.launches, measured.figures) == (2, (1.0,))


def test_a_library_on_other_cores_is_not_displaced(write: Write) -> None:
    def launch(number: int, label: str, case: str, line_s: float) -> list[Record]:
        probed = samples(number, case, label, line_s=[line_s, line_s])
        return [start(number, label), probed, complete(number, label)]

    lines = [r for n in (1, 2, 3) for r in launch(n, "mpich", "a", NEAR_S)]
    lines += [r for n in (1, 2) for r in launch(n, "intel", "b", FAR_S)]
    path = write(*lines, *launch(3, "intel", "b", NEAR_S / 2))
    data, ledger = load(path), Ledger(path)
    assert data.usual_lines_s == {("mpich", 2): NEAR_S, ("intel", 2): FAR_S}
    assert data.displaced_share("a") == 0.0
    assert data.displaced_share("b") == pytest.approx(1 / 3)
    assert [len(ledger.measured(case).figures) for case in "ab"] == [3, 2]


def test_two_ranks_may_be_farther_apart_than_four(write: Write) -> None:
    """As where a launcher fills one socket after the other with four, and puts two on two."""
    cpus = [str(cpu) for cpu in range(4)]

    def launch(number: int, ranks: int, case: str, line_s: float) -> list[Record]:
        begun = start(number, ranks=ranks, hosts=["h"] * ranks, cpus=cpus[:ranks])
        return [begun, samples(number, case, line_s=[line_s, line_s]), complete(number)]

    two = [record for n in (1, 3) for record in launch(n, 2, "a", FAR_S)]
    four = [record for n in (2, 4, 5) for record in launch(n, 4, "b", NEAR_S)]
    data = load(write(*two, *four))
    assert data.displaced_share("a") == data.displaced_share("b") == 0.0


@pytest.mark.parametrize(("ranks", "figures"), [(2, [2.0]), (3, [2.0, 2.0])])
def test_ranks_without_a_core_each_have_no_distance(
    write: Write, ranks: int, figures: list[float]
) -> None:
    records = [
        record
        for launch, line_s in enumerate((5e-8, 4e-7), start=1)
        for record in (
            start(launch, ranks=ranks, hosts=["h"] * ranks, cpus=["0-1"] * ranks),
            samples(launch, line_s=[line_s, line_s]),
            complete(launch),
        )
    ]
    data = load(write(*records))
    assert list(data.launch_figures("a")) == figures
    assert data.usual_lines_s == ({} if ranks > 2 else {("mpich", 2): 5e-8})


def test_a_ledger_is_a_view_of_what_the_file_has_by_now(write: Write) -> None:
    path = write(start(1), samples(1), complete(1))
    ledger = Ledger(path)
    assert (ledger.measured("a").launches, ledger.next_launch("mpich")) == (1, 2)
    second = jsonl((start(2), samples(2, "b"), complete(2)), end="").split("\n")
    with path.open("a") as file:
        file.write("\n".join(second)[:-4])  # the last one is not ended
    ledger.update()
    assert ledger.next_launch("mpich") == 3
    data = load(path)
    assert [ledger.measured(case).figures for case in "ab"] == [
        tuple(data.launch_figures(case)) for case in "ab"
    ]
    with path.open("a") as file:
        file.write(second[-1][-4:] + "\nnonsense\n")
    with pytest.raises(UserError, match=r"samples\.jsonl:7: malformed record"):
        ledger.update()


def test_seconds_of_launches_that_the_log_lacks_are_estimated(write: Write) -> None:
    path = write(*(record for n in (1, 2) for record in (start(n), samples(n), complete(n))))
    timed_s = sum(record.loss.timed_s for record in load(path).samples)
    assert Ledger(path).spent_s({"mpich"}, ()) == pytest.approx(timed_s)
    logged = Launched(launch=1, cases=1, starting_s=1.0, whole=True, took_s=100.0, name="mpich")
    assert Ledger(path).spent_s({"mpich"}, (logged,)) == pytest.approx(100.0 + timed_s / 2)
    assert Ledger(path).spent_s({"other"}, (logged,)) == 0.0


def test_other_labels_may_differ(write: Write) -> None:
    assert load(write(start(1), start(1, "intel", cpus=["2", "3"]))).labels == ("mpich", "intel")


def test_a_missing_file_names_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist; measure with `halocline run --resume"):
        load(tmp_path / "samples.jsonl")


def test_a_folder_in_its_place_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read: Is a directory"):
        load(tmp_path)
