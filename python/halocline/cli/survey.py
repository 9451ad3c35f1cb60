"""`halocline survey`: characterise this machine's communication and write the report."""

from __future__ import annotations

import platform
import webbrowser
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from halocline.cli.options import (
    Budget,
    Deadline,
    HalfWidth,
    Hosts,
    Launcher,
    Machine,
    Mpi,
    Output,
    shared_options,
)
from halocline.spec import Option

if TYPE_CHECKING:
    from halocline.metrics import Metric
    from halocline.summary import CaseSummary, Summary

_HEADLINES = (
    ("8 B latency", "pingpong", 8, "time"),
    ("1 MiB one way", "pingpong", 1024**2, "bandwidth"),
    ("1 MiB both ways", "pingping", 1024**2, "bandwidth"),
)


def survey(
    mpi: Mpi = None,
    budget: Budget = None,
    output: Output = None,
    machine: Machine = None,
    hosts: Hosts = None,
    launcher: Launcher = None,
    half_width: HalfWidth = None,
    deadline: Deadline = None,
    show: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the report in a browser.")
    ] = False,
) -> None:
    """Measure every workload over every protocol, 0 B to 4 MiB, and write the report.

    Example: halocline survey --mpi mpich --mpi intel --budget 2min
    """
    # Loaded only here: scipy and what else a run needs would delay `halocline --help`.
    from halocline.cli import measuring  # noqa: PLC0415
    from halocline.here import known  # noqa: PLC0415
    from halocline.spec import from_words  # noqa: PLC0415
    from halocline.summary import of_run  # noqa: PLC0415

    vocabulary = known()
    workloads = ",".join(workload.name for workload in vocabulary.catalogue.workloads)
    place = platform.node() if machine in (None, "here") else machine
    options = [
        Option("experiment.title", "title", f"Survey of {place}"),
        *shared_options(mpi, machine, half_width, budget, deadline, hosts, launcher),
    ]
    path = measuring.begin(from_words(workloads, (), vocabulary, options), output)
    for line in headlines(of_run(path)):
        print(line)
    page = path / "report.html"
    print(f"report: {page}")
    if show:
        webbrowser.open(page.absolute().as_uri())


def headlines(summary: Summary) -> list[str]:
    """For each library the best protocol at the sizes that everyone asks for."""
    lines = []
    for mpi in summary.libraries:
        for title, workload, size, metric in _HEADLINES:
            found = [
                case
                for case in summary.cases
                if (case.case.mpi, case.case.workload) == (mpi, workload)
                and case.case.axis("bytes") == size
            ]
            lines.append(f"{mpi}: {title}: {_best(found, metric) or _why_not(found)}")
    return lines


def _why_not(found: Sequence[CaseSummary]) -> str:
    reasons = [f"{case.status}: {case.reason}" for case in found if case.reason]
    return reasons[0] if reasons else "not measured"


def _best(found: Sequence[CaseSummary], metric: str) -> str | None:
    from halocline.report.text import plus_minus, rate_text, time_text  # noqa: PLC0415

    candidates: list[tuple[float, str, Metric]] = []
    for case in found:
        time, value = case.metric("time"), case.metric(metric)
        if time and value:
            candidates.append((time.median, str(case.case.axis("protocol")), value))
    if not candidates:
        return None
    _, protocol, value = min(candidates, key=lambda candidate: candidate[0])
    text = time_text(value.median) if metric == "time" else rate_text(value.median)
    return f"{text} {plus_minus(value.half_width_relative)} ({protocol})"
