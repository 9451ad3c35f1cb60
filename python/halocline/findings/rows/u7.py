"""U7: the transposes of a plasma model."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from halocline.findings.claim import LITTLE, Claim, Criterion, Evidence, Number, Quantity
from halocline.findings.evidence import case, check, in_phases, ratio
from halocline.summary.summary import CaseSummary, Summary

WORKLOAD = "gyrokinetic"
TRANSPOSES = ("column_transpose", "row_transpose")
RADII = {"b1_std": 140, "b3_gtc": 400}
NAMES = {"b1_std": "B1-std", "b3_gtc": "B3-gtc"}
SMALLEST, MIDDLE, LARGEST = 16, 64, 512
LEAST = 1.6  # times as long for twice the bytes, where bandwidth dominates
BANDWIDTH = Criterion(
    "limited by bandwidth",
    "time in transposes with twice the radii over that with the benchmark's",
    LEAST,
    2.4,
    ("2 ranks and modes", f"{SMALLEST} ranks"),
)
NOT_LARGEST = Criterion(
    "except on the most ranks",
    "the same",
    0,
    LEAST,
    (f"{LARGEST} ranks",),
)
GROWS = Criterion(
    "B1-std: the share of transposes grows with the ranks",
    f"share of the step on {MIDDLE} ranks over that on {SMALLEST}",
    LITTLE,
    places=(f"{SMALLEST} and {MIDDLE} ranks",),
)


def judge(few: Summary | None, many: Summary | None) -> Evidence:
    """How the time in transposes grows with the bytes, and its share with the ranks."""
    two = partial(case, few, WORKLOAD, modes=2)
    whole = partial(case, many, WORKLOAD, case="b1_std")
    first = RADII["b1_std"]
    needs = f"this needs nodes with {LARGEST} cores in total"
    checks = [
        check(
            BANDWIDTH,
            f"{NAMES[name]}, 2 modes, 2 ranks: twice the radii over {radii}",
            _twice(partial(two, case=name), radii),
        )
        for name, radii in RADII.items()
    ]
    checks += [
        check(
            criterion,
            f"B1-std, {ranks} ranks: twice the radii over {first}",
            _twice(partial(whole, ranks=ranks), first),
            needs=needs,
        )
        for criterion, ranks in ((BANDWIDTH, SMALLEST), (NOT_LARGEST, LARGEST))
    ]
    checks.append(
        check(
            GROWS,
            f"share of transposes, {MIDDLE} over {SMALLEST} ranks",
            lambda: ratio(
                _shares(whole(ranks=MIDDLE, radii=first)),
                _shares(whole(ranks=SMALLEST, radii=first)),
            ),
            needs=needs,
        )
    )
    numbers = [
        Number(
            f"{NAMES[name]}, 2 modes: share of time in {phase.name}",
            phase.share.median,
            "",
            phase.share.low,
            phase.share.high,
        )
        for candidate in (few.cases if few else ())
        for name in NAMES
        if candidate.case.axis("case") == name and candidate.case.axis("radii") == RADII[name]
        for phase in candidate.phases
        if phase.name in TRANSPOSES
    ]
    return Evidence(tuple(checks), tuple(numbers))


def _twice(find: Callable[..., CaseSummary], radii: int) -> Callable[[], Quantity]:
    return lambda: ratio(
        in_phases(find(radii=2 * radii), *TRANSPOSES), in_phases(find(radii=radii), *TRANSPOSES)
    )


def _shares(each: CaseSummary) -> dict[int, float]:
    """The transposes' share of the step, by turn."""
    transposes = in_phases(each, *TRANSPOSES)
    return {
        turn: transposes[turn] / time_s
        for turn, time_s in each.figures_s.items()
        if turn in transposes
    }


claim = Claim(
    id="U7",
    text="GYRO B1-std and B3-gtc: the share of time in transposes, which are limited by bandwidth "
    "but for the largest counts; on the XT3 the share grows with the ranks for B1-std",
    paper="X1, XD1 and XT3, GYRO",
    experiments=("gyrokinetic", "gyrokinetic_many"),
    judge=judge,
    criteria=(BANDWIDTH, NOT_LARGEST, GROWS),
    specification="16 modes and 500 steps; 64 modes, multiples of 64 ranks and 100 steps",
)
