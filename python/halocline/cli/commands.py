"""The commands by name; each is imported only when called."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import typer
from typer.core import CompletionItem, TyperGroup  # type: ignore[attr-defined]

# In a few words each, for `halocline --help`.
COMMANDS = {
    "survey": "Characterise communication on this machine; write a report.",
    "run": "Measure a workload, or an experiment from a TOML file.",
    "submit": "Submit an experiment as a Slurm batch job.",
    "list": "List workloads, protocols, machines and MPI libraries.",
    "report": "Write the HTML report of one or several runs.",
    "summary": "Print a run's figures with 95 % confidence intervals.",
    "compare": "Compare two sides: which is faster, by how much, how sure.",
    "selftest": "Measure how far to trust verdicts on this machine.",
    "tune": "Find the best protocol, packing and settings for a workload.",
    "verify": "Check every payload over every protocol, without timing.",
    "detect": "Detect eager limit, packets, half bandwidth, saturation.",
    "model": "Fit latency, bandwidth and contention models; predict.",
    "findings": "Answer the papers' claims.",
    "doctor": "Report what would spoil a measurement here.",
    "docs": "Print a page of the documentation.",
    "profile": "Profile any MPI program, unmodified.",
    "mpi": "List, install and adopt MPI libraries.",
    "hosts": "Start hosts on this machine, to measure between nodes.",
}


class Commands(TyperGroup):
    """A group whose commands are modules of `halocline.cli`."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return command(cmd_name) if cmd_name in COMMANDS else None

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [
            CompletionItem(name, help=about)
            for name, about in COMMANDS.items()
            if name.startswith(incomplete)
        ]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@cache
def command(name: str) -> Any:
    """A command of `halocline`."""
    module = import_module(f"halocline.cli.{name}")
    around = typer.Typer(rich_markup_mode=None, add_completion=False, callback=_nothing)
    if (group := getattr(module, "app", None)) is not None:
        around.add_typer(group, name=name)
    else:
        # `list` is a Python builtin.
        function = getattr(module, name, None) or getattr(module, f"{name}_")
        around.command(name)(function)
    return typer.main.get_group(around).commands[name]


def _nothing() -> None:
    """With a callback, also a Typer of one command is a group."""
