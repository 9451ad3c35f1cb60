"""`halocline compare`: which of two sides is faster, by how much, and how sure that is."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from halocline.base.errors import UserError
from halocline.base.progress import reporting
from halocline.base.quantities import significant, size_label, time_text
from halocline.base.shell import pasted
from halocline.cli import comparing
from halocline.cli import gate as gates
from halocline.cli.comparing import resume_sides
from halocline.cli.measuring import keeping
from halocline.cli.options import Hosts, refuse_with_resume, seconds_of
from halocline.cli.sides import (
    BUDGET,
    LAUNCHES,
    RESOLUTION,
    Asked,
    asked_of,
    limits_of,
    programs_of,
    share,
    sides_of,
)
from halocline.compare import folder, programs
from halocline.compare.comparison import Comparison, to_json
from halocline.compare.sentence import sentence
from halocline.compare.two_runs import of_folders
from halocline.environment import collect
from halocline.report import comparison
from halocline.report import programs as of_programs
from halocline.report.comparison import write_page
from halocline.samples.run_folder import require_new, reserved
from halocline.summary.ratios import percent_text

if TYPE_CHECKING:
    from halocline.compare.comparison import Comparison, Row
    from halocline.compare.phases import PhaseRow

_FILE_WIDTH = 160


def compare(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SIDE [SIDE]] [WORKLOAD|FILE.toml [axis=value]...]"),
    ] = None,
    a: Annotated[
        list[str] | None,
        typer.Option("--a", metavar="KEY=VALUE", help="Setting for the first side."),
    ] = None,
    b: Annotated[
        list[str] | None,
        typer.Option("--b", metavar="KEY=VALUE", help="Setting for the second side."),
    ] = None,
    ranks: Annotated[int | None, typer.Option(help="Number of ranks. Default: 2.")] = None,
    hosts: Hosts = None,
    launches: Annotated[
        str | None, typer.Option(help=f"Launches of each side. Default: {LAUNCHES}.")
    ] = None,
    budget: Annotated[
        str | None, typer.Option(help=f"Measuring time for all sides together. Default: {BUDGET}.")
    ] = None,
    resolution: Annotated[
        str | None,
        typer.Option(
            help=f"Call sides alike once a larger difference is ruled out. Default: {RESOLUTION}."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(help="The comparison's folder; for recorded runs, the report's file."),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Resume an interrupted comparison."),
    ] = None,
    gate: Annotated[
        str | None,
        typer.Option(help="Exit 1 if the second side is slower by this much or more, as in 3%."),
    ] = None,
    junit: Annotated[
        Path | None, typer.Option(help="With --gate: write JUnit XML.", show_default=False)
    ] = None,
    history: Annotated[
        Path | None, typer.Option(help="With --gate: folder for results that passed or failed.")
    ] = None,
    commit: Annotated[
        str, typer.Option(help="With --history: the commit being tested.", show_default=False)
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Compare two sides measured in turn, or two recorded runs.

    A SIDE is an MPI library or a run folder; --a and --b set what differs between the sides: mpi,
    protocol, placement, flags, env.NAME and so on, or program='mpiexec -n 4 ./model'. Without
    WORKLOAD, the survey's cases on one node are measured. With --gate, one run folder is enough:
    its experiment is measured again.

    Example: halocline compare mpich intel pingpong bytes=8,64KiB protocol=send_recv
    """
    limit = share(resolution or RESOLUTION, "--resolution")
    page: Path | None = None
    if resume is not None:
        options = {"--ranks": ranks, "--hosts": hosts, "--launches": launches, "--budget": budget}
        named = [option for option, value in options.items() if value is not None]
        arguments = [*(words or ()), *(a or ()), *(b or ()), *named, output]
        begun = "a comparison resumes with its original settings"
        refuse_with_resume([*arguments, gate, junit, history, commit or None], (), begun)
        comparisons, page = _resumed(resume, limit if resolution else None)
        return _print(comparisons, page, as_json=as_json)
    asked = asked_of(words or (), a or (), b or ())
    options = {"--ranks": ranks, "--hosts": hosts, "--launches": launches, "--budget": budget}
    _require_used(asked, options)
    if commit and history is None:
        raise UserError("--commit without --history", remedy="name the history's folder")
    if gate is not None:
        gates.check_files(junit, history, output)

        def in_turn(path: Path | None) -> Comparison:
            return _compared(asked, ranks, hosts, launches, budget, limit, path)[0][0]

        allowed = share(gate, "--gate")
        gates.forget(junit)
        judged = gates.judge(gates.measuring_of(asked, in_turn, limit, output), allowed)
        _print((judged.found,), None, as_json=as_json)
        return gates.report(judged, junit, history, commit, sys.stderr if as_json else sys.stdout)
    if junit or history:
        given = "--junit" if junit else "--history"
        raise UserError(f"{given} without --gate", remedy="add the allowed slowdown: --gate 3%")
    if asked.runs:
        comparisons, page = _recorded(asked, limit if resolution else None, output)
    else:
        comparisons, page = _compared(asked, ranks, hosts, launches, budget, limit, output)
    return _print(comparisons, page, as_json=as_json)


def _print(comparisons: tuple[Comparison, ...], page: Path | None, *, as_json: bool) -> int:
    if as_json:
        results = [to_json(comparison, sentence(comparison)) for comparison in comparisons]
        print(
            json.dumps(
                results if len(results) > 1 else results[0],
                indent=1,
                allow_nan=False,
            )
        )
    else:
        for comparison in comparisons:
            show(comparison)
        if page is not None:
            print(f"report: {page}")
    return int(any(row.failed for comparison in comparisons for row in comparison.rows))


def _compared(
    asked: Asked,
    ranks: int | None,
    hosts: str | None,
    launches: str | None,
    budget: str | None,
    resolution: float,
    output: Path | None,
) -> tuple[tuple[Comparison, ...], Path | None]:
    """The measured comparison and its report page."""
    if asked.of_programs:
        return _programs(asked, launches, budget, resolution, output)
    sides = sides_of(asked, ranks, hosts, budget)
    limits = limits_of(launches, sides[0].experiment.budget_s)
    return of_comparison(comparing.measure_sides(sides, limits, resolution, output))


def of_comparison(
    path: Path, resolution: float | None = None, page: Path | None = None
) -> tuple[tuple[Comparison, ...], Path]:
    """Read a comparison folder and its report."""
    again = ("halocline", "compare", path, *(("--output", page) if page else ()))
    with keeping(path, f"write the report with {pasted(*again)}"):
        return _of_comparison(path, resolution, page or path / "report.html")


def _of_comparison(
    path: Path, resolution: float | None, page: Path
) -> tuple[tuple[Comparison, ...], Path]:
    if programs.is_one(path):
        result = programs.read(path, resolution)
        where = programs.environment(path)
        return (result,), of_programs.write_page(result, programs.runs(path), where, page)
    comparisons = folder.read(path, resolution)
    return comparisons, comparison.write_page(comparisons, folder.runs(path), page)


def _resumed(path: Path, resolution: float | None) -> tuple[tuple[Comparison, ...], Path]:
    if programs.is_one(path):
        with reporting() as reporter:
            programs.resume(path, reporter, collect(()))
    elif folder.is_comparison(path):
        resume_sides(path)
    else:
        raise UserError(
            f"{path} is not a comparison", remedy="name a folder written by `halocline compare`"
        )
    return of_comparison(path, resolution)


def _programs(
    asked: Asked, launches: str | None, budget: str | None, resolution: float, output: Path | None
) -> tuple[tuple[Comparison, ...], Path]:
    sides = programs_of(asked)
    if output:
        require_new(output)
    limits = limits_of(launches, seconds_of(budget or BUDGET, "--budget"))
    path = output or reserved("compare programs", datetime.now())
    with reporting() as reporter:
        programs.measure(sides, limits, resolution, path, reporter, collect(()))
    return of_comparison(path)


def _require_used(asked: Asked, given: Mapping[str, object]) -> None:
    """UserError for an option that has no effect here."""
    if asked.runs:
        where, why = "with a recorded run", "a recorded run has its own settings"
    elif asked.of_programs:
        where, why = "with a program", "its command decides how it starts"
        given = {option: given[option] for option in ("--ranks", "--hosts")}
    elif not asked.rest:
        where, why = "without WORKLOAD", "the survey's cases run on one node"
        given = {"--hosts": given["--hosts"]}
    else:
        return
    for option, value in given.items():
        if value is not None:
            raise UserError(f"{option} {where}", remedy=f"leave it out: {why}")


def _recorded(
    asked: Asked, resolution: float | None, output: Path | None
) -> tuple[tuple[Comparison, ...], Path | None]:
    if len(asked.named) == 1 and len(asked.rest) == 1 and "=" not in asked.rest[0]:
        raise UserError(
            f"{asked.rest[0]!r} is not a run folder",
            remedy="name two runs, or add --gate to measure one again",
        )
    if asked.rest or any(asked.settings):
        word = [
            *asked.rest,
            *(f"--a/--b {key}" for settings in asked.settings for key in settings),
        ][0]
        remedy = "leave it out: a recorded run has its own settings"
        raise UserError(f"{word!r} with a recorded run", remedy=remedy)
    runs = asked.runs
    if len(asked.named) == 1 and (programs.is_one(runs[0]) or folder.is_comparison(runs[0])):
        return of_comparison(runs[0], resolution, output)
    if len(runs) < 2:
        remedy = "name two runs or two libraries, or add --gate to measure this run again"
        raise UserError(f"{' and '.join(asked.named)}: only one is a recorded run", remedy=remedy)
    comparisons = (of_folders((runs[0], runs[1]), resolution or share(RESOLUTION, "")),)
    return comparisons, write_page(comparisons, runs, output) if output else None


def show(comparison: Comparison) -> None:
    """Print the table, the notes and the sentence."""
    console = Console()
    if not console.is_terminal:
        console.width = _FILE_WIDTH
    console.print(_table(comparison))
    if comparison.phases:
        console.print(_phases_table(comparison))
    for row in comparison.begun:
        if row.years_a_day:
            console.print(_years(comparison, row), markup=False, highlight=False)
    for note in comparison.notes_of_all:
        console.print(note, markup=False)
    console.print(sentence(comparison), markup=False, highlight=False)


def _table(comparison: Comparison) -> Table:
    how = "in turn" if comparison.taken else "one run after the other"
    sides = f"{comparison.other} against {comparison.baseline}"
    title = f"{sides}: {comparison.launches} launches each, {how}"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("workload", no_wrap=True)
    table.add_column("case", overflow="fold", max_width=60)
    for head in (comparison.baseline, comparison.other, "time", "95 %"):
        table.add_column(escape(head), justify="right", no_wrap=True)
    table.add_column("verdict for the table as a whole", overflow="fold", min_width=30)
    for row in comparison.begun:
        table.add_row(*map(escape, _cells(row)))
    return table


def _phases_table(comparison: Comparison) -> Table:
    table = Table(
        title="Phases: mean time of the ranks in one step", title_justify="left", box=SIMPLE_HEAD
    )
    table.add_column("workload", no_wrap=True)
    table.add_column("case", overflow="fold", max_width=60)
    table.add_column("phase", no_wrap=True)
    for head in (comparison.baseline, comparison.other, "time", "95 %"):
        table.add_column(escape(head), justify="right", no_wrap=True)
    table.add_column("verdict for all phases together", overflow="fold", min_width=30)
    for row in comparison.phases:
        keys = (row.baseline.workload, _case_text(row), row.phase)
        table.add_row(*map(escape, (*keys, *_figures(row))))
    return table


def _years(comparison: Comparison, row: Row) -> str:
    """`ocean, isend_irecv: simulated years a day: mpich 21.3, openmpi 20.1`."""
    figures = zip((comparison.baseline, comparison.other), row.years_a_day or (), strict=True)
    listed = ", ".join(f"{name} {significant(years)}" for name, years in figures)
    return f"{', '.join(_cells(row)[:2])}: simulated years a day: {listed}"


def _cells(row: Row) -> tuple[str, ...]:
    keys = (
        row.baseline.workload,
        ", ".join(filter(None, (_case_text(row), *row.common))),
    )
    return (*keys, *_figures(row))


def _figures(row: Row | PhaseRow) -> tuple[str, ...]:
    times = [time_text(time_s) if time_s else "" for time_s in (row.baseline_s, row.other_s)]
    if row.low is None or row.high is None:
        return (*times, "", "", row.reason)
    interval = f"{percent_text(row.low - 1)} to {percent_text(row.high - 1)}"
    return (*times, percent_text(row.ratio.ratio - 1), interval, row.ratio.text)


def _case_text(row: Row | PhaseRow) -> str:
    """`send_recv, 8 B`."""
    axes = dict(row.baseline.shared_with(row.other).axes)
    size = axes.pop("bytes", None)
    words = [str(axes.pop("protocol", ""))]
    words += [f"{name}={value}" for name, value in axes.items()]
    words += [size_label(int(size))] if size is not None else []
    return ", ".join(word for word in words if word)
