"""The arguments of `halocline compare`: the sides, and what is measured on them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from halocline.base.errors import UserError
from halocline.campaign.pace import Limits
from halocline.campaign.whole_programs import Program
from halocline.cli.here import known
from halocline.cli.options import launches_options
from halocline.cli.run import experiment_of
from halocline.compare.programs import program
from halocline.compare.sides import Side, on_simulated, side
from halocline.mpi import registry
from halocline.specification import survey as definition
from halocline.specification.configuration import layout as shape_of
from halocline.specification.experiment import HERE, Experiment
from halocline.specification.spec import Option, from_words

LAUNCHES = "10..20"  # two spare: below 8 there is no verdict
BUDGET = "4min"
RESOLUTION = "3%"
_FEWEST = 8


@dataclass(frozen=True)
class Asked:
    """The command's arguments: named sides, those that are run folders, what is measured, and each
    side's settings.
    """

    named: tuple[str, ...]
    runs: tuple[Path, ...]
    rest: tuple[str, ...]
    settings: tuple[Mapping[str, str], Mapping[str, str]]

    @property
    def of_programs(self) -> bool:
        """Whether a side is a user's program."""
        return any("program" in settings for settings in self.settings)


def asked_of(words: Sequence[str], a: Sequence[str], b: Sequence[str]) -> Asked:
    libraries = {entry.name for entry in registry.known()}
    count = 0
    while count < min(2, len(words)) and (
        words[count] in libraries or _is_run(words[count], bool(a or b))
    ):
        count += 1
    if words and not count and not (a or b):
        known = ", ".join(sorted(libraries))
        raise UserError(
            f"{words[0]!r} is neither an MPI library nor a run folder",
            allowed=f"{known}, a run's folder",
            remedy="name two sides, or set with --a and --b what differs",
        )
    named = tuple(words[:count])
    runs = tuple(Path(name) for name in named if name not in libraries)
    return Asked(named, runs, tuple(words[count:]), (_settings(a), _settings(b)))


def _is_run(word: str, settings: bool) -> bool:
    """Whether a word names a run folder; with --a or --b, not if it names a workload too."""
    return Path(word).is_dir() and not (settings and known().catalogue.workload(word))


def sides_of(
    asked: Asked, ranks: int | None, hosts: str | None, budget: str | None
) -> tuple[Side, ...]:
    """The live sides; UserError for a single one."""
    if len(asked.named) < 2 and not any(asked.settings):
        _refuse_one_side(asked)
    settings: list[dict[str, str]] = []
    for at, own in enumerate(asked.settings):
        named = asked.named[min(at, len(asked.named) - 1)] if asked.named else ""
        settings.append({**({"mpi": named} if named else {}), **own})
    sides = tuple(
        side("", _experiment(asked.rest, ranks, hosts, budget, option, own), own, known().catalogue)
        for option, own in zip(("--a", "--b"), settings, strict=True)
    )
    if sides[0].experiment.mocked != sides[1].experiment.mocked:
        remedy = "give both sides one, as in --a machine=mock:1us --b machine=mock:2us"
        raise UserError("one side is measured on a made-up machine, the other here", remedy=remedy)
    if sides[0].name == sides[1].name:
        sides = (sides[0], replace(sides[1], name=f"{sides[1].name} again"))
    return sides


def _refuse_one_side(asked: Asked) -> None:
    known = [entry.name for entry in registry.known()]
    library = asked.named[0] if asked.named else known[0]
    other = next((name for name in known if name != library), library)
    words = " ".join(["halocline compare", library, other, *asked.rest])
    raise UserError(
        f"{library}: one side is missing" if asked.named else "both sides are missing",
        allowed=f"{', '.join(known)}, a run's folder",
        remedy=f"name two, as in `{words}`; `{library} {library}` compares a library with itself",
    )


def _experiment(
    rest: Sequence[str],
    ranks: int | None,
    hosts: str | None,
    budget: str | None,
    option: str,
    own: Mapping[str, str],
) -> Experiment:
    """What a side measures, with its MPI library and machine checked."""
    if (machine := own.get("machine", "")) in (known().machines or ()):
        raise on_simulated(machine)
    layout = own.get("layout")
    shape = shape_of(layout or "")
    if shape is not None and shape.ranks == ranks:
        ranks = None  # only the other side needs them
    options = [
        *_place({"mpi": "mpich", **own}, option),
        Option("experiment.ranks", "--ranks", None if ranks is None else [ranks]),
        Option("experiment.hosts", "--hosts", hosts),
        Option("measure.budget", "--budget", budget or BUDGET),
        # Hosts need a layout, and a layout of several nodes needs hosts.
        Option("configuration.layout", option, None if layout is None else [layout]),
    ]
    if rest:
        return experiment_of(rest[0], rest[1:], options)
    survey = definition.survey(
        known(), [option for option in options if option.name != "--hosts"], HERE, None
    )
    return replace(definition.on_one_node(survey, "sides take turns"), notes=())


def _place(own: Mapping[str, str], option: str) -> list[Option]:
    mpi = [own["mpi"]] if "mpi" in own else None
    return [
        Option("experiment.mpi", f"{option} mpi", mpi),
        Option("experiment.machine", f"{option} machine", own.get("machine")),
    ]


def again_of(recorded: Experiment, own: Mapping[str, str]) -> Experiment:
    """A recorded experiment with the settings of --b; UserError for what cannot be compared."""
    vocabulary = known()
    from_words(vocabulary.catalogue.workloads[0].name, (), vocabulary, _place(own, "--b"))
    now = side("now", recorded, own, vocabulary.catalogue).experiment
    axes = [axis for part in now.all_parts for axis in part.axes]
    for key, values in axes:
        if key in own and any(isinstance(value, int) for value in values):
            remedy = "leave it out: runs of different sizes have nothing in common"
            raise UserError(f"--b {key} with a baseline", remedy=remedy)
    return now


def programs_of(asked: Asked) -> tuple[Program, ...]:
    """The two programs; UserError if other arguments are given."""
    if words := (*asked.named, *asked.rest):
        remedy = "leave it out: the command decides what a program does"
        raise UserError(f"{words[0]!r} with a program", remedy=remedy)
    options = ("--a", "--b")
    baseline, other = (
        program(own, name) for own, name in zip(asked.settings, options, strict=True)
    )
    if baseline.name == other.name:
        other = replace(other, name=f"{other.name} again")
    return baseline, other


def limits_of(launches: str | None, budget_s: float) -> Limits:
    """Launches and time; UserError for too few launches."""
    numbers = {option.key: option.value for option in launches_options(launches or LAUNCHES)}
    fewest, most = numbers["measure.launches_minimum"], numbers["measure.launches_maximum"]
    assert isinstance(fewest, int) and isinstance(most, int)
    if min(fewest, most) < _FEWEST:
        raise UserError(
            f"--launches {launches}",
            allowed=f"{_FEWEST} or more, as in {LAUNCHES}",
            remedy="raise it: with fewer launches no interval is possible",
        )
    if most < fewest:
        raise UserError(
            f"--launches {launches}",
            allowed=f"the fewest, then the most, as in {LAUNCHES}",
            remedy=f"write {most}..{fewest}",
        )
    return Limits(fewest, most, budget_s)


def _settings(words: Sequence[str]) -> dict[str, str]:
    settings: dict[str, str] = {}
    for word in words:
        key, _, value = word.partition("=")
        if not key or not value:
            remedy = "write KEY=VALUE, as in env.UCX_TLS=shm or protocol=isend_irecv"
            raise UserError(f"{word!r} is not a setting", remedy=remedy)
        settings[key] = value
    return settings


def share(text: str, option: str) -> float:
    """The share that a text such as `3%` or `0.03` means."""
    match = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*(%?)", text)
    value = float(match[1]) / (100 if match[2] else 1) if match else 0.0
    if not 0 < value < 1:
        raise UserError(
            f"{option} {text}", allowed="above 0 % and below 100 %", remedy="write 3% or 0.03"
        )
    return value
