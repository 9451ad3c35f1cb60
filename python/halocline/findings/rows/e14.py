"""E14: the default routing option."""

from __future__ import annotations

from halocline.findings.claim import Claim
from halocline.findings.redistribution import EXPERIMENT, PAPER
from halocline.findings.rows import e9

claim = Claim(
    id="E14",
    text="the default routing option gives the best performance",
    paper=f"{PAPER}, conclusion",
    experiments=(EXPERIMENT,),
    judge=e9.judge,
    criteria=(e9.BEST,),
    specification="the default is asynchronous, one message a rank, whole bundle, as in E9",
)
