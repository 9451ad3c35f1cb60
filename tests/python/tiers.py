"""Which tests run when (the table is in CONTRIBUTING.md), and what keeps them to it.

A test without a mark runs in this process: `make check` runs those. `launches` marks tests that
start MPI programs, compilers, hosts or browsers: `make test`. Those of them that repeat for one
more library, language or place what others have tried are `wide` (`_WIDE` below): `make matrix`.

Those marked `waits` (or in `_BESIDE` below) measure nothing: what they wait for, a deadline, a
compiler, a browser, a count, is right whatever else runs. They share the workers with the tests
that start nothing. What measures comes one by one, because its ranks spin on all cores.
"""

from __future__ import annotations

import re
import resource
import sys
import tempfile
from collections.abc import Iterator
from pathlib import PurePath

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

# What an unmarked test may not start: launchers and wrappers of MPI, builders, hosts, browsers, the
# installed command. It may ask the driver what it can do.
_PROGRAMS = re.compile(
    r"mpi(cc|cxx|fort|exec|run).*|smpi.*|srun|salloc|cmake|ninja|chromium|mount|unshare|nsenter|setpriv"
    r"|halocline|bash|python.*"
)
# Groups of tests that take longest begin first, so that none is left over at the end.
_FIRST = (
    "test_docs.py",
    "test_examples.py",
    "test_new_protocol.py",
    "library/test_installed.py",
    "faults/test_on_hosts.py",
    "library/test_wheel.py",
    "slurm/test_lost_node.py",
    "report/test_html.py",
    "hosts/test_host_faults.py",
    "launch/test_faults.py",
    "launch/test_run_job.py",
)
_EVERY = re.compile("")
# What `make matrix` tries besides: one more library, language or place.
_WIDE = {
    "faults/test_on_hosts.py": _EVERY,
    "hosts/test_host_faults.py": re.compile("intel|debian"),
    "hosts/test_ssh.py": _EVERY,
    "hosts/test_without_root.py": _EVERY,
    "hosts/test_workloads.py": re.compile("intel|debian"),
    "launch/test_faults.py": re.compile("intel|debian"),
    "launch/test_run_job.py": re.compile("intel|debian"),
    "library/test_installed.py": re.compile("openmpi|abi"),
    "library/test_wheel.py": _EVERY,
    "profiles/test_counts.py": re.compile("mpich-5|debian|intel"),
    "profiles/test_deaths.py": re.compile("openmpi"),
    "profiles/test_functions.py": re.compile("mpich-5|debian|intel"),
    "profiles/test_languages.py": re.compile("debian-openmpi"),
    "profiles/test_mpi4py_suite.py": _EVERY,
    "profiles/test_real_programs.py": _EVERY,
    "slurm/test_lost_node.py": _EVERY,
    "slurm/test_srun.py": _EVERY,
    "test_verify_libraries.py": re.compile(r"intel|debian|-4"),
}
# Measure nothing, or nothing that their verdict is about: marked `waits` here.
_BESIDE = {
    "faults/test_on_hosts.py": _EVERY,
    "faults/test_run_and_resume.py": _EVERY,
    "hosts/test_workloads.py": _EVERY,
    "library/test_installed.py": _EVERY,
    "library/test_python.py": _EVERY,
    "library/test_wheel.py": _EVERY,
    "mpi/test_build.py": _EVERY,
    "mpi/test_identity.py": _EVERY,
    "mpi/test_mpi_command.py": _EVERY,
    "mpi/test_registry.py": _EVERY,
    "mpi/test_wheels.py": _EVERY,
    "profiles/test_bad_commands.py": _EVERY,
    "profiles/test_counts.py": _EVERY,
    "profiles/test_damaged_profiles.py": _EVERY,
    "profiles/test_deaths.py": _EVERY,
    "profiles/test_files.py": _EVERY,
    "profiles/test_functions.py": _EVERY,
    "profiles/test_languages.py": _EVERY,
    "profiles/test_mpi4py_suite.py": _EVERY,
    "profiles/test_page.py": _EVERY,
    "profiles/test_real_programs.py": _EVERY,
    "profiles/test_replay.py": _EVERY,
    "profiles/test_storage.py": _EVERY,
    "profiles/test_truth.py": _EVERY,
    "profiles/test_worlds.py": _EVERY,
    "report/test_html.py": _EVERY,
    "report/test_pages.py": _EVERY,
    "slurm/test_batch.py": _EVERY,
    "slurm/test_lost_node.py": _EVERY,
    "slurm/test_srun.py": _EVERY,
    "slurm/test_submit.py": _EVERY,
    "test_bad_input.py": _EVERY,
    "test_cli_main.py": _EVERY,
    "test_docs.py": re.compile(
        "adopt-a-site-mpi|use-a-simulated-machine|export-figures|summary-json"
        "|run-without-network-or-root|look-into-a-profile|profile-a-model|snippet"
    ),
    "test_examples.py": re.compile("options|simulated|reframe|gate"),
    "test_machine.py": _EVERY,
    "test_new_protocol.py": _EVERY,
}
# Files whose tests part: those with the same match share a worker.
_SPREAD = {
    "faults/test_run_and_resume.py": re.compile(r"::test_[a-z_]+(\[[a-z]+)?"),
    "launch/test_faults.py": re.compile("::test_[a-z_]+"),
    "library/test_installed.py": re.compile(r"\[[a-z]+"),
    "test_docs.py": re.compile("::.*"),
    "test_examples.py": re.compile("::.*"),
}
# These compile the same sources for Debian's MPICH: after one another, so that the compiler's cache
# has them for all but the first.
_TOGETHER = re.compile(r"test_docs\.py::.*adopt-a-site-mpi|library/test_installed\.py::.*\[mpich")

_unmarked: list[str] = []  # the unmarked test that runs now
_BEGAN_S = pytest.StashKey[float]()


def _refuse_programs(event: str, arguments: tuple[object, ...]) -> None:
    if event != "subprocess.Popen" or not _unmarked:
        return
    path = PurePath(str(arguments[0]))
    stand_in = path.is_relative_to(tempfile.gettempdir())  # a script that the test has written
    program = path.name
    if _PROGRAMS.fullmatch(program) and not stand_in:
        raise AssertionError(f"{_unmarked[0]} starts {program}; mark it with @pytest.mark.launches")


sys.addaudithook(_refuse_programs)


def _processor_s() -> float:
    """Of this process and of its children that have ended."""
    uses = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(use.ru_utime + use.ru_stime for use in uses)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    item.stash[_BEGAN_S] = _processor_s()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Notes for `tools/times.py` how long the processors worked for the test."""
    try:
        return (yield)
    finally:
        item.user_properties.append(("processor_s", _processor_s() - item.stash[_BEGAN_S]))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    if item.get_closest_marker("launches") is None:
        _unmarked.append(item.nodeid)
        try:
            return (yield)
        finally:
            _unmarked.clear()
    return (yield)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What waits longest begins first; tests that start nothing fill what is left at the end."""
    for item in items:
        wide = _WIDE.get(_file(item.nodeid))
        if wide and item.get_closest_marker("launches") and wide.search(item.name):
            item.add_marker(pytest.mark.wide)
        beside = _BESIDE.get(_file(item.nodeid))
        if beside and item.get_closest_marker("launches") and beside.search(item.name):
            item.add_marker(pytest.mark.waits)
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    file = _file(item.nodeid)
    if item.get_closest_marker("launches") is None:
        return len(_FIRST) + 1
    return _FIRST.index(file) if file in _FIRST else len(_FIRST)


def _file(nodeid: str) -> str:
    return nodeid.partition("::")[0].removeprefix("tests/python/")


class _Groups(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """One worker runs the tests of a file, whose fixtures are made once, but for `_SPREAD`."""

    def _split_scope(self, nodeid: str) -> str:
        file = _file(nodeid)
        if _TOGETHER.match(nodeid.removeprefix("tests/python/")):
            return "Debian's MPICH"
        part = _SPREAD[file].search(nodeid) if file in _SPREAD else None
        return f"{file} {part[0]}" if part else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    return _Groups(config, log)
