"""Core and memory performance without messages: the section on the kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from halocline.base.quantities import (
    GFLOPS,
    MB_S,
    Unit,
    in_unit,
    rate_text,
    size_label,
)
from halocline.report.cells import Rows, Table, cell, ratio_cell
from halocline.report.entries import Entry, Ratio, entries, over, varying
from halocline.report.section import Section, ratio_text
from halocline.summary.bounds import COPY, DGEMM, MULTIPLY_ADD, TRIAD
from halocline.summary.ratios import plus_minus
from halocline.summary.summary import Summary

_ARITHMETIC = (DGEMM, MULTIPLY_ADD)
_HEADS = ("one rank", "all at once", "all / one")

Key = tuple[str, ...]


def kernels(summaries: Sequence[Summary]) -> Section | None:
    """Each kernel on one rank alone, and on all at once."""
    cases = entries(summaries, (COPY, TRIAD, *_ARITHMETIC))
    if not cases:
        return None
    rates = [entry for entry in cases if entry.workload in _ARITHMETIC]
    memory = [entry for entry in cases if entry.workload not in _ARITHMETIC]
    tables = (
        _table(
            "Arithmetic: the rate of one rank in Gflop/s",
            ("library", "kernel"),
            rates,
            _of_matrix(rates),
            ("rate", GFLOPS),
        ),
        _table(
            "Memory: the bandwidth of one rank in MB/s; triad counts three times the bytes",
            ("library", "kernel", "stores", "bytes"),
            memory,
            _array,
            ("bandwidth", MB_S),
        ),
    )
    return Section(
        name="kernels",
        title="Bounds: cores and memory",
        sentences=(*_rates(rates), *_memory(memory)),
        tables=tuple(table for table in tables if table.rows),
    )


def _of_matrix(cases: Sequence[Entry]) -> Callable[[Entry], Key]:
    """The key of a case of arithmetic."""
    several = "operations" in varying([entry.axes for entry in cases], ())

    def key(entry: Entry) -> Key:
        if entry.workload == DGEMM:
            return entry.series, f"dgemm, n = {entry.number('n')}"
        count = f", {entry.number('operations'):,} operations" if several else ""
        return entry.series, f"multiply-adds in registers{count}"

    return key


def _array(entry: Entry) -> Key:
    stores = entry.word("stores")
    return entry.series, entry.workload, stores, size_label(entry.number("bytes"))


def _by_key(cases: Sequence[Entry], key: Callable[[Entry], Key]) -> dict[Key, dict[str, Entry]]:
    """The cases of one rank and of all, next to each other."""
    groups: dict[Key, dict[str, Entry]] = {}
    for entry in cases:
        groups.setdefault(key(entry), {})[entry.word("active")] = entry
    return groups


def _table(
    caption: str,
    key_heads: Key,
    cases: Sequence[Entry],
    key: Callable[[Entry], Key],
    what: tuple[str, Unit],
) -> Table:
    name, unit = what
    rows: Rows = []
    for keys, group in _by_key(cases, key).items():
        alone, every = (
            entry.metric(name) if (entry := group.get(active)) else None
            for active in ("one", "all")
        )
        ratio = over(every, alone) if every and alone else None
        rows.append((keys, (cell(alone, unit), cell(every, unit), ratio_cell(ratio))))
    return Table(f"{caption}, median and 95 % interval", key_heads, _HEADS, tuple(rows))


def _rates(cases: Sequence[Entry]) -> Iterator[str]:
    """The largest matrix, on one core and on all."""
    largest = max((entry.number("n") for entry in cases), default=0)
    for (series, matrix), group in _by_key(cases, _of_matrix(cases)).items():
        if matrix != f"dgemm, n = {largest}" or "one" not in group:
            continue
        alone = group["one"].metric("rate")
        every = group["all"].metric("rate") if "all" in group else None
        if alone is None:
            continue
        rate = f"{in_unit(alone.median, GFLOPS)} {plus_minus(alone.half_width_relative)}"
        text = f"{series}: one rank multiplies matrices (n = {largest}) at {rate}"
        if every:
            text += f"; with all at once each has {_times(over(every, alone))}"
        yield text + "."
        return  # the kernels do not communicate: one library stands for all


def _times(ratio: Ratio) -> str:
    text = f"{ratio_text(ratio)} times that"
    return text + ("" if ratio.apart or ratio.low is None else ", which is inconclusive")


def _memory(cases: Sequence[Entry]) -> Iterator[str]:
    """Each rank's rate for the largest array when all copy at once."""
    copies = [entry for entry in cases if entry.workload == COPY]
    largest = size_label(max((entry.number("bytes") for entry in copies), default=0))
    for (series, _, stores, size), group in _by_key(copies, _array).items():
        alone = group["one"].metric("bandwidth") if "one" in group else None
        every = group["all"].metric("bandwidth") if "all" in group else None
        if size != largest or stores == "streaming" or alone is None or every is None:
            continue
        yield (
            f"{series}: one rank copies {size} at {rate_text(alone.median)} "
            f"{plus_minus(alone.half_width_relative)}; with all at once each has "
            f"{_times(over(every, alone))}."
        )
        return
