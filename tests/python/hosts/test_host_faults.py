"""Whatever happens on two hosts: the job ends in time, keeps what it measured, leaves nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import cache, partial

import pytest

from halocline.base.toolchain import Toolchain
from halocline.hosts import temporary_hosts
from halocline.launch.leftovers import KILL_S, TERMINATE_S
from halocline.launch.run_job import run_job
from hosts.striking import FAULT_CASE, FAULTS, Struck, strike
from launch.jobs import DEADLINES, job_maker
from launch.libraries import REAL
from launch.trace import CASES, kinds, records

pytestmark = [pytest.mark.launches, pytest.mark.waits]

AT_ONCE = 4  # they mostly wait
PROGRESS_S = 4.0
UNNOTICED = ("SIGSTOP of a rank", "link down")  # only the lack of progress ends these
# From the fault to the end of all: until it is noticed, then asked to end, made to end, cleaned.
ENDED_WITHIN_S = PROGRESS_S + 2 * (TERMINATE_S + KILL_S) + 10.0
# When the network reports the other rank gone, a rank ends too, and either may be seen first.
A_RANK = r"rank [01] (was killed|ended early)"
SAID = {
    "SIGKILL of a rank": A_RANK,
    "exit 0 of a rank": A_RANK,
    "exit 3 of a rank": A_RANK,
    "SIGSTOP of a rank": r"no progress for 4 s at case .*: rank 1 is stopped \(SIGSTOP\)$",
    "power cut of the second host": rf"({A_RANK}|ended early).*; these hosts do not answer: host2$",
    "power cut of the first host": rf"({A_RANK}|ended early).*; these hosts do not answer: host1$",
    "SIGKILL of the remote proxy": r".* at case ",
    "link down": r"no progress for 4 s at case ",
    "host down at the start": r"cannot prepare the job's hosts: host2 cannot be reached: the host "
    r"host2 is down$",
    "SIGTERM of the launcher": r".* at case ",
    "SIGKILL of the launcher": r"the launcher was killed \(signal 9, Killed\) at case ",
}


@pytest.fixture(scope="module")
def struck(
    request: pytest.FixtureRequest,
    toolchain_of: Callable[[str], Toolchain],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[str, str], Struck]]:
    """Jobs that were struck, several at a time: all that the tests of this session will ask for."""
    wanted = [
        (str(item.callspec.params["name"]), str(item.callspec.params["fault"]))
        for item in request.session.items
        if isinstance(item, pytest.Function) and item.originalname == test_a_fault.__name__
    ]
    for name in {name for name, _ in wanted}:
        toolchain_of(name)
    make_job = job_maker(toolchain_of, tmp_path_factory.mktemp("jobs"))

    soon = partial(make_job, deadlines=replace(DEADLINES, progress_s=PROGRESS_S))
    with ThreadPoolExecutor(AT_ONCE) as executor:

        @cache
        def begun(name: str, fault: str) -> Future[Struck]:
            samples = tmp_path_factory.mktemp("run") / "samples.jsonl"
            make = soon if fault in UNNOTICED else make_job
            return executor.submit(strike, make, name, fault, samples)

        for pair in wanted:
            begun(*pair)
        yield lambda name, fault: begun(name, fault).result()


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", REAL)
def test_a_fault(name: str, fault: str, struck: Callable[[str, str], Struck]) -> None:
    end = struck(name, fault)
    assert end.ended_in_s < ENDED_WITHIN_S
    assert end.left == []
    found = kinds(end.job)
    if fault == "host down at the start":
        assert found == ["failure"]
    elif end.outcome.ok:
        # Ranks may go on without the launcher's process that started them.
        assert fault == "SIGKILL of the remote proxy"
        assert found == ["start", *["samples"] * len(CASES), "complete"]
        return
    else:
        kept = found.count("samples")
        assert FAULT_CASE - 1 <= kept < len(CASES)
        assert found == ["start", *["samples"] * kept, "failure"]
    assert records(end.job)[-1]["reason"] == end.outcome.reason
    assert re.match(SAID[fault], end.outcome.reason), end.outcome.reason


def test_a_job_goes_on_after_a_fault(struck: Callable[[str, str], Struck]) -> None:
    """On hosts that work again the next launch completes, in the same file."""
    end = struck("mpich", "power cut of the second host")
    before = end.job.samples.read_bytes()
    with temporary_hosts(2) as hosts:
        again = replace(end.job, launch=2, hosts=hosts, cases=CASES[:2])
        assert run_job(again, lambda progress: None).ok
    assert end.job.samples.read_bytes().startswith(before)
    whole = ["start", "samples", "samples", "complete"]
    assert [record["type"] for record in records(again) if record["launch"] == 2] == whole
