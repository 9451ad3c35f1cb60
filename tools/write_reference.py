"""Writes the pages of docs/reference/ that the programs themselves print: `make docs`."""

from __future__ import annotations

from pathlib import Path

from typer.cli import app as documenting
from typer.testing import CliRunner

from halocline.cli import here
from halocline.cli.main import command
from halocline.specification.catalogue import Axis, Catalogue

REFERENCE = Path(__file__).parents[1] / "docs/reference"


def cli() -> str:
    """Every command with its options, from its --help."""
    words = ["halocline.cli.main", "utils", "docs", "--name", "halocline"]
    command.cache_clear()  # those that were called have other options for help
    ended = CliRunner().invoke(documenting, words, catch_exceptions=False)
    if ended.exit_code != 0:
        raise SystemExit(ended.output)
    # A usage line is no command that could be run.
    return ended.stdout.replace("```console\n$ ", "```text\n").rstrip() + "\n"


def protocols_and_workloads(catalogue: Catalogue) -> str:
    """The driver's catalogue as a page."""
    lines = [
        "# Protocols and workloads",
        "",
        "The driver's catalogue, written by `make docs`. `halocline list` shows the same,",
        "and which of the MPI libraries here lacks what.",
        "",
        "## Workloads",
    ]
    for workload in catalogue.workloads:
        about = f"{_sentence(workload.summary)} On {workload.ranks_text}."
        lines += ["", f"### {workload.name}", "", about, ""]
        lines += ["| axis | values | default |", "|---|---|---|"]
        lines += [_axis_row(axis) for axis in workload.axes]
    lines += ["", "## Protocols", "", "| protocol | what it does | needs |", "|---|---|---|"]
    lines += [
        f"| `{protocol.name}` | {protocol.summary} | {', '.join(protocol.requires)} |"
        for protocol in catalogue.protocols
    ]
    return "\n".join([*lines, ""])


def pages() -> dict[Path, str]:
    """Each generated page with its text."""
    return {
        REFERENCE / "cli.md": cli(),
        REFERENCE / "protocols-and-workloads.md": protocols_and_workloads(here.catalogue()),
    }


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _axis_row(axis: Axis) -> str:
    if axis.kind == "protocol":
        return f"| `{axis.name}` | names of protocols | all |"
    default = ", ".join(map(axis.value_text, axis.default))
    return f"| `{axis.name}` | {axis.allowed} | {default} |"


if __name__ == "__main__":
    for page, text in pages().items():
        page.write_text(text, encoding="utf-8")
