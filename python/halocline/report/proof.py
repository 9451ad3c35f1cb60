"""Proof of path: payload sent between nodes, against bytes on the interfaces."""

from __future__ import annotations

from collections.abc import Sequence

from halocline.base.quantities import MEGABYTES, significant
from halocline.base.units import counted
from halocline.report.cells import Cell, Rows, Table
from halocline.report.entries import ON_NODE, Entry, every_case, ordered
from halocline.report.run_tables import axes_text
from halocline.report.section import Section
from halocline.specification.experiment import HERE
from halocline.summary.summary import CaseSummary, Summary

# Below this share the driver concludes that the payload took another path.
LEAST_SHARE = 0.95
WRONG_PATH = "payload bytes between"  # in the driver's reason
_MOST = 3  # failed cases listed by name


def proof(summaries: Sequence[Summary]) -> Section | None:
    """For each series and workload between nodes."""
    # Simulated interfaces have no byte counters.
    real = [summary for summary in summaries if summary.machine == HERE]
    off = [
        entry
        for entry in every_case(real)
        if entry.place != ON_NODE and (entry.summary.wire or WRONG_PATH in entry.summary.reason)
    ]
    if not off:
        return None
    return Section(
        name="proof",
        title="Proof of path",
        sentences=_sentences(off),
        tables=(_table(off),),
    )


def _share(case: CaseSummary) -> float | None:
    """Bytes on the wire per byte of payload; None without payload."""
    wire = case.wire
    return wire.wire_bytes / wire.payload_bytes if wire and wire.payload_bytes else None


def _sentences(off: Sequence[Entry]) -> tuple[str, ...]:
    shares = [share for entry in off if (share := _share(entry.summary)) is not None]
    wrong = [entry for entry in off if WRONG_PATH in entry.summary.reason]
    low = [share for share in shares if share < LEAST_SHARE]
    sentences = []
    proven = [share for share in shares if share >= LEAST_SHARE]
    if proven:
        least = significant(100 * min(proven), 3)
        sentences.append(
            f"{counted(len(proven), 'case')} of {len(shares) + len(wrong)} with payload between "
            f"nodes sent it through the interfaces: at least {least} % of the payload was counted "
            "there, including headers."
        )
    if low:
        sentences.append(
            f"For {counted(len(low), 'case')} the path is recorded but not proven: less than "
            f"{100 * LEAST_SHARE:.0f} % of the payload was counted."
        )
    if wrong:
        named = "; ".join(
            f"{entry.series}, {entry.workload} {axes_text(entry.summary)}: {entry.summary.reason}"
            for entry in wrong[:_MOST]
        )
        more = f"; and {len(wrong) - _MOST} more" if len(wrong) > _MOST else ""
        sentences.append(
            f"{counted(len(wrong), 'case')} failed because the payload took another path: "
        )
        sentences[-1] += f"{named}{more}."
    return tuple(sentences)


def _table(off: Sequence[Entry]) -> Table:
    groups: dict[tuple[str, str], list[CaseSummary]] = {}
    for name in ordered(entry.series for entry in off):
        for entry in off:
            if entry.series == name:
                groups.setdefault((name, entry.workload), []).append(entry.summary)
    rows: Rows = [(keys, _cells(here)) for keys, here in groups.items()]
    heads = ("cases", "payload, MB", "on the wire, MB", "wire / payload", "failed")
    caption = (
        "Payload between nodes, and the bytes that the nodes' interfaces sent meanwhile, "
        "over all launches; wire / payload is the range over the cases"
    )
    return Table(caption, ("library", "workload"), heads, tuple(rows))


def _cells(here: Sequence[CaseSummary]) -> tuple[Cell, ...]:
    shares = sorted(share for case in here if (share := _share(case)) is not None)
    payload = sum(case.wire.payload_bytes for case in here if case.wire)
    wire = sum(case.wire.wire_bytes for case in here if case.wire)
    ends = [significant(share, 3) for share in shares]
    span = f"{ends[0]} to {ends[-1]}" if ends else "no payload"
    failed = sum(WRONG_PATH in case.reason for case in here)
    numbers = (
        significant(payload / MEGABYTES.factor),
        significant(wire / MEGABYTES.factor),
        span,
        str(failed),
    )
    return tuple(map(Cell, (str(len(here)), *numbers)))
