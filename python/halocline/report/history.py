"""The history of a gate as a page: one panel per case, one point per run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import altair as alt

from halocline.base.quantities import time_of_day, time_text
from halocline.base.units import counted
from halocline.compare.history import Entry, cases, read
from halocline.report import sheet
from halocline.report.axes import finished, tooltips
from halocline.report.cells import Cell, Table
from halocline.report.figures import Figure
from halocline.report.palette import colour
from halocline.report.section import Section
from halocline.report.write import write_text
from halocline.summary.ratios import percent_text, share_text

PAGE = "index.html"
_NAMED = 3  # regressed cases
# Dates where days begin, and the time of day between them.
_TIME_LABEL = (
    "utcFormat(datum.value, utcFormat(datum.value, '%H%M%S') === '000000' ? '%Y-%m-%d' : "
    "utcseconds(datum.value) ? '%H:%M:%S' : '%H:%M')"
)


def write_history(folder: Path) -> Path:
    """Write the page of all runs in the folder."""
    entries = read(folder)
    return write_text(folder / PAGE, page(entries))


def page(entries: Sequence[Entry]) -> str:
    """One self-contained HTML file."""
    names = _names(cases(entries))
    entries = [replace(entry, case=names[entry.case]) for entry in entries]
    runs = list(dict.fromkeys(map(_run, entries)))
    of = (
        f"{counted(len(runs), 'run')}, {time_of_day(runs[0][0])} to {time_of_day(runs[-1][0])}"
        if runs
        else "no runs"
    )
    picture = Figure(
        "history",
        "Change against the baseline",
        "Time of every case against the baseline, run after run.",
        _picture(entries),
        len(cases(entries)),
    )
    lead = Section("last", "The last run", _answer(entries), (picture,), (_table(entries),))
    return sheet.page("History of the gate", of, lead)


def _names(found: Sequence[str]) -> dict[str, str]:
    """The workload of each case, and the words that not all cases share."""
    common = set.intersection(*(set(case.split()) for case in found)) if len(found) > 1 else set()
    return {
        case: " ".join([*case.split()[:1], *(w for w in case.split()[1:] if w not in common)])
        for case in found
    }


def _table(entries: Sequence[Entry]) -> Table:
    rows = [
        (
            (time_of_day(entry.when), entry.commit, entry.case),
            (Cell(time_text(entry.time_s)), Cell(_words(entry))),
        )
        for entry in reversed(entries)
    ]
    caption = (
        "Every case of every run, the latest first: time, and change against the baseline with "
        "the 95 % interval"
    )
    return Table(caption, ("when", "commit", "case"), ("time", "change"), tuple(rows))


def _run(entry: Entry) -> tuple[str, str]:
    """Identifies a run: two commits may be measured within the same second."""
    return entry.when, entry.commit


def _answer(entries: Sequence[Entry]) -> tuple[str, ...]:
    """The last run's result, and how often the gate failed."""
    if not entries:
        return ("The gate has not been run yet.",)
    last = [entry for entry in entries if _run(entry) == _run(entries[-1])]
    slower = [f"{entry.case} by {share_text(entry.ratio - 1)}" for entry in last if entry.regressed]
    of = f" (commit {last[0].commit})" if last[0].commit else ""
    if slower:
        more = f" and {len(slower) - _NAMED} more" if len(slower) > _NAMED else ""
        named = f"{', '.join(slower[:_NAMED])}{more}"
        outcome = f"{len(slower)} of {counted(len(last), 'case')} regressed: {named}"
    else:
        outcome = f"none of {counted(len(last), 'case')} regressed"
    runs = set(map(_run, entries))
    failed = {_run(entry) for entry in entries if entry.regressed}
    return (
        f"The last run{of}, {time_of_day(last[0].when)}: {outcome}.",
        f"Cases regressed in {len(failed)} of {counted(len(runs), 'run')}.",
    )


def _words(entry: Entry) -> str:
    span = f"{percent_text(entry.low - 1)} to {percent_text(entry.high - 1)}"
    return f"{percent_text(entry.ratio - 1)} ({span}){', regressed' if entry.regressed else ''}"


def _picture(entries: Sequence[Entry]) -> dict[str, Any]:
    drawn = [
        {
            "when": entry.when,
            "commit": entry.commit,
            "case": entry.case,
            "change": 100 * (entry.ratio - 1),
            "low": 100 * (entry.low - 1),
            "high": 100 * (entry.high - 1),
            "time": time_text(entry.time_s),
            "state": "regressed" if entry.regressed else "passed",
        }
        for entry in entries
    ]
    x = alt.X("when:T", title="time, UTC", axis=alt.Axis(labelExpr=_TIME_LABEL))
    x = x.scale(type="utc", padding=8)
    y = alt.Y("change:Q", title="change of the time, %")
    hue = alt.Color(
        "state:N",
        scale=alt.Scale(
            domain=["passed", "regressed"], range=[colour("series-0"), colour("series-1")]
        ),
        legend=alt.Legend(title=None, orient="top"),
    )
    base = alt.Chart().encode(x, hue)
    names = {"when": "when", "commit": "commit", "time": "time", "change": "%", "state": "gate"}
    chart = alt.layer(
        alt.Chart().mark_rule(color=colour("muted")).encode(y=alt.datum(0)),
        base.mark_rule(strokeWidth=1.5).encode(alt.Y("low:Q"), alt.Y2("high")),
        base.mark_point(filled=True, size=40, opacity=1).encode(y, tooltip=tooltips(names)),
    ).properties(width=420, height=150)
    return finished(
        chart.facet(
            facet=alt.Facet("case:N", title=None, sort=list(cases(entries))),
            columns=2,
            data=alt.InlineData(values=drawn),
        )
    )
