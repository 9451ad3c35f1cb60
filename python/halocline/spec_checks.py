"""What must fit together in an experiment; problems are noted in the Values that are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from halocline.cases import AxisValue
from halocline.catalogue import Axis, Catalogue
from halocline.spec_values import Values, nearest
from halocline.units import duration_s

SCHEMA = 1
HERE = "here"
MOCK = "mock:"
SIMULATED_MPI = "simgrid"
DEADLINES_S = (1.0, 12 * 3600.0)
_TABLES = ("schema", "experiment", "axes", "measure")
_EXPERIMENT_KEYS = ("title", "workloads", "mpi", "machine", "ranks")
_MEASURE_KEYS = ("half_width", "launches_minimum", "launches_maximum", "budget", "deadline")


def check_tables(values: Values, content: Mapping[str, object]) -> None:
    """Note a wrong schema, unknown tables and keys, and tables that are none."""
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
        elif name != "schema" and not isinstance(table, dict):
            values.wrong(name, f"{name} is {table!r}, not a table", remedy=f"write [{name}]")
    values.unknown_keys("experiment", _EXPERIMENT_KEYS, remedy="remove it")
    values.unknown_keys("measure", _MEASURE_KEYS, remedy="remove it")


def workloads_of(values: Values, catalogue: Catalogue) -> tuple[str, ...]:
    """The workloads that are asked for; at least one."""
    key, known = "experiment.workloads", [workload.name for workload in catalogue.workloads]
    if values.given(key) is None:
        remedy = f'write workloads = ["{known[0]}"] in [experiment]'
        values.wrong("experiment", "no workloads", allowed=", ".join(known), remedy=remedy)
        return ()
    return values.names(key, "workload", (), known, "see `halocline list workloads`")


def machine_of(values: Values, known: Sequence[str] | None) -> str:
    """The machine: here, a simulated one, or a mock whose time is in its name; "" if unknown."""
    key = "experiment.machine"
    machine = values.text(key, HERE)
    if machine.startswith(MOCK):
        if not _is_time(machine.removeprefix(MOCK)):
            values.wrong(
                key,
                f"machine {machine!r} is not a mock",
                allowed="mock: and a time above zero in ns, us, ms or s",
                remedy="write it as mock:1.5us",
            )
    elif known is not None and machine not in (HERE, *known):
        choices = (HERE, *known, "mock:1.5us")
        remedy = nearest(machine, choices, "see `halocline list machines`")
        values.wrong(key, f"unknown machine {machine!r}", allowed=", ".join(choices), remedy=remedy)
        return ""
    return machine


def mpi_of(values: Values, machine: str, known: Sequence[str] | None) -> tuple[str, ...]:
    """The MPI libraries; a simulated machine has its own and no other."""
    key = "experiment.mpi"
    simulated = machine not in ("", HERE) and not machine.startswith(MOCK)
    default = (SIMULATED_MPI,) if simulated else ("mpich",)
    mpi = values.names(key, "MPI", default, known, "see `halocline mpi list`")
    if simulated and mpi != (SIMULATED_MPI,):
        values.wrong(
            key,
            f"MPI {', '.join(mpi)} on the simulated machine {machine!r}",
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


def ranks_of(values: Values, workloads: Sequence[str], catalogue: Catalogue) -> tuple[int, ...]:
    """How many ranks: what each workload runs on."""
    key = "experiment.ranks"
    all_ranks = values.whole_list(key, (2,), 1)
    for name in workloads:
        workload = catalogue.workload(name)
        for index, ranks in enumerate(all_ranks):
            if workload and not workload.ranks_minimum <= ranks <= workload.ranks_maximum:
                low, high = workload.ranks_minimum, workload.ranks_maximum
                allowed = str(low) if low == high else f"{low} to {high}"
                values.wrong(
                    f"{key}[{index}]",
                    f"{ranks} ranks for {name}",
                    allowed=allowed,
                    remedy=f"use {low} ranks",
                )
    return all_ranks


def axes_of(
    values: Values, names: Sequence[str], workloads: Sequence[str], catalogue: Catalogue
) -> tuple[tuple[str, tuple[AxisValue, ...]], ...]:
    """The values of the axes that are given, sorted by the axes' names."""
    protocols = [protocol.name for protocol in catalogue.protocols]
    chosen = [w for w in catalogue.workloads if w.name in workloads] or catalogue.workloads
    known: dict[str, Axis] = {axis.name: axis for workload in chosen for axis in workload.axes}
    found: list[tuple[str, tuple[AxisValue, ...]]] = []
    for name in sorted(names):
        if name not in known:
            remedy = nearest(name, known, "see `halocline list workloads`")
            of = " and ".join(workload.name for workload in chosen)
            values.wrong(
                f"axes.{name}",
                f"{of} has no axis {name!r}",
                allowed=", ".join(known),
                remedy=remedy,
            )
        elif taken := values.axis(name, known[name], protocols):
            found.append((name, taken))
    return tuple(found)


def launches_of(values: Values, minimum: int, maximum: int) -> tuple[int, int]:
    """Fewest and most launches of each library; each default yields to the other's given value."""
    low_key, high_key = "measure.launches_minimum", "measure.launches_maximum"
    low, high = values.whole(low_key, minimum, 1), values.whole(high_key, maximum, 1)
    if values.given(high_key) is None:
        high = max(low, high)
    if values.given(low_key) is None:
        low = min(low, high)
    if low > high:
        values.wrong(
            low_key,
            f"launches_minimum {low} is more than launches_maximum {high}",
            allowed=f"1 to {high}",
            remedy="lower it, or raise launches_maximum",
        )
    return low, high


def deadline_of(values: Values, default: float) -> float:
    """Longest time without progress: no shorter than any case, and not beyond the driver's own."""
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


def _is_time(text: str) -> bool:
    try:
        return duration_s(text) > 0
    except ValueError:
        return False
