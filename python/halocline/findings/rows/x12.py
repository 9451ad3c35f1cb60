"""X12: decompositions and coupling of CAM's finite-volume model."""

from __future__ import annotations

from halocline.findings.atmosphere import (
    COUPLING,
    PHYSICS,
    finite_volume,
)
from halocline.findings.claim import LITTLE, Check, Claim, Criterion, Evidence
from halocline.findings.evidence import between_phases, check, on_nodes, over, times
from halocline.summary.summary import Summary

MOST = 960
ALONG_VERTICAL = 8
RANGE = 0.03  # of a share that is read off a figure
SHARES = {"960N1P": 0.13, "480N2P": 0.17}
LATITUDES_FASTER = Criterion(
    "few ranks: latitudes alone are faster",
    "time of rows of all levels over that of rows of some levels",
    0,
    1 / LITTLE,
    ("2 ranks",),
)
COUPLING_SHARE = {
    layout: Criterion(
        f"coupling is {share:.0%} of the physics, {ranks} on a node".replace("%", " %"),
        "time in the remaps to physics and back over that of physics and these",
        share - RANGE,
        share + RANGE,
        (layout,),
    )
    for (layout, share), ranks in zip(SHARES.items(), ("one rank", "two ranks"), strict=True)
}


def judge(few: Summary | None, most: Summary | None) -> Evidence:
    """Which decomposition is faster, and what the coupling costs on the most ranks."""
    rows, levels = finite_volume(few, 1), finite_volume(few, 2)
    checks: list[Check] = [
        check(LATITUDES_FASTER, "rows over rows of levels, 2 ranks", over(rows, levels))
    ]
    for layout, criterion in COUPLING_SHARE.items():
        find = on_nodes(finite_volume(most, ALONG_VERTICAL, layout), most)
        checks.append(
            check(
                criterion,
                f"coupling over physics, {layout}",
                between_phases(find, COUPLING, find, (*PHYSICS, *COUPLING)),
                needs=f"this needs nodes with {MOST} cores in total",
            )
        )
    numbers = times(("rows of all levels", rows), ("rows of some levels", levels))
    return Evidence(tuple(checks), numbers)


claim = Claim(
    id="X12",
    text="CAM finite volume 361×576×26: latitudes alone are faster for few ranks; coupling is 13 % "
    "(SN) and 17 % (VN) of the physics at the largest count",
    paper="XT3 and XT4, section 4.1",
    experiments=("finite_volume", "finite_volume_many"),
    judge=judge,
    criteria=(LATITUDES_FASTER, *COUPLING_SHARE.values()),
    specification="at least 3 latitudes a rank, so at most 120 ranks, and 3 levels, so at most "
    "960; two remaps a step: the workload has and refuses the same",
)
