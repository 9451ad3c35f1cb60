"""`halocline survey`: characterise this machine's communication and write the report."""

from __future__ import annotations

import platform
import sys
import webbrowser
from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated

import typer

from halocline.base.errors import NoFigures, UserError
from halocline.base.quantities import rate_text, time_text
from halocline.cli import measuring
from halocline.cli.here import known
from halocline.cli.options import (
    Deadline,
    HalfWidth,
    Hosts,
    Launcher,
    Machine,
    Mpi,
    Output,
    shared_options,
)
from halocline.hosts import temporary_hosts
from halocline.specification import survey as definition
from halocline.specification.configuration import layout_of
from halocline.specification.experiment import HERE, MADE, Experiment
from halocline.specification.spec import Option
from halocline.specification.survey import on_one_node
from halocline.summary.metrics import Metric
from halocline.summary.ratios import plus_minus
from halocline.summary.summary import CaseSummary, Summary, of_run

_HEADLINES = (
    ("8 B latency", "pingpong", 8, "time"),
    ("1 MiB one way", "pingpong", 1024**2, "bandwidth"),
    ("1 MiB both ways", "pingping", 1024**2, "bandwidth"),
)


def survey(
    mpi: Mpi = None,
    budget: Annotated[
        str | None, typer.Option(help="Measuring time for each MPI library. Default: 440s.")
    ] = None,
    output: Output = None,
    machine: Machine = None,
    hosts: Hosts = None,
    launcher: Launcher = None,
    half_width: HalfWidth = None,
    deadline: Deadline = None,
    show: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the report in a browser.")
    ] = False,
    print_experiment: Annotated[
        bool, typer.Option("--print-experiment", help="Print the experiment as TOML; no run.")
    ] = False,
) -> None:
    """Measure all workloads within a node and between two, within a budget, and write the report.

    Without --hosts, two temporary hosts on this machine stand in for the two nodes.

    Example: halocline survey --mpi mpich --mpi intel --budget 2min
    """
    here = machine or HERE
    options = [
        Option(
            "experiment.title",
            "title",
            f"{definition.TITLE} {platform.node() if here == HERE else here}",
        ),
        *shared_options(mpi, machine, half_width, budget, deadline, None, launcher),
    ]
    experiment = definition.survey(known(), options, here, hosts)
    if print_experiment:
        print(experiment.toml(), end="")
        return
    try:
        path = measuring.begin(where_possible(experiment), output)
    except NoFigures as failed:
        if failed.saved:  # still valid
            print("\n".join(headlines(of_run(failed.saved))))
        raise
    for line in headlines(of_run(path)):
        print(line)
    page = path / "report.html"
    print(f"report: {page}")
    if show:
        webbrowser.open(page.absolute().as_uri())


def where_possible(experiment: Experiment) -> Experiment:
    """The experiment; reduced to one node, with a note, where hosts cannot be started."""
    if experiment.hosts == MADE and (why := _cannot_make_hosts()):
        experiment = on_one_node(experiment, why)
        print(experiment.notes[-1], file=sys.stderr)
    return experiment


def _cannot_make_hosts() -> str:
    """Why no hosts can be started on this machine; empty if they can."""
    try:
        with temporary_hosts(2):
            return ""
    except UserError as problem:
        return str(problem)


def headlines(summary: Summary) -> list[str]:
    """For each library the best protocol at common sizes."""
    lines = []
    places = {1: "on a node", 2: summary.between}
    for mpi in dict.fromkeys(case.case.mpi for case in summary.cases):
        for title, workload, size, metric in _HEADLINES:
            by_nodes: dict[int, list[CaseSummary]] = defaultdict(list)
            for case in summary.cases:
                kind = (case.case.mpi, case.case.workload, dict(case.case.axes).get("bytes"))
                if kind == (mpi, workload, size):
                    shape = layout_of(case.case.configuration, case.case.ranks)
                    by_nodes[shape.nodes].append(case)
            for nodes, cases in by_nodes.items():
                place = f", {places[nodes]}" if len(by_nodes) > 1 else ""
                best = _best(cases, metric) or _why_not(cases)
                lines.append(f"{mpi}: {title}{place}: {best}")
    return lines


def _why_not(cases: Sequence[CaseSummary]) -> str:
    reasons = [f"{case.status}: {case.reason}" for case in cases if case.reason]
    return reasons[0] if reasons else "not measured"


def _best(cases: Sequence[CaseSummary], metric: str) -> str | None:
    candidates: list[tuple[float, str, Metric]] = []
    for case in cases:
        time, value = case.metric("time"), case.metric(metric)
        if time and value:
            candidates.append((time.median, str(case.case.axis("protocol")), value))
    if not candidates:
        return None
    _, protocol, value = min(candidates, key=lambda candidate: candidate[0])
    text = time_text(value.median) if metric == "time" else rate_text(value.median)
    return f"{text} {plus_minus(value.half_width_relative)} ({protocol})"
