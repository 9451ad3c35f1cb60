"""Summaries written by hand, of every kind of measurement, on one node and between two."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from halocline.samples.records import Wire
from halocline.specification.cases import AxisValue, Case
from halocline.specification.configuration import Configuration
from halocline.summary.bounds import Work
from halocline.summary.metrics import Metric
from halocline.summary.phases import OfBound, PhaseSummary, UsualBatch
from halocline.summary.stats import Mode
from halocline.summary.summary import CaseSummary, Library, Pair, Status, Summary

ONE_NODE: Configuration = (("layout", "1N2P"),)
TWO_NODES: Configuration = (("layout", "2N1P"),)
FOUR: Configuration = (("layout", "1N4P"),)
WIDTH = 0.01


def metric(name: str, median: float, width: float | None = WIDTH, unit: str = "s") -> Metric:
    low, high = (None, None) if width is None else (median * (1 - width), median * (1 + width))
    return Metric(name, unit, median, low, high, median, 8, 80, (Mode(median, 1.0),), 0.0, 0.0)


def measured(
    workload: str,
    time_s: float,
    moved_bytes: float = 0,
    *others: Metric,
    configuration: Configuration = ONE_NODE,
    ranks: int = 2,
    pairs: Sequence[tuple[int, int]] = (),
    wire: Wire | None = None,
    **axes: AxisValue,
) -> CaseSummary:
    case = Case(workload, tuple(sorted(axes.items())), "mpich", "here", ranks, configuration)
    bandwidth = [metric("bandwidth", moved_bytes / time_s)] if moved_bytes else []
    return CaseSummary(
        case,
        "measured",
        "",
        0.0,
        (metric("time", time_s), *bandwidth, *others),
        pairs=tuple(Pair(pair, off_node=False) for pair in pairs),
        wire=wire,
    )


def unmeasured(case: CaseSummary, status: Status, reason: str) -> CaseSummary:
    return CaseSummary(case.case, status, reason, 0.0)


def summary(*cases: CaseSummary, machine: str = "here") -> Summary:
    libraries = {
        case.case.label: Library(
            *("MPICH Version: 5.0.2", "", "", "", "", "", "", 0.0),
            *(2 if case.case.configuration == TWO_NODES else 1, (), (), 8, None),
        )
        for case in cases
    }
    environment = json.loads(Path(__file__).with_name("environment.json").read_text("utf-8"))
    run = (Path("runs/hand"), "Instruments", machine, "", 0.01, "", True, libraries, (), 0.0)
    return Summary(*run, environment, cases)


def ping_pong() -> list[CaseSummary]:
    """On a node 1 µs and 10 GB/s, between nodes ten times as slow."""
    return [
        measured(
            "pingpong",
            slower * (1e-6 + size / 10e9),
            size,
            configuration=where,
            wire=None if where == ONE_NODE else Wire(1000 * size, 1100 * size + 66000),
            protocol="send_recv",
            bytes=size,
        )
        for where, slower in ((ONE_NODE, 1), (TWO_NODES, 10))
        for size in (0, 8, 4096, 2**20)
    ]


def put_and_get() -> list[CaseSummary]:
    """Get takes 1.2 times as long as put for small messages, as long for large ones."""
    return [
        measured(
            workload,
            (1.2 if workload == "get" and size < 100 else 1) * (0.5e-6 + size / 10e9),
            size,
            configuration=where,
            synchronisation=way,
            bytes=size,
        )
        for where in (ONE_NODE, TWO_NODES)
        for way in ("flush", "fence")
        for workload in ("put", "get")
        for size in (8, 4096, 2**20)
    ]


def simultaneous() -> list[CaseSummary]:
    """Two pairs carry 1.5 times what one does; ping-ping 1.8 times ping-pong."""
    made = []
    for pattern, factor in (("pingpong", 1.0), ("pingping", 1.8)):
        for count, sum_of in ((1, 1.0), (2, 1.5)):
            each = 8e9 * factor * sum_of / count
            names = [(0, 2), (1, 3)][:count]
            size = 2**20
            many = [metric("aggregate bandwidth", each * count, unit="B/s")]
            for number, (first, second) in enumerate(names):
                rate = each * (1 + 0.1 * number)
                many.append(metric(f"time of pair {first}-{second}", size / rate))
                many.append(metric(f"bandwidth of pair {first}-{second}", rate, unit="B/s"))
            made.append(
                measured(
                    "pairs",
                    size / each,
                    size,
                    *(many if count > 1 else []),
                    configuration=FOUR,
                    ranks=4,
                    pairs=names,
                    pattern=pattern,
                    protocol="isend_irecv",
                    bytes=size,
                )
            )
    return made


def distances() -> list[CaseSummary]:
    """The third partner is farther away: 1.5 times the time."""
    return [
        measured(
            "distance",
            1e-6 * (1.5 if far == 3 else 1),
            8,
            configuration=FOUR,
            ranks=4,
            pairs=[(0, far)],
            pattern="pingpong",
            protocol="sendrecv",
            distance=far,
            direction="x",
            grid_z=1,
            bytes=8,
        )
        for far in (1, 2, 3)
    ]


def contentions() -> list[CaseSummary]:
    """Pairs do not hinder each other."""
    return [
        measured(
            "contention",
            1e-6,
            8,
            configuration=FOUR,
            ranks=4,
            pairs=[(0, 1), (2, 3)][:count],
            pattern="pingping",
            protocol="sendrecv",
            stride=1,
            direction="x",
            grid_z=1,
            bytes=8,
        )
        for count in (1, 2)
    ]


def halos() -> list[CaseSummary]:
    """Persistent requests are fastest up to 64 words, then all alike; send_recv always slow."""
    return [
        measured(
            "halo",
            slower * 2e-6 + words * 1e-9,
            configuration=where,
            protocol=protocol,
            words=words,
            width=1,
        )
        for where in (ONE_NODE, TWO_NODES)
        for protocol, slower in (("send_recv", 2.0), ("isend_irecv", 1.2), ("persistent", 1.0))
        for words in (1, 64, 1048576)
    ]


def redistributions() -> list[CaseSummary]:
    """Straight copies take a third of the time; runs three times, boxes as long as ranks."""
    ways = (
        ("shared", "library", "isend_irecv", "rank", 0.33),
        ("messages", "library", "isend_irecv", "rank", 1.0),
        ("messages", "library", "isend_irecv", "box", 1.01),
        ("messages", "library", "isend_irecv", "run", 3.0),
        ("messages", "library", "isend_irecv_type", "type", 1.5),
        ("messages", "library", "sendrecv", "rank", 1.2),
    )
    return [
        measured(
            "redistribution",
            0.1 * factor,
            256 * 2**20,
            grid="512x1024x16",
            layouts="table1",
            fields=8,
            near=near,
            memory=memory,
            protocol=protocol,
            packing=packing,
            bundle="whole",
        )
        for near, memory, protocol, packing, factor in ways
    ]


def stores() -> list[CaseSummary]:
    """Twice the time for four times the ranks; at 32 one byte more than Table 1 has."""
    totals = {32: 503_316_481, 128: 520_093_696, 2048: 528_482_304}
    return [
        measured(
            "redistribution_store",
            1e-6 * (ranks / 32) ** 0.5,
            0,
            metric("route memory", 10 * ranks, 0, "B"),
            metric("route boxes", 4, 0, ""),
            metric("redistributed", total, 0, "B"),
            grid="512x1024x16",
            layouts="table1",
            planned_ranks=ranks,
        )
        for ranks, total in totals.items()
    ]


def whole_stores() -> list[CaseSummary]:
    """Twice the time for four times the ranks, which exist."""
    return [
        measured(
            "redistribution_store",
            1e-3 * (ranks / 32) ** 0.5,
            0,
            ranks=ranks,
            grid="64x128x16",
            layouts="table1",
            planned_ranks=0,
            store="whole",
        )
        for ranks in (32, 128, 2048)
    ]


def collective_operations() -> list[CaseSummary]:
    """IMB reports 0.8 or 0.9 times the time; two levels half of it at 8 B, twice at 4 KiB."""
    made = []
    for size, two_level, imb in ((8, 0.5, 0.8), (4096, 2.0, 0.9)):
        for timing, structure, factor in (
            ("synchronised", "flat", 1.0),
            ("synchronised", "two_level", two_level),
            ("imb", "flat", imb),
        ):
            skew = [metric("skew", 2e-8)] if timing == "synchronised" else []
            made.append(
                measured(
                    "allreduce",
                    factor * 2e-6,
                    0,
                    *skew,
                    timing=timing,
                    structure=structure,
                    bytes=size,
                )
            )
    return [*made, measured("barrier", 1e-6, timing="synchronised", structure="flat")]


def replays() -> list[CaseSummary]:
    """A plan of 2 ms that takes twice the time between nodes; for another it is inconclusive."""
    return [
        measured("replay", slower * 2e-3, configuration=where, plan=plan)
        for where, slower, plan in (
            (ONE_NODE, 1, "/runs/plan-a.txt"),
            (TWO_NODES, 2, "/runs/plan-a.txt"),
            (ONE_NODE, 3, "/runs/plan-b.txt"),
            (TWO_NODES, 3.01, "/runs/plan-b.txt"),
        )
    ]


def kernels() -> list[CaseSummary]:
    """All at once: matrices as fast, memory half as fast for each."""
    made = [
        measured(
            name,
            size / (20e9 * (0.5 if active == "all" else 1)),
            size,
            active=active,
            stores="plain",
            bytes=size,
        )
        for name in ("memory_copy", "stream_triad")
        for active in ("one", "all")
        for size in (16384, 2**26)
    ]
    rate = metric("rate", 40e9, unit="flop/s")
    return [
        *made,
        *(measured("dgemm", 1e-3, 0, rate, active=active, n=512) for active in ("one", "all")),
    ]


def phase(name: str, time_s: float, step_s: float, uneven: float, *amounts: int) -> PhaseSummary:
    """Of four ranks, the last of which takes that many times the mean; operations, bytes, sent."""
    operations, memory_bytes, sent_bytes = (Work(4 * each, each) for each in amounts)
    rest = (4 - uneven) / 3
    rate = metric("rate", operations.largest / time_s, unit="flop/s")
    bandwidth = metric("bandwidth", memory_bytes.largest / time_s, unit="B/s")
    return PhaseSummary(
        name,
        metric("time", time_s),
        metric("slowest", uneven * time_s),
        metric("share", time_s / step_s, unit=""),
        metric("imbalance", uneven, unit=""),
        rate if operations.total else None,
        bandwidth if memory_bytes.total else None,
        tuple(time_s * factor for factor in (rest, rest, rest, uneven)),
        operations,
        memory_bytes,
        sent_bytes,
        of_memory=OfBound("stream_triad 64 MiB", 0.6, 0.59, 0.61) if memory_bytes.total else None,
    )


def steps() -> list[CaseSummary]:
    """A model on two grids: most of the time is dynamics, where the last rank has more to do."""
    lacking = "shares of the arithmetic: dgemm active=all on 4 ranks"
    found = []
    for grid, step_s in (("coarse", 1e-3), ("fine", 8e-3)):
        parts = (
            phase("dynamics", 0.5 * step_s, step_s, 1.25, 10**7, 10**6, 0),
            phase("halo", 0.3 * step_s, step_s, 1.0, 0, 0, 8000),
        )
        case = measured("model", step_s, configuration=FOUR, ranks=4, grid=grid)
        usual = UsualBatch(1, 7, step_s, {each.name: each.rank_s for each in parts})
        found.append(replace(case, phases=parts, usual_batch=usual, unbounded=(lacking,)))
    return found


def everything() -> Summary:
    return summary(
        *ping_pong(),
        *put_and_get(),
        *simultaneous(),
        *distances(),
        *contentions(),
        *halos(),
        *redistributions(),
        *stores(),
        *collective_operations(),
        *replays(),
        *steps(),
        *kernels(),
    )
