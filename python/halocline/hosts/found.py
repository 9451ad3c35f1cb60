"""Where a run's nodes come from: names, a hostfile, Slurm's allocation, made hosts."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from halocline.base.errors import UserError
from halocline.base.paths import expanded
from halocline.hosts.reachable import UP, Hosts
from halocline.hosts.record import standing
from halocline.hosts.scripts import hosts_of

# Reaches the nodes of an allocation even if users may not log in to them.
SLURM_AGENT = Path(__file__).with_name("slurm-agent")
_SLURM = "slurm"
_FORMS = "names (a,b), a hostfile's path, slurm, up, made"
_NODES = ("SLURM_JOB_NODELIST", "SLURM_NODELIST")
_SCONTROL_TIMEOUT_S = 30.0
# A name must not begin with a dash: the remote shell would take it for an option.
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_ENTRY = re.compile(r"(?P<name>[^\s:]+)(?::\d+|\s+(?:slots|max_slots|max-slots)=\d+)*")


def find(spec: str) -> Hosts:
    """The hosts that `spec` names: `a,b`, the path of a hostfile, `slurm`, `up`.

    UserError for anything else.
    """
    if spec == UP:
        hosts = standing()
        if hosts is None:
            raise UserError(
                "no hosts are up", where="--hosts up", remedy="start two: `halocline hosts up 2`"
            )
        return hosts_of(hosts)
    if spec == _SLURM:
        return Hosts(_unique(_allocated(), "the allocation"), agent=SLURM_AGENT)
    path = expanded(spec)
    if "/" in spec or os.path.isfile(path):  # many names are too long for a path
        return Hosts(_unique(_listed(path), str(path)))
    return Hosts(_unique((_entry(word, "--hosts") for word in spec.split(",")), "--hosts"))


def _listed(path: Path) -> Iterator[str]:
    """One host per line; slots are ignored, as the layout decides."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not a text file"
        raise UserError(
            f"the hostfile {path} cannot be read: {why}", allowed=_FORMS, remedy="check the path"
        ) from None
    for number, line in enumerate(lines, start=1):
        if text := line.partition("#")[0].strip():
            yield _entry(text, f"{path}:{number}")


def _entry(text: str, where: str) -> str:
    match = _ENTRY.fullmatch(text.strip())
    if match is None or not _NAME.fullmatch(match["name"]):
        raise UserError(
            f"{text.strip()!r} is not a host name",
            where=where,
            allowed=f"{_FORMS}; in a hostfile: host, host:2, host slots=2",
            remedy="write for example node1,node2",
        )
    return match["name"]


def _allocated() -> list[str]:
    nodes = next((os.environ[name] for name in _NODES if os.environ.get(name)), None)
    if nodes is None:
        raise UserError(
            f"not inside a Slurm allocation: {_NODES[0]} is not set",
            where="--hosts slurm",
            remedy="run inside salloc or sbatch",
        )
    try:
        done = subprocess.run(
            ["scontrol", "show", "hostnames", nodes],
            check=False,
            capture_output=True,
            text=True,
            timeout=_SCONTROL_TIMEOUT_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        why = error.strerror if isinstance(error, OSError) else "no answer"
        raise UserError(
            f"scontrol cannot expand {nodes}: {why}",
            where="--hosts slurm",
            remedy="name them yourself: --hosts a,b",
        ) from None
    if done.returncode != 0:
        why = (done.stderr.strip().splitlines() or ["it failed without an error message"])[-1]
        raise UserError(
            f"scontrol cannot expand {nodes}: {why}",
            where="--hosts slurm",
            remedy="name them yourself: --hosts a,b",
        )
    return done.stdout.split()


def _unique(names: Iterable[str], where: str) -> tuple[str, ...]:
    """Each host once: each node of a layout is a separate host."""
    hosts = tuple(names)
    if not hosts:
        raise UserError("no host is named", where=where, allowed=_FORMS, remedy="name one or more")
    twice = next((name for name in hosts if hosts.count(name) > 1), None)
    if twice:
        raise UserError(
            f"the host {twice} is named twice",
            where=where,
            remedy="name each once; the layout sets the number of ranks",
        )
    return hosts
