"""C6: data by rank."""

from __future__ import annotations

from halocline.findings.claim import Claim

claim = Claim(
    id="C6",
    text="data per rank falls from about 8 GB in the 8-node run to 3 GB at 32 nodes, even "
    "between ranks",
    paper="CESM profiling 2011, data transferred by ranks",
    lacks="needs profiles of `coupled` on several numbers of nodes; `halocline profile report` "
    "shows the bytes by rank of any program",
)
