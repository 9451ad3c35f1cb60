"""`halocline verify`: run every workload over every protocol and check each payload."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from halocline import __version__
from halocline.base.errors import UserErrors
from halocline.base.progress import reporting
from halocline.base.toolchain import Toolchain
from halocline.cli.here import catalogue_of, known, toolchains_of
from halocline.cli.options import Deadline, Mpi
from halocline.launch.run_job import run_job
from halocline.mpi import registry
from halocline.specification.catalogue import Catalogue
from halocline.specification.checks import SIMULATED_MPI, deadline_of
from halocline.specification.experiment import Experiment
from halocline.specification.spec import axes_from_words
from halocline.specification.values import Values
from halocline.verify.combinations import Combination, Selection, grids
from halocline.verify.combinations import verify as verify_on

SCHEMA = 1
_RANKS = (2, 4)
_DEADLINE_S = 60.0


def verify(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[WORKLOAD]", show_default=False, help="Default: all that have these values."
        ),
    ] = None,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[axis=value]...", show_default=False)
    ] = None,
    mpi: Mpi = None,
    ranks: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Number of ranks; repeat for several. Default: 2 and 4."),
    ] = None,
    deadline: Deadline = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Check every workload over every protocol on every installed MPI library, without timing.

    Every received byte is compared, for sizes from 0 to 1 MiB; above four ranks for one
    size only. A combination that cannot run is listed with the reason;
    one that hangs or crashes is killed, and the others continue. Exit code 1 if any failed.

    Example: halocline verify pingpong protocol=alltoallv --mpi mpich --ranks 2
    """
    catalogue = known().catalogue
    if what and "=" in what:
        words = [what, *(words or ())]
        what = None
    what = what or ",".join(_taking(words or (), catalogue))
    selection = Selection(*axes_from_words(what, words or (), catalogue))
    deadline_s = _deadline_s(deadline)
    tools = _toolchains(mpi, selection.workloads)
    combinations: list[Combination] = []
    with reporting() as reporter:
        for tool in tools:
            has = catalogue_of(tool)
            for number in ranks or _RANKS:
                combinations += verify_on(
                    tool, has, number, selection, run_job, reporter, deadline_s
                )
    if as_json:
        print(json.dumps(to_json(tools, combinations), indent=2))
    else:
        _show(Console(highlight=False), tools, combinations)
    if any(combination.status == "failed" for combination in combinations):
        raise typer.Exit(1)


def _taking(words: Sequence[str], catalogue: Catalogue) -> list[str]:
    """The workloads that have these values of these axes; all if none has, for the error."""
    taking = []
    for workload in catalogue.workloads:
        with suppress(UserErrors):
            axes_from_words(workload.name, words, catalogue)
            taking.append(workload.name)
    return taking or [workload.name for workload in catalogue.workloads]


def to_json(tools: Sequence[Toolchain], combinations: Sequence[Combination]) -> dict[str, Any]:
    """All combinations, as JSON."""
    return {
        "schema": SCHEMA,
        "halocline": __version__,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "libraries": [{"name": tool.name, "library": tool.library} for tool in tools],
        "combinations": [asdict(combination) for combination in combinations],
    }


def _show(
    console: Console, tools: Sequence[Toolchain], combinations: Sequence[Combination]
) -> None:
    libraries = {tool.name: tool.library for tool in tools}
    for grid in grids(combinations):
        ranks = dict.fromkeys(
            str(combination.ranks) for combination in combinations if combination.mpi == grid.mpi
        )
        console.print(f"{grid.mpi}: {libraries[grid.mpi]}, on {', '.join(ranks)} ranks", style="b")
        table = Table(box=None, pad_edge=False, header_style="bold")
        for title in ("", *grid.workloads):
            table.add_column(title)
        for protocol in grid.protocols:
            cells = (grid.cells.get((protocol, workload), "") for workload in grid.workloads)
            table.add_row(protocol, *map(Text, cells))
        console.print(table)
        for number, note in enumerate(grid.notes, start=1):
            console.print(f"[{number}] {note}", markup=False, soft_wrap=True)
        console.print()
    console.print("✓ runs, every byte checked   – does not run   ✗ failed")


def _deadline_s(text: str | None) -> float:
    tables = {"measure": {"deadline": text}} if text else {}
    values = Values(tables, lambda key: (0, "--deadline"))
    deadline_s = deadline_of(values, _DEADLINE_S)
    if values.problems:
        raise UserErrors(values.problems)
    return deadline_s


def _toolchains(names: Sequence[str] | None, workloads: tuple[str, ...]) -> tuple[Toolchain, ...]:
    """These libraries, or all installed ones for real machines, ready to run."""
    usable = (registry.Status.READY, registry.Status.CHANGED, registry.Status.UNUSED)
    here = [entry.name for entry in registry.known() if entry.status in usable]
    asked = tuple(names or (name for name in here if name != SIMULATED_MPI))
    experiment = Experiment("verify", workloads, mpi=asked)
    return tuple(
        toolchains_of(experiment, lambda line: print(line, file=sys.stderr, flush=True)).values()
    )
