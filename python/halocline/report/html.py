"""The report: one self-contained HTML file, made only from summaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from halocline.base.quantities import time_text
from halocline.base.units import enumerated
from halocline.doctor import Finding, Severity, diagnose
from halocline.report.bounds import bounds
from halocline.report.detected import detected_table
from halocline.report.entries import Entry, ordered, points
from halocline.report.environment import environment_sections, machine_line
from halocline.report.figures import DATA, Figure, figures
from halocline.report.headlines import Headline, headlines
from halocline.report.palette import SERIES
from halocline.report.paper import MACHINES, SOURCE
from halocline.report.rows import rows
from halocline.report.run_tables import all_cases, libraries, troubles, troubles_text
from halocline.report.section import Section
from halocline.report.sections import sections
from halocline.report.sheet import drawn as charts_drawn
from halocline.report.tables import (
    Specification,
    best_tables,
    curve_tables,
    slowdown_tables,
    specification,
)
from halocline.report.write import render, write_text
from halocline.samples import pictures
from halocline.samples.cores import TOLERANCE
from halocline.specification.configuration import layout_of
from halocline.specification.experiment import HERE
from halocline.specification.survey import TITLE
from halocline.summary.summary import Summary, of_run

_PROTOCOLS_SHOWN = 8
_FIGURES_SHOWN = ("latency", "bandwidth")  # the others are folded
_CLAIMS = 4
_SENTENCES = 12  # of all sections together that are not folded


@dataclass(frozen=True)
class Answer:
    """What a page shows before its runs: the first section leads, `about` titles the runs.

    `sides` are the names of the runs.
    """

    sections: Sequence[Section]
    about: str
    title: str = ""
    sides: Sequence[str] = ()


def write_report(
    runs: Sequence[Path], output: Path | None = None, answer: Answer | None = None
) -> Path:
    """Write the report of one or several runs; by default into the first run's folder."""
    return write_page(summaries_of(runs), output, answer)


def write_page(
    summaries: Sequence[Summary], output: Path | None = None, answer: Answer | None = None
) -> Path:
    """The same from the runs' summaries."""
    if answer and answer.sides:
        pairs = zip(summaries, answer.sides, strict=True)
        summaries = [replace(summary, side=side) for summary, side in pairs]
    path = output or summaries[0].path / "report.html"
    return write_text(path, page(summaries, answer))


def summaries_of(runs: Sequence[Path]) -> list[Summary]:
    """What a report is made of: the runs' summaries with their pictures."""
    summaries = [_with_pictures(of_run(run)) for run in runs]
    names = Counter(summary.name for summary in summaries)
    return [
        replace(summary, side=str(run)) if names[summary.name] > 1 else summary
        for summary, run in zip(summaries, runs, strict=True)
    ]


def _with_pictures(summary: Summary) -> Summary:
    cases = [case.case.id for case in summary.cases]
    return replace(summary, pictures=pictures.read(summary.path, cases))


def page(summaries: Sequence[Summary], answer: Answer | None = None) -> str:
    """The page: a pure function of the summaries."""
    drawn = points(summaries)
    main_figures = figures(drawn, bounds(summaries))
    own = sections(summaries)
    lead = answer.sections[0] if answer else None if main_figures else _lead(own)
    following = tuple(answer.sections[1:]) if answer else ()
    own = tuple(section for section in own if section is not lead)
    parts = (*([lead] if lead else ()), *following, *own)
    charts = [chart for part in parts for chart in part.charts]
    missing = troubles(summaries)
    warnings = _warnings(summaries)
    tables = {
        "latency": curve_tables(drawn, "time"),
        "bandwidth": curve_tables(drawn, "bandwidth"),
        "libraries": best_tables(drawn),
        "protocols": slowdown_tables(drawn),
    }
    series = ordered(point.library for point in drawn)
    return render(
        "page.html.j2",
        title=(answer.title if answer else "")
        or enumerated(ordered(summary.title for summary in summaries)),
        about=answer.about if answer else "",
        lead=lead,
        others=following,
        charts=charts,
        shown=_FIGURES_SHOWN,
        measured=any(case.metric("time") for s in summaries for case in s.cases),
        run_notes=ordered(note for summary in summaries for note in summary.notes),
        summaries=summaries,
        machines=[machine_line(s.environment, s.machine) for s in summaries],
        invented=ordered(s.machine for s in summaries if s.machine != HERE),
        headlines=headlines(summaries, drawn) if main_figures else _claims(own, summaries, drawn),
        detected=detected_table(summaries),
        warnings=warnings,
        disturbances=ordered(finding.name for finding in warnings),
        notes=_notes(summaries),
        specification=() if answer else _specification(summaries, drawn),
        series=series,
        colours=SERIES,
        published=MACHINES,
        published_source=SOURCE,
        figures=main_figures,
        tables=tables,
        sections=own,
        most_sentences=max(1, min(3, _SENTENCES // max(1, len(own)))),
        controls=_controls(drawn),
        troubles=missing,
        missing=troubles_text(missing),
        libraries=libraries(summaries),
        all_cases=all_cases(summaries),
        environments=[environment_sections(s.environment) for s in summaries],
        data=_data(drawn, main_figures, charts) if main_figures or charts else None,
    )


def _lead(own: Sequence[Section]) -> Section | None:
    """The section that leads the page of a run without ping-pongs."""
    return next((section for section in own if section.charts and section.sentences), None)


def _claims(
    own: Sequence[Section], summaries: Sequence[Summary], drawn: Sequence[Entry]
) -> tuple[Headline, ...]:
    """The lead without a ping-pong: each section's first sentences."""
    answers = [Headline(section.sentences[0], "") for section in own if section.sentences]
    return (*answers[:_CLAIMS], *headlines(summaries, drawn))


def _specification(
    summaries: Sequence[Summary], drawn: Sequence[Entry]
) -> tuple[Specification, ...]:
    """For surveys only: other runs do not characterise a machine."""
    surveys = any(summary.title.startswith(TITLE) for summary in summaries)
    return specification(drawn) if surveys else ()


def _warnings(summaries: Sequence[Summary]) -> tuple[Finding, ...]:
    """What disturbs the figures here, without repetition."""
    moved = (_moved_cores(summary) for summary in summaries if summary.displaced_share)
    distant = (_distant_cores(summary) for summary in summaries)
    return (*_findings(summaries, noted=False), *moved, *filter(None, distant))


def _moved_cores(summary: Summary) -> Finding:
    lines = ordered(
        time_text(library.line_s) for library in summary.libraries.values() if library.line_s
    )
    share = f"{100 * summary.displaced_share:.2g} % of the launches of a case"
    return Finding(
        name="moved cores",
        severity=Severity.WARNING,
        found=f"in {share}, a cache line did not take the usual {' or '.join(lines)} from "
        "one rank's core to the other's",
        harm="the hypervisor moved a virtual core, or the kernel a rank: these launches "
        "are left out, and other runs may have seen the machine in another state",
        remedy="pin the virtual machine's cores, or measure on bare metal; compare only runs "
        "with the same time of a cache line",
    )


def _distant_cores(summary: Summary) -> Finding | None:
    lines_s = {
        name: library.line_s for name, library in summary.libraries.items() if library.line_s
    }
    if max(lines_s.values(), default=0) <= (1 + TOLERANCE) * min(lines_s.values(), default=0):
        return None
    listed = ", ".join(f"{name} {time_text(line_s)}" for name, line_s in lines_s.items())
    return Finding(
        name="distant cores",
        severity=Severity.WARNING,
        found=f"libraries ran on cores at different distances: {listed}",
        harm="their figures also differ because of the distance between the ranks' cores",
        remedy="place the ranks on the same cores with every library's launcher",
    )


def _notes(summaries: Sequence[Summary]) -> tuple[Finding, ...]:
    """Notes for readers of the figures, without repetition."""
    return _findings(summaries, noted=True)


def _findings(summaries: Sequence[Summary], *, noted: bool) -> tuple[Finding, ...]:
    findings = {
        finding: None
        for summary in summaries
        if summary.machine == HERE  # nothing disturbs a simulation
        for finding in diagnose(summary.environment, _ranks_here(summary))
        if (finding.severity is Severity.NOTE) == noted
    }
    return tuple(findings)


def _ranks_here(summary: Summary) -> int:
    """The most ranks of a case on this machine: of a node, or of all hosts made here."""
    return max(
        (
            case.case.ranks
            if summary.made_rate is not None
            else layout_of(case.case.configuration, case.case.ranks).ranks_per_node
            for case in summary.cases
        ),
        default=2,
    )


def _controls(drawn: Sequence[Entry]) -> dict[str, Any]:
    measured = [point for point in drawn if point.measured]
    protocols = ordered(point.protocol for point in measured)
    return {
        "workloads": ordered(point.variant for point in measured),
        "series": ordered(point.series for point in measured),
        "protocols": protocols,
        "shown": _fullest(measured, protocols),
        "sizes": sorted({point.size for point in measured}),
    }


def _fullest(measured: Sequence[Entry], protocols: Sequence[str]) -> list[str]:
    """The protocols shown first: those with most points, as many as are readable."""
    count = Counter(point.protocol for point in measured)
    return sorted(protocols, key=lambda name: -count[name])[:_PROTOCOLS_SHOWN]


def _data(
    drawn: Sequence[Entry], made: Sequence[Figure], charts: Sequence[Figure]
) -> dict[str, Any]:
    """The script's data; rows are stored by column to keep the page small."""
    drawn_rows = rows(drawn)
    columns = ordered(name for row in drawn_rows for name in row)
    return {
        "columns": {name: [row.get(name) for row in drawn_rows] for name in columns},
        "dataset": DATA,
        "figures": {figure.name: figure.specification for figure in made},
        **charts_drawn(charts),
    }
