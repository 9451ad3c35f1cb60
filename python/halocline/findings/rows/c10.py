"""C10: which collectives offload speeds up."""

from __future__ import annotations

from halocline.findings.claim import Claim

claim = Claim(
    id="C10",
    text="offloaded collectives speed up some of CESM's calls and components; which ones is "
    "not said",
    paper="CESM profiling 2011, collective offload",
    lacks="needs a network card that carries out collectives (MPI offload through sharp or "
    "CORE-Direct), and profiles of `coupled` with and without offload, by call and region: "
    "`halocline profile report` compares the two",
)
