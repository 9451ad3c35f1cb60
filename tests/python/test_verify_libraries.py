"""Every workload over every protocol on real MPI libraries: each runs, or says why not."""

from __future__ import annotations

import pytest

from halocline.base.progress import reporting
from halocline.cli.here import catalogue_of
from halocline.launch.run_job import run_job
from halocline.specification.catalogue import Catalogue, Workload
from halocline.verify.combinations import Combination, Selection, verify
from libraries import DEBIAN, TOOLCHAINS

pytestmark = pytest.mark.launches

# Past the eager limit, and no whole number of words; all sizes take too long for a test.
AXES = {"bytes": (65537,), "words": (9001,)}
# For workloads that then say that they take whole doubles only.
DOUBLES_AXES = {"bytes": (65544,)}
DOUBLES = "multiple of 8"
# Models communicate hundreds of times a case. Ranks of this library spin where they have no core,
# and cannot be made to sleep: there models try one protocol of each family, and all of them
# coupled take too long.
MODELS = ("barotropic", "ocean", "atmosphere", "shallow_water", "gyrokinetic")
LEFT_OUT = "coupled"
SPINS = (DEBIAN, 4)
FAMILIES = ("isend_irecv", "alltoallv", "put_fence")
DEADLINE_S = 300.0  # of what hangs; ranks that spin are slow where other work runs
FAULT = "this library"  # in the reason, where it is at fault


def selections(catalogue: Catalogue, spins: bool) -> list[Selection]:
    """All workloads of a catalogue, each over all protocols but for models whose ranks spin."""
    names = [workload.name for workload in catalogue.workloads]
    models = MODELS if spins else ()
    left_out = (*models, LEFT_OUT) if spins else ()
    return [
        Selection(tuple(name for name in names if name not in left_out), AXES),
        *([Selection(models, {**AXES, "protocol": FAMILIES})] if models else []),
    ]


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("name", TOOLCHAINS)
def test_every_combination_runs_or_has_a_reason(name: str, ranks: int) -> None:
    tool = TOOLCHAINS[name]()
    catalogue = catalogue_of(tool)
    asked = selections(catalogue, (name, ranks) == SPINS)

    def results_of(selection: Selection) -> tuple[Combination, ...]:
        with reporting() as reporter:
            return verify(tool, catalogue, ranks, selection, run_job, reporter, DEADLINE_S)

    results = [result for selection in asked for result in results_of(selection)]
    doubles = {each.workload for each in results if DOUBLES in each.reason}
    assert doubles
    assert [result for result in results if result.status == "failed"] == []
    results = [each for each in results if each.workload not in doubles]
    results += results_of(Selection(tuple(doubles), DOUBLES_AXES))
    assert [result for result in results if result.status == "failed"] == []
    every = [protocol.name for protocol in catalogue.protocols]
    protocols = {
        name: selection.axes.get("protocol", every)
        for selection in asked
        for name in selection.workloads
    }
    assert {(result.workload, result.protocol) for result in results} == {
        (name, protocol)
        for name, of_name in protocols.items()
        for protocol in (of_name if _workload(catalogue, name).axis("protocol") else [""])
    }
    missing = {workload.name for workload in catalogue.workloads} - protocols.keys()
    assert missing == ({LEFT_OUT} if (name, ranks) == SPINS else set())
    for result in results:
        workload = _workload(catalogue, result.workload)
        protocol = catalogue.protocol(result.protocol)
        lacking = protocol is not None and not protocol.available
        able = workload.runs_on(ranks) and not lacking
        if result.status == "skipped":
            assert result.reason and (not able or FAULT in result.reason), result
        else:
            assert able, result
        assert bool(result.cases) == (result.status == "verified"), result


def _workload(catalogue: Catalogue, name: str) -> Workload:
    workload = catalogue.workload(name)
    assert workload is not None, name
    return workload
