"""X9: HALO's protocols."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import TOLERANCE, Check, Claim, Criterion, Evidence, Number, alike
from halocline.findings.evidence import (
    BOTH,
    OFF_NODE,
    ON_NODE,
    TWO_NODES,
    case,
    check,
    over,
    times,
    unless_rate_is_set,
    where_of,
)
from halocline.findings.placed import PLACED, placed, where_placed
from halocline.findings.verdicts import sentences, ties
from halocline.summary.summary import Summary

WORKLOAD = "halo"
WORDS = (4, 1024, 65_536)
SMALL_WORDS = WORDS[:2]  # for larger ones the paper finds all protocols alike
OTHERS = ("isend_recv", "sendrecv", "rsend_irecv")
SHMEM = {"put_flag": BOTH, "shmem_put": (ON_NODE,)}
BEST = Criterion(
    "isend/irecv best with SMP-style placement",
    "time of isend_irecv over each other two-sided protocol",
    0,
    1 + TOLERANCE,
    (f"{PLACED}, smp",),
)
WORST = Criterion(
    "worst over a range of sizes with wrap placement",
    "time of isend_irecv over each other two-sided protocol, 4 and 1024 words",
    1,
    places=(f"{PLACED}, wrap",),
)
PERSISTENT = alike("persistent equals non-persistent", "time of persistent over isend_irecv", BOTH)
NOT_COMPETITIVE = Criterion(
    "SHMEM not competitive",
    "time of put_flag, and of shmem_put on the node, over isend_irecv",
    1 + TOLERANCE,
    places=BOTH,
)


def judge(halo: Summary | None, placement: Summary | None) -> Evidence:
    """Best or worst by placement as claimed; at two ranks persistent equal, one-sided slower."""
    smp = _placed(placement, "smp", BEST, WORDS)
    wrap = _placed(placement, "wrap", WORST, SMALL_WORDS)
    remark = sentences(
        ties(f"{PLACED}, smp", "isend_irecv", smp),
        ties(f"{PLACED}, wrap", "isend_irecv", wrap, "worst"),
    )
    checks = [*smp.values(), *wrap.values()]
    numbers: list[Number] = []
    for layout in BOTH:
        where = where_of(halo, layout)
        needs = TWO_NODES if layout == OFF_NODE else ""
        for words in WORDS:
            at = partial(case, halo, WORKLOAD, layout, words=words)
            plain = partial(at, protocol="isend_irecv")
            of_the_link = layout == OFF_NODE and words not in SMALL_WORDS
            compared_to = unless_rate_is_set(plain, halo, of_the_link)
            named = f"{words} words {where}"
            numbers += times((f"isend_irecv, {named}", plain))
            ways = [("persistent", PERSISTENT, needs)]
            ways += [
                (name, NOT_COMPETITIVE, needs or _library(name))
                for name, layouts in SHMEM.items()
                if layout in layouts
            ]
            checks += [
                check(
                    criterion,
                    f"{name} over isend_irecv, {named}",
                    over(partial(at, protocol=name), compared_to),
                    needs=lacking,
                )
                for name, criterion, lacking in ways
            ]
    return Evidence(tuple(checks), tuple(numbers), remark)


def _library(protocol: str) -> str:
    return "a library with OpenSHMEM has it: --mpi openmpi" if protocol == "shmem_put" else ""


def _placed(
    summary: Summary | None, placement: str, criterion: Criterion, sizes: tuple[int, ...]
) -> dict[str, Check]:
    return {
        f"{other} of {words} words": check(
            criterion,
            f"isend_irecv over {other}, {words} words, {where_placed(summary, placement)}",
            over(
                unless_rate_is_set(
                    partial(placed, summary, placement, "isend_irecv", words),
                    summary,
                    words not in SMALL_WORDS,
                ),
                partial(placed, summary, placement, other, words),
            ),
        )
        for words in sizes
        for other in OTHERS
    }


claim = Claim(
    id="X9",
    text="HALO: isend/irecv best with SMP-style placement, worst over a range of sizes with wrap "
    "placement; persistent equals non-persistent; SHMEM not competitive",
    paper="XT3 and XT4, section 3.4",
    experiments=("halo", "placement"),
    judge=judge,
    criteria=(BEST, WORST, PERSISTENT, NOT_COMPETITIVE),
)
