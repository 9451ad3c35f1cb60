"""C4: the share of communication."""

from __future__ import annotations

from halocline.findings.claim import Claim

claim = Claim(
    id="C4",
    text="the share of time in communication rises with the node count",
    paper="CESM profiling 2011, communication percentage",
    lacks="needs profiles of `coupled` on several numbers of nodes; `halocline profile report` "
    "shows the share of communication of any program",
)
