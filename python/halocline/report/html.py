"""The report: one HTML file that needs nothing else, made from summaries alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2

from halocline import __version__
from halocline.cores import TOLERANCE
from halocline.doctor import Finding, Severity, diagnose
from halocline.experiment import HERE
from halocline.report.bounds import bounds
from halocline.report.detected import detected_table
from halocline.report.environment import environment_sections, machine_line
from halocline.report.figures import DATA, Figure, figures
from halocline.report.headlines import headlines
from halocline.report.palette import DARK, LIGHT, SERIES
from halocline.report.paper import MACHINES, SOURCE
from halocline.report.points import Point, ordered, points
from halocline.report.rows import rows
from halocline.report.run_tables import all_cases, libraries, troubles
from halocline.report.script import script_json, vega
from halocline.report.section import Section
from halocline.report.sections import sections
from halocline.report.tables import best_tables, curve_tables, slowdown_tables, specification
from halocline.report.text import time_text
from halocline.report.write import write_text
from halocline.summary import Summary, of_run

_PROTOCOLS_SHOWN = 8


def write_report(
    runs: Sequence[Path], output: Path | None = None, first: Sequence[Section] = ()
) -> Path:
    """Write the report of some runs side by side; by default into the first run's folder.

    `first` are sections that come before those of the runs themselves.
    """
    summaries = [of_run(run) for run in runs]
    path = output or runs[0] / "report.html"
    return write_text(path, page(summaries, first))


def page(summaries: Sequence[Summary], first: Sequence[Section] = ()) -> str:
    """The page: a pure function of the summaries."""
    drawn = points(summaries)
    made = figures(drawn, bounds(summaries))
    parts = (*first, *sections(summaries))
    tables = {
        "latency": curve_tables(drawn, "time"),
        "bandwidth": curve_tables(drawn, "bandwidth"),
        "libraries": best_tables(drawn),
        "protocols": slowdown_tables(drawn),
    }
    series = ordered(point.library for point in drawn)
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            title=" and ".join(ordered(summary.title for summary in summaries)),
            version=__version__,
            summaries=summaries,
            machines=[machine_line(s.environment, s.machine) for s in summaries],
            invented=[s.machine for s in summaries if s.machine != HERE],
            headlines=headlines(summaries, drawn),
            detected=detected_table(summaries),
            warnings=_warnings(summaries),
            notes=_notes(summaries),
            specification=specification(drawn),
            series=series,
            colours=SERIES,
            published=MACHINES,
            published_source=SOURCE,
            figures=made,
            tables=tables,
            sections=parts,
            controls=_controls(drawn),
            troubles=troubles(summaries),
            libraries=libraries(summaries),
            all_cases=all_cases(summaries),
            environments=[environment_sections(s.environment) for s in summaries],
            palettes={"light": LIGHT, "dark": DARK},
            data=script_json(_data(drawn, made, parts)),
            vega=vega(),
        )
    )


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("halocline.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["sentence"] = _sentence
    return environment


def _sentence(text: str) -> str:
    """With a capital letter, unless it begins with a name such as sched_autogroup."""
    return text[:1].upper() + text[1:] if text.partition(" ")[0].isalpha() else text


def _warnings(summaries: Sequence[Summary]) -> tuple[Finding, ...]:
    """What spoils the figures here, each once."""
    moved = (_moved_cores(summary) for summary in summaries if summary.displaced_share)
    distant = (_distant_cores(summary) for summary in summaries)
    return (*_findings(summaries, noted=False), *moved, *filter(None, distant))


def _moved_cores(summary: Summary) -> Finding:
    lines = ordered(time_text(each.line_s) for each in summary.libraries.values() if each.line_s)
    share = f"{100 * summary.displaced_share:.2g} % of the launches of a case"
    return Finding(
        name="moved cores",
        severity=Severity.WARNING,
        found=f"in {share} a cache line did not take the usual {' or '.join(lines)} from "
        "one rank's core to the other's",
        harm="a hypervisor moved a virtual core, or the kernel a rank: what was measured "
        "meanwhile is left out, and other runs may have met the machine in another state",
        remedy="bind the virtual machine's cores, or measure on hardware; compare only runs "
        "with the same time of a cache line",
    )


def _distant_cores(summary: Summary) -> Finding | None:
    lines_s = {name: each.line_s for name, each in summary.libraries.items() if each.line_s}
    if max(lines_s.values(), default=0) <= (1 + TOLERANCE) * min(lines_s.values(), default=0):
        return None
    each = ", ".join(f"{name} {time_text(line_s)}" for name, line_s in lines_s.items())
    return Finding(
        name="distant cores",
        severity=Severity.WARNING,
        found=f"libraries measured on cores of different distance: {each}",
        harm="their figures differ by the distance between the ranks' cores too",
        remedy="place the ranks on the same cores with every library's launcher",
    )


def _notes(summaries: Sequence[Summary]) -> tuple[Finding, ...]:
    """What a reader of the figures has to know, each once."""
    return _findings(summaries, noted=True)


def _findings(summaries: Sequence[Summary], *, noted: bool) -> tuple[Finding, ...]:
    found = {
        finding: None
        for summary in summaries
        if summary.machine == HERE  # nothing disturbs a simulation
        for finding in diagnose(
            summary.environment, max((case.case.ranks for case in summary.cases), default=2)
        )
        if (finding.severity is Severity.NOTE) == noted
    }
    return tuple(found)


def _controls(drawn: Sequence[Point]) -> dict[str, Any]:
    measured = [point for point in drawn if point.time is not None]
    protocols = ordered(point.protocol for point in measured)
    return {
        "workloads": ordered(point.workload for point in measured),
        "series": ordered(point.series for point in measured),
        "protocols": protocols,
        "shown": _fullest(measured, protocols),
        "sizes": sorted({point.size for point in measured}),
    }


def _fullest(measured: Sequence[Point], protocols: Sequence[str]) -> list[str]:
    """The protocols that the page begins with: those of most points, as many as can be read."""
    count = Counter(point.protocol for point in measured)
    return sorted(protocols, key=lambda name: -count[name])[:_PROTOCOLS_SHOWN]


def _data(
    drawn: Sequence[Point], made: Sequence[Figure], parts: Sequence[Section]
) -> dict[str, Any]:
    """What the script works on; the rows column by column, to keep the page small."""
    drawn_rows = rows(drawn)
    columns = ordered(name for row in drawn_rows for name in row)
    return {
        "columns": {name: [row.get(name) for row in drawn_rows] for name in columns},
        "dataset": DATA,
        "figures": {figure.name: figure.specification for figure in made},
        "charts": {
            chart.name: {"panels": chart.panels, "specification": chart.specification}
            for part in parts
            for chart in part.charts
        },
    }
