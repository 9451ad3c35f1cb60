"""X17: physics against dynamics."""

from __future__ import annotations

from halocline.findings.claim import Claim

claim = Claim(
    id="X17",
    text="CAM: physics costs about twice the dynamics in the spectral model, the reverse in "
    "the finite-volume model",
    paper="XT3 and XT4, section 4.1",
    lacks="needs an atmosphere model with both dynamical cores, which Halocline does not have yet",
)
