"""X9: HALO's protocols."""

from __future__ import annotations

from halocline.findings.claim import Answer, Claim, Number
from halocline.findings.evidence import (
    all_cases,
    case,
    compared,
    fastest,
    indistinguishable,
    layouts,
    protocol_of,
    where_of,
)
from halocline.summary import Summary

WORKLOAD = "halo"
WORDS = (4, 1024, 65_536)
ONE_SIDED = "put_flag"


def judge(summary: Summary) -> Answer:
    """At two ranks: isend_irecv among the best, persistent like it, one-sided behind."""
    numbers: list[Number] = []
    told: list[str] = []
    best_everywhere = same = behind = True
    for layout in layouts(summary, WORKLOAD, protocol="isend_irecv", words=WORDS[0]):
        where = where_of(summary, layout)
        for words in WORDS:
            plain, persistent = (
                case(summary, WORKLOAD, layout, protocol=protocol, words=words)
                for protocol in ("isend_irecv", "persistent")
            )
            found = all_cases(summary, WORKLOAD, layout, words=words)
            best = [protocol_of(each) for each in indistinguishable(found)]
            repeated = compared(persistent, plain)
            one_sided = compared(
                case(summary, WORKLOAD, layout, protocol=ONE_SIDED, words=words), fastest(found)[0]
            )
            numbers += [
                compared(plain, fastest(found)[0]).number(
                    f"isend_irecv over {best[0]}, {words} words {where}", "1"
                ),
                repeated.number(f"persistent over isend_irecv, {words} words {where}", "1"),
                one_sided.number(f"{ONE_SIDED} over {best[0]}, {words} words {where}", "above 1"),
            ]
            best_everywhere = best_everywhere and "isend_irecv" in best
            same = same and repeated.alike
            behind = behind and one_sided.slower
            told.append(f"{words} words {where}: {best[0]}")
    because = (
        f"the fastest are {'; '.join(told)}. Persistent requests "
        f"{'equal' if same else 'do not equal'} others; the one-sided protocol is "
        f"{'not competitive' if behind else 'competitive somewhere'}. Wrap against SMP-style "
        "placement needs two ranks on each of two nodes and as many cores: see X14"
    )
    holds = best_everywhere and same and behind
    return Answer("reproduced" if holds else "differs", because, tuple(numbers))


claim = Claim(
    id="X9",
    text="HALO: isend/irecv best with SMP-style placement, worst over a range of sizes with wrap "
    "placement; persistent equals non-persistent; SHMEM not competitive",
    paper="XT3 and XT4, section 3.4",
    experiment="halo",
    judge=judge,
)
