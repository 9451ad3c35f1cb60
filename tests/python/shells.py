"""Where the commands of a page are typed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from documents import name_of
from halocline.hosts.make import temporary_hosts
from halocline.launch.launchers import SLEEPS
from slurm.cluster import slurm

PAGE_LIMIT_S = 900
END_OF_COMMAND = "\x1e"

# These start hosts, which an earlier run of the page that was cut off may have left up.
WITH_HOSTS = {"docs/how-to/measure-between-hosts.md"}
# Has more ranks than cores here: its figures are refused.
WITHOUT_CORES = {"docs/how-to/measure-contention.md"}
# What a cluster's users type on its login host is typed on that of a real Slurm.
ON_SLURM = {"docs/how-to/use-slurm.md"}
SLURM_NODES = 2


@dataclass(frozen=True)
class Place:
    """Where commands are typed: the words that lead there, the environment there."""

    entry: list[str]
    variables: dict[str, str]


@contextmanager
def place_of(page: Path, folder: Path, home: str) -> Iterator[Place]:
    """This machine, or the login host of a Slurm that is there for the page."""
    variables = {**os.environ, "HALOCLINE_HOME": home}
    if name_of(page) in WITHOUT_CORES:
        variables |= SLEEPS
    if name_of(page) in WITH_HOSTS:
        in_shell(["halocline hosts down"], folder, Place([], variables))
    if name_of(page) not in ON_SLURM:
        yield Place([], variables)
        return
    with temporary_hosts(SLURM_NODES) as hosts, slurm(hosts, folder, variables) as cluster:
        yield Place(cluster.command(), dict(cluster.variables))


def in_shell(lines: list[str], folder: Path, place: Place) -> list[tuple[str, int]]:
    """What each command prints, and how it ends; all in one shell, as one types them."""
    script = "".join(
        f"{line}\nended=$?; printf '{END_OF_COMMAND}%d{END_OF_COMMAND}' $ended; (exit $ended)\n"
        for line in lines
    )
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [*place.entry, "bash", "-c", f"exec 2>&1\n{script}"],
        check=False,
        cwd=folder,
        env={**place.variables, "PATH": path, "COLUMNS": "160"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PAGE_LIMIT_S,
    )
    parts = done.stdout.split(END_OF_COMMAND)
    ended = [(parts[at], int(parts[at + 1])) for at in range(0, len(parts) - 1, 2)]
    assert len(ended) == len(lines), f"the shell left early:\n{done.stdout}{done.stderr}"
    return ended
