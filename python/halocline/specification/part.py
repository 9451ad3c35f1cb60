"""One part of an experiment: workloads, ranks, axes and settings that fit together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from halocline.base.units import counted, enumerated
from halocline.specification.cases import AxisValue
from halocline.specification.catalogue import Axis, Catalogue
from halocline.specification.configuration import KEYS, KEYS_ALLOWED, SRUN, Layout, is_key, layout
from halocline.specification.experiment import HERE, Axes, Part, Settings, is_simulated
from halocline.specification.values import Values, nearest

HOSTS_ALLOWED = "names as in a,b, a hostfile, slurm, up, made"
_SIMULATED_KEYS = ("layout", "placement")


@dataclass(frozen=True)
class Scope:
    """Where a part is written: its table, and the key of everything it sets or inherits."""

    table: str
    ranks: str
    axes: Mapping[str, str]
    settings: Mapping[str, str]


def part_of(values: Values, scope: Scope, machine: str, hosts: str, catalogue: Catalogue) -> Part:
    """The part of an experiment that a scope holds."""
    workloads = workloads_of(values, scope, catalogue)
    settings = _settings(values, scope, machine)
    layouts = dict(settings).get("layout", ())
    if machine == HERE and not hosts:
        _check_one_node(values, scope, layouts)
    if machine == HERE and SRUN in dict(settings).get("launcher", ()) and not (hosts and layouts):
        problem = f"launcher {SRUN} without hosts and a layout"
        remedy = "add --hosts slurm and layout=2N1P, or use `halocline submit`"
        values.wrong(scope.settings["launcher"], problem, remedy=remedy)
    return Part(
        title=values.text(f"{scope.table}.title", enumerated(workloads)),
        workloads=workloads,
        ranks=_ranks(values, scope, workloads, layouts, catalogue),
        axes=axes_of(values, scope, workloads, catalogue),
        configuration=settings,
    )


def workloads_of(values: Values, scope: Scope, catalogue: Catalogue) -> tuple[str, ...]:
    """The requested workloads; at least one."""
    key, known = f"{scope.table}.workloads", [workload.name for workload in catalogue.workloads]
    if values.given(key) is None:
        table = "[experiment]" if scope.table == "experiment" else "this [[part]]"
        remedy = f'write workloads = ["{known[0]}"] in {table}'
        values.wrong(scope.table, "no workloads", allowed=", ".join(known), remedy=remedy)
        return ()
    return values.names(key, "workload", (), known, "see `halocline list workloads`")


def _ranks(
    values: Values,
    scope: Scope,
    workloads: Sequence[str],
    layouts: Sequence[str],
    catalogue: Catalogue,
) -> tuple[int, ...]:
    """The numbers of ranks, allowed by each workload. Layouts fix them."""
    key = scope.settings["layout"] if layouts else scope.ranks
    own = scope.ranks.startswith(scope.table)
    if layouts and own and values.given(scope.ranks) is not None:
        remedy = "leave ranks out: 2N1P is two nodes with one rank each"
        values.wrong(scope.ranks, "ranks together with a layout", remedy=remedy)
    named = [(text, shape.ranks) for text in layouts if (shape := layout(text))]
    all_ranks = named or [(counted(n, "rank"), n) for n in values.whole_list(scope.ranks, (2,), 1)]
    for name in workloads:
        workload = catalogue.workload(name)
        for index, (text, ranks) in enumerate(all_ranks):
            if workload and not workload.runs_on(ranks):
                values.wrong(
                    f"{key}[{index}]",
                    f"{text} for {name}",
                    allowed=workload.ranks_text,
                    remedy=f"use {counted(workload.ranks_minimum, 'rank')}",
                )
    return tuple(dict.fromkeys(ranks for _, ranks in all_ranks))


def _check_one_node(values: Values, scope: Scope, layouts: Sequence[str]) -> None:
    for index, text in enumerate(layouts):
        if (shape := layout(text)) and shape.nodes > 1:
            values.wrong(
                f"{scope.settings['layout']}[{index}]",
                f"layout {text} without hosts",
                allowed=HOSTS_ALLOWED,
                remedy="add --hosts made: temporary hosts on this machine",
            )


def _settings(values: Values, scope: Scope, machine: str) -> Settings:
    """The swept settings, sorted by key."""
    simulated = is_simulated(machine)
    settings: list[tuple[str, tuple[str, ...]]] = []
    for name, key in sorted(scope.settings.items()):
        if not is_key(name):
            remedy = nearest(name, KEYS, "see `halocline docs experiment-toml`")
            problem = f"unknown configuration {name!r}"
            values.wrong(key, problem, allowed=KEYS_ALLOWED, remedy=remedy)
        elif simulated and name not in _SIMULATED_KEYS:
            problem = f"{name} on the simulated machine {machine!r}"
            values.wrong(
                key, problem, allowed=", ".join(_SIMULATED_KEYS), remedy=f"leave {name} out"
            )
        elif taken := values.settings(name, key):
            settings.append((name, taken))
    layouts = [shape for text in dict(settings).get("layout", ()) if (shape := layout(text))]
    if "placement" in dict(settings) and all(shape.nodes == 1 for shape in layouts):
        remedy = "add a layout of several nodes, as in layout=2N2P"
        values.wrong(scope.settings["placement"], "a placement on one node", remedy=remedy)
    _check_bindings(values, scope, dict(settings).get("binding", ()), layouts)
    return tuple(settings)


def _check_bindings(
    values: Values, scope: Scope, bindings: Sequence[str], layouts: Sequence[Layout]
) -> None:
    """A list of cores has one for each rank of a node."""
    for index, binding in enumerate(bindings):
        cores = binding.count(",") + 1
        for shape in layouts:
            if binding[0].isdigit() and cores != shape.ranks_per_node:
                values.wrong(
                    f"{scope.settings['binding']}[{index}]",
                    f"binding {binding} names {_cores(cores)} for layout {shape}",
                    allowed=_cores(shape.ranks_per_node),
                    remedy="name a core for each rank of a node",
                )


def _cores(number: int) -> str:
    return f"{number} core" + ("s" if number != 1 else "")


def axes_of(values: Values, scope: Scope, workloads: Sequence[str], catalogue: Catalogue) -> Axes:
    """The values of the given axes, sorted by name."""
    protocols = [protocol.name for protocol in catalogue.protocols]
    chosen = [w for w in catalogue.workloads if w.name in workloads]
    known: dict[str, Axis] = {}
    for axis in (axis for workload in chosen or catalogue.workloads for axis in workload.axes):
        merge = _both if chosen else _either
        known[axis.name] = merge(known[axis.name], axis) if axis.name in known else axis
    axes: list[tuple[str, tuple[AxisValue, ...]]] = []
    for name, key in sorted(scope.axes.items()):
        if name in known:
            if axis_values := values.axis(name, key, known[name], protocols):
                axes.append((name, axis_values))
        elif is_key(name):
            problem = f"{name} is a setting of configurations, not an axis"
            values.wrong(key, problem, remedy="write it under [configuration]")
        elif chosen:  # otherwise the workloads are wrong, which is reported already
            has = "has" if len(chosen) == 1 else "have"
            values.wrong(
                key,
                f"{' and '.join(workload.name for workload in chosen)} {has} no axis {name!r}",
                allowed=", ".join(known),
                remedy=nearest(name, known, "see `halocline list workloads`"),
            )
    return tuple(axes)


def _both(one: Axis, other: Axis) -> Axis:
    """The values that the axes of both workloads take."""
    return replace(
        one,
        low=max(one.low, other.low),
        high=min(one.high, other.high),
        only=tuple(filter(other.allows, one.only)) or tuple(filter(one.allows, other.only)),
        choices=tuple(choice for choice in one.choices if choice in other.choices),
    )


def _either(one: Axis, other: Axis) -> Axis:
    """The values that the axis of one workload or another takes."""
    return replace(
        one,
        low=min(one.low, other.low),
        high=max(one.high, other.high),
        only=tuple(sorted({*one.only, *other.only})) if one.only and other.only else (),
        choices=tuple(dict.fromkeys((*one.choices, *other.choices))),
    )
