"""Every workload over every protocol on real MPI libraries: each runs, or says why not."""

from __future__ import annotations

import pytest

from halocline.base.progress import reporting
from halocline.cli.here import catalogue_of
from halocline.launch.run_job import run_job
from halocline.verify.combinations import Selection, verify
from libraries import TOOLCHAINS

pytestmark = pytest.mark.launches

# Past the eager limit, and no whole number of words; all sizes take too long for a test.
AXES = {"bytes": (65537,), "words": (9001,)}
DEADLINE_S = 30.0
# Ranks of this library spin where they have no core, and cannot be made to sleep: it takes minutes.
LEFT_OUT = {("debian-mpich", 4): {"coupled"}}


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("name", TOOLCHAINS)
def test_every_combination_runs_or_has_a_reason(name: str, ranks: int) -> None:
    tool = TOOLCHAINS[name]()
    catalogue = catalogue_of(tool)
    left_out = LEFT_OUT.get((name, ranks), set())
    workloads = [each for each in catalogue.workloads if each.name not in left_out]
    selection = Selection(tuple(workload.name for workload in workloads), AXES)
    with reporting() as reporter:
        found = verify(tool, catalogue, ranks, selection, run_job, reporter, DEADLINE_S)
    assert [each for each in found if each.status == "failed"] == []
    assert {(each.workload, each.protocol) for each in found} == {
        (workload.name, protocol)
        for workload in workloads
        for protocol in (
            [protocol.name for protocol in catalogue.protocols]
            if workload.axis("protocol")
            else [""]
        )
    }
    for each in found:
        workload, protocol = catalogue.workload(each.workload), catalogue.protocol(each.protocol)
        assert workload is not None
        lacking = protocol is not None and not protocol.available
        if lacking or not workload.runs_on(ranks):
            assert each.status == "skipped", each
        assert bool(each.cases) == (each.status == "verified"), each
        assert each.reason or each.status == "verified", each
