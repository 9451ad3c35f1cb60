"""`halocline compare`: which of two sides is faster, by how much, and how sure that is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from halocline.cli.options import Hosts, Output, seconds_of
from halocline.cli.sides import (
    BUDGET,
    LAUNCHES,
    Asked,
    asked_of,
    limits_of,
    programs_of,
    share,
    sides_of,
)
from halocline.errors import UserError

if TYPE_CHECKING:
    from halocline.compare.comparison import Comparison


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
        str | None, typer.Option(help=f"Launches of each side. Default: {LAUNCHES}.")
    ] = None,
    budget: Annotated[
        str | None, typer.Option(help=f"Measuring time for all sides together. Default: {BUDGET}.")
    ] = None,
    resolution: Annotated[str, typer.Option(help="A difference up to this one is none.")] = "3%",
    output: Output = None,
    gate: Annotated[
        str | None,
        typer.Option(help="Exit with 1 if the second side is slower by so much, as in 3%."),
    ] = None,
    junit: Annotated[
        Path | None, typer.Option(help="With --gate: write JUnit XML.", show_default=False)
    ] = None,
    history: Annotated[
        Path | None, typer.Option(help="With --gate: a folder that keeps every run of it.")
    ] = None,
    commit: Annotated[
        str, typer.Option(help="With --history: what this run is of.", show_default=False)
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Compare two sides that are alive together and take turns, or two recorded runs.

    A SIDE is an MPI library or a run's folder; --a and --b give a side what it has of its own: mpi,
    protocol, placement, flags, env.NAME and so on, or program='mpiexec -n 4 ./model'. Without
    WORKLOAD the survey's cases on a node. With --gate one run's folder is enough: it is measured
    again now.

    Example: halocline compare mpich intel pingpong bytes=8,64KiB protocol=send_recv
    """
    # Loaded only here: scipy and what else a run needs would delay `halocline --help`.
    from halocline.cli import gate as gates  # noqa: PLC0415
    from halocline.cli.comparison_table import show  # noqa: PLC0415
    from halocline.compare.comparison import to_json  # noqa: PLC0415
    from halocline.compare.sentence import sentence  # noqa: PLC0415

    asked = asked_of(words or (), a or (), b or ())
    options = {"--ranks": ranks, "--hosts": hosts, "--launches": launches, "--budget": budget}
    _require_used(asked, options)
    limit = share(resolution, "--resolution")
    page: Path | None = None
    if gate is not None:
        measure = gates.measuring_of(asked, ranks, hosts, launches, budget, limit, output)
        judged = gates.judge(measure, share(gate, "--gate"))
        found: tuple[Comparison, ...] = (judged.found,)
    elif junit or history:
        given = "--junit" if junit else "--history"
        raise UserError(f"{given} without --gate", remedy="say what is too slow, as in --gate 3%")
    else:
        found, page = compared(asked, ranks, hosts, launches, budget, limit, output)
    if as_json:
        told = [to_json(each, sentence(each)) for each in found]
        print(
            json.dumps(
                told if len(told) > 1 else told[0], indent=1, ensure_ascii=False, allow_nan=False
            )
        )
    else:
        for each in found:
            show(each)
        if page is not None:
            print(f"report: {page}")
    return gates.tell(judged, junit, history, commit) if gate is not None else 0


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
    if asked.of_programs:
        return (_programs(asked, launches, budget, resolution, output),), None
    made = sides_of(asked, ranks, hosts, budget)
    limits = limits_of(launches, made[0].experiment.budget_s)
    path = comparing.measure_sides(made, limits, resolution, output)
    found = folder.read(path, resolution)
    return found, write_page(found, folder.runs(path), path / "report.html")


def _programs(
    asked: Asked, launches: str | None, budget: str | None, resolution: float, output: Path | None
) -> Comparison:
    from halocline.compare import programs  # noqa: PLC0415
    from halocline.progress import reporting  # noqa: PLC0415
    from halocline.run_folder import default_path, require_new  # noqa: PLC0415

    sides = programs_of(asked)
    path = output or default_path("compare programs", datetime.now())
    require_new(path)
    limits = limits_of(launches, seconds_of(budget or BUDGET, "--budget"))
    with reporting() as reporter:
        programs.measure(sides, limits, resolution, path, reporter)
    return programs.read(path)


def _require_used(asked: Asked, given: Mapping[str, object]) -> None:
    """UserError for an option that would do nothing."""
    if asked.runs:
        where, why = "beside a recorded run", "a recorded run says how it was measured"
    elif asked.of_programs:
        where, why = "beside a program", "its command says how it is started"
        given = {option: given[option] for option in ("--ranks", "--hosts")}
    elif not asked.rest:
        where, why = "without WORKLOAD", "the survey's cases are on one node"
        given = {"--hosts": given["--hosts"]}
    else:
        return
    for option, value in given.items():
        if value is not None:
            raise UserError(f"{option} {where}", remedy=f"leave it out: {why}")


def _recorded(
    asked: Asked, resolution: float, output: Path | None
) -> tuple[tuple[Comparison, ...], Path | None]:
    from halocline.compare import folder, programs  # noqa: PLC0415
    from halocline.compare.two_runs import of_folders  # noqa: PLC0415
    from halocline.report.comparison import write_page  # noqa: PLC0415

    if asked.rest or any(asked.settings):
        word = [*asked.rest, *(f"--a/--b {key}" for each in asked.settings for key in each)][0]
        remedy = "leave it out: a recorded run is compared as it was measured"
        raise UserError(f"{word!r} beside a recorded run", remedy=remedy)
    runs = asked.runs
    if len(asked.named) == 1 and programs.is_one(runs[0]):
        return (programs.read(runs[0], resolution),), None
    if len(runs) == 1 and len(asked.named) == 1 and folder.is_comparison(runs[0]):
        found = folder.read(runs[0], resolution)
        page = output or runs[0] / "report.html"
        return found, write_page(found, folder.runs(runs[0]), page)
    if len(runs) < 2:
        remedy = "name two runs, or two libraries; with --gate a run is compared with what is now"
        raise UserError(f"{' and '.join(asked.named)}: one recorded run", remedy=remedy)
    found = (of_folders((runs[0], runs[1]), resolution),)
    return found, write_page(found, runs, output) if output else None
