"""Damaged files: each is read, or refused in one line that names it; nothing else, and no hang.

HALOCLINE_FUZZ=20000 tries as many of each kind.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from conftest import Command
from halocline.base.errors import UserError, UserErrors
from halocline.base.toolchain import Family
from halocline.campaign import log, pace, whole_programs
from halocline.campaign.queues import node_of_rank
from halocline.compare import folder as comparison
from halocline.compare import history, programs
from halocline.compare.sides import side
from halocline.doctor import diagnose
from halocline.environment import collect
from halocline.environment.recorded import environment_of
from halocline.hosts import find
from halocline.hosts import record as hosts_record
from halocline.hosts.record import Made, Process
from halocline.launch.machine import platform_xml
from halocline.launch.machine import read as machine
from halocline.mpi import records
from halocline.report.environment import environment_sections, machine_line
from halocline.report.phases import phases
from halocline.report.pictures import pictures as drawn_pictures
from halocline.samples import left_out, pictures
from halocline.samples.run_folder import create, open_run
from halocline.specification.catalogue import from_json
from halocline.specification.configuration import layout
from halocline.specification.experiment import Experiment
from halocline.specification.spec import Known, load
from halocline.summary.summary import of_run, to_json
from halocline.tune import plan_file, settings
from mutations import INPUTS, damaged
from report.instruments import measured
from report.instruments import summary as summary_of
from report.pictured import field, owners, written
from samples_records import jsonl

Read = Callable[[Path], object]
_HANG_S = 60
MOCK = ("--machine", "mock:1.5us")


@contextmanager
def limited() -> Iterator[None]:
    """A reader that hangs fails its test."""

    def late(*_: object) -> None:
        raise AssertionError(f"it hangs: no end within {_HANG_S} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(_HANG_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def require_refusal(problem: UserError, file: Path) -> None:
    line = str(problem)
    assert len(line.splitlines()) <= 1, line
    assert file.name in line or file.parent.name in line, line
    assert "; " in line, "no remedy"


def read_each(file: Path, read: Read, inputs: int = INPUTS) -> None:
    """Every damaged version of a file is read, or refused as it should be; the file stays."""
    sound = file.read_bytes()
    read(file)
    for content in damaged(sound, file.name, inputs):
        file.write_bytes(content)
        try:
            with limited():
                read(file)
        except UserErrors as errors:
            for problem in errors.problems:
                require_refusal(problem, file)
        except UserError as problem:
            require_refusal(problem, file)
        except Exception as error:
            raise AssertionError(f"{type(error).__name__}: {error}: {content!r}") from error
        assert file.read_bytes() == content
    file.write_bytes(sound)


def summary(file: Path) -> object:
    return json.dumps(to_json(of_run(file.parent)), allow_nan=False)


@pytest.mark.parametrize("name", ["samples.jsonl", "environment.json", "experiment.toml"])
def test_runs(name: str, command: Command) -> None:
    words = "run pingpong,pingping bytes=8,64 protocol=send_recv --output run --launches 3"
    assert command(*words.split(), *MOCK).code == 0
    read_each(Path("run", name), summary)


def test_phases(command: Command) -> None:
    """A run whose steps have parts, as its summary and its page read it."""
    words = "run pingpong bytes=8 protocol=send_recv --output run --launches 2"
    assert command(*words.split(), *MOCK).code == 0
    file = Path("run/samples.jsonl")
    records = [json.loads(line) for line in file.read_text().splitlines()]
    for record in records:
        if record["type"] == "samples":
            times_s = [1e-7 * (1 + batch) for batch in range(len(record["preempted"]))]
            work = {"operations": [7, 8], "memory_bytes": [9, 0], "sent_bytes": [10, 11]}
            phase = {**work, "elapsed_s": [times_s, times_s]}
            record["phases"] = [{"name": name, **phase} for name in ("one", "two")]
    file.write_text(jsonl(records))

    def read(file: Path) -> None:
        summary(file)
        phases([of_run(file.parent)])

    read_each(file, read)


def test_pictures(tmp_path: Path) -> None:
    """Of maps and blocks, as a page draws them."""
    small = {
        "rows": 2,
        "columns": 3,
        "maps": [field("sea_level", "Height of the sea", "m", [0.5, None, -0.5, 0, 1, 1e-3])],
    }
    file = written(tmp_path, "ocean", **small, owners=owners())
    case = measured("ocean", 0.1, grid="x1")

    def read(file: Path) -> None:
        drawn = {case.case.id: pictures.picture(file)}
        drawn_pictures([replace(summary_of(case), pictures=drawn)])

    read_each(file, read)


def test_pages(command: Command) -> None:
    """A page has more of a run than its summary."""
    words = "run pingpong bytes=8,64 protocol=send_recv --output run --launches 3"
    assert command(*words.split(), *MOCK).code == 0

    def page(file: Path) -> None:
        ended = command("report", file.parent)
        assert ended.code in (0, 2), ended.err
        if ended.code:
            raise UserErrors([UserError(each, remedy="") for each in ended.err.splitlines()])

    for name in ("samples.jsonl", "environment.json"):
        read_each(Path("run", name), page, INPUTS // 20)


def test_environments(tmp_path: Path) -> None:
    """What a report of a run on this machine says of it."""
    file = tmp_path / "environment.json"
    file.write_text(json.dumps(collect(()), indent=2) + "\n")

    def read(file: Path) -> None:
        environment = environment_of(file)
        diagnose(environment)
        machine_line(environment, "here")
        environment_sections(environment)

    read_each(file, read)


def test_what_was_left_out(tmp_path: Path) -> None:
    file = tmp_path / left_out.NAME
    entries = (left_out.LeftOut("mpich", "a part", ("0a", "0b"), 3.5),)
    file.write_text(left_out.to_text(entries))
    assert left_out.read(tmp_path) == entries
    read_each(file, lambda file: left_out.read(file.parent))


SPECIFICATION = """schema = 1
[experiment]
title = "Sizes"
mpi = ["mpich"]
machine = "here"
hosts = "a,b"
notes = ["one"]
[measure]
half_width = 0.02
launches_minimum = 3
budget = "20s"
deadline = "60s"
[configuration]
layout = ["2N1P", "1N2P"]
env.X = ["1", "unset"]
[[part]]
title = "both"
workloads = ["pingpong", "pingping"]
axes.bytes = ["8..64", 4096]
axes.protocol = ["send_recv"]
[[part]]
workloads = ["pingpong"]
configuration.flags = ["default", "-O2"]
"""


def test_specifications(command: Command, tmp_path: Path) -> None:
    assert command("run", "pingpong", "bytes=8", "--output", "run", "--launches", "3", *MOCK)
    known = Known(open_run(Path("run")).catalogue, ("mpich",), ("two-nodes",))
    file = tmp_path / "fuzz.toml"
    file.write_text(SPECIFICATION)
    read_each(file, lambda file: load(file, known).toml())


def test_machines(tmp_path: Path) -> None:
    of = Path(__file__).parents[2] / "machines/two-nodes.toml"
    file = tmp_path / of.name
    file.write_bytes(of.read_bytes())
    read_each(file, lambda file: platform_xml(machine(file)))


def test_comparisons(tmp_path: Path, driver_catalogue: dict[str, object]) -> None:
    experiment = Experiment("t", ("pingpong",))
    catalogue = from_json(driver_catalogue)
    both = tuple(side("", experiment, {"env.X": value}, catalogue) for value in "12")
    for letter in "ab":
        create(tmp_path / letter, experiment, {"catalogue": driver_catalogue})
    comparison.write(tmp_path, both, 0.03, pace.Limits())

    def read(file: Path) -> None:
        comparison.limits(file.parent)
        comparison.names(file.parent)
        comparison.sides(file.parent)

    read_each(tmp_path / comparison.NAME, read)


def test_launch_logs(tmp_path: Path) -> None:
    kept = log.Log(tmp_path)
    for number in (1, 2):
        kept.append(
            log.Launched(
                launch=number,
                cases=4,
                starting_s=0.5,
                whole=number == 1,
                took_s=2.5,
                name="mpich",
                turn=number,
                out={"a": "why"},
            )
        )
    read_each(tmp_path / log.NAME, lambda file: log.read(file.parent))


def test_programs(tmp_path: Path) -> None:
    sides = [whole_programs.Program(name, ("true", name), {"X": "1", "Y": None}) for name in "ab"]
    content = {
        "schema": whole_programs.SCHEMA,
        "resolution": 0.03,
        "limits": asdict(pace.Limits()),
        "folder": str(tmp_path),
        "sides": [asdict(each) for each in sides],
    }
    (tmp_path / whole_programs.NAME).write_text(json.dumps(content, indent=1) + "\n")
    runs = [{"launch": i // 2, "side": i % 2, "seconds": 1.0 + i / 100} for i in range(22)]
    (tmp_path / whole_programs.RUNS).write_text("".join(json.dumps(each) + "\n" for each in runs))
    (tmp_path / programs.ENVIRONMENT_FILE).write_text('{"host": "h", "processor": {}}\n')
    for name in (whole_programs.NAME, whole_programs.RUNS):
        read_each(tmp_path / name, lambda file: programs.read(file.parent))


def test_histories(tmp_path: Path) -> None:
    case = {"case": "a", "time_s": 1e-6, "ratio": 1.1, "low": 1.0, "high": 1.2, "regressed": True}
    run = {"schema": 1, "when": "2026-11-21T11:00:00Z", "commit": "c", "cases": [case, case]}
    (tmp_path / history.NAME).write_text(f"{json.dumps(run)}\n" * 3)
    read_each(tmp_path / history.NAME, lambda file: history.read(file.parent))


def test_searches(tmp_path: Path) -> None:
    plan_file.write(tmp_path, plan_file.Asked("halo", (("words", 64),), 30.0))
    read_each(tmp_path / plan_file.NAME, lambda file: plan_file.read(file.parent))
    tried = tmp_path / "settings.toml"
    tried.write_bytes(settings.FILE.read_bytes())
    read_each(tried, settings.read)


def test_registries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HALOCLINE_HOME", str(tmp_path))
    wrapper = Path("/opt/mpicxx")
    kept = records.Record(
        "site", Family.MPICH, "MPICH", None, Path("/bin/mpiexec"), wrapper, {"X": "1"}, "0a"
    )
    records.save(kept)
    assert records.load("site") == kept
    read_each(records.folder() / "site.json", lambda _: records.load("site"))


def test_made_hosts(tmp_path: Path) -> None:
    one = Process(1, 2)
    made = Made(tmp_path, "boot", "1gbit", ("a", "b"), ("1", "2"), one, (one, one, one))
    hosts_record.write(made)
    assert hosts_record.read(tmp_path) == made
    read_each(tmp_path / hosts_record.RECORD, lambda file: hosts_record.read(file.parent))


def test_placements_and_hostfiles(tmp_path: Path) -> None:
    placed = layout("2N2P")
    assert placed is not None
    order = tmp_path / "order.txt"
    order.write_text("# ranks\n0,2\n1-1, 3\n")
    read_each(order, lambda file: node_of_rank(f"file:{file}", placed))
    hosts = tmp_path / "hostfile"
    hosts.write_text("a slots=2 # one\nb:2\nc\n")
    read_each(hosts, lambda file: find(str(file)))
