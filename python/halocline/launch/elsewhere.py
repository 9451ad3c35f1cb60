"""The other hosts of a job: prepared before it, cleaned after it. Standard library only.

The job's directory may be local to each host, like /tmp in a cluster, or shared.
The scratch space in it is per host: Open MPI's daemons name files after their pids, which
may coincide between hosts.
"""

from __future__ import annotations

import json
import resource
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

AGENT = "agent"  # runs a command on a host as part of the job
REACH = "reach"  # the same, not as part of it
HOSTS = "hosts"  # their names, one per line
LOCK = "lock"  # only where the job was launched
SHARED_BEFORE = "shared-memory-before"

CLEAN_S = 25.0  # to kill stubborn processes, and to detect that a host does not answer
_POLL_S = 0.02
# Open at once: two pipes for each host that is asked, and what else this process has.
_FILES, _FILES_PER_HOST = 256, 4

_PREPARE = "; ".join(
    (
        "set -e",
        'mkdir -p -m 700 {directory} "$TMPDIR"',
        "cd {directory}",
        "[ -e cases ] || cat > cases",
        # For Open MPI 4, whose daemons do not run if they cannot find it.
        f"[ -e {AGENT} ] || {{{{ printf %b {{agent}} > {AGENT}; chmod 700 {AGENT}; }}}}",
        # It fails at a folder that only another user may read: none of the job's files is there.
        f'{{{{ find /dev/shm -type f 2>/dev/null || :; }}}} > {SHARED_BEFORE}-"$(uname -n)"',
        "uname -n",
    )
)
_CLEAN = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from halocline.launch.leftovers import clean_this_host; clean_this_host(sys.argv[2])"
)
_REMOVE = f"[ -e {{directory}}/{LOCK} ] || rm -rf {{directory}}"


class Unprepared(Exception):
    """A host on which a job cannot start, and why."""


def other_hosts(directory: Path) -> list[str]:
    """The hosts of a job other than the launching one; none for most jobs."""
    try:
        return (directory / HOSTS).read_text(encoding="utf-8").split()
    except FileNotFoundError:
        return []


def prepare(
    directory: Path,
    environment: Mapping[str, str],
    limit_s: float,
    interrupted: Callable[[], bool],
) -> list[str]:
    """Make the job's directory on all of its hosts; returns each host's own name.

    Unprepared if one does not answer in time, or if it was interrupted.
    """
    agent = (directory / AGENT).read_text(encoding="utf-8")
    command = _PREPARE.format(directory=shlex.quote(str(directory)), agent=_one_line(agent))
    names: dict[str, str] = {}
    with ExitStack() as all_hosts:
        try:
            asked = all_hosts.enter_context(_asked(directory, AGENT, command, environment))
        except OSError as error:  # such as too many open files
            raise Unprepared(f"the hosts cannot be asked: {error.strerror}") from error
        deadline = time.monotonic() + limit_s
        while waiting := [host for host, child in asked.items() if child.poll() is None]:
            if interrupted():
                raise Unprepared("it was cancelled")
            if time.monotonic() > deadline:
                raise Unprepared(f"{waiting[0]} does not answer within {limit_s:g} s")
            time.sleep(_POLL_S)
        for host, child in asked.items():
            said = child.stdout.read().split() if child.stdout else []
            if child.returncode != 0 or not said:
                complaint = child.stderr.read().decode(errors="replace") if child.stderr else ""
                lines = [line for line in complaint.splitlines() if line.strip()]
                why = lines[-1] if lines else ""  # a banner comes first
                raise Unprepared(f"{host} cannot be reached: {why}")
            names[host] = said[-1].decode(errors="replace")
    return list(names.values())


def clean_hosts(directory: Path) -> tuple[list[str], list[str]]:
    """Clean up on all hosts of a job: processes that could not be ended, hosts not reached."""
    package = str(Path(__file__).parents[2])
    clean = shlex.join([sys.executable, "-I", "-S", "-c", _CLEAN, package, str(directory)])
    remove = _REMOVE.format(directory=shlex.quote(str(directory)))
    survivors, unreached = [], []
    with ExitStack() as all_hosts:
        try:
            asked = all_hosts.enter_context(_asked(directory, REACH, f"{clean}; {remove}", None))
        except OSError:  # such as too many open files
            return [], other_hosts(directory)
        deadline = time.monotonic() + CLEAN_S
        for host, child in asked.items():
            try:
                child.wait(max(0.0, deadline - time.monotonic()))
                said = child.stdout.read().splitlines() if child.stdout else []
                pids = json.loads(said[-1]) if said else None  # a shell may greet first
            except (subprocess.TimeoutExpired, ValueError):
                pids = None
            if pids is None:
                unreached.append(host)
            else:
                survivors += [f"{pid} on {host}" for pid in pids]
    return survivors, unreached


def _one_line(script: str) -> str:
    """The script as a word for `printf %b`: in csh, quotes neither hold lines nor protect a `!`."""
    escapes = {"\\": r"\\", "\n": r"\n", "!": r"\0041"}
    return shlex.quote("".join(escapes.get(letter, letter) for letter in script))


@contextmanager
def _asked(
    directory: Path, program: str, command: str, environment: Mapping[str, str] | None
) -> Iterator[dict[str, subprocess.Popen[bytes]]]:
    """A running command on each host, with the job's cases on its stdin; killed after the block."""
    asked: dict[str, subprocess.Popen[bytes]] = {}
    hosts = other_hosts(directory)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if (needed := _FILES + _FILES_PER_HOST * len(hosts)) > soft != resource.RLIM_INFINITY:
        most = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
    try:
        for host in hosts:
            with (directory / "cases").open("rb") as cases:
                asked[host] = subprocess.Popen(
                    ["/bin/sh", directory / program, host, command],  # /tmp may be noexec
                    stdin=cases,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    cwd="/",
                    env=environment,
                )
        yield asked
    finally:
        for child in asked.values():
            with child:  # closes its pipes, and waits
                child.kill()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))  # ranks keep the user's
