"""`halocline mpi`: list, install and adopt MPI libraries."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from halocline.base.toolchain import Toolchain
from halocline.cli.options import help_alone
from halocline.mpi import registry
from halocline.mpi.lock import Say
from halocline.mpi.registry import Known, Status

app = typer.Typer(
    invoke_without_command=True,
    callback=help_alone,
    help="List, install and adopt MPI libraries.\n\nExample: halocline mpi list",
)

_COLOURS = {Status.READY: "green", Status.BROKEN: "red", Status.CHANGED: "yellow"}
_SCHEMA = 1
_PIPE_WIDTH = 1000  # paths stay in one piece for programs that read them


@app.command("list")
def list_libraries(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """List installed MPI libraries, and those that can be installed.

    Example: halocline mpi list --json
    """
    known = registry.known()
    if as_json:
        print(json.dumps({"schema": _SCHEMA, "mpis": [_facts(entry) for entry in known]}, indent=2))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("name", "family", "version", "launcher", "status"):
        table.add_column(title, overflow="fold")
    for entry in known:
        tool = entry.toolchain
        family, launcher = (tool.family, str(tool.launcher)) if tool else ("", "")
        colour = _COLOURS.get(entry.status, "dim")
        status = f"[{colour}]{entry.status}"
        table.add_row(entry.name, family, tool.version if tool else "", escape(launcher), status)
    console = Console()
    if not console.is_terminal:
        console.width = _PIPE_WIDTH
    console.print(table)
    for entry in known:
        if entry.remedy:
            text = escape(f"{entry.name}: {entry.summary}; {entry.remedy}")
            console.print(f"[dim]{text}", soft_wrap=True)


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="intel, openmpi, simgrid or mpich.")],
) -> None:
    """Install an MPI library into its own environment and build its driver.

    Example: halocline mpi add openmpi
    """
    with _progress() as say:
        _report(registry.add(name, say))


@app.command()
def adopt(
    wrapper: Annotated[Path, typer.Argument(help="The library's C++ compiler wrapper, mpicxx.")],
    name: Annotated[
        str | None, typer.Option(help="Name for it; default: family and version.")
    ] = None,
    launcher: Annotated[
        Path | None, typer.Option(help="Its mpiexec; default: the one next to the wrapper.")
    ] = None,
) -> None:
    """Use an MPI library of this site: check it and build its driver.

    Example: halocline mpi adopt /usr/bin/mpicxx.mpich --name site
    """
    with _progress() as say:
        _report(registry.adopt(wrapper, name, launcher, say))


@app.command()
def remove(name: Annotated[str, typer.Argument(help="Name, as in `halocline mpi list`.")]) -> None:
    """Remove an MPI library and everything installed and built for it.

    Example: halocline mpi remove openmpi
    """
    registry.remove(name)
    print(f"{name}: removed")


def _facts(entry: Known) -> dict[str, str | None]:
    tool = entry.toolchain
    return {
        "name": entry.name,
        "summary": entry.summary,
        "status": entry.status.name.lower(),
        "remedy": entry.remedy,
        "family": tool.family if tool else None,
        "library": tool.library if tool else None,
        "version": tool.version if tool else None,
        "launcher": str(tool.launcher) if tool else None,
        "driver": str(tool.driver) if tool else None,
    }


def _report(tool: Toolchain) -> None:
    print(f"{tool.name}: ready, {tool.family} {tool.version}, launcher {tool.launcher}")


@contextmanager
def _progress() -> Iterator[Say]:
    """Progress on stderr: an updating line on a terminal, otherwise one line per stage."""
    if sys.stderr.isatty():
        with Console(stderr=True).status("") as status:
            yield lambda line: status.update(line[:200])
        return
    stages: set[str] = set()

    def say(line: str) -> None:
        stage = re.sub(r": \d+/\d+$", "", line)
        if stage not in stages:
            stages.add(stage)
            print(line, file=sys.stderr, flush=True)

    yield say
