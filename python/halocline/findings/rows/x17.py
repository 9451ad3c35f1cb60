"""X17: physics against dynamics."""

from __future__ import annotations

from halocline.findings.atmosphere import (
    FINITE_VOLUME,
    PHYSICS,
    SPECTRAL,
    finite_volume,
    spectral,
)
from halocline.findings.claim import Claim, Criterion, Evidence, Number, Unanswered
from halocline.findings.evidence import ON_NODE, between_phases, check
from halocline.summary.stats import CONFIDENCE
from halocline.summary.summary import Summary

ABOUT = 0.5
REVERSE = Criterion(
    "finite volume: the reverse",
    "time of the dynamics with their messages over that of the physics",
    2 - ABOUT,
    2 + ABOUT,
    ("2 ranks",),
)


def judge(one: Summary | None, other: Summary | None) -> Evidence:
    """With balanced columns, so that no rank waits for the physics."""
    by_waves = spectral(one, ON_NODE, "isend_recv", "twin")
    by_cells = finite_volume(other, 1)
    checks = (
        check(
            REVERSE,
            "finite-volume dynamics over physics",
            between_phases(by_cells, FINITE_VOLUME, by_cells, PHYSICS),
        ),
    )
    try:
        twice = between_phases(by_waves, PHYSICS, by_waves, SPECTRAL)()
    except Unanswered:
        return Evidence(checks)
    low, high = twice.bounds(1 - CONFIDENCE)
    what = "physics over spectral dynamics with their messages"
    return Evidence(checks, (Number(what, twice.value, "", low, high, "about 2"),))


claim = Claim(
    id="X17",
    text="CAM: physics costs about twice the dynamics in the spectral model, the reverse in "
    "the finite-volume model",
    paper="XT3 and XT4, section 4.1",
    experiments=("atmosphere", "finite_volume"),
    judge=judge,
    criteria=(REVERSE,),
    specification="that physics cost twice the spectral dynamics: their bands of sunlight were "
    "chosen for it",
)
