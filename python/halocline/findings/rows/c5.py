"""C5: message sizes."""

from __future__ import annotations

from halocline.findings.claim import Claim

claim = Claim(
    id="C5",
    text="most messages are 0 to 64 bytes; sizes are alike for 8, 16 and 32 nodes",
    paper="CESM profiling 2011, message sizes",
    lacks="needs profiles of `coupled` on several numbers of nodes; `halocline profile report` "
    "shows the message sizes of any program",
)
