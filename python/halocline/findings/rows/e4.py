"""E4: the exchange over the number of ranks."""

from __future__ import annotations

from halocline.findings.claim import Claim
from halocline.findings.redistribution import PAPER

claim = Claim(
    id="E4",
    text="at a fixed grid the time of an exchange falls linearly with the number of ranks",
    paper=f"{PAPER}, scalability, figures 5 and 7",
    lacks="needs tens to thousands of nodes: simulated machines with the speed of their memory, "
    "which Halocline does not model yet",
)
