"""HALO with two ranks on each of two nodes, as the rows on placement need it."""

from __future__ import annotations

from halocline.findings.claim import Unanswered
from halocline.findings.evidence import case
from halocline.summary.summary import CaseSummary, Summary

WORKLOAD, PLACED, RANKS = "halo", "2N2P", 4
PLACEMENTS = ("smp", "wrap", "folded")
PROTOCOLS = ("isend_irecv", "isend_recv", "sendrecv", "persistent", "rsend_irecv")
WORDS = (4, 1024, 65_536)


def where_placed(summary: Summary | None, placement: str) -> str:
    """The placement in words, with a note that the nodes were hosts made on this machine."""
    if summary is None or summary.made_rate is None:
        return placement
    return f"{placement}, {summary.between}"


def placed(summary: Summary | None, placement: str, protocol: str, words: int) -> CaseSummary:
    """The case of this many words; Unanswered with too few cores or without a figure."""
    answers = "`halocline findings X9 X14 --run --hosts HOST,HOST` on a cluster answers it"
    if summary is None:
        raise Unanswered(f"two ranks on each of two nodes were not run; {answers}")
    cores = summary.environment.get("processor", {}).get("cores") or 0
    if cores < RANKS and summary.made_rate is not None:
        raise Unanswered(
            f"two nodes with two ranks each need four cores, this machine has {cores}: more ranks "
            f"than cores would measure the scheduler; {answers}"
        )
    settings = {"placement": placement}
    try:
        return case(summary, WORKLOAD, PLACED, settings, protocol=protocol, words=words)
    except Unanswered as missing:
        raise Unanswered(f"{missing}; {answers}") from None
