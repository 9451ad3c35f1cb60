"""C6: data by rank."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import NOT_LITTLE, Claim, Criterion, Evidence, Known
from halocline.findings.evidence import check
from halocline.findings.recorded import Profiles, Recorded, chosen, known, relative, total

FEW, MANY = 2, 8  # as 8 nodes are to 32
FALLS = Criterion("falls", "data per rank on four times the ranks, relative", 0.3, 0.45)
EVEN = Criterion("even", "the most of a rank over the mean", 1.0, NOT_LITTLE)


def judge(profiles: Profiles | None) -> Evidence:
    """What a rank sends on four times the ranks, and how evenly."""

    def falls() -> Known:
        many, few = (known(chosen(profiles, ranks), mean) for ranks in (MANY, FEW))
        return relative(many, few)

    def even(ranks: int) -> Known:
        return known(chosen(profiles, ranks), lambda each: max(each.rank_bytes) / mean(each))

    checks = [check(FALLS, "data per rank, 8 ranks over 2", falls, "3 GB of 8 GB")]
    checks += [
        check(EVEN, f"the most over the mean on {ranks} ranks", partial(even, ranks))
        for ranks in (FEW, MANY)
    ]
    return Evidence(tuple(checks))


def mean(each: Recorded) -> float:
    """What a rank sends in a run, in bytes."""
    return total(each) / len(each.rank_bytes)


claim = Claim(
    id="C6",
    text="data per rank falls from about 8 GB in the 8-node run to 3 GB at 32 nodes, even "
    "between ranks",
    paper="CESM profiling 2011, data transferred by ranks",
    specification="the gigabytes, of CESM's grids and days, and the numbers of nodes; here 2 and "
    "8 ranks",
    profiles=("coupled_calls",),
    judge=judge,
    criteria=(FALLS, EVEN),
)
