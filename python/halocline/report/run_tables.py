"""The status of every case, what went wrong, and each library's launches."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from halocline.base.quantities import MB_S, Unit, significant, size_label, time_text
from halocline.base.units import enumerated
from halocline.report.cells import NOTHING, Cell, Table, cell, unit_of
from halocline.report.entries import Entry, every_case, library_name, ordered, varying
from halocline.specification.cases import AxisValue
from halocline.summary.metrics import Metric
from halocline.summary.ratios import target
from halocline.summary.summary import CaseSummary, Library, Summary

MOST_NAMED = 8  # protocols in one row
DISTURBED_SHARE = 0.1  # of the batches preempted: above this, measured cases are reported too
_DISTURBED = f"more than {100 * DISTURBED_SHARE:.0f} % of the batches were preempted and left out"
_WIDE = "the 95 % interval is wider than the time itself"
_NAMELESS = ("grid", "layouts", "near", "memory")  # whose values are self-explanatory
_NUMBER = re.compile(r"0x[0-9a-f]+|\d+(?:\.\d+)?")


def all_cases(summaries: Sequence[Summary]) -> Table:
    """Every case of every run."""
    cases = every_case(summaries)
    unit = unit_of(entry for entry in cases if entry.measured)
    rows = tuple(
        ((entry.series, entry.workload, axes_text(entry.summary)), _case_cells(entry, unit))
        for entry in cases
    )
    heads = (f"time, {unit.name}", "minimum", "bandwidth", "launches", "samples", "preempted")
    return Table("Every case", ("library", "workload", "case"), (*heads, "status"), rows)


def axes_text(summarised: CaseSummary, shown: Container[str] | None = None) -> str:
    """The case's axes as text: `send_recv, 4 KiB`; all of them, or those shown."""
    axes = {name: value for name, value in summarised.case.axes if shown is None or name in shown}
    words = [str(axes.pop("protocol"))] if "protocol" in axes else []
    size = axes.pop("bytes", None)
    words += [size_label(int(size))] if size is not None else []
    words += [str(axes.pop(name)) for name in _NAMELESS if name in axes]
    return ", ".join([*words, *(f"{name}={value}" for name, value in axes.items())])


def _case_cells(entry: Entry, unit: Unit) -> tuple[Cell, ...]:
    case = entry.summary
    preempted = Cell(f"{100 * case.preempted_share:.1f} %")
    if not entry.measured:
        return (*(Cell(NOTHING),) * 5, preempted, Cell(case.status, note=case.reason))
    time, rate = entry.time, entry.metric("bandwidth")
    rate_cell = Cell(significant(rate.median / MB_S.factor) + " MB/s") if rate else Cell(NOTHING)
    notes = (case.reason, _WIDE if time.wide else "", modes_text(time))
    status = Cell(case.status, note="; ".join(filter(None, notes)))
    return (
        cell(time, unit),
        Cell(significant(time.minimum / unit.factor)),
        rate_cell,
        Cell(str(time.launches)),
        Cell(str(time.samples)),
        preempted,
        status,
    )


def modes_text(time: Metric) -> str:
    """`two modes: 0.1212 µs (70 %) and 0.1501 µs (30 %)`; empty for one."""
    if len(time.modes) < 2:
        return ""
    many = {2: "two", 3: "three"}.get(len(time.modes), str(len(time.modes)))
    modes = [f"{time_text(mode.value)} ({100 * mode.share:.0f} %)" for mode in time.modes]
    return f"{many} modes: {' and '.join(modes)}"


@dataclass(frozen=True)
class Trouble:
    """Cases that share a status and, except for its numbers, a reason."""

    library: str
    status: str
    reason: str
    count: int
    cases: str


def troubles(summaries: Sequence[Summary]) -> tuple[Trouble, ...]:
    """Cases refused, failed, skipped, partial, disturbed, or with two modes, and why."""
    cases = every_case(summaries)
    groups: dict[tuple[str, str, str], list[tuple[CaseSummary, str]]] = defaultdict(list)
    for entry in cases:
        for status, reason in _troubles_of(entry.summary):
            kind = "" if status == "two modes" else _NUMBER.sub("#", reason)
            groups[entry.library, status, kind].append((entry.summary, reason))
    shown = _varying(entry.summary for entry in cases)
    order = (
        *("failed", "refused", "partial", "inconclusive", "disturbed", "two modes"),
        *("left out", "skipped"),
    )
    return tuple(
        Trouble(
            library, status, _reason(alike), len(alike), _which([case for case, _ in alike], shown)
        )
        for (library, status, _), alike in sorted(
            groups.items(), key=lambda item: order.index(item[0][1])
        )
    )


def troubles_text(listed: Sequence[Trouble]) -> str:
    """`Cases: 3 failed, 12 refused.`"""
    counts: dict[str, int] = defaultdict(int)
    for trouble in listed:
        counts[trouble.status] += trouble.count
    return f"Cases: {', '.join(f'{count} {status}' for status, count in counts.items())}."


def _troubles_of(case: CaseSummary) -> Iterator[tuple[str, str]]:
    """What is wrong with one case, each with the reason."""
    time = case.metric("time")
    if case.status != "measured":
        yield "left out" if case.left_out else case.status, case.reason
        return
    if case.reason:
        yield "partial", case.reason.removeprefix("partial: ")
    if case.preempted_share > DISTURBED_SHARE:
        yield "disturbed", _DISTURBED
    if time and time.wide:
        yield "inconclusive", _WIDE
    if time and len(time.modes) > 1:
        yield "two modes", modes_text(time)


def _reason(cases: Sequence[tuple[CaseSummary, str]]) -> str:
    """The first reason; the others differ only in their numbers."""
    several = len({reason for _, reason in cases}) > 1
    return cases[0][1] + ("; the numbers vary between these cases" if several else "")


def _varying(cases: Iterable[CaseSummary]) -> Mapping[str, Container[str]]:
    """The axes of each workload with several values, and always protocol and size."""
    axes: dict[str, list[dict[str, AxisValue]]] = defaultdict(list)
    for case in cases:
        axes[case.case.workload].append(dict(case.case.axes))
    return {name: {"protocol", "bytes", *varying(of, ())} for name, of in axes.items()}


def _which(cases: Sequence[CaseSummary], shown: Mapping[str, Container[str]]) -> str:
    if len(cases) <= 3:
        names = (
            f"{case.case.workload} {axes_text(case, shown[case.case.workload])}" for case in cases
        )
        return "; ".join(map(str.rstrip, names))
    protocols = ordered(str(dict(case.case.axes).get("protocol", "")) for case in cases)
    workloads = ordered(case.case.workload for case in cases)
    named = tuple(filter(None, protocols))
    more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    over = f": {', '.join(named[:MOST_NAMED])}{more}" if named else ""
    return f"{enumerated(workloads)}{over}"


@dataclass(frozen=True)
class LibraryFacts:
    """One library's launches, and how many succeeded."""

    run: str
    label: str
    name: str
    version: str
    facts: tuple[tuple[str, str], ...]


def libraries(summaries: Sequence[Summary]) -> tuple[LibraryFacts, ...]:
    """One entry per library and run."""
    return tuple(
        LibraryFacts(
            run=summary.name,
            label=label,
            name=library_name(label, library.library_version),
            version=library.library_version,
            facts=_facts(summary, label),
        )
        for summary in summaries
        for label, library in summary.libraries.items()
    )


def _clock(library: Library) -> str:
    if not library.clock:  # no launch began
        return "-"
    return f"{library.clock}, {time_text(library.clock_cost_s)} a reading"


def _facts(summary: Summary, label: str) -> tuple[tuple[str, str], ...]:
    library = summary.libraries[label]
    cases = [case for case in summary.cases if case.case.label == label]
    times = [time for case in cases if (time := case.metric("time"))]
    exact = sum(
        time.half_width_relative is not None and time.half_width_relative <= summary.half_width
        for time in times
    )
    shares = [case.preempted_share for case in cases if case.timed]
    displaced = [case.displaced_share for case in cases if case.timed]
    mean = 100 * sum(shares) / max(len(shares), 1)
    return (
        ("launches completed", str(library.launches)),
        ("cases", f"{len(times)} measured of {len(cases)}"),
        (f"known to {target(summary.half_width)}", f"{exact} of {len(times)}"),
        ("batches used", str(sum(time.samples for time in times))),
        (
            "batches preempted",
            f"{mean:.1f} %, at most {100 * max(shares, default=0):.0f} %",
        ),
        ("cache line between the cores", time_text(library.line_s) if library.line_s else "-"),
        (
            "launches on other cores",
            f"{100 * sum(displaced) / max(len(displaced), 1):.1f} %, left out",
        ),
        ("library file", library.library_path),
        ("MPI standard", library.standard + (f", ABI {library.abi}" if library.abi else "")),
        ("clock", _clock(library)),
        ("compiler", f"{library.compiler} {library.flags}"),
        ("hosts", ", ".join(ordered((*library.hosts, *library.other_hosts)))),
        ("cores", " | ".join(library.cpus)),
    )
