"""Two programs that are run in turn as wholes."""

from __future__ import annotations

import json
import os
import select
import subprocess
from pathlib import Path

import pytest

from conftest import Command
from halocline.base.errors import UserError
from halocline.campaign import whole_programs
from halocline.compare import programs

SHORT, LONG = "program=sleep 0.02", "program=sleep 0.3"
OTHERS_S = 0.5
EIGHT = ("--launches", "8")


@pytest.fixture
def timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """`sleep` takes what it says, other programs OTHERS_S, whatever else runs; none is started."""

    def seconds(side: whole_programs.Program, folder: Path, log: Path) -> float:
        name, *words = side.command
        return float(words[0]) if Path(name).name == "sleep" else OTHERS_S

    monkeypatch.setattr(whole_programs, "_seconds", seconds)


def recorded(folder: Path, seconds: tuple[tuple[float, float], ...]) -> Path:
    """A folder with these runs; the first pair is the one that does not count."""
    folder.mkdir()
    content = {
        "schema": whole_programs.SCHEMA,
        "resolution": 0.03,
        "folder": str(folder.parent.absolute()),
        "limits": {"launches_minimum": 8, "launches_maximum": 8, "budget_s": 60.0},
        "sides": [{"name": name, "command": ["true"], "variables": {}} for name in ("old", "new")],
    }
    (folder / whole_programs.NAME).write_text(json.dumps(content))
    lines = [
        json.dumps({"launch": launch, "side": side, "seconds": each})
        for launch, pair in enumerate(seconds)
        for side, each in enumerate(pair)
    ]
    (folder / whole_programs.RUNS).write_text("".join(f"{line}\n" for line in lines))
    return folder


def runs_of(folder: str) -> list[dict[str, float]]:
    lines = Path(folder, whole_programs.RUNS).read_text().splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.usefixtures("timed")
def test_the_slower_one_is_reported_and_reported_again(command: Command) -> None:
    ended = command("compare", "--a", SHORT, "--b", LONG, *EIGHT, "--output", "both")
    assert ended.code == 0
    assert "sleep 0.3 is slower than sleep 0.02 by " in ended.out
    assert len(runs_of("both")) == 18
    again = json.loads(command("compare", "both", "--json").out)
    assert (again["verdict"], again["launches"]) == ("slower", 8)


def test_nothing_of_an_interrupted_program_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its ranks, here a sleep, hold a pipe open as long as they live."""
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)

    class Interrupted(subprocess.Popen[bytes]):
        def wait(self, timeout: float | None = None) -> int:
            if timeout is None and self.poll() is None:
                select.select([reader], [], [])
                assert os.read(reader, 10) == b"started\n"
                raise KeyboardInterrupt
            return super().wait(timeout)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    ranks = "exec 3> pipe; sleep 600 & echo started >&3; wait"
    side = whole_programs.Program("model", ("sh", "-c", ranks), {})
    with pytest.raises(KeyboardInterrupt):
        whole_programs._seconds(side, tmp_path, tmp_path / "log")
    assert select.select([reader], [], [], 60)[0] and os.read(reader, 10) == b""
    os.close(reader)


def test_who_begins_changes_with_every_launch(command: Command) -> None:
    same = "program=true"
    command("compare", "--a", same, "--b", same, *EIGHT, "--output", "both")
    assert [run["side"] for run in runs_of("both")][:8] == [1, 0, 0, 1, 1, 0, 0, 1]


@pytest.mark.usefixtures("timed")
def test_the_gate_is_closed_for_the_slower_one(command: Command) -> None:
    gate = ("--gate", "20%", *EIGHT)
    assert command("compare", "--a", SHORT, "--b", LONG, *gate, "--output", "slow").code == 1
    assert command("compare", "--a", LONG, "--b", SHORT, *gate, "--output", "fast").code == 0


def test_sides_have_variables_of_their_own(command: Command) -> None:
    shown = "program=sh -c 'test \"$SIDE\" = b && exit 0; echo side: ${SIDE-none}; exit 4'"
    sides = ("--a", shown, "--b", shown, "--b", "env.SIDE=b")
    ended = command("compare", *sides, *EIGHT, "--output", "both")
    assert ended.code == 1
    assert "failed with exit code 4 side: none" in " ".join(ended.err.split())
    assert "fix the cause, and resume with `halocline compare --resume " in ended.err
    assert [run["side"] for run in runs_of("both")] == [1]  # b, who began, is kept


def test_a_variable_can_be_taken_away(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIDE", "ours")
    kept, gone = "program=sh -c 'test $SIDE = ours'", "program=sh -c 'test -z \"$SIDE\"'"
    sides = ("--a", kept, "--a", "env.SIDE=default", "--b", gone, "--b", "env.SIDE=unset")
    assert command("compare", *sides, *EIGHT, "--output", "both").code == 0


def test_what_an_interrupted_comparison_has_measured_is_kept(tmp_path: Path) -> None:
    folder = recorded(tmp_path / "both", ((1.0, 9.0), (1.0, 2.0), (1.0, 2.0)))
    with (folder / whole_programs.RUNS).open("a") as file:
        file.write('{"launch": 3, "si')
    (row,) = programs.read(folder).rows
    assert row.reason.startswith(
        "interrupted after 2 of 8 launches; resume with `halocline compare"
    )
    assert (row.baseline_s, row.other_s) == (1.0, 2.0)


@pytest.mark.usefixtures("timed")
def test_what_was_stopped_goes_on(command: Command) -> None:
    folder = recorded(Path("both"), ((1.0, 9.0), (1.0, 2.0), (1.0, 2.0)))
    with (folder / whole_programs.RUNS).open("a") as file:
        file.write('{"launch": 3, "side": 0, "seconds": 1.0}\n{"launch": 3, "si')
    ended = command("compare", "--resume", "both")
    assert ended.code == 0, ended.err
    kept, own = programs.runs(folder)
    assert sorted(kept) == sorted(own) == list(range(1, 9))
    assert (kept[1], own[2]) == (1.0, 2.0)
    assert kept[3] == OTHERS_S  # half of a pair is none
    page = Path("both/report.html").read_text(encoding="utf-8")
    assert "new against old" in page
    assert "Over 8 pairs of runs" in page


def test_one_that_ended_runs_nothing_more(command: Command) -> None:
    folder = recorded(Path("both"), ((1.0, 9.0), *((1.0, 2.0) for _ in range(8))))
    assert command("compare", "--resume", "both").code == 0
    assert len(runs_of("both")) == 18
    assert set(programs.runs(folder)[0]) == set(range(1, 9))


def test_a_page_is_written_where_it_is_asked_for(command: Command) -> None:
    recorded(Path("both"), ((1.0, 9.0), *((1.0, 2.0) for _ in range(8))))
    assert command("compare", "both", "--output", "new/page.html").code == 0
    assert Path("new/page.html").is_file()


def test_another_machine_does_not_go_on(command: Command) -> None:
    folder = recorded(Path("both"), ((1.0, 9.0), (1.0, 2.0)))
    elsewhere = {"host": "elsewhere", "processor": {"model": "another"}}
    (folder / programs.ENVIRONMENT_FILE).write_text(json.dumps(elsewhere))
    ended = command("compare", "--resume", "both")
    assert ended.code == 2
    assert "host was 'elsewhere' and is " in ended.err


def test_a_program_that_has_gone_is_reported(command: Command) -> None:
    folder = recorded(Path("both"), ((1.0, 9.0), (1.0, 2.0)))
    content = json.loads((folder / whole_programs.NAME).read_text())
    content["sides"][1]["command"] = ["./gone"]
    (folder / whole_programs.NAME).write_text(json.dumps(content))
    ended = command("compare", "--resume", "both")
    assert ended.code == 1
    assert "cannot be started in " in ended.err


def test_a_damaged_folder_is_named(tmp_path: Path) -> None:
    folder = recorded(tmp_path / "both", ((1.0, 2.0),))
    (folder / whole_programs.RUNS).write_text('{"launch": 1, "side": 2, "seconds": 1}\n')
    with pytest.raises(UserError, match=r"runs\.jsonl:1: not two programs that were compared"):
        programs.read(folder)


def test_the_first_pair_does_not_count(tmp_path: Path) -> None:
    pairs = ((1.0, 9.0), *((1.0 + each / 1e4, 1.02 + each / 1e4) for each in range(8)))
    found = programs.read(recorded(tmp_path / "both", pairs))
    assert found.overall.ratio == pytest.approx(1.02, abs=1e-3)
    assert found.verdict == "slower"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--a", SHORT), "no --b program="),
        (("--a", SHORT, "--b", "protocol=send_recv"), "--b protocol="),
        (("--a", SHORT, "--b", "program=/no/such"), "program not found"),
        (("--a", SHORT, "--b", "program=sleep '1"), "No closing quotation"),
        (("mpich", "--a", SHORT, "--b", LONG), "'mpich' with a program"),
        (("--a", SHORT, "--b", LONG, "--ranks", "2"), "--ranks with a program"),
        (("--a", SHORT, "--b", LONG, "--budget", "soon"), "--budget: "),
        (("--a", SHORT, "--b", LONG, "--launches", "3"), "--launches 3"),
    ],
)
def test_what_is_no_program_is_refused(command: Command, words: tuple[str, ...], why: str) -> None:
    ended = command("compare", *words)
    assert ended.code == 2
    assert why in " ".join(ended.err.split())
