"""X16: compiler options and pages of the spectral kernel."""

from __future__ import annotations

from halocline.findings.claim import Claim

claim = Claim(
    id="X16",
    text="PSTSWM: full optimisation is 2 to 3 times faster than the compiler's default; all "
    "levels from -O2 on are alike; page size does not matter; the same for SN and VN",
    paper="XT3 and XT4, section 3.2",
    lacks="needs the spectral shallow-water kernel, which Halocline does not have yet",
)
