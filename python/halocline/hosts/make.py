"""Start and stop hosts built from namespaces on this machine."""

from __future__ import annotations

import fcntl
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import halocline
from halocline.base.errors import UserError
from halocline.base.files import NO_LOCKS
from halocline.hosts.keeper import STAY, Orders
from halocline.hosts.network import address
from halocline.hosts.reachable import RATE, RATES, Hosts
from halocline.hosts.record import (
    AGENT,
    ENTER,
    LOGIN,
    Made,
    Process,
    boot,
    read,
    standing_folder,
    started,
    wait_until_ended,
    write,
)
from halocline.hosts.scripts import agent_script, enter_script, hosts_of

MOST = 200
_KEEPER = (
    "import sys; sys.path.insert(0, sys.argv[1]); from halocline.hosts.keeper import main; main()"
)
_PREFIX = "halocline-hosts-"
_END_S = 10.0
_SYSTEM_PROGRAMS = ("/usr/sbin", "/sbin", "/usr/bin", "/bin")
_SWITCHES = {
    # Settings that may forbid user namespaces, and the value that allows them.
    "kernel.apparmor_restrict_unprivileged_userns": "0",
    "kernel.unprivileged_userns_clone": "1",
    "user.max_user_namespaces": "10000",
}


def up(count: int, rate: str = RATE) -> Made:
    """Start hosts that run until `down`, even after this process exits.

    UserError if some are up already, or if this machine does not allow them.
    """
    _check(count, rate)
    with _one_at_a_time():
        folder = standing_folder()
        if (there := read(folder)) and there.stands:
            raise UserError(
                f"hosts are up already: {', '.join(there.names)}",
                remedy="use them with --hosts up, or stop them with `halocline hosts down`",
            )
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        with _made(folder, count, rate) as (hosts, keeper):
            assert keeper.stdin is not None
            keeper.stdin.write(STAY)
            keeper.stdin.close()
            keeper.stdin = None
            return hosts


def down() -> Made | None:
    """Stop the hosts started by `up`; None without any."""
    with _one_at_a_time():
        hosts = read(standing_folder())
        if hosts is None or not hosts.stands:
            shutil.rmtree(standing_folder(), ignore_errors=True)
            return None
        _signal(hosts.keeper, signal.SIGTERM)
        if not wait_until_ended(hosts, _END_S):
            _signal(hosts.keeper, signal.SIGKILL)
            wait_until_ended(hosts, _END_S)
        shutil.rmtree(hosts.folder, ignore_errors=True)
        return hosts


@contextmanager
def temporary_hosts(count: int, rate: str = RATE) -> Iterator[Hosts]:
    """Hosts for the block, separate from those of `up`; killed with this process."""
    _check(count, rate)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    try:
        with _made(folder, count, rate) as (hosts, _):
            yield hosts_of(hosts)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _made(folder: Path, count: int, rate: str) -> Iterator[tuple[Made, subprocess.Popen[bytes]]]:
    """Hosts whose keeper ends them after the block, unless ordered to `stay`."""
    keeper = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _KEEPER, str(Path(halocline.__file__).parents[1])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd="/",
        env={"PATH": _program_path()},
        start_new_session=True,
    )
    hosts = None
    try:
        hosts = _begin(keeper, folder, count, rate)
        yield hosts, keeper
    finally:
        if keeper.stdin is not None:
            with suppress(BrokenPipeError):
                keeper.stdin.close()
            if hosts and not wait_until_ended(hosts, _END_S):
                _signal(hosts.keeper, signal.SIGKILL)
                wait_until_ended(hosts, _END_S)
            shutil.rmtree(folder, ignore_errors=True)
        keeper.wait()
        for stream in (keeper.stdout, keeper.stderr):
            assert stream is not None
            stream.close()


def _signal(keeper: Process, number: int) -> None:
    """Signal the keeper, unless it has ended: a host's process may outlive it."""
    if keeper.lives:
        with suppress(ProcessLookupError):
            os.kill(keeper.pid, number)


def _begin(keeper: subprocess.Popen[bytes], folder: Path, count: int, rate: str) -> Made:
    names = (LOGIN, *(f"host{number}" for number in range(1, count + 1)))
    addresses = tuple(address(number) for number in range(1, len(names) + 1))
    hosts_file = folder / "etc-hosts"
    lines = [f"{own} {name}\n" for own, name in zip(addresses, names, strict=True)]
    hosts_file.write_text("127.0.0.1 localhost\n" + "".join(lines), encoding="utf-8")
    orders = Orders(
        names=list(names),
        addresses=list(addresses),
        rate=rate,
        hosts_file=str(hosts_file),
        directory=str(folder),
    )
    assert keeper.stdin is not None and keeper.stdout is not None and keeper.stderr is not None
    with suppress(BrokenPipeError):  # it exited at once: its stderr says why
        keeper.stdin.write(json.dumps(asdict(orders)).encode() + b"\n")
        keeper.stdin.flush()
    line = keeper.stdout.readline()
    answer: dict[str, Any] = (
        json.loads(line) if line else {"error": keeper.stderr.read().decode().strip()}
    )
    if "error" in answer:
        raise _refusal(answer["error"])
    hosts = Made(
        folder=folder,
        boot=boot(),
        rate=rate,
        names=names[1:],
        addresses=addresses[1:],
        keeper=_process(answer["keeper"]),
        firsts=tuple(_process(pid) for pid in answer["pids"]),
    )
    for name, script in ((ENTER, enter_script(hosts)), (AGENT, agent_script(hosts))):
        (folder / name).write_text(script, encoding="utf-8")
        (folder / name).chmod(0o755)
    write(hosts)
    return hosts


def _process(pid: int) -> Process:
    began = started(pid)
    if began is None:
        raise UserError("a host exited right after its start", remedy="try again")
    return Process(pid, began)


def _check(count: int, rate: str) -> None:
    if not 1 <= count <= MOST:
        raise UserError(
            f"{count} hosts",
            allowed=f"1 to {MOST}",
            remedy="write for example `halocline hosts up 2`",
        )
    if not RATES.fullmatch(rate):
        raise UserError(
            f"{rate!r} is not a rate",
            where="--rate",
            allowed="a number with kbit, mbit or gbit",
            remedy="write for example 1gbit",
        )
    for program, package in (("ip", "iproute2"), ("tc", "iproute2"), ("nsenter", "util-linux")):
        if shutil.which(program, path=_program_path()) is None:
            raise UserError(
                f"the program {program} is missing", remedy=f"install it: apt install {package}"
            )


def _program_path() -> str:
    return os.pathsep.join(filter(None, (*_SYSTEM_PROGRAMS, os.environ.get("PATH"))))


def _refusal(error: str) -> UserError:
    """What the kernel refused, and the setting that would allow it."""
    user = f"user {os.geteuid()}"
    with suppress(KeyError):  # in a container, the user may have no name
        user = pwd.getpwuid(os.geteuid()).pw_name
    problem = f"this machine does not allow {user} to start hosts: {error}"
    for name, needed in _SWITCHES.items():
        file = Path("/proc/sys") / name.replace(".", "/")
        value = file.read_text(encoding="utf-8").strip() if file.exists() else needed
        if value != needed and (value == "0" or needed == "0"):
            return UserError(problem, remedy=f"allow it: sudo sysctl -w {name}={needed}")
    return UserError(problem, remedy="run as root, outside a container")


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    lock = standing_folder().parent.with_suffix(".lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in NO_LOCKS:
                raise
        yield
