"""X14: placement."""

from __future__ import annotations

from halocline.findings.claim import Answer, Claim, Number, Unanswered
from halocline.findings.evidence import fastest, indistinguishable, number, protocol_of
from halocline.summary import CaseSummary, Summary

WORKLOAD, LAYOUT = "halo", "2N2P"


def judge(summary: Summary) -> Answer:
    """Which protocol is best under each placement, size by size."""
    cores = summary.environment.get("processor", {}).get("cores") or 0
    made = "made" in str(summary.experiment)
    if cores < 4 and made:
        raise Unanswered(
            f"two nodes with two ranks each need four cores, this machine has {cores}: more ranks "
            "than cores would measure the scheduler; on a cluster "
            "`halocline findings X14 --run --hosts HOST,HOST` answers it"
        )
    by_place: dict[tuple[int, str], list[CaseSummary]] = {}
    for each in summary.cases:
        settings = each.case.settings(("layout", "placement"))
        if each.case.workload == WORKLOAD and settings["layout"] == LAYOUT:
            key = (int(each.case.axis("words")), settings["placement"])
            by_place.setdefault(key, []).append(each)
    if not by_place:
        raise Unanswered(f"no {WORKLOAD} with layout {LAYOUT} was measured")
    numbers: list[Number] = []
    best: dict[int, dict[str, list[str]]] = {}
    for (words, placement), cases in sorted(by_place.items()):
        first = fastest(cases)[0]
        best.setdefault(words, {})[placement] = [
            protocol_of(each) for each in indistinguishable(cases)
        ]
        numbers.append(number(first, "time", f"{words} words, {placement}: {protocol_of(first)}"))
    changed = [
        words for words, each in best.items() if not set.intersection(*map(set, each.values()))
    ]
    because = (
        f"the best protocol changes with the placement at {', '.join(map(str, changed))} words"
        if changed
        else "the same protocol is among the best under every placement"
    )
    return Answer("reproduced" if changed else "differs", because, tuple(numbers))


claim = Claim(
    id="X14",
    text="placement (wrap, SMP-style, folded, custom) changes which protocol is best",
    paper="XT3 and XT4, sections 2 and 3.4",
    experiment="placement",
    judge=judge,
)
