"""The page: one HTML file that needs nothing else, made from profiles alone."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import jinja2

from halocline import __version__
from halocline.errors import UserError
from halocline.profile.profile import Profile
from halocline.profile.program import program_of
from halocline.profile.report.messages import matrix, ranks, sizes
from halocline.profile.report.over_time import balance, files, memory, regions, scaling
from halocline.profile.report.parts import Part, Shown, names_of, plain
from halocline.profile.report.time import calls, places, share
from halocline.profile.text import bytes_text, count_text, percent, time_text
from halocline.profile.totals import Totals
from halocline.profile.words import compared, troubles, words
from halocline.report.cells import Table
from halocline.report.palette import DARK, LIGHT, SERIES
from halocline.report.script import script_json, vega
from halocline.run_folder import replace

_PARTS = (share, calls, sizes, ranks, matrix, scaling, balance, places, files, memory, regions)


def write_page(profiles: Sequence[Profile], output: Path) -> Path:
    """Write the page of some profiles side by side."""
    text = page(profiles)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        replace(output, text)
    except (PermissionError, NotADirectoryError, FileExistsError, IsADirectoryError) as error:
        what = f"cannot write {output}: {error.strerror}"
        raise UserError(what, remedy="choose another file with --output") from None
    return output


def page(profiles: Sequence[Profile]) -> str:
    """The page: a pure function of the profiles."""
    shown = [
        Shown(name, Totals(profile))
        for name, profile in zip(names_of(profiles), profiles, strict=True)
    ]
    parts = [part for make in _PARTS if (part := make(shown)) is not None]
    programs = dict.fromkeys(program_of(profile.command) for profile in profiles)
    return (
        _environment()
        .get_template("profile.html.j2")
        .render(
            title=" and ".join(programs),
            version=__version__,
            shown=shown,
            colours=SERIES,
            words=[words(each.totals) for each in shown],
            compared=compared([each.totals for each in shown]),
            troubles=[troubles(each.totals) for each in shown],
            overview=_overview(shown),
            parts=parts,
            commands=[shlex.join(profile.command) for profile in profiles],
            palettes={"light": LIGHT, "dark": DARK},
            data=script_json(_drawn(parts)),
            vega=vega(),
        )
    )


def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [
                jinja2.PackageLoader("halocline.profile.report"),
                jinja2.PackageLoader("halocline.report"),
            ]
        ),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


def _drawn(parts: Sequence[Part]) -> dict[str, object]:
    """What the script draws, by the place on the page."""
    panels = {
        f"{drawing.name}-{number}": panel
        for part in parts
        for drawing in part.drawings
        for number, panel in enumerate(drawing.panels)
    }
    return {
        "charts": {name: p.specification for name, p in panels.items() if p.specification},
        "matrices": {name: p.matrix for name, p in panels.items() if p.matrix},
    }


def _overview(shown: Sequence[Shown]) -> Table:
    rows = []
    for each in shown:
        profile, totals = each.profile, each.totals
        rows.append(
            (
                (each.name,),
                plain(
                    str(profile.size),
                    str(len(profile.hosts)),
                    time_text(totals.wall_ns),
                    percent(totals.share_of_communication),
                    count_text(totals.calls),
                    count_text(totals.messages),
                    bytes_text(totals.bytes),
                    profile.mpi.library,
                ),
            )
        )
    heads = ("ranks", "hosts", "time", "in MPI", "calls", "messages", "bytes given", "MPI")
    return Table("What was run", ("run",), heads, tuple(rows))
