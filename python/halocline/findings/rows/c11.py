"""C11: computation against communication."""

from __future__ import annotations

from halocline.findings.claim import Claim

claim = Claim(
    id="C11",
    text="more time is spent on computation than on communication, with a graph of the share",
    paper="CESM profiling 2011, communication percentage",
    lacks="needs profiles of `coupled` on several numbers of nodes; `halocline profile report` "
    "shows both shares of any program",
)
