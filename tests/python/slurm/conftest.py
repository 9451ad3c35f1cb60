"""A Slurm of three nodes for all tests, one to be damaged, and the command as its users run it."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from halocline.hosts.make import temporary_hosts
from launch.trace import MARK, marked
from slurm.cluster import Cluster, slurm

HALOCLINE = Path(sys.executable).with_name("halocline")
NODES = 3


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where MPI libraries are kept: as `make test` says, never in the user's own home."""
    return os.environ.get("HALOCLINE_HOME") or str(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="session")
def added(home: str) -> Callable[[str], None]:
    """Makes an MPI library ready: jobs find it built."""

    @cache
    def add(name: str) -> None:
        command: list[str | Path] = [HALOCLINE, "mpi", "add", name]
        subprocess.run(command, check=True, env={**os.environ, "HALOCLINE_HOME": home})

    return add


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory, home: str) -> Iterator[Cluster]:
    """The Slurm that no test damages."""
    with _up(tmp_path_factory.mktemp("slurm"), home) as cluster:
        yield cluster


@pytest.fixture
def cluster(shared: Cluster) -> Iterator[Cluster]:
    """The same, with a mark on all that the test starts; nothing of it may be left."""
    yield from _marked(shared)


@pytest.fixture
def frail(tmp_path_factory: pytest.TempPathFactory, home: str) -> Iterator[Cluster]:
    """A Slurm of the test's own, in a short path: names of its sockets have 108 characters."""
    with _up(tmp_path_factory.mktemp("frail"), home) as cluster:
        yield from _marked(cluster)


@contextmanager
def _up(folder: Path, home: str) -> Iterator[Cluster]:
    outside = {name: value for name, value in os.environ.items() if not name.startswith("SLURM")}
    variables = {**outside, "HALOCLINE_HOME": home}
    with temporary_hosts(NODES) as hosts, slurm(hosts, folder, variables) as cluster:
        yield cluster


def _marked(cluster: Cluster) -> Iterator[Cluster]:
    mark = uuid.uuid4().hex
    try:
        yield replace(cluster, variables={**cluster.variables, MARK: mark})
    finally:
        left = marked(mark)
    assert left == {}
