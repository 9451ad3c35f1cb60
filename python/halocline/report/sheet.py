"""A page of sections without a run report: the answer leads, the rest is folded."""

from __future__ import annotations

from collections.abc import Sequence

from halocline.report.figures import Figure
from halocline.report.section import Section
from halocline.report.write import render


def page(title: str, about: str, lead: Section, others: Sequence[Section] = ()) -> str:
    """One self-contained HTML file."""
    charts = [chart for section in (lead, *others) for chart in section.charts]
    return render(
        "sheet.html.j2", title=title, about=about, lead=lead, others=others, data=drawn(charts)
    )


def drawn(charts: Sequence[Figure]) -> dict[str, object]:
    """The page's chart specifications, by name."""
    return {
        "charts": {
            chart.name: {"panels": chart.panels, "specification": chart.specification}
            for chart in charts
        }
    }
