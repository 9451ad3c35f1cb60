"""X2: the spectral shallow-water kernel on both cores."""

from __future__ import annotations

from halocline.findings.claim import Claim

claim = Claim(
    id="X2",
    text="PSTSWM: running it on both cores at once costs 27 % (XT3) and 25 % (XT4) at T85 with 88 "
    "levels; memory bandwidth decides",
    paper="XT3 and XT4, section 3.2",
    lacks="needs the spectral shallow-water kernel, which Halocline does not have yet",
)
