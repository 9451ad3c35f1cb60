"""The search space: every way of running a workload under every configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

from halocline.base.errors import UserError
from halocline.specification.cases import AxisValue, Case
from halocline.specification.catalogue import Axis, Catalogue, Workload
from halocline.specification.configuration import PLACEMENTS, Configuration, canonical, layout
from halocline.specification.expand import configurations
from halocline.specification.experiment import Experiment, Part
from halocline.tune.settings import Setting

# Axes that say how the work is done. The others define the work and are never chosen for the user.
WAYS = (
    "protocol",
    "dynamics_protocol",
    "packing",
    "bundle",
    "near",
    "synchronisation",
    "structure",
)
# Every protocol with every other would make a thousand candidates: tried only if values are given.
_IF_GIVEN = ("dynamics_protocol",)
USUAL: Mapping[str, AxisValue] = {"protocol": "isend_irecv"}  # what programs do
# Quick to measure; used instead of the middle one of an axis' defaults.
_PROBLEMS: Mapping[str, AxisValue] = {"grid": "64x128x16"}

Values = tuple[tuple[str, AxisValue], ...]  # sorted by name


@dataclass(frozen=True)
class Candidate:
    """A way under a configuration: a case for each problem, in their order."""

    ways: Values
    configuration: Configuration
    cases: tuple[Case, ...]

    @property
    def key(self) -> str:
        """Its identity."""
        return self.cases[0].id

    @cached_property
    def settings(self) -> dict[str, AxisValue]:
        """Its values of everything searched."""
        return {**dict(self.ways), **dict(self.configuration)}

    def changes(self, default: Candidate) -> dict[str, AxisValue]:
        """Its values that differ from the default; `default` where only the default sets one."""
        mine, usual = self.settings, default.settings
        changed = {key: value for key, value in mine.items() if usual.get(key) != value}
        return {**changed, **dict.fromkeys((key for key in usual if key not in mine), "default")}

    def name(self, default: Candidate) -> str:
        """`protocol=persistent env.X=1`; `the default` for the default."""
        words = [f"{key}={value}" for key, value in self.changes(default).items()]
        return " ".join(words) or "the default"


@dataclass(frozen=True)
class Space:
    """The default and all candidates compared with it. `experiment` has all of them as cases."""

    experiment: Experiment
    default: Candidate
    candidates: tuple[Candidate, ...]
    unavailable: Mapping[str, str]  # protocols that the library lacks, and why
    restricted: frozenset[str] = frozenset()  # protocols that only programs may choose

    @property
    def problems(self) -> int:
        """The number of cases per candidate."""
        return len(self.default.cases)

    def row(self, candidate: Candidate, problem: int) -> str:
        """The record of the default's times measured in turn with this case."""
        case = candidate.cases[problem]
        return replace(case, configuration=self.default.configuration).id

    @property
    def keys(self) -> frozenset[str]:
        """Everything that candidates may differ in."""
        every = (self.default, *self.candidates)
        return frozenset(key for candidate in every for key in candidate.settings)


def experiment_of(
    asked: Experiment, catalogue: Catalogue, settings: Sequence[Setting], usual: Mapping[str, str]
) -> tuple[Experiment, Values]:
    """An experiment of all candidates, the default's configuration first, and the default's ways.

    UserError for more than one workload, library or number of ranks.
    """
    (part,) = _single(asked)
    workload = catalogue.workload(part.workloads[0])
    assert workload is not None
    given = dict(part.axes)
    names = [axis.name for axis in workload.axes]
    if wrong := [key for key in usual if key not in names or key not in WAYS]:
        ways = ", ".join(name for name in names if name in WAYS) or "none here"
        raise UserError(
            f"--default {wrong[0]}={usual[wrong[0]]}",
            allowed=ways,
            remedy="choose one of these, or leave --default out",
        )
    axes = {axis.name: _values(axis, given.get(axis.name), catalogue) for axis in workload.axes}
    default = {
        name: _usual(catalogue, workload, name, values, usual, given)
        for name, values in axes.items()
        if name in WAYS
    }
    every = tuple(
        (name, tuple(dict.fromkeys((*((default[name],) if name in default else ()), *values))))
        for name, values in sorted(axes.items())
    )
    base = _placed(part)
    variants = configurations(base, asked.here)
    if len({ranks for _, ranks in variants}) > 1:
        raise UserError("layouts with different numbers of ranks", remedy="tune one at a time")
    ranks = variants[0][1]
    first = dict(variants[0][0])
    alone = [
        canonical({**first, setting.key: value}, ranks, asked.here)
        for setting in settings
        for value in setting.values
        if setting.tried or setting.key not in dict(base.configuration)
    ]
    distinct = tuple(dict.fromkeys((*(configuration for configuration, _ in variants), *alone)))
    parts = tuple(
        Part(
            title=" ".join(f"{key}={value}" for key, value in configuration) or "library defaults",
            workloads=part.workloads,
            ranks=(ranks,),
            axes=every,
            configuration=tuple((key, (value,)) for key, value in configuration),
        )
        for configuration in distinct
    )
    title = asked.title if asked.title.startswith("tune") else f"tune {asked.title}"
    whole = replace(asked, title=title, workloads=(), axes=(), configuration=(), parts=parts)
    return whole, tuple(sorted(default.items()))


def space_of(experiment: Experiment, default_ways: Values, catalogue: Catalogue) -> Space:
    """The candidates of such an experiment; `catalogue` is the library's own."""
    unavailable = {
        protocol.name: protocol.reason for protocol in catalogue.protocols if not protocol.available
    }
    candidates = [
        candidate
        for part in experiment.parts
        for candidate in _of_part(experiment, part)
        if dict(candidate.ways).get("protocol") not in unavailable
    ]
    default = next((candidate for candidate in candidates if candidate.ways == default_ways), None)
    if default is None:
        name = str(dict(default_ways)["protocol"])
        raise UserError(
            f"the default's protocol {name} is not available: {unavailable.get(name)}",
            remedy="choose another with --default protocol=NAME",
        )
    asked = {value for part in experiment.parts for value in dict(part.axes).get("protocol", ())}
    return Space(
        experiment,
        default,
        tuple(candidate for candidate in candidates if candidate is not default),
        {name: reason for name, reason in unavailable.items() if name in asked},
        frozenset(protocol.name for protocol in catalogue.protocols if protocol.restriction),
    )


def _of_part(experiment: Experiment, part: Part) -> list[Candidate]:
    ((configuration, ranks),) = configurations(part, experiment.here)
    ways = [[(name, value) for value in values] for name, values in part.axes if name in WAYS]
    problems = [
        [(name, value) for value in values] for name, values in part.axes if name not in WAYS
    ]
    return [
        Candidate(
            ways=way,
            configuration=configuration,
            cases=tuple(
                Case(
                    workload=part.workloads[0],
                    axes=tuple(sorted((*way, *problem))),
                    mpi=experiment.mpi[0],
                    machine=experiment.machine,
                    ranks=ranks,
                    configuration=configuration,
                )
                for problem in product(*problems)
            ),
        )
        for way in product(*ways)
    ]


def _single(asked: Experiment) -> tuple[Part, ...]:
    parts = asked.all_parts
    counts = {
        "workloads": sum(len(part.workloads) for part in parts),
        "MPI libraries": len(asked.mpi),
        "numbers of ranks": max(len(part.ranks) for part in parts),
    }
    for noun, count in counts.items():
        if count > 1:
            raise UserError(f"{count} {noun} to tune", remedy="tune one at a time")
    return parts


def _values(
    axis: Axis, given: Sequence[AxisValue] | None, catalogue: Catalogue
) -> tuple[AxisValue, ...]:
    if given:
        return tuple(given)
    if axis.name in WAYS and axis.name not in _IF_GIVEN:
        return axis.choices or catalogue.defaults(axis)
    usual = catalogue.defaults(axis)
    small = _PROBLEMS.get(axis.name)
    return (small,) if small in (*axis.choices, *usual) and small else (usual[len(usual) // 2],)


def _usual(
    catalogue: Catalogue,
    workload: Workload,
    name: str,
    values: Sequence[AxisValue],
    usual: Mapping[str, str],
    given: Mapping[str, Sequence[AxisValue]],
) -> AxisValue:
    axis = workload.axis(name)
    assert axis is not None
    if name in usual:
        permitted = [*map(str, axis.choices or catalogue.defaults(axis))]
        if usual[name] not in permitted:
            problem = f"--default {name}={usual[name]}"
            raise UserError(problem, allowed=", ".join(permitted), remedy="choose one of these")
        return usual[name]
    if name in given:
        return given[name][0]
    likely = USUAL.get(name, axis.default[0] if axis.default else values[0])
    return likely if likely in values else values[0]


def _placed(part: Part) -> Part:
    """Add every placement, if several nodes have several ranks and none is given."""
    keys = dict(part.configuration)
    shapes = [layout(text) for text in keys.get("layout", ())]
    several = any(shape and shape.nodes > 1 and shape.ranks_per_node > 1 for shape in shapes)
    if not several or "placement" in keys:
        return part
    return replace(part, configuration=tuple(sorted({**keys, "placement": PLACEMENTS}.items())))
