"""`halocline summary`: what a terminal of each width shows, CSV, and words that choose cases."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from conftest import Command, Ended
from report.synthetic import BIMODAL, FAILED, PARTIAL, REFUSED, make_run

SIZES = (8, 32, 256, 2048, 16384)
_STYLE = re.compile(r"\x1b\[[\d;]*m")
_FIGURES = re.compile(
    r" *[\d.]+ +± [<\d.]+ % +[\d.]+ [kMG]?B/s +\d+ +(measured|two modes|partial) *"
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three libraries, eight protocols, and every trouble."""
    return make_run(tmp_path_factory.mktemp("runs") / "survey", sizes=SIZES)


@pytest.fixture
def on_terminal(command: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    def show(width: int, *words: str | Path) -> Ended:
        with monkeypatch.context() as terminal:
            terminal.setenv("FORCE_COLOR", "1")
            terminal.setenv("COLUMNS", str(width))
            ended = command("summary", *words)
        return Ended(ended.code, _STYLE.sub("", ended.out), ended.err)

    return show


@pytest.mark.parametrize("width", [80, 120, 200])
def test_value_interval_launches_and_status_are_always_there(
    on_terminal: Command, run: Path, width: int
) -> None:
    ended = on_terminal(width, run, "workload=pingpong")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert max(map(len, lines)) <= width
    rows = [line for line in lines if line.endswith(("measured", "measured ")) or "± " in line]
    assert len(rows) == 3 * 8 * len(SIZES) - len(SIZES) - 1  # skipped, failed
    for row in rows:
        assert _FIGURES.search(row), row
    titles = [line for line in lines if line.startswith("pingpong: ")]
    assert titles == ["pingpong: ranks 2"]


def test_values_too_long_for_columns_share_one(on_terminal: Command, run: Path) -> None:
    wide, narrow = (on_terminal(width, run).out.splitlines() for width in (100, 60))
    assert any(re.fullmatch(r" *MPI +protocol +bytes +time, µs .*", line) for line in wide)
    assert any(line.strip().startswith("MPI,") for line in narrow)
    assert any(_FIGURES.search(line) for line in narrow)


def test_a_pipe_gets_whole_lines(command: Command, run: Path) -> None:
    lines = command("summary", run, "mpi=mpich", "bytes=8,256").out.splitlines()
    assert lines[0] == (
        f"Survey of this machine ({run}): 32 of 32 cases measured; medians, and 95 % intervals "
        "over n launches"
    )
    assert "pingpong: MPI mpich, ranks 2" in lines
    (line,) = [
        line for line in lines if "two modes" in line and "ssend_recv" in line and "±" in line
    ]
    assert line.split()[:3] == ["ssend_recv", "256", "B"]
    assert line.split()[-3:] == ["8", "two", "modes"]


def test_what_has_no_figure_is_one_line_a_reason(command: Command, run: Path) -> None:
    lines = command("summary", run).out.splitlines()
    cases = 2 * 3 * 8 * len(SIZES)
    assert f": {cases - 2 * len(SIZES) - 2} of {cases} cases measured; " in lines[0]
    skipped = [line for line in lines if "skipped" in line]
    assert skipped == [
        "Intel MPI 2021.18: skipped: 10 cases: MPI_Bsend needs an attached buffer of 8 MiB, which "
        "this library refuses"
    ]
    (failed,) = [line for line in lines if "failed" in line]
    assert failed.startswith("Open MPI 5.0.11: failed: 1 case (pingpong bsend_recv, 16 KiB): byte ")
    (refused,) = [line for line in lines if "refused" in line and "batches" in line]
    assert refused.startswith("Open MPI 5.0.11: refused: 1 case (pingping send_recv, 2 KiB): ")
    assert FAILED[1:3] == ("bsend_recv", 16384)
    assert REFUSED[1:3] == ("send_recv", 2048)
    assert not any("bsend_recv" in line for line in lines if "intel" in line.split())


def test_the_words_choose_cases(command: Command, run: Path) -> None:
    library, protocol, size = PARTIAL[3], PARTIAL[1], PARTIAL[2]
    words = (f"mpi={library}", f"protocol={protocol}", f"bytes={size}", "workload=pingpong")
    ended = command("summary", run, *words)
    (row,) = [line for line in ended.out.splitlines() if line.rstrip().endswith("partial")]
    assert row.split()[-2] == "3"
    assert f"pingpong: MPI {library}, protocol {protocol}, bytes {size} B, ranks 2" in ended.out
    kept = list(
        csv.DictReader(io.StringIO(command("summary", run, "bytes=2KiB..16KiB+14KiB", "--csv").out))
    )
    assert {line["bytes"] for line in kept} == {"2048", "16384"}


def test_a_value_with_a_comma_is_chosen_too(command: Command) -> None:
    words = ("bytes=8", "protocol=send_recv", 'env.A=x,"y,z"')
    made = command("run", "pingpong", *words, "--machine", "mock:1us", "--output", "commas")
    assert made.code == 0, made.err
    for chosen, rows in (("y,z", 1), ('x,"y,z"', 2)):
        ended = command("summary", "commas", f"env.A={chosen}", "--json")
        assert ended.code == 0, ended.err
        assert len(json.loads(ended.out)["cases"]) == rows


def test_csv_has_each_quantity_of_each_case(command: Command, run: Path) -> None:
    found = list(csv.DictReader(io.StringIO(command("summary", run, "--csv").out)))
    (bimodal,) = [
        line
        for line in found
        if (line["workload"], line["protocol"], int(line["bytes"]), line["mpi"]) == BIMODAL
        and line["quantity"] == "time"
    ]
    assert (bimodal["unit"], bimodal["launches"], bimodal["status"]) == ("s", "8", "measured")
    assert float(bimodal["low"]) < float(bimodal["median"]) < float(bimodal["high"])
    assert {line["quantity"] for line in found if line["status"] == "skipped"} == {""}
    assert {line["quantity"] for line in found if line["status"] == "measured"} == {
        *("time", "bandwidth")
    }


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("size=8",), "'size=8' matches no case of RUN; allowed: bytes=…, mpi=…, protocol=…, "),
        (("pingpong",), "'pingpong' matches no case of RUN; allowed: bytes=…, "),
        (("bytes=9",), "'bytes=9' matches no case of RUN; allowed: 8, 32, 256, 2KiB, 16KiB; "),
        (("mpi=mpich", "mpi=intel"), "'mpi=intel' matches no case of RUN; allowed: mpich; "),
        (
            ("bytes=eight",),
            "bytes=eight: 'eight' is not a size; write for example bytes=8,1MiB or ",
        ),
        (("bytes=1e400",), "bytes=1e400: "),
        (("--csv", "--json"), "--json and --csv together; give one of them"),
    ],
)
def test_words_that_choose_nothing_say_what_there_is(
    command: Command, run: Path, words: tuple[str, ...], line: str
) -> None:
    ended = command("summary", run, *words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"halocline: {line.replace('RUN', str(run))}")
    assert len(ended.err.splitlines()) == 1
