"""The sides of a comparison: the same cases with different settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from halocline.base.errors import UserError
from halocline.specification.cases import AxisValue, Case
from halocline.specification.catalogue import Catalogue
from halocline.specification.configuration import ENVIRONMENT, KEYS, KEYS_ALLOWED, allowed, is_key
from halocline.specification.expand import expand_parts
from halocline.specification.experiment import HERE, Experiment, Part
from halocline.specification.spec import axes_from_words

OWN = ("mpi", "machine", *KEYS)  # what sides may differ in, apart from axes and variables


@dataclass(frozen=True)
class Side:
    """What is measured on one side, and which axes and keys are particular to it."""

    name: str
    experiment: Experiment
    own: frozenset[str] = frozenset()
    delay_share: float = 0.0  # added to its times, to check that it is detected


def side(
    name: str, experiment: Experiment, settings: Mapping[str, str], catalogue: Catalogue
) -> Side:
    """A side with these settings, also its default name; UserError for an invalid one."""
    variant = experiment
    for key, value in settings.items():
        variant = _with(variant, key, value, catalogue)
    words = [f"{key}={value}" for key, value in settings.items() if key != "mpi"]
    own_mpi = settings.get("mpi", "")
    title = name or " ".join([*([own_mpi] if own_mpi else []), *words])
    return Side(title or variant.mpi[0], variant, frozenset(settings) | {"mpi", "machine"})


def matched(
    sides: Sequence[Side], catalogue: Catalogue
) -> tuple[tuple[tuple[Case, ...], ...], ...]:
    """The cases of each part that all sides have, one case per side."""
    own = frozenset().union(*(each.own for each in sides))
    parts = [expand_parts(each.experiment, catalogue) for each in sides]
    pairs: list[tuple[tuple[Case, ...], ...]] = []
    for of_sides in zip(*parts, strict=True):
        by_key = [keyed(each.name, cases, own) for each, cases in zip(sides, of_sides, strict=True)]
        pairs.append(
            tuple(
                tuple(cases[key] for cases in by_key)
                for key in by_key[0]
                if all(key in cases for cases in by_key)
            )
        )
    if not any(pairs):
        problem = f"{' and '.join(each.name for each in sides)} have no case in common"
        raise UserError(problem, remedy="give both sides the same workload and axes")
    return tuple(pairs)


def keyed(
    name: str,
    cases: Sequence[Case],
    own: frozenset[str],
    added: Callable[[Case], frozenset[str]] = lambda case: frozenset(),
) -> dict[tuple[object, ...], Case]:
    """A side's cases, keyed by what they share with the corresponding cases of other sides.

    `added` names axes of a case that the other side did not have. UserError if two have the same
    key: which of them to compare is ambiguous.
    """
    by_key: dict[tuple[object, ...], Case] = {}
    for case in cases:
        before = by_key.setdefault(_key_of(case, own | added(case)), case)
        if before is not case:
            other = dict(_all_of(before))
            key = next(key for key, value in _all_of(case) if other.get(key) != value)
            raise UserError(
                f"side {name!r} has several values of {key} where a case needs one",
                remedy=f"give both sides one: --a {key}=VALUE --b {key}=VALUE",
            )
    return by_key


def _key_of(case: Case, own: frozenset[str]) -> tuple[object, ...]:
    common = tuple((key, value) for key, value in _all_of(case) if key not in own)
    return case.workload, case.ranks, common


def _all_of(case: Case) -> tuple[tuple[str, object], ...]:
    return (("mpi", case.mpi), ("machine", case.machine), *case.axes, *case.configuration)


def _with(experiment: Experiment, key: str, value: str, catalogue: Catalogue) -> Experiment:
    if key == "mpi":
        return replace(experiment, mpi=(value,))
    if key == "machine":
        return replace(experiment, machine=value)
    if is_key(key):
        if (takes := allowed(key, value)) is not None:
            raise UserError(f"{key}={value}", allowed=takes, remedy="choose one of these")
        return _each(experiment, lambda part: _configured(part, key, value))
    measured = {name for part in experiment.all_parts for name in part.workloads}
    having = [w.name for w in catalogue.workloads if w.name in measured and w.axis(key)]
    if not having:
        axes = {axis.name for w in catalogue.workloads if w.name in measured for axis in w.axes}
        raise UserError(
            f"sides cannot differ in {key!r}",
            allowed=f"{', '.join(sorted(axes))}, mpi, machine, {KEYS_ALLOWED}",
            remedy=f"write --a {ENVIRONMENT}NAME=VALUE, --a protocol=NAME and so on",
        )
    _, values = axes_from_words(",".join(having), [f"{key}={value}"], catalogue)
    return _each(experiment, lambda part: _on_axis(part, key, values[key], having))


def _each(experiment: Experiment, change: object) -> Experiment:
    assert callable(change)
    if experiment.parts:
        return replace(experiment, parts=tuple(change(part) for part in experiment.parts))
    (own,) = experiment.all_parts
    changed = change(own)
    return replace(experiment, axes=changed.axes, configuration=changed.configuration)


def _configured(part: Part, key: str, value: str) -> Part:
    settings = {**dict(part.configuration), key: (value,)}
    return replace(part, configuration=tuple(sorted(settings.items())))


def _on_axis(part: Part, key: str, values: tuple[AxisValue, ...], having: Sequence[str]) -> Part:
    if not set(part.workloads).intersection(having):
        return part
    return replace(part, axes=tuple(sorted({**dict(part.axes), key: values}.items())))


def check_live(experiment: Experiment) -> None:
    """UserError for a simulated machine: its ranks are one process, which cannot wait in turn."""
    if experiment.machine != HERE and not experiment.mocked:
        raise on_simulated(experiment.machine)


def on_simulated(machine: str) -> UserError:
    """What is wrong with a simulated machine as a side."""
    return UserError(
        f"machine {machine} is simulated: its jobs cannot take turns",
        remedy="simulate each side with `halocline run` and compare the two runs",
    )
