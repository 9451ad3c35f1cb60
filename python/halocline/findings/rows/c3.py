"""C3: the call mix."""

from __future__ import annotations

from halocline.findings.claim import Claim

claim = Claim(
    id="C3",
    text="call mix by count: Irecv 32 %, Isend 26 %, Wait 21 %, Waitall 7 %; 23 MPI functions"
    " in use",
    paper="CESM profiling 2011, number of MPI calls",
    lacks="needs profiles of `coupled`, whose calls can be counted: `halocline profile report` "
    "shows the call mix of any program",
)
