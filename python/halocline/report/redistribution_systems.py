"""Figures 4 to 7 of Li 2007: Store and Redist over the number of ranks, system by system."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from halocline.base.quantities import time_unit
from halocline.report.cells import Table, cell
from halocline.report.entries import over
from halocline.report.figures import Figure
from halocline.report.lines import lines
from halocline.report.rows import dot
from halocline.report.section import ratio_text
from halocline.store.scaling import Stored, distinct, exchanged, whole
from halocline.summary.summary import Summary

_REDIST = "Redist"

Panels = dict[str, dict[str, dict[int, Stored]]]  # by what was timed, system and ranks


def panels(summaries: Sequence[Summary]) -> Panels:
    """The panels in which a system has several numbers of ranks."""
    rows = [
        *((f"Store, {row.grid}", row) for row in whole(summaries)),
        *((f"{_REDIST}, {row.grid}", row) for row in exchanged(summaries)),
    ]
    differing = distinct([row for _, row in rows]) or ("MPI",)
    all_panels: Panels = defaultdict(lambda: defaultdict(dict))
    for panel, row in rows:
        system = ", ".join(row.place[name] for name in differing)
        all_panels[panel][system][row.ranks] = row
    return {
        panel: {system: dict(of_ranks) for system, of_ranks in systems.items()}
        for panel, systems in all_panels.items()
        if any(len(of_ranks) > 1 for of_ranks in systems.values())
    }


def figure(drawn: Panels) -> Figure:
    """A line for each system."""
    dots = [
        dot(panel, system, ranks, row.time, size_text="{:,}".format)
        for panel, systems in drawn.items()
        for system, of_ranks in systems.items()
        for ranks, row in of_ranks.items()
    ]
    return lines(
        "redistribution-systems",
        "Store and Redist over the number of ranks",
        "As figures 4 to 7 of Li 2007: all that a program does once (Store), and one exchange in "
        "each system's fastest way (Redist).",
        dots,
        "time",
        along="ranks",
        in_bytes=False,
    )


def tables(drawn: Panels) -> Iterator[Table]:
    """The numbers of the figure that the table of Store lacks."""
    exchange_times = {
        (panel, system, f"{ranks:,}"): row.time
        for panel, systems in drawn.items()
        if panel.startswith(_REDIST)
        for system, of_ranks in systems.items()
        for ranks, row in sorted(of_ranks.items())
    }
    unit = time_unit(time.median for time in exchange_times.values())
    rows = tuple((keys, (cell(time, unit),)) for keys, time in exchange_times.items())
    if rows:
        caption = "One exchange in each system's fastest way, median and 95 % interval"
        yield Table(caption, ("of", "system", "ranks"), (f"time, {unit.name}",), rows)


def sentences(drawn: Panels) -> Iterator[str]:
    """How much faster the first system is than each other one, on the ranks that both have."""
    for panel, systems in drawn.items():
        (first, of_first), *others = systems.items()
        for other, of_other in others:
            common = sorted(of_first.keys() & of_other.keys())
            if not common:
                continue
            ratios = [over(of_other[ranks].time, of_first[ranks].time) for ranks in common]
            ratios.sort(key=lambda ratio: ratio.median)
            span = " to ".join(dict.fromkeys(map(ratio_text, (ratios[0], ratios[-1]))))
            ends = " to ".join(dict.fromkeys(f"{end:,}" for end in (common[0], common[-1])))
            yield f"{panel}: {other} takes {span} times as long as {first}, on {ends} ranks."
