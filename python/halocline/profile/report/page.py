"""The page: one self-contained HTML file, made only from profiles."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from halocline.base.units import enumerated
from halocline.profile.profile import Profile
from halocline.profile.program import program_of
from halocline.profile.report.messages import matrix, ranks, sizes
from halocline.profile.report.over_time import balance, files, memory, regions, scaling
from halocline.profile.report.parts import Part, Shown, names_of, plain
from halocline.profile.report.time import calls, places, share
from halocline.profile.text import bytes_text, count_text, percent, time_text
from halocline.profile.totals import Totals
from halocline.profile.words import compared, troubles, words
from halocline.report.cells import Cell, Table
from halocline.report.write import render, write_text

# What most readers look for; the other parts are folded.
_OPEN = ("share", "calls", "matrix-of-ranks")
_PARTS = (share, calls, sizes, ranks, matrix, scaling, balance, places, files, memory, regions)


def write_page(profiles: Sequence[Profile], output: Path) -> Path:
    """Write the page of one or several profiles."""
    return write_text(output, page(profiles))


def page(profiles: Sequence[Profile]) -> str:
    """The page: a pure function of the profiles."""
    shown = [
        Shown(name, Totals(profile))
        for name, profile in zip(names_of(profiles), profiles, strict=True)
    ]
    parts = [part for make in _PARTS if (part := make(shown)) is not None]
    programs = dict.fromkeys(program_of(profile.command) for profile in profiles)
    return render(
        "profile.html.j2",
        title=enumerated(list(programs)),
        shown=shown,
        words=[words(run.totals) for run in shown],
        compared=compared([run.totals for run in shown], [run.name for run in shown]),
        troubles=[troubles(run.totals) for run in shown],
        overview=_overview(shown),
        parts=parts,
        open_parts=_OPEN,
        commands=[shlex.join(profile.command) for profile in profiles],
        data=_drawn(parts),
    )


def _drawn(parts: Sequence[Part]) -> dict[str, object]:
    """The script's data, by place on the page."""
    panels = {
        f"{drawing.name}-{number}": panel
        for part in parts
        for drawing in part.drawings
        for number, panel in enumerate(drawing.panels)
    }
    return {
        "charts": {
            name: {"panels": 1, "specification": p.specification}
            for name, p in panels.items()
            if p.specification
        },
        "matrices": {name: p.matrix for name, p in panels.items() if p.matrix},
    }


def _overview(shown: Sequence[Shown]) -> Table:
    rows = []
    for run in shown:
        profile, totals = run.profile, run.totals
        rows.append(
            (
                (run.name,),
                (
                    *plain(
                        str(profile.size),
                        str(len(profile.hosts)),
                        time_text(totals.wall_ns),
                        percent(totals.share_of_communication),
                        count_text(totals.calls),
                        count_text(totals.messages),
                        bytes_text(totals.bytes),
                    ),
                    # Libraries of different vendors have the same name.
                    Cell(profile.mpi.library, note=profile.mpi.path),
                ),
            )
        )
    heads = ("ranks", "hosts", "time", "in MPI", "calls", "messages", "bytes sent", "MPI")
    return Table("Runs", ("run",), heads, tuple(rows))
