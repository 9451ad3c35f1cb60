"""What became of every case, what went wrong, and what each library's launches were."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from halocline.metrics import Metric
from halocline.report.points import library_name, ordered
from halocline.report.tables import MB_S, NOTHING, Cell, Table, cell
from halocline.report.text import Unit, significant, size_label, target, time_text, time_unit
from halocline.summary import CaseSummary, Summary

DISTURBED_SHARE = 0.1  # of the batches preempted: more is told of measured cases too
_DISTURBED = f"more than {100 * DISTURBED_SHARE:.0f} % of the batches were preempted and left out"


def all_cases(summaries: Sequence[Summary]) -> Table:
    """Every case of every run."""
    times = [t.median for s in summaries for case in s.cases if (t := case.metric("time"))]
    unit = time_unit(times)
    rows = tuple(
        (_case_key(summary, case, len(summaries) > 1), _case_cells(case, unit))
        for summary in summaries
        for case in summary.cases
    )
    heads = (f"time, {unit.name}", "minimum", "bandwidth", "launches", "samples", "preempted")
    return Table("Every case", ("library", "workload", "case"), (*heads, "status"), rows)


def _case_key(summary: Summary, summarised: CaseSummary, several: bool) -> tuple[str, ...]:
    case = summarised.case
    return _library(summary, case.mpi, several), case.workload, axes_text(summarised)


def _library(summary: Summary, label: str, several: bool) -> str:
    known = summary.libraries.get(label)
    name = library_name(label, known.library_version if known else "")
    return f"{name} ({summary.path.name})" if several else name


def axes_text(summarised: CaseSummary) -> str:
    """The case's axes as people read them: `send_recv, 4 KiB`."""
    axes = dict(summarised.case.axes)
    words = [str(axes.pop("protocol"))] if "protocol" in axes else []
    size = axes.pop("bytes", None)
    words += [size_label(int(size))] if size is not None else []
    return ", ".join([*words, *(f"{name}={value}" for name, value in axes.items())])


def _case_cells(case: CaseSummary, unit: Unit) -> tuple[Cell, ...]:
    time, rate = case.metric("time"), case.metric("bandwidth")
    preempted = Cell(f"{100 * case.preempted_share:.1f} %")
    if time is None:
        return (*(Cell(NOTHING),) * 5, preempted, Cell(case.status, note=case.reason))
    rate_cell = Cell(significant(rate.median / MB_S.factor) + " MB/s") if rate else Cell(NOTHING)
    status = Cell(case.status, note="; ".join(filter(None, (case.reason, modes_text(time)))))
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
    each = [f"{time_text(mode.value)} ({100 * mode.share:.0f} %)" for mode in time.modes]
    return f"{many} modes: {' and '.join(each)}"


@dataclass(frozen=True)
class Trouble:
    """Cases that share a status and a reason."""

    library: str
    status: str
    reason: str
    count: int
    cases: str


def troubles(summaries: Sequence[Summary]) -> tuple[Trouble, ...]:
    """What was refused, failed or skipped, is partial, disturbed, or has two modes, and why."""
    groups: dict[tuple[str, str, str], list[CaseSummary]] = defaultdict(list)
    for summary in summaries:
        for case in summary.cases:
            time = case.metric("time")
            library = _library(summary, case.case.mpi, len(summaries) > 1)
            if case.status != "measured":
                groups[library, case.status, case.reason].append(case)
            elif case.reason:
                groups[library, "partial", case.reason.removeprefix("partial: ")].append(case)
            if case.status == "measured" and case.preempted_share > DISTURBED_SHARE:
                groups[library, "disturbed", _DISTURBED].append(case)
            if time and len(time.modes) > 1:
                groups[library, "two modes", modes_text(time)].append(case)
    order = ("failed", "refused", "partial", "disturbed", "two modes", "skipped")
    return tuple(
        Trouble(library, status, reason, len(cases), _which(cases))
        for (library, status, reason), cases in sorted(
            groups.items(), key=lambda item: order.index(item[0][1])
        )
    )


def _which(cases: Sequence[CaseSummary]) -> str:
    if len(cases) <= 3:
        return "; ".join(f"{case.case.workload} {axes_text(case)}" for case in cases)
    protocols = ordered(str(dict(case.case.axes).get("protocol", "")) for case in cases)
    workloads = ordered(case.case.workload for case in cases)
    return f"{' and '.join(workloads)}: {', '.join(filter(None, protocols))}"


@dataclass(frozen=True)
class LibraryFacts:
    """What one library's launches were, and how well they went."""

    run: str
    label: str
    name: str
    version: str
    facts: tuple[tuple[str, str], ...]


def libraries(summaries: Sequence[Summary]) -> tuple[LibraryFacts, ...]:
    """One entry a library and run."""
    return tuple(
        LibraryFacts(
            run=summary.path.name,
            label=label,
            name=_library(summary, label, several=False),
            version=library.library_version,
            facts=_facts(summary, label),
        )
        for summary in summaries
        for label, library in summary.libraries.items()
    )


def _facts(summary: Summary, label: str) -> tuple[tuple[str, str], ...]:
    library = summary.libraries[label]
    cases = [case for case in summary.cases if case.case.mpi == label]
    times = [time for case in cases if (time := case.metric("time"))]
    exact = sum(
        time.half_width_relative is not None and time.half_width_relative <= summary.half_width
        for time in times
    )
    shares = [case.preempted_share for case in cases]
    displaced = [case.displaced_share for case in cases]
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
            "launches with the cores elsewhere",
            f"{100 * sum(displaced) / max(len(displaced), 1):.1f} %, left out",
        ),
        ("library file", library.library_path),
        ("MPI standard", library.standard + (f", ABI {library.abi}" if library.abi else "")),
        ("clock", f"{library.clock}, {time_text(library.clock_cost_s)} a reading"),
        ("compiler", f"{library.compiler} {library.flags}"),
        ("hosts", ", ".join(ordered(library.hosts))),
        ("cores", " | ".join(library.cpus)),
    )
