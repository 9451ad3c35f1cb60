"""`halocline compare`: which of two sides is faster, by how much, and how sure that is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from halocline.cli.options import Hosts, Output, launches_options
from halocline.errors import UserError
from halocline.experiment import HERE, Experiment
from halocline.spec import Option

if TYPE_CHECKING:
    from halocline.compare.comparison import Comparison
    from halocline.compare.interleave import Limits
    from halocline.compare.sides import Side

_LAUNCHES = "8..20"
_FEWEST = 8


def compare(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SIDE [SIDE]] [WORKLOAD|FILE.toml [axis=value]...]"),
    ] = None,
    a: Annotated[
        list[str] | None,
        typer.Option("--a", metavar="KEY=VALUE", help="A setting of the first side."),
    ] = None,
    b: Annotated[
        list[str] | None,
        typer.Option("--b", metavar="KEY=VALUE", help="A setting of the second side."),
    ] = None,
    ranks: Annotated[int | None, typer.Option(help="How many ranks. Default: 2.")] = None,
    hosts: Hosts = None,
    launches: Annotated[
        str | None, typer.Option(help=f"Launches of each side. Default: {_LAUNCHES}.")
    ] = None,
    budget: Annotated[
        str | None, typer.Option(help="Measuring time for all sides together. Default: 4min.")
    ] = None,
    resolution: Annotated[str, typer.Option(help="A difference up to this one is none.")] = "3%",
    output: Output = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare two sides that are alive together and take turns, or two recorded runs.

    A SIDE is an MPI library or a run's folder; --a and --b give a side what it has of its own: mpi,
    protocol, placement, flags, env.NAME and so on. Without WORKLOAD the survey's cases on a node.

    Example: halocline compare mpich intel pingpong bytes=8,64KiB protocol=send_recv
    """
    # Loaded only here: scipy and what else a run needs would delay `halocline --help`.
    from halocline.cli.comparison_table import show  # noqa: PLC0415
    from halocline.compare.comparison import to_json  # noqa: PLC0415
    from halocline.compare.sentence import sentence  # noqa: PLC0415

    asked = _asked(words or (), a or (), b or ())
    limit = share(resolution, "--resolution")
    found, page = compared(asked, ranks, hosts, launches, budget, limit, output)
    if as_json:
        told = [to_json(each, sentence(each)) for each in found]
        print(json.dumps(told[0], indent=1, ensure_ascii=False, allow_nan=False))
        return
    for each in found:
        show(each)
    if page is not None:
        print(f"report: {page}")


@dataclass(frozen=True)
class Asked:
    """The words of the command: named sides, what is measured, and what each side has."""

    named: tuple[str, ...]
    rest: tuple[str, ...]
    settings: tuple[Mapping[str, str], Mapping[str, str]]

    @property
    def runs(self) -> tuple[Path, ...]:
        """Sides that are folders."""
        return tuple(Path(name) for name in self.named if Path(name).is_dir())


def _asked(words: Sequence[str], a: Sequence[str], b: Sequence[str]) -> Asked:
    from halocline.mpi import registry  # noqa: PLC0415

    libraries = {entry.name for entry in registry.known()}
    count = 0
    while count < min(2, len(words)) and (words[count] in libraries or Path(words[count]).is_dir()):
        count += 1
    if words and not count and not (a or b):
        known = ", ".join(sorted(libraries))
        raise UserError(
            f"{words[0]!r} is no side",
            allowed=f"{known}, a run's folder",
            remedy="name two sides, or say with --a and --b what they differ in",
        )
    return Asked(tuple(words[:count]), tuple(words[count:]), (_settings(a), _settings(b)))


def compared(
    asked: Asked,
    ranks: int | None,
    hosts: str | None,
    launches: str | None,
    budget: str | None,
    resolution: float,
    output: Path | None,
) -> tuple[tuple[Comparison, ...], Path | None]:
    """What came of it, and the report's page if there is one."""
    from halocline.cli import comparing  # noqa: PLC0415
    from halocline.compare import folder  # noqa: PLC0415
    from halocline.report.comparison import write_page  # noqa: PLC0415

    if asked.runs:
        return _recorded(asked, resolution, output)
    made = sides_of(asked, ranks, hosts, budget)
    limits = limits_of(launches, made[0].experiment.budget_s)
    path = comparing.measure_sides(made, limits, resolution, output)
    found = folder.read(path, resolution)
    return found, write_page(found, folder.runs(path), path / "report.html")


def _recorded(
    asked: Asked, resolution: float, output: Path | None
) -> tuple[tuple[Comparison, ...], Path | None]:
    from halocline.compare import folder  # noqa: PLC0415
    from halocline.compare.two_runs import of_folders  # noqa: PLC0415
    from halocline.report.comparison import write_page  # noqa: PLC0415

    if asked.rest or any(asked.settings):
        word = [*asked.rest, *(f"--a/--b {key}" for each in asked.settings for key in each)][0]
        remedy = "leave it out: a recorded run is compared as it was measured"
        raise UserError(f"{word!r} beside a recorded run", remedy=remedy)
    runs = asked.runs
    if len(runs) == 1 and len(asked.named) == 1 and folder.is_comparison(runs[0]):
        found = folder.read(runs[0], resolution)
        page = output or runs[0] / "report.html"
        return found, write_page(found, folder.runs(runs[0]), page)
    if len(runs) < 2:
        remedy = "name two runs, or two libraries; with --gate a run is compared with what is now"
        raise UserError(f"{' and '.join(asked.named)}: one recorded run", remedy=remedy)
    found = (of_folders((runs[0], runs[1]), resolution),)
    return found, write_page(found, runs, output) if output else None


def sides_of(
    asked: Asked, ranks: int | None, hosts: str | None, budget: str | None
) -> tuple[Side, ...]:
    """The live sides; UserError if they are alike."""
    from halocline.compare.sides import side  # noqa: PLC0415

    settings: list[dict[str, str]] = []
    for at, own in enumerate(asked.settings):
        named = asked.named[min(at, len(asked.named) - 1)] if asked.named else ""
        settings.append({**({"mpi": named} if named else {}), **own})
    base = _experiment(asked.rest, ranks, hosts, budget, settings)
    made = tuple(side("", base, own) for own in settings)
    if made[0].name == made[1].name:
        made = (made[0], replace(made[1], name=f"{made[1].name} again"))
    return made


def _experiment(
    rest: Sequence[str],
    ranks: int | None,
    hosts: str | None,
    budget: str | None,
    settings: Sequence[Mapping[str, str]],
) -> Experiment:
    from halocline import survey as definition  # noqa: PLC0415
    from halocline.cli.run import experiment_of  # noqa: PLC0415
    from halocline.here import known  # noqa: PLC0415

    machines = [own["machine"] for own in settings if "machine" in own]
    options = [
        Option("experiment.mpi", "--a mpi", [settings[0].get("mpi", "mpich")]),
        Option("experiment.machine", "--a machine", machines[0] if machines else None),
        Option("experiment.ranks", "--ranks", [ranks] if ranks else None),
        Option("experiment.hosts", "--hosts", hosts),
        Option("measure.budget", "--budget", budget or "4min"),
    ]
    if rest:
        return experiment_of(rest[0], rest[1:], options)
    survey = definition.survey(
        known(), [each for each in options if each.name != "--hosts"], HERE, None
    )
    return replace(definition.on_one_node(survey, "sides take turns"), notes=())


def limits_of(launches: str | None, budget_s: float) -> Limits:
    """Launches and time; UserError for fewer than say anything."""
    from halocline.compare.interleave import Limits  # noqa: PLC0415

    numbers = {option.key: option.value for option in launches_options(launches or _LAUNCHES)}
    fewest, most = numbers["measure.launches_minimum"], numbers["measure.launches_maximum"]
    assert isinstance(fewest, int) and isinstance(most, int)
    if fewest < _FEWEST or most < fewest:
        raise UserError(
            f"--launches {launches}",
            allowed=f"{_FEWEST} or more, as in {_LAUNCHES}",
            remedy="launches differ among themselves: fewer say nothing",
        )
    return Limits(fewest, most, budget_s)


def _settings(words: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in words:
        key, _, value = word.partition("=")
        if not key or not value:
            remedy = "write KEY=VALUE, as in env.UCX_TLS=shm or protocol=isend_irecv"
            raise UserError(f"{word!r} is no setting", remedy=remedy)
        found[key] = value
    return found


def share(text: str, option: str) -> float:
    """The share that a text such as `3%` or `0.03` means."""
    found = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*(%?)", text)
    value = float(found[1]) / (100 if found[2] else 1) if found else 0.0
    if not 0 < value < 1:
        raise UserError(
            f"{option} {text}", allowed="above 0 % and below 100 %", remedy="write 3% or 0.03"
        )
    return value
