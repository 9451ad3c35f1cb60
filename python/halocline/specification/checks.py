"""Consistency checks of an experiment; problems are recorded in the Values that are read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from halocline.base.paths import expanded
from halocline.base.units import duration_s
from halocline.specification.experiment import HERE, MADE, MOCK, PATHS, SCHEMA, is_simulated
from halocline.specification.values import Values, nearest

SIMULATED_MPI = "simgrid"
_MOCK_S = (1e-12, 1e6)
DEADLINES_S = (1.0, 12 * 3600.0)
_TABLES = ("schema", "experiment", "axes", "configuration", "measure", "part")
_EXPERIMENT_KEYS = ("title", "workloads", "mpi", "machine", "ranks", "hosts", "notes")
_PART_KEYS = ("title", "workloads", "ranks", "axes", "configuration")
# As in hosts/found.py, which a bare interpreter reads, and so not from here.
_HOST_WORDS = (MADE, "slurm", "up")
LAUNCHES_MOST = 1_000_000
_MEASURE_KEYS = ("half_width", "launches_minimum", "launches_maximum", "budget", "deadline", "path")


def check_tables(values: Values, content: Mapping[str, object]) -> None:
    """Record a wrong schema, unknown tables and keys, and values that should be tables."""
    if "schema" not in content:
        values.wrong("schema", "no schema", remedy=f"write `schema = {SCHEMA}` as the first line")
    elif content["schema"] != SCHEMA or isinstance(content["schema"], bool):
        remedy = f"write `schema = {SCHEMA}`"
        values.wrong(
            "schema", f"schema is {content['schema']!r}", allowed=str(SCHEMA), remedy=remedy
        )
    for name, table in content.items():
        if name not in _TABLES:
            remedy = nearest(name, _TABLES, "remove it")
            values.wrong(name, f"unknown key {name!r}", allowed=", ".join(_TABLES), remedy=remedy)
        elif name == "part":
            _check_parts(values, table)
        elif name != "schema" and not isinstance(table, dict):
            values.wrong(name, f"{name} is {table!r}, not a table", remedy=f"write [{name}]")
    values.unknown_keys("experiment", _EXPERIMENT_KEYS, remedy="remove it")
    values.unknown_keys("measure", _MEASURE_KEYS, remedy="remove it")


def _check_parts(values: Values, parts: object) -> None:
    """Record invalid parts, and keys of the experiment that belong to its parts."""
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        values.wrong("part", f"part is {parts!r}, not tables", remedy="write [[part]]")
        return
    for index, part in enumerate(parts):
        table = f"part[{index}]"
        values.unknown_keys(table, _PART_KEYS, remedy="remove it")
        for name in ("axes", "configuration"):
            if name in part and not isinstance(part[name], dict):
                problem = f"{name} is {part[name]!r}, not a table"
                values.wrong(f"{table}.{name}", problem, remedy=f"write [part.{name}]")
    for key in ("experiment.workloads", "axes"):
        if values.given(key) is not None:
            remedy = "write them into the parts"
            values.wrong(key, f"{key.rpartition('.')[2]} together with [[part]]", remedy=remedy)


def machine_of(values: Values, known: Sequence[str] | None) -> str:
    """The machine: here, a simulated one, or a mock whose time is in its name; "" if unknown."""
    key = "experiment.machine"
    machine = values.text(key, HERE)
    if machine.startswith(MOCK):
        if not _is_time(machine.removeprefix(MOCK)):
            values.wrong(
                key,
                f"machine {machine!r} is not mock:TIME",
                allowed="a positive TIME in ns, us, ms or s",
                remedy="write it as mock:1.5us",
            )
    elif known is not None and machine not in (HERE, *known):
        choices = (HERE, *known, "mock:1.5us")
        remedy = nearest(machine, choices, "see `halocline list machines`")
        values.wrong(key, f"unknown machine {machine!r}", allowed=", ".join(choices), remedy=remedy)
        return ""
    return machine


def mpi_of(values: Values, machine: str, known: Sequence[str] | None) -> tuple[str, ...]:
    """The MPI libraries; a simulated machine has only its own."""
    key = "experiment.mpi"
    simulated = is_simulated(machine)
    default = (SIMULATED_MPI,) if simulated else ("mpich",)
    mpi = values.names(key, "MPI", default, known, "see `halocline mpi list`")
    if simulated and mpi != (SIMULATED_MPI,):
        values.wrong(
            key,
            f"MPI {', '.join(mpi)} for the simulated machine {machine!r}",
            allowed=SIMULATED_MPI,
            remedy="leave mpi out",
        )
    if machine == HERE and SIMULATED_MPI in mpi:
        values.wrong(
            key,
            f"MPI {SIMULATED_MPI!r} without a simulated machine",
            remedy="choose a machine from `halocline list machines`",
        )
    return mpi


def hosts_of(values: Values, machine: str, laid_out: bool) -> str:
    """Where several nodes come from; "" for this node only. A layout sets the ranks per node."""
    key = "experiment.hosts"
    hosts = values.text(key, "")
    simulated = is_simulated(machine)
    if hosts and simulated:
        values.wrong(key, f"hosts with the simulated machine {machine!r}", remedy="leave hosts out")
    elif hosts and not laid_out:
        remedy = "add a layout, as in layout=2N1P: one rank on each of two nodes"
        values.wrong(key, f"hosts {hosts!r} without a layout", remedy=remedy)
    path = expanded(hosts)
    # Not Path.is_file: many names are too long for a path.
    is_hostfile = hosts not in ("", *_HOST_WORDS) and os.path.isfile(path)
    return str(path.absolute()) if is_hostfile else hosts  # a run may be resumed from elsewhere


def launches_of(values: Values, minimum: int, maximum: int) -> tuple[int, int]:
    """Minimum and maximum launches per library; a given value overrides the other's default."""
    low_key, high_key = "measure.launches_minimum", "measure.launches_maximum"
    wrong_before = len(values.problems)
    low, high = values.whole(low_key, minimum, 1), values.whole(high_key, maximum, 1)
    if values.given(high_key) is None:
        high = max(low, high)
    if values.given(low_key) is None:
        low = min(low, high)
    for key, launches in ((low_key, low), (high_key, high)):
        if launches > LAUNCHES_MOST and values.given(key) is not None:
            values.wrong(
                key,
                f"{key.partition('.')[2]} is {values.given(key)!r}"[:60],
                allowed=f"1 to {LAUNCHES_MOST}",
                remedy="write fewer",
            )
    if low > high and len(values.problems) == wrong_before:
        values.wrong(
            low_key,
            f"launches_minimum {low} is more than launches_maximum {high}",
            allowed=f"1 to {high}",
            remedy="lower it, or raise launches_maximum",
        )
    return low, high


def deadline_of(values: Values, default: float) -> float:
    """Longest time without progress: no shorter than any case, no longer than the driver's."""
    key, (low_s, high_s) = "measure.deadline", DEADLINES_S
    deadline_s = values.seconds(key, default)
    if not low_s <= deadline_s <= high_s:
        values.wrong(
            key,
            f"deadline is {values.given(key)!r}",
            allowed=f"{low_s:g}s to {high_s / 3600:g}h",
            remedy='write deadline = "60s", or longer for slow cases',
        )
    return deadline_s


def path_of(values: Values, default: str) -> str:
    """Whether payload between nodes must be seen on their interfaces, or is only recorded."""
    key = "measure.path"
    path = values.text(key, default)
    if path not in PATHS:
        values.wrong(key, f"path {path!r}", allowed=" or ".join(PATHS), remedy="choose one")
    return path


def _is_time(text: str) -> bool:
    try:
        return _MOCK_S[0] <= duration_s(text) <= _MOCK_S[1]
    except ValueError:
        return False
