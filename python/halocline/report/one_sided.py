"""Put and get, against each other and against send: a section."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from halocline.base.quantities import size_label
from halocline.report.cells import Rows, Table, ratio_cell, time_cell, unit_of
from halocline.report.entries import ONE_WAY, Entry, entries, over
from halocline.report.lines import lines
from halocline.report.rows import dot
from halocline.report.section import Section, joined, ratio_text
from halocline.summary.summary import Summary

PUT, GET, SEND = "put", "get", "send_recv"
Groups = dict[tuple[str, str, int], dict[str, Entry]]  # by series, synchronisation, size


def one_sided(summaries: Sequence[Summary]) -> Section | None:
    """By series and synchronisation: put, get, and send_recv's ping-pong for comparison."""
    cases = entries(summaries, (PUT, GET, ONE_WAY))
    groups: Groups = {}
    for entry in cases:
        if entry.workload != ONE_WAY:
            key = (entry.series, entry.word("synchronisation"), entry.number("bytes"))
            groups.setdefault(key, {})[entry.workload] = entry
    if not groups:
        return None
    ways = _keys(groups)
    for entry in cases:
        if entry.word("protocol") == SEND:
            for series, way in ways:
                key = (series, way, entry.number("bytes"))
                if series == entry.series and key in groups:
                    groups[key][SEND] = entry
    dots = [
        dot(f"{way}: {series}", name, size, group[name].time)
        for (series, way, size), group in groups.items()
        for name in (PUT, GET, SEND)
        if name in group
    ]
    return Section(
        name="one-sided",
        title="Put and get",
        sentences=joined(list(_sentences(groups))),
        charts=(
            lines(
                "one-sided-time",
                "Time of put and get, including completion",
                "One panel per completion and library; send_recv is half of a round "
                "trip of the ping-pong, at the same sizes.",
                dots,
                "time",
            ),
        ),
        details=(_table(groups),),
    )


def _keys(groups: Groups) -> list[tuple[str, str]]:
    """Series and synchronisation, each pair once."""
    return list(dict.fromkeys((series, way) for series, way, _ in groups))


def _table(groups: Groups) -> Table:
    unit = unit_of(entry for group in groups.values() for entry in group.values())
    rows: Rows = []
    for (series, way, size), group in groups.items():
        put, get, send = (group.get(name) for name in (PUT, GET, SEND))
        cells = (
            time_cell(put, unit),
            time_cell(get, unit),
            ratio_cell(over(get.time, put.time) if get and put else None),
            time_cell(send, unit),
            ratio_cell(over(put.time, send.time) if put and send else None),
        )
        rows.append(((series, way, size_label(size)), cells))
    heads = (PUT, GET, "get / put", SEND, "put / send")
    caption = f"Put, get and send: time in {unit.name}, median and 95 % interval"
    return Table(caption, ("library", "completion", "size"), heads, tuple(rows))


def _sentences(groups: Groups) -> Iterator[str]:
    """For each series and completion: get against put, at the smallest size and the largest."""
    for series, way in _keys(groups):
        both = {
            size: group
            for (of, by, size), group in groups.items()
            if (of, by) == (series, way) and {PUT, GET} <= group.keys()
        }
        ends = [f"at {size_label(size)} {_against(both[size])}" for size in _ends(both)]
        if ends:
            yield f"{series}, {way}: {'; '.join(ends)}."


def _ends(groups: dict[int, dict[str, Entry]]) -> list[int]:
    """The smallest size with bytes and the largest."""
    sizes = sorted(size for size in groups if size) or sorted(groups)
    return sorted({sizes[0], sizes[-1]}) if sizes else []


def _against(group: dict[str, Entry]) -> str:
    """Get against put."""
    ratio = over(group[GET].time, group[PUT].time)
    text = ratio_text(ratio)
    if ratio.apart:
        return f"get takes {text} times as long as put"
    if ratio.low is None or ratio.wide:
        return f"it is unknown whether get or put is faster, get / put {text}"
    return f"get and put are equal within errors, get / put {text}"
