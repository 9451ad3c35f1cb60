"""Activity over time: waiting, files, memory; and scaling with the number of ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from halocline.profile.report.parts import (
    BYTES_AXIS,
    PERCENT_AXIS,
    RATE_AXIS,
    TIME_AXIS,
    Bins,
    Drawing,
    Panel,
    Part,
    Shown,
    Specification,
    chart,
    named_hues,
    plain,
    ranks_table,
    stacked_ranks,
    tooltips,
)
from halocline.profile.text import bytes_text, count_text, percent, rate_text, time_text
from halocline.profile.waiting import waiting
from halocline.report.cells import Table
from halocline.report.palette import colour

_MOST_PLACES = 15
_MOST_FILES = 20
_MOST_POINTS = 200
_WAITING = ("waiting for ranks", "transferring")


def balance(shown: Sequence[Shown]) -> Part | None:
    """Load imbalance: waiting against transferring in collectives."""
    panels, rows = [], []
    for run in shown:
        shares = waiting(run.profile)
        if shares is None:
            continue
        bins = Bins.of(run.totals)
        values = [
            {
                "bin": number,
                "rank": bins.label(number),
                "kind": kind,
                "order": order,
                "value": float(f"{mean:.5g}"),
                "text": time_text(mean * 1e9),
            }
            for order, (kind, column) in enumerate(
                zip(_WAITING, (shares.rank_waiting_ns, shares.rank_transferring_ns), strict=True)
            )
            for number, mean in enumerate(bins.means(column / 1e9))
        ]
        y = {"title": "time", "axis": TIME_AXIS}
        colours = named_hues(_WAITING, "kind")
        drawn = stacked_ranks(values, bins, 150, y, colours, kind="what", text="time")
        panels.append(Panel(run.name, drawn))
        for site in shares.sites[:_MOST_PLACES]:
            whole = max(1, site.waiting_ns + site.transferring_ns)
            rows.append(
                (
                    (run.name, site.function, run.totals.site_text(site.site)),
                    plain(
                        count_text(site.collectives),
                        time_text(site.waiting_ns),
                        time_text(site.transferring_ns),
                        percent(site.waiting_ns / whole),
                        f"{site.last_rank}: {percent(site.last_share)}",
                        time_text(site.latest_ns),
                    ),
                )
            )
    if not panels:
        return None
    heads = ("recorded", "waiting", "transferring", "waiting share", "usually last", "lateness")
    table = Table(
        "Collectives by the call site of the last rank; recorded are those whose "
        "arrivals are known at all ranks, of many a half, a quarter, an eighth …",
        ("run", "function", "called at"),
        heads,
        tuple(rows),
    )
    drawing = Drawing(
        "waiting-by-rank",
        "Waiting and transferring in collectives",
        "Waiting ends when all have arrived that a rank needs: the last rank, but in a broadcast "
        "or scatter the root; in a gather or reduction the root alone waits. A rank that hardly "
        "waits is the one the others wait for.",
        tuple(panels),
    )
    by_rank = ranks_table(f"{drawing.title}, by rank", drawing)
    return Part("balance", "Load imbalance", (drawing,), (table,), (by_rank,))


def files(shown: Sequence[Shown]) -> Part | None:
    """Input and output over time, and by file."""
    having = [run for run in shown if run.totals.input_output.bins]
    if not having:
        return None
    rows = []
    for run in having:
        moved = run.totals.input_output
        for file, read, written, count in moved.by_file()[:_MOST_FILES]:
            cells = plain(bytes_text(read), bytes_text(written), count_text(count))
            rows.append(((run.name, run.profile.files[file]), cells))
    drawing = Drawing(
        "files-over-time",
        "Files over time",
        "Bytes written and read per second, over all ranks.",
        tuple(Panel(run.name, _rates(run)) for run in having if _moved(run)),
    )
    table = Table("By file", ("run", "file"), ("read", "written", "calls"), tuple(rows))
    totals = Table(
        "In all",
        ("run",),
        ("read", "written", "peak write rate", "time in calls, all ranks"),
        tuple(
            (
                (run.name,),
                plain(
                    bytes_text(run.totals.input_output.total_bytes("read")),
                    bytes_text(run.totals.input_output.total_bytes("write")),
                    rate_text(_highest(run)),
                    time_text(run.totals.input_output.time_ns()),
                ),
            )
            for run in having
        ),
    )
    drawings = (drawing,) if drawing.panels else ()
    return Part("files", "Files", drawings, (totals,), (table,))


def _moved(each: Shown) -> int:
    """0 if the program only opened or inspected files: no rates to draw."""
    moved = each.totals.input_output
    return moved.total_bytes("read") + moved.total_bytes("write")


def _highest(each: Shown) -> float:
    return float(each.totals.input_output.over_time("write", _MOST_POINTS)[1].max(initial=0))


def _rates(each: Shown) -> Specification:
    values = []
    end_s = each.totals.wall_ns / 1e9
    for operation, kind in (("write", "written"), ("read", "read")):
        begins_s, rates = each.totals.input_output.over_time(operation, _MOST_POINTS)
        step_s = each.totals.input_output.step_s(_MOST_POINTS)
        values += [
            {
                "from": round(float(begin_s), 6),
                "to": round(float(begin_s) + step_s, 6),
                "kind": kind,
                "value": round(float(rate)),
                "text": rate_text(float(rate)),
                "at": time_text(float(begin_s) * 1e9),
            }
            for begin_s, rate in zip(begins_s, rates, strict=True)
            if rate > 0
        ]
    return chart(
        values,
        150,
        mark={"type": "rect", "opacity": 0.75},
        encoding={
            "x": {
                "field": "from",
                "type": "quantitative",
                "title": "time since the first rank started",
                "axis": TIME_AXIS | {"grid": False},
                "scale": {"domain": [0, end_s], "nice": False},
            },
            "x2": {"field": "to"},
            "y": {
                "field": "value",
                "type": "quantitative",
                "title": "rate",
                "axis": RATE_AXIS,
                "scale": {"zero": True},
            },
            "y2": {"datum": 0},
            "color": named_hues(("written", "read"), "kind"),
            "tooltip": tooltips(at="from", kind="what", text="rate"),
        },
    )


def memory(shown: Sequence[Shown]) -> Part | None:
    """Memory over time, and the peak per rank."""
    if not any(rank.peak_memory_bytes for run in shown for rank in run.profile.ranks):
        return None
    rows = []
    for run in shown:
        peaks = np.array([rank.peak_memory_bytes for rank in run.profile.ranks], np.float64)
        most = run.profile.ranks[int(peaks.argmax())].rank
        texts = (bytes_text(peaks.sum()), bytes_text(peaks.mean()))
        rows.append(((run.name,), plain(*texts, f"{bytes_text(peaks.max())} (rank {most})")))
    heads = ("all ranks", "mean", "maximum per rank")
    table = Table("Peak memory of the ranks", ("run",), heads, tuple(rows))
    panels = [Panel(run.name, _memory_lines(run)) for run in shown if len(run.profile.memory)]
    drawing = Drawing(
        "memory-over-time",
        "Memory over time",
        "Resident memory: the mean and the maximum over all ranks.",
        tuple(panels),
    )
    return Part("memory", "Memory", (drawing,) if panels else (), (table,))


def _memory_lines(each: Shown) -> Specification:
    table = each.profile.memory
    width_ns = max(1, int(table.t_ns.max()) // _MOST_POINTS + 1)
    places = table.t_ns // width_ns
    values = []
    for place in np.unique(places):
        resident = table.resident_bytes[places == place]
        for kind, value in (("most", resident.max()), ("mean", resident.mean())):
            at_s = float(place * width_ns / 1e9)
            values.append(
                {"at": at_s, "kind": kind, "value": float(value), "text": bytes_text(float(value))}
            )
    return chart(
        values,
        140,
        mark={"type": "line", "strokeWidth": 1.5, "point": {"size": 18}},
        encoding={
            "x": {
                "field": "at",
                "type": "quantitative",
                "title": "time since the first rank started",
                "axis": TIME_AXIS | {"grid": False},
            },
            "y": {
                "field": "value",
                "type": "quantitative",
                "title": "resident",
                "axis": BYTES_AXIS,
            },
            "color": named_hues(("most", "mean"), "kind"),
            "tooltip": tooltips(kind="what", text="memory"),
        },
    )


def regions(shown: Sequence[Shown]) -> Part | None:
    """Regions named by the program."""
    rows = []
    for run in shown:
        table = run.profile.regions
        for number in np.unique(table.region):
            of_region = table.where(table.region == number)
            time_ns, mpi_ns = int(of_region.time_ns.sum()), int(of_region.mpi_ns.sum())
            slowest = int(of_region.time_ns.argmax())
            cells = plain(
                count_text(int(of_region.count.sum())),
                time_text(time_ns),
                percent(mpi_ns / max(1, time_ns)),
                f"{of_region.rank[slowest]}: {time_text(int(of_region.time_ns[slowest]))}",
                bytes_text(int(of_region.bytes.sum())),
            )
            rows.append(((run.profile.region_names[number], run.name), cells))
    if not rows:
        return None
    heads = ("entered", "time, all ranks", "of it MPI", "slowest rank", "bytes sent")
    table_ = Table("Regions", ("region", "run"), heads, tuple(rows))
    return Part("regions", "Regions", tables=(table_,))


def scaling(shown: Sequence[Shown]) -> Part | None:
    """Scaling with the number of ranks, if it differs between profiles."""
    if len({run.totals.size for run in shown}) < 2:
        return None
    ordered = sorted(shown, key=lambda each: each.totals.size)
    first = ordered[0].totals
    times, data, shares = [], [], []
    for run in ordered:
        totals = run.totals
        mpi_ns = float(totals.rank_inside_ns.mean())
        outside_ns = float(totals.rank_program_ns.mean()) - mpi_ns
        ideal_ns = first.wall_ns * first.size / totals.size
        for kind, value in (
            ("the run", float(totals.wall_ns)),
            ("outside MPI, a rank", outside_ns),
            ("MPI, a rank", mpi_ns),
            ("ideal", ideal_ns),
        ):
            times.append(_point(totals.size, kind, value / 1e9, time_text(value)))
        for kind, moved in (
            ("all ranks", totals.bytes),
            ("per rank, on average", totals.bytes / totals.size),
        ):
            data.append(_point(totals.size, kind, float(moved), bytes_text(moved)))
        share = totals.share_of_communication
        shares.append(_point(totals.size, "MPI", share, percent(share)))
    sizes = sorted({run.totals.size for run in shown})
    columns = {
        "share of communication": [point["text"] for point in shares],
        **{
            f"{name}, {kind}": [point["text"] for point in points if point["kind"] == kind]
            for name, points in (("bytes", data), ("time", times))
            for kind in dict.fromkeys(point["kind"] for point in points)
        },
    }
    rows = tuple(
        ((run.name,), plain(*texts)) for run, *texts in zip(ordered, *columns.values(), strict=True)
    )
    return Part(
        "scaling",
        "With the number of ranks",
        (
            Drawing(
                "share-against-ranks",
                "Share of communication",
                "Time inside MPI over the time of all ranks.",
                (Panel("", _lines(shares, sizes, "share", PERCENT_AXIS, logarithmic=False)),),
            ),
            Drawing(
                "data-against-ranks",
                "Data moved",
                "Bytes sent by all ranks, and per rank.",
                (Panel("", _lines(data, sizes, "bytes sent", BYTES_AXIS, logarithmic=True)),),
            ),
            Drawing(
                "time-against-ranks",
                "Time",
                "Ideal: the time with the fewest ranks, divided evenly.",
                (Panel("", _lines(times, sizes, "time", TIME_AXIS, logarithmic=True)),),
            ),
        ),
        details=(Table("With the number of ranks", ("run",), tuple(columns), rows),),
        abreast=True,
    )


def _point(ranks: int, kind: str, value: float, text: str) -> Specification:
    return {"ranks": ranks, "kind": kind, "value": value, "text": text}


def _ticks(values: Sequence[float]) -> list[float]:
    """For a logarithmic axis: 1, 2 and 5 of each decade; for many decades only the powers."""
    if not values:
        return []
    low, high = min(values) / 1.5, max(values) * 1.5
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    digits = (1, 2, 5) if len(exponents) < 5 else (1,)
    ticks = [float(f"{digit}e{exponent}") for exponent in exponents for digit in digits]
    return [tick for tick in ticks if low <= tick <= high]


def _lines(
    values: Sequence[Specification],
    sizes: Sequence[int],
    title: str,
    axis: Specification,
    *,
    logarithmic: bool,
) -> Specification:
    kinds = list(dict.fromkeys(value["kind"] for value in values))
    drawn = [value for value in values if value["value"] > 0] if logarithmic else list(values)
    colours = named_hues(kinds, "kind")
    if colours["legend"]:
        colours["legend"] |= {"columns": 2}
    if "ideal" in kinds:
        colours["scale"]["range"][kinds.index("ideal")] = colour("muted")
    scale = {"type": "log", "nice": False, "padding": 12} if logarithmic else {"domainMin": 0}
    if logarithmic:
        axis = axis | {"values": _ticks([value["value"] for value in drawn])}
    return chart(
        drawn,
        200,
        encoding={
            "x": {
                "field": "ranks",
                "type": "quantitative",
                "title": "ranks",
                "scale": {"type": "log", "base": 2, "nice": False, "padding": 14},
                "axis": {"values": list(sizes), "grid": False, "format": "d"},
            },
            "y": {
                "field": "value",
                "type": "quantitative",
                "title": title,
                "axis": axis,
                "scale": scale,
            },
            "color": colours,
            "tooltip": tooltips(ranks="ranks", kind="what", text="value"),
        },
        layer=[
            {"mark": {"type": "line", "strokeWidth": 1.5}},
            {"mark": {"type": "point", "filled": True, "size": 50, "opacity": 1}},
        ],
    )
