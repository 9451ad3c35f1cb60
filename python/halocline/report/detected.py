"""The detectors' results in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from halocline.base.quantities import rate_text, size_label, time_text
from halocline.base.units import counted
from halocline.detect.changes import Change, Kind
from halocline.detect.curves import NotFound
from halocline.detect.eager import EagerLimit, Probed
from halocline.detect.half_bandwidth import HalfBandwidth
from halocline.detect.in_summary import (
    SEND,
    Place,
    algorithm_changes,
    eager_limits,
    half_bandwidths,
    packet_steps,
    saturations,
)
from halocline.detect.packets import Packets
from halocline.detect.saturation import GROWTH, LINEAR, Saturation
from halocline.report.cells import Cell, Table, bytes_text
from halocline.summary.ratios import share_text
from halocline.summary.stats import Interval
from halocline.summary.summary import Summary

_CERTAIN = 0.9999
_SSEND_TAKES = {
    "longer": "MPI_Ssend never catches up with MPI_Send in the measured range",
    "equal": "MPI_Ssend takes as long as MPI_Send at all measured sizes",
    "unknown": "whether MPI_Ssend takes longer than MPI_Send is unknown: more launches or "
    "sizes, or an idle machine, may show it",
}


def detected_table(summaries: Sequence[Summary]) -> Table | None:
    """What was detected in the runs, with its uncertainty; None without any curves."""
    several = len(summaries) > 1
    rows = tuple(
        ((kind, f"{summary.name}: {where}" if several else where), (Cell(text),))
        for summary in summaries
        for kind, place, text in _found(summary)
        for where in [place_text(place, summary)]
    )
    caption = "Detected limits and changes, with their uncertainty"
    return Table(caption, ("what", "where"), ("found",), rows) if rows else None


def _found(summary: Summary) -> Iterator[tuple[str, Place, str]]:
    """Absence is reported only for the eager limit."""
    for place, limit in eager_limits(summary).items():
        yield from (("eager limit", place, text) for text in eager_texts(limit))
    for place, half in half_bandwidths(summary).items():
        if isinstance(half, HalfBandwidth) and dict(place.fixed).get("protocol") == SEND:
            yield "half bandwidth", place, half_text(half)
    for place, packets in packet_steps(summary).items():
        if isinstance(packets, Packets):
            yield "packets", place, packets_text(packets)
    for place, changes in algorithm_changes(summary).items():
        if not isinstance(changes, NotFound):
            yield from (("algorithm", place, change_text(change)) for change in changes)
    for place, saturated in saturations(summary).items():
        if isinstance(saturated, Saturation):
            yield "saturation", place, saturation_text(saturated)


def place_text(place: Place, summary: Summary) -> str:
    """`mpich layout=2N1P allreduce timing=synchronised on 4 ranks`."""
    words = [place.label, place.workload, *(f"{name}={value}" for name, value in place.fixed)]
    words += [f"on {place.ranks} ranks"] if place.ranks > 2 else []
    words += [summary.between] if place.off_node and summary.made_rate is not None else []
    return " ".join(words)


def eager_texts(limit: EagerLimit) -> tuple[str, ...]:
    """The result of each method, the most reliable first."""
    texts = [_probed(limit.probed)] if limit.probed else []
    if limit.synchronous:
        synchronous = limit.synchronous
        texts.append(
            f"MPI_Ssend takes as long as MPI_Send from {size_label(synchronous.above)} up, longer "
            f"up to {size_label(synchronous.below)}{_range(synchronous)}"
        )
    elif limit.ssend_takes:
        texts.append(_SSEND_TAKES[limit.ssend_takes])
    texts += [f"MPI_Send {change_text(step)}" for step in limit.steps]
    return tuple(texts)


def _probed(probed: Probed) -> str:
    if probed.above is None:
        largest = size_label(probed.below or 0)
        return f"no eager limit up to {largest}: MPI_Send returns before its receive is posted"
    if probed.below is None:
        return (
            f"MPI_Send waits for its receive at all sizes from {size_label(probed.above)} up, or "
            "its rank was late each time"
        )
    sure = "certain" if probed.confidence > _CERTAIN else f"{100 * probed.confidence:.3g} % sure"
    return (
        f"MPI_Send returns before its receive is posted up to {size_label(probed.below)}, and not "
        f"from {size_label(probed.above)} on ({sure})"
    )


def change_text(change: Change, at: str = "B") -> str:
    """`steps up by 23 % (20 % to 26 %) between 8192 B and 8193 B`."""
    where = f"between {_place(change.below, at)} and {_place(change.above, at)}{_range(change, at)}"
    span = f"({share_text(change.low)} to {share_text(change.high)})"
    if change.kind is Kind.STEP:
        way = "up" if change.height > 0 else "down"
        return f"steps {way} by {share_text(abs(change.height))} {span} {where}"
    way = "steeper" if change.height > 0 else "flatter"
    return f"becomes {way} by {share_text(abs(change.height))} {span} a doubling, {where}"


def changes_texts(changes: tuple[Change, ...] | NotFound, at: str = "B") -> tuple[str, ...]:
    """A sentence for every step and bend; that there is none, or why that is unknown."""
    if isinstance(changes, NotFound):
        return (f"steps and bends unknown: {changes.reason}",)
    return tuple(change_text(change, at) for change in changes) or ("no step and no bend",)


def packets_text(packets: Packets | NotFound | None) -> str:
    """`steps up by 1.2 µs every 2 KiB …`, or `no periodic steps`, or why that is unknown."""
    if isinstance(packets, NotFound):
        return f"periodic steps unknown: {packets.reason}"
    if packets is None:
        return "no periodic steps"
    return (
        f"steps up by {time_text(packets.step_s.median)}{_times(packets.step_s)} every "
        f"{packets.period_bytes} B, first past {packets.first_bytes} B, at {packets.boundaries} "
        "boundaries"
    )


def half_text(half: HalfBandwidth | NotFound) -> str:
    """`half the peak bandwidth, 9.1 GB/s at 1 MiB, is reached at 11.2 KiB (…)`."""
    if isinstance(half, NotFound):
        return f"no size found that reaches half the peak bandwidth: {half.reason}"
    size = half.size_bytes
    bounds = ""
    if size.low is not None and size.high is not None:
        bounds = f" ({bytes_text(size.low, 3)} to {bytes_text(size.high, 3)})"
    return (
        f"half the peak bandwidth, {rate_text(half.peak.median)} at "
        f"{size_label(half.peak_bytes)}, is reached at {bytes_text(size.median, 3)}{bounds}"
    )


def saturation_text(saturation: Saturation | NotFound) -> str:
    """Up to how many pairs the aggregate grows linearly, and from how many it stops growing."""
    if isinstance(saturation, NotFound):
        return f"growth with the pairs unknown: {saturation.reason}"
    linear_to = counted(saturation.linear_to, "pair")
    linear = f"linearly up to {linear_to} (each at least {100 * LINEAR:.0f} %)"
    if saturation.full_at is None or saturation.full is None:
        most = saturation.aggregate[-1][0]
        return (
            f"the aggregate grows {linear}; that it grows by {100 * (GROWTH - 1):.0f} % or more up "
            f"to {counted(most, 'pair')} is not ruled out"
        )
    return (
        f"the aggregate grows {linear}, and from {counted(saturation.full_at, 'pair')} up by less "
        f"than {100 * (GROWTH - 1):.0f} %: {rate_text(saturation.full.median)}"
    )


def _place(at: int, unit: str) -> str:
    return size_label(at) if unit == "B" else f"{at} {unit}"


def _range(change: Change, at: str = "B") -> str:
    """The interval of the position; empty if it has no width."""
    low, high = change.surely_above, change.surely_below
    if (low, high) == (change.below, change.above):
        return ""
    return f" (95 %: between {_place(low, at)} and {_place(high, at)})"


def _times(interval: Interval) -> str:
    if interval.low is None or interval.high is None:
        return ""
    return f" ({time_text(interval.low)} to {time_text(interval.high)})"
