"""X18: ways of load balancing."""

from __future__ import annotations

from halocline.findings.claim import Claim

claim = Claim(
    id="X18",
    text="CAM load balancing has alltoallv and 19 point-to-point ways, of which isend/recv is "
    "the best; replacing the collectives inside the dynamics (at most 128 ranks) brings "
    "nothing",
    paper="XT3 and XT4, section 4.1",
    lacks="needs an experiment over the protocols of `atmosphere`, and one protocol for its remaps "
    "and another for its dynamics; `halocline tune atmosphere` chooses one for both",
)
