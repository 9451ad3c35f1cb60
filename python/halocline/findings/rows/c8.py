"""C8: files over time."""

from __future__ import annotations

from halocline.findings.claim import Claim, Criterion, Evidence, Known, Number, Unanswered
from halocline.findings.evidence import check
from halocline.findings.recorded import Profiles, Recorded, chosen, known

RANKS = 2
CLOSE = 0.1  # of a run: "near" its beginning, middle or end
OUTWEIGH = Criterion("writes outweigh reads", "bytes written over bytes read", 1.0)


def judge(profiles: Profiles | None) -> Evidence:
    """How much is written, and when: the latter without a verdict, as the model sets the times."""

    def outweigh() -> Known:
        return known(chosen(profiles, RANKS), _written_over_read)

    checks = (check(OUTWEIGH, "bytes written over bytes read", outweigh),)
    try:
        share = known(chosen(profiles, RANKS), clustered)
    except Unanswered:
        return Evidence(checks)
    what = f"bytes within {CLOSE:.0%} of a run of its beginning, middle or end, over all written"
    return Evidence(checks, (Number(what, share.value, "", share.low, share.high),))


def _bytes(each: Recorded) -> int:
    return sum(count for _, count in each.written)


def clustered(each: Recorded) -> float:
    """The share of the bytes that are written at these times.

    A launch does its runs one after the other, from the first byte written to the last.
    """
    if not each.written or not each.runs:
        raise Unanswered(f"the profile of {each.case.label} has no files written by its runs")
    times_s = [at_s for at_s, _ in each.written]
    whole_s = max(times_s) - min(times_s)
    if whole_s <= 0:
        raise Unanswered("all was written at once: more days of the model answer it")
    close = 0
    for at_s, count in each.written:
        halves = (at_s - min(times_s)) / whole_s * 2 * each.runs
        close += count * (abs(halves - round(halves)) <= 2 * CLOSE)
    return close / _bytes(each)


def _written_over_read(each: Recorded) -> float:
    if not _bytes(each) + each.read_bytes:
        raise Unanswered(f"the profile of {each.case.label} has no files")
    return _bytes(each) / max(1, each.read_bytes)


claim = Claim(
    id="C8",
    text="writes outweigh reads and cluster at the beginning, the middle and the end; limited"
    " near 80 MB/s",
    paper="CESM profiling 2011, file input and output",
    specification="the model reads no files unless it is restarted, and writes at the beginning, "
    "the middle and the end, as CESM did; 80 MB/s, the limit of the paper's file server",
    profiles=("coupled_files",),
    judge=judge,
    criteria=(OUTWEIGH,),
)
