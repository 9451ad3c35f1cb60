"""The history of a gate as a page: a panel for each case, a point for each run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import altair as alt

from halocline.compare.history import Entry, cases, read
from halocline.ratios import percent_text
from halocline.report import sheet
from halocline.report.axes import finished
from halocline.report.palette import colour
from halocline.report.text import time_text
from halocline.run_folder import replace
from halocline.units import counted

PAGE = "index.html"
_NAMED = 3  # regressed cases


def write_history(folder: Path) -> Path:
    """Write the page of all runs in the folder."""
    entries = read(folder)
    path = folder / PAGE
    replace(path, page(entries))
    return path


def page(entries: Sequence[Entry]) -> str:
    """One HTML file that needs nothing else."""
    runs = list(dict.fromkeys(map(_run, entries)))
    return sheet.page(
        sheet.Sheet(
            title="History of the gate",
            about=f"{counted(len(runs), 'run')}, {runs[0][0]} to {runs[-1][0]}"
            if runs
            else "no runs",
            sentences=_answer(entries),
            picture=_picture(entries),
            panels=len(cases(entries)),
            picture_words="Time of every case against the baseline, run after run.",
            caption="Every case of every run, the last first: time, and its change against the "
            "baseline with the 95 % interval",
            heads=("when", "commit", "case", "time", "change"),
            numbers=frozenset({"time"}),
            rows=[
                (each.when, each.commit, each.case, time_text(each.time_s), _words(each))
                for each in reversed(entries)
            ],
        )
    )


def _run(entry: Entry) -> tuple[str, str]:
    """Two commits may be measured within a second."""
    return entry.when, entry.commit


def _answer(entries: Sequence[Entry]) -> tuple[str, ...]:
    """What the last run says, and how often the gate has failed."""
    if not entries:
        return ("The gate has not been run yet.",)
    last = [entry for entry in entries if _run(entry) == _run(entries[-1])]
    slower = [
        f"{entry.case} by {percent_text(entry.ratio - 1)}" for entry in last if entry.regressed
    ]
    of = f" of {last[0].commit}" if last[0].commit else ""
    if slower:
        more = f" and {len(slower) - _NAMED} more" if len(slower) > _NAMED else ""
        named = f"{', '.join(slower[:_NAMED])}{more}"
        told = f"{len(slower)} of {counted(len(last), 'case')} regressed: {named}"
    else:
        told = f"none of {counted(len(last), 'case')} regressed"
    runs = set(map(_run, entries))
    failed = {_run(entry) for entry in entries if entry.regressed}
    return (
        f"The last run{of}, {last[0].when}: {told}.",
        f"A case has regressed in {len(failed)} of {counted(len(runs), 'run')}.",
    )


def _words(entry: Entry) -> str:
    span = f"{percent_text(entry.low - 1)} to {percent_text(entry.high - 1)}"
    return f"{percent_text(entry.ratio - 1)} ({span}){', regressed' if entry.regressed else ''}"


def _picture(entries: Sequence[Entry]) -> dict[str, object]:
    drawn = [
        {
            "when": each.when,
            "commit": each.commit,
            "case": each.case,
            "change": 100 * (each.ratio - 1),
            "low": 100 * (each.low - 1),
            "high": 100 * (each.high - 1),
            "time": time_text(each.time_s),
            "state": "regressed" if each.regressed else "passed",
        }
        for each in entries
    ]
    x = alt.X("when:T", title=None)
    y = alt.Y("change:Q", title="time against the baseline, %")
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
        base.mark_point(filled=True, size=40, opacity=1).encode(
            y, tooltip=[alt.Tooltip(f"{field}:N", title=of) for field, of in names.items()]
        ),
    ).properties(width=420, height=150)
    return finished(
        chart.facet(
            facet=alt.Facet("case:N", title=None, sort=list(cases(entries))),
            columns=2,
            data=alt.InlineData(values=drawn),
        )
    )
