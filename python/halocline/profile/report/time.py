"""Where the time goes: share of communication, calls, ranks, call sites."""

from __future__ import annotations

from collections.abc import Sequence

from halocline.profile.functions import SETUP, Kind
from halocline.profile.report.parts import (
    PERCENT_AXIS,
    TIME_AXIS,
    Bins,
    Drawing,
    Panel,
    Part,
    Shown,
    Specification,
    chart,
    grouped_bars,
    named_hues,
    plain,
    ranks_table,
    stacked_ranks,
    tooltips,
)
from halocline.profile.text import bytes_text, count_text, percent, time_text
from halocline.profile.totals import same_functions
from halocline.report.cells import Table
from halocline.report.palette import colour

_MOST_FUNCTIONS = 15
_LEAST_SHARE = 0.001  # the smallest that a bar can show
_MOST_SITES = 25
_OUTSIDE = "outside MPI"
_IDLE = "in MPI, not running"
_FIXED_HUES = {_OUTSIDE: colour("grid"), _IDLE: colour("muted")}
_GROUPS: dict[str, tuple[Kind, ...]] = {
    "collectives": (Kind.COLLECTIVE,),
    "sends and receives": (Kind.SEND, Kind.RECEIVE, Kind.EXCHANGE, Kind.PROBE),
    "completion": (Kind.COMPLETION,),
    "one-sided": (Kind.ONE_SIDED,),
    "files": (Kind.FILE,),
    "other MPI": (Kind.OTHER,),
}


def share(shown: Sequence[Shown]) -> Part:
    """The share of communication, of each run and of each rank."""
    values = [
        {"run": run.name, "kind": kind, "value": value, "text": percent(value), "order": order}
        for run in shown
        for order, (kind, value) in enumerate(_shares(run).items())
    ]
    kinds = [_OUTSIDE, *_GROUPS, _IDLE]
    used = [kind for kind in kinds if any(v["kind"] == kind and v["value"] for v in values)]
    bars = chart(
        values,
        34 * len(shown),
        mark={"type": "bar", "height": {"band": 0.8}},
        encoding={
            "y": {
                "field": "run",
                "type": "nominal",
                "sort": [run.name for run in shown],
                "title": None,
                "axis": {"labelLimit": 240},
            },
            "x": {
                "field": "value",
                "type": "quantitative",
                "title": "share of the time of all ranks",
                "axis": PERCENT_AXIS,
                "scale": {"domain": [0, 1], "nice": False},
                "stack": "zero",
            },
            "order": {"field": "order", "type": "quantitative"},
            "color": _kind_hues(used),
            "tooltip": tooltips(run="run", kind="where", text="share"),
        },
    )
    by_rank = Drawing(
        "time-by-rank",
        "The same, rank by rank",
        "If a rank computes longer, the others wait for it inside MPI.",
        tuple(Panel(run.name, _by_rank(run)) for run in shown),
    )
    return Part(
        "share",
        "Share of communication",
        (
            Drawing(
                "share-of-time",
                "Time inside and outside MPI",
                "The time of all ranks together, from each rank's first MPI call to its last sign "
                "of life, without MPI_Init and MPI_Finalize."
                + (" Not running: another process had the core." if _IDLE in used else ""),
                (Panel("", bars),),
            ),
            by_rank,
        ),
        details=(
            Table(
                "Share of the time of all ranks",
                ("run",),
                tuple(used),
                tuple(
                    ((run.name,), plain(*(percent(shares[kind]) for kind in used)))
                    for run in shown
                    for shares in [_shares(run)]
                ),
            ),
            ranks_table("Time inside and outside MPI, by rank", by_rank),
        ),
    )


def _kind_hues(used: Sequence[str]) -> Specification:
    """The same colour for the same kind in both figures, whichever kinds are used."""
    hues = named_hues(used, "kind")
    inside = (colour(f"series-{number}") for number in range(len(used)))
    hues["scale"]["range"] = [_FIXED_HUES.get(kind) or next(inside) for kind in used]
    return hues


def _shares(each: Shown) -> dict[str, float]:
    """Parts of the time of all ranks; concurrent threads count at most once."""
    totals = each.totals
    program = max(1, int(totals.rank_program_ns.sum()))
    idle = int(totals.rank_idle_ns.sum()) / program
    functions = [f for f in totals.functions if f.name not in SETUP]
    whole = max(1, sum(f.time_ns for f in functions))
    parts = {_OUTSIDE: 1 - totals.share_of_communication}
    for name, kinds in _GROUPS.items():
        time_ns = sum(f.time_ns for f in functions if f.kind in kinds)
        parts[name] = (totals.share_of_communication - idle) * time_ns / whole
    return parts | {_IDLE: idle}


def _by_rank(each: Shown) -> Specification:
    totals, bins = each.totals, Bins.of(each.totals)
    inside, idle = totals.rank_inside_ns, totals.rank_idle_ns
    columns = {_OUTSIDE: totals.rank_program_ns - inside, "MPI": inside - idle}
    if idle.any():
        columns[_IDLE] = idle
    rows = []
    for order, (kind, column) in enumerate(columns.items()):
        for number, mean in enumerate(bins.means(column / 1e9)):
            rows.append(
                {
                    "bin": number,
                    "rank": bins.label(number),
                    "kind": kind,
                    "order": order,
                    "value": float(f"{mean:.5g}"),
                    "text": time_text(mean * 1e9),
                }
            )
    y = {"title": "time", "axis": TIME_AXIS}
    return stacked_ranks(rows, bins, 150, y, _kind_hues(tuple(columns)), kind="where", text="time")


def _seen(shown: Sequence[Shown], functions: Sequence[str], by_time: bool) -> list[str]:
    """The functions with a visible bar in any run."""
    shares = [_parts(run, by_time) for run in shown]
    return [name for name in functions if any(s.get(name, 0) >= _LEAST_SHARE for s in shares)]


def calls(shown: Sequence[Shown]) -> Part:
    """The call mix by count, and the time by call."""
    totals = [run.totals for run in shown]
    drawings = []
    for by_time, name, title, quantity in (
        (False, "call-mix", "Call mix", "share of calls that can communicate"),
        (True, "time-by-call", "Time by call", "share of the time inside MPI"),
    ):
        order = _seen(shown, same_functions(totals, _MOST_FUNCTIONS, by_time), by_time)
        values = [
            {"run": run.name, "name": name_, "value": value, "text": percent(value)}
            for run in shown
            for name_, value in _parts(run, by_time).items()
            if name_ in order
        ]
        described = (
            "Summed over ranks and threads. The table has functions of less than 0.1 % as well."
            if by_time
            else "The table also has functions of less than 0.1 %, and calls that only query the "
            "library, such as MPI_Comm_rank."
        )
        drawings.append(
            Drawing(
                name, title, described, (Panel("", grouped_bars(shown, values, order, quantity)),)
            )
        )
    return Part("calls", "Calls", tuple(drawings), details=(_functions_table(shown),))


def _parts(each: Shown, by_time: bool) -> dict[str, float]:
    functions = each.totals.functions if by_time else each.totals.mix
    whole = max(1, sum(f.time_ns if by_time else f.count for f in functions))
    return {f.name: (f.time_ns if by_time else f.count) / whole for f in functions}


def _functions_table(shown: Sequence[Shown]) -> Table:
    names = same_functions([run.totals for run in shown], 10_000, by_time=True)
    known = [{f.name: f for f in run.totals.functions} for run in shown]
    rows = []
    for name in names:
        for run, functions in zip(shown, known, strict=True):
            if function := functions.get(name):
                share_ = (
                    ""
                    if name in SETUP
                    else percent(function.time_ns / max(1, run.totals.inside_ns))
                )
                rows.append(
                    (
                        (f"MPI_{name}", run.name),
                        plain(
                            count_text(function.count),
                            time_text(function.time_ns),
                            share_,
                            time_text(function.time_ns / max(1, function.count)),
                            bytes_text(function.bytes),
                        ),
                    )
                )
    heads = ("calls", "time", "of MPI time", "time per call", "bytes sent")
    return Table("Every function", ("function", "run"), heads, tuple(rows))


def places(shown: Sequence[Shown]) -> Part:
    """The most expensive call sites."""
    tables = []
    for run in shown:
        totals = run.totals
        costliest = totals.program_sites
        rows = tuple(
            (
                (site.function, totals.site_text(site.site)),
                plain(
                    count_text(site.count),
                    time_text(site.time_ns),
                    percent(site.time_ns / max(1, totals.inside_ns)),
                    bytes_text(site.bytes),
                    f"{site.slowest_rank}: {time_text(site.slowest_ns)}",
                ),
            )
            for site in costliest[:_MOST_SITES]
        )
        heads = ("calls", "time", "of MPI time", "bytes sent", "slowest rank")
        which = f"the {len(rows)} costliest of {count_text(len(costliest))}"
        caption = f"{run.name}: {which}"
        tables.append(Table(caption, ("function", "called at"), heads, rows))
    note = (
        "A call site is file:line if the program has debug data (compile with -g), otherwise the "
        "program's file and the offset in it; in Python programs the line that called mpi4py."
    )
    return Part(
        "places",
        "Call sites",
        tables=(tables[0],),
        details=tuple(tables[1:]),
        notes=(note,),
    )
