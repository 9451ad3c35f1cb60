"""C7: total data moved."""

from __future__ import annotations

from halocline.findings.claim import Claim

claim = Claim(
    id="C7",
    text="the total data moved rises gradually with the node count",
    paper="CESM profiling 2011, aggregated data transfer",
    lacks="needs profiles of `coupled` on several numbers of nodes; `halocline profile report` "
    "shows the data against ranks of any program",
)
