"""What must fit together in an experiment; problems are noted in the Values that are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from halocline.cases import AxisValue
from halocline.catalogue import Axis, Catalogue
from halocline.configuration import KEYS, KEYS_ALLOWED, Layout, is_key, layout
from halocline.spec_values import Values, nearest
from halocline.units import duration_s

SCHEMA = 1
HERE = "here"
MOCK = "mock:"
SIMULATED_MPI = "simgrid"
SIMULATED_KEYS = ("layout", "placement")
DEADLINES_S = (1.0, 12 * 3600.0)
_TABLES = ("schema", "experiment", "axes", "configuration", "measure")
_EXPERIMENT_KEYS = ("title", "workloads", "mpi", "machine", "ranks", "hosts")
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


def ranks_of(
    values: Values, workloads: Sequence[str], layouts: Sequence[str], catalogue: Catalogue
) -> tuple[int, ...]:
    """How many ranks: what each workload runs on. Layouts fix them."""
    key = "configuration.layout" if layouts else "experiment.ranks"
    if layouts and values.given("experiment.ranks") is not None:
        remedy = "leave ranks out: 2N1P is two nodes with one rank each"
        values.wrong("experiment.ranks", "ranks beside a layout", remedy=remedy)
    named = [(text, found.ranks) for text in layouts if (found := layout(text))]
    all_ranks = named or [(f"{n} ranks", n) for n in values.whole_list("experiment.ranks", (2,), 1)]
    for name in workloads:
        workload = catalogue.workload(name)
        for index, (text, ranks) in enumerate(all_ranks):
            if workload and not workload.runs_on(ranks):
                values.wrong(
                    f"{key}[{index}]",
                    f"{text} for {name}",
                    allowed=workload.ranks_text,
                    remedy=f"use {workload.ranks_minimum} ranks",
                )
    return tuple(dict.fromkeys(ranks for _, ranks in all_ranks))


def hosts_of(values: Values, machine: str, layouts: Sequence[str]) -> str:
    """Where several nodes come from; "" for here. A layout says how many ranks each carries."""
    key = "experiment.hosts"
    hosts = values.text(key, "")
    simulated = machine != HERE and not machine.startswith(MOCK)
    if hosts and simulated:
        values.wrong(key, f"hosts for the machine {machine!r}", remedy="leave hosts out")
    elif hosts and not layouts:
        remedy = "add a layout: layout=2N1P is one rank on each of two"
        values.wrong(key, f"hosts {hosts!r} without a layout", remedy=remedy)
    for index, text in enumerate(layouts):
        found = layout(text)
        if machine == HERE and not hosts and found and found.nodes > 1:
            values.wrong(
                f"configuration.layout[{index}]",
                f"layout {text} without hosts",
                allowed="names as in a,b, a hostfile, slurm, up",
                remedy="add --hosts: `halocline hosts up 2` makes two, which `--hosts up` uses",
            )
    return hosts


def configuration_of(
    values: Values, names: Sequence[str], machine: str
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The settings that are swept, sorted by their keys."""
    simulated = machine not in ("", HERE) and not machine.startswith(MOCK)
    found: list[tuple[str, tuple[str, ...]]] = []
    for name in sorted(names):
        key = f"configuration.{name}"
        if not is_key(name):
            remedy = nearest(name, KEYS, "see docs/reference/experiment-toml.md")
            what = f"unknown configuration {name!r}"
            values.wrong(key, what, allowed=KEYS_ALLOWED, remedy=remedy)
        elif simulated and name not in SIMULATED_KEYS:
            what = f"{name} on the simulated machine {machine!r}"
            values.wrong(key, what, allowed=", ".join(SIMULATED_KEYS), remedy=f"leave {name} out")
        elif taken := values.settings(name):
            found.append((name, taken))
    layouts = [each for text in dict(found).get("layout", ()) if (each := layout(text))]
    if "placement" in dict(found) and all(each.nodes == 1 for each in layouts):
        remedy = "add a layout of several nodes, as in layout=2N2P"
        values.wrong("configuration.placement", "a placement on one node", remedy=remedy)
    _check_bindings(values, dict(found).get("binding", ()), layouts)
    return tuple(found)


def _check_bindings(values: Values, bindings: Sequence[str], layouts: Sequence[Layout]) -> None:
    """A list of cores has one for each rank of a node."""
    for index, binding in enumerate(bindings):
        cores = binding.count(",") + 1
        for each in layouts:
            if binding[0].isdigit() and cores != each.ranks_per_node:
                values.wrong(
                    f"configuration.binding[{index}]",
                    f"binding {binding} names {_cores(cores)} for layout {each}",
                    allowed=_cores(each.ranks_per_node),
                    remedy="name a core for each rank of a node",
                )


def _cores(number: int) -> str:
    return f"{number} core" + ("s" if number != 1 else "")


def axes_of(
    values: Values, names: Sequence[str], workloads: Sequence[str], catalogue: Catalogue
) -> tuple[tuple[str, tuple[AxisValue, ...]], ...]:
    """The values of the axes that are given, sorted by the axes' names."""
    protocols = [protocol.name for protocol in catalogue.protocols]
    chosen = [w for w in catalogue.workloads if w.name in workloads] or catalogue.workloads
    known: dict[str, Axis] = {}
    for axis in (axis for workload in chosen for axis in workload.axes):
        known[axis.name] = _both(known[axis.name], axis) if axis.name in known else axis
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


def _both(one: Axis, other: Axis) -> Axis:
    """What the axes of two workloads both take."""
    return replace(
        one,
        low=max(one.low, other.low),
        high=min(one.high, other.high),
        choices=tuple(choice for choice in one.choices if choice in other.choices),
    )


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
