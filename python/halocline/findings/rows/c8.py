"""C8: files over time."""

from __future__ import annotations

from halocline.findings.claim import Claim

claim = Claim(
    id="C8",
    text="writes outweigh reads and cluster at the beginning, the middle and the end; limited"
    " near 80 MB/s",
    paper="CESM profiling 2011, file input and output",
    lacks="needs a profile of `coupled`, which writes at these times; `halocline profile report` "
    "shows the files over time of any program",
)
