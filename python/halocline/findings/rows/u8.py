"""U8: the simple specification as a model."""

from __future__ import annotations

from halocline.findings.claim import Claim

claim = Claim(
    id="U8",
    text="the simple specifications predict relative communication performance rather well",
    paper="X1, XD1 and XT3, conclusions",
    lacks="compares machines: needs runs of several and their specifications. How well latency, "
    "bandwidth and contention predict the workloads of one machine says `halocline model`",
)
