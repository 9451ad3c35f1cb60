"""Which tests run when (the table is in CONTRIBUTING.md), and what keeps them to it.

A test without a mark runs in this process: `make check` runs those. `launches` marks tests that start
MPI programs, compilers, hosts or browsers: `make test`. `wide` marks those that repeat for one more
library, language or place what `make test` has tried once: `make matrix`.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import PurePath

import pytest

# What an unmarked test may not start: launchers and wrappers of MPI, builders, hosts, browsers, the
# installed command. It may ask the driver what it can do.
_PROGRAMS = re.compile(
    r"mpi(cc|cxx|fort|exec|run).*|smpi.*|srun|salloc|cmake|ninja|chromium|mount|unshare|nsenter|setpriv"
    r"|halocline|bash|python.*"
)
# Groups of tests that take longest begin first, so that none is left over at the end.
_FIRST: tuple[str, ...] = ()

_unmarked: list[str] = []  # the unmarked test that runs now


def _refuse_programs(event: str, arguments: tuple[object, ...]) -> None:
    if event != "subprocess.Popen" or not _unmarked:
        return
    path = PurePath(str(arguments[0]))
    stand_in = path.is_relative_to(tempfile.gettempdir())  # a script that the test has written
    program = path.name
    if _PROGRAMS.fullmatch(program) and not stand_in:
        raise AssertionError(
            f"{_unmarked[0]} starts {program}; mark it with @pytest.mark.launches"
        )


sys.addaudithook(_refuse_programs)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> object:
    if item.get_closest_marker("launches") is None:
        _unmarked.append(item.nodeid)
    try:
        return (yield)
    finally:
        _unmarked.clear()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of one file share its fixtures, so one worker runs them; `spread` lets them part."""
    for item in items:
        if item.get_closest_marker("wide") and not item.get_closest_marker("launches"):
            raise pytest.UsageError(f"{item.nodeid} is marked wide, but not launches")
        if not item.get_closest_marker("spread") and not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(_file(item)))
    items.sort(key=_turn)


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0].removeprefix("tests/python/")


def _turn(item: pytest.Item) -> int:
    file = _file(item)
    if file in _FIRST:
        return _FIRST.index(file)
    return len(_FIRST) + (item.get_closest_marker("launches") is None)
