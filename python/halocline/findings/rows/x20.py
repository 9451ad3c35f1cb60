"""X20: optimised collectives and copies."""

from __future__ import annotations

from halocline.findings.claim import Claim

claim = Claim(
    id="X20",
    text="with MPI_COLL_OPT_ON allreduce does not depend on placement; POP, CAM and COMMTEST "
    "gain nothing from it, nor from MPICH_FAST_MEMCPY",
    paper="XT3 and XT4, sections 2, 3.3 and 5",
    lacks="needs Cray's library, and two nodes with two cores each for placements; X15 answers for "
    "the options of the libraries here",
)
