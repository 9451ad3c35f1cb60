"""X17: physics against dynamics."""

from __future__ import annotations

from halocline.findings.atmosphere import (
    FINITE_VOLUME,
    PHYSICS,
    SPECTRAL,
    finite_volume,
    spectral,
)
from halocline.findings.claim import Claim, Criterion, Evidence
from halocline.findings.evidence import ON_NODE, between_phases, check
from halocline.summary.summary import Summary

ABOUT = 0.5
TWICE = Criterion(
    "spectral: physics cost twice the dynamics",
    "time of the physics over that of the dynamics with their messages",
    2 - ABOUT,
    2 + ABOUT,
    ("2 ranks",),
)
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
    return Evidence(
        (
            check(
                TWICE,
                "physics over spectral dynamics",
                between_phases(by_waves, PHYSICS, by_waves, SPECTRAL),
            ),
            check(
                REVERSE,
                "finite-volume dynamics over physics",
                between_phases(by_cells, FINITE_VOLUME, by_cells, PHYSICS),
            ),
        ),
        remark="The physics' bands of sunlight were chosen for the first; the second follows",
    )


claim = Claim(
    id="X17",
    text="CAM: physics costs about twice the dynamics in the spectral model, the reverse in "
    "the finite-volume model",
    paper="XT3 and XT4, section 4.1",
    experiments=("atmosphere", "finite_volume"),
    judge=judge,
    criteria=(TWICE, REVERSE),
)
