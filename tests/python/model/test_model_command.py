"""`halocline model` on a machine whose times are made up."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import Command
from halocline.cli.here import own_catalogue
from halocline.launch import mock
from halocline.model.workloads import WORKLOADS
from model.machine import LIMIT, time_s

MEASURED = ("--machine", "mock:1us", "--budget", "1h", "--output", "m")


@pytest.fixture
def driver_catalogue() -> dict[str, Any]:
    """The catalogue of the driver that is here: the experiment is the one that is shipped."""
    catalogue: dict[str, Any] = own_catalogue()
    return catalogue


@pytest.fixture(autouse=True)
def times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages with known parameters; a halo is its messages, an alltoall takes three times its."""
    samples = mock._samples
    count = 0

    def exact_s(workload: str, axes: dict[str, str]) -> float:
        size = int(axes.get("bytes", 4 * int(axes.get("words", 1))))
        if workload == "eager_probe":
            return 4e-7 if size < LIMIT else 5e-3
        if workload == "memory_copy":
            return 1e-12 * size
        alone = {"pingpong": 1.0, "pingping": 1.2}.get(workload, 1.2)
        if workload == "halo":
            return time_s(size, alone) + 4e-7 + (time_s(size, alone) - time_s(0))
        return time_s(size, alone) * (3 if workload.startswith("alltoall") else 1)

    def noisy(line: str, _: float) -> dict[str, Any]:
        nonlocal count
        count += 1
        _identity, workload, *axes = line.split()
        of_case = exact_s(workload, dict(axis.split("=") for axis in axes))
        random = np.random.default_rng(zlib.crc32(f"{line} {count}".encode()))
        return samples(line, of_case * float(np.exp(random.normal(0, 0.005))))

    monkeypatch.setattr(mock, "_samples", noisy)


def test_what_is_shipped_measures_all_that_models_need(command: Command) -> None:
    ended = command("model", "--measure", *MEASURED)
    assert ended.code == 0, ended.err
    lines = ended.out.splitlines()
    assert lines[-1] == "report: m/model.html"
    begin = "mpich, on node, isend_irecv: Hockney, one message: 0 B to 8 KiB: "
    assert any(line.startswith(begin) for line in lines)
    page = Path("m/model.html").read_text(encoding="utf-8")
    assert "Model: latency, bandwidth, contention" in page
    assert "no: its median error is " in page  # of alltoall's predictions
    assert "fits usable; with send_recv, sizes held out of the fit are off by " in page
    # The same again from the run, for programs.
    ended = command("model", "m", "--json")
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    assert (found["schema"], found["run"]) == (1, "m")
    assert {(each["protocol"], each["off_node"]) for each in found["messages"]} == {
        (protocol, off_node)
        for protocol in ("isend_irecv", "send_recv")
        for off_node in (False, True)
    }
    judged = {(a["workload"], a["off_node"], a["model"]): a for a in found["accuracies"]}
    assert {workload for workload, *_ in judged} == set(WORKLOADS) - {"redistribution"}
    assert judged["alltoall", False, "max-rate"]["median_error"] == pytest.approx(2 / 3, abs=0.01)
    assert judged["alltoall", False, "max-rate"]["rejected"] != ""
    # A mock moves no bytes of a redistribution.
    assert {each["reason"].partition(":")[0] for each in found["not_predicted"]} == {
        "redistribution, mpich, on node",
        "redistribution, mpich, between nodes",
    }


def test_a_run_without_messages_is_refused(command: Command) -> None:
    command("run", "alltoall", "bytes=8", "--machine", "mock:1us", "--launches", "2", *MEASURED[4:])
    ended = command("model", "m")
    assert ended.code == 2
    assert ended.err == (
        "halocline: m: no times of single messages, needed for the fit; use a run that "
        "has `pingpong` at several sizes, such as a survey, or measure one with `halocline model "
        "--measure`\n"
    )
    assert not Path("m/model.html").exists()


def test_a_run_of_few_sizes_has_no_model_and_says_why(command: Command) -> None:
    words = ("pingpong", "bytes=8,64", "protocol=send_recv", "--launches", "2")
    command("run", *words, "--machine", "mock:1us", *MEASURED[4:])
    ended = command("model", "m")
    assert ended.code == 0, ended.err
    assert ended.out.splitlines() == [
        "mpich, on node, send_recv: Hockney, one message: must not be used: 2 sizes were measured; "
        "at least 6 are needed",
        "report: m/model.html",
    ]


def test_a_damaged_run_is_reported_as_everywhere(command: Command) -> None:
    words = ("pingpong", "bytes=8", "protocol=send_recv", "--launches", "2")
    command("run", *words, "--machine", "mock:1us", *MEASURED[4:])
    samples = Path("m/samples.jsonl")
    first, *others = samples.read_bytes().splitlines(keepends=True)
    samples.write_bytes(first[:99] + b"\n" + b"".join(others))
    ended = command("model", "m")
    assert ended.code == 2
    assert ended.err.startswith("halocline: m/samples.jsonl:1:")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("model", "no run to fit; allowed: a run's folder or --measure; see "),
        ("model m --measure", "'m' together with --measure; leave one out; --output names "),
        ("model m --budget 1s", "--budget without --measure; add --measure, or leave it out"),
        ("model m", "m does not exist; "),
    ],
)
def test_wrong_usage(command: Command, words: str, error: str) -> None:
    ended = command(*words.split())
    assert ended.code == 2
    assert ended.err.startswith(f"halocline: {error}")


def test_the_page_of_a_run_that_cannot_be_written_goes_elsewhere(command: Command) -> None:
    words = ("pingpong", "bytes=8..64KiB", "protocol=send_recv", "--machine", "mock:1us")
    assert command("run", *words, "--launches", "8..8", "--output", "m").code == 0
    ended = command("model", "m", "--output", "page.html")
    assert ended.code == 0, ended.err
    assert ended.out.endswith("report: page.html\n")
    assert Path("page.html").is_file() and not Path("m/model.html").exists()
