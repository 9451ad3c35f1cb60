"""The keeper: the process that owns hosts made of namespaces; they end with it.

The caller starts it with a bare interpreter (standard library only) and writes one JSON
object (see Orders) to its stdin. It answers with one JSON object on stdout, the hosts or an
`error`. The hosts run until the pipe to it closes, or, after the order `stay`, until it is
killed.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from halocline.hosts.namespaces import (
    Namespace,
    become_root_of_own_users,
    call_itself,
    end_with_parent,
    keep_mounts_private,
    mount_new,
    mount_over,
    unshare,
)
from halocline.hosts.network import make_switch, plug_in, quiet_ipv6

STAY = b"stay\n"
Begin = Callable[[str, Path, int], NoReturn]
SHARED = Namespace.NET | Namespace.UTS | Namespace.MOUNT  # private to the login host
OWN = SHARED | Namespace.IPC | Namespace.PID


@dataclass(frozen=True)
class Orders:
    """The hosts to make, the login host first, and their network rate."""

    names: list[str]
    addresses: list[str]
    rate: str
    hosts_file: str  # their /etc/hosts
    directory: str  # the hosts' folder, removed with them


def main() -> None:
    """Make the hosts and keep them, detached: the caller may exit."""
    if os.fork():
        os._exit(0)
    orders = Orders(**json.loads(sys.stdin.buffer.readline()))
    call_itself("hosts-keeper")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    try:
        answer = _make(orders)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
        if "pids" in answer and sys.stdin.buffer.readline() == STAY:
            _leave_the_terminal()
            while True:
                signal.pause()
    finally:
        shutil.rmtree(orders.directory, ignore_errors=True)


def _make(orders: Orders) -> dict[str, object]:
    try:
        _leave_the_network()
        make_switch()
        pids = [
            _begin(begin_host if number else begin_login, name, Path(orders.hosts_file))
            for number, name in enumerate(orders.names)
        ]
        plug_in(dict(zip(pids, orders.addresses, strict=True)), orders.rate)
    except OSError as error:
        return {"error": f"{error.filename}: {error.strerror}"}
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no zombies of ended hosts
    return {"keeper": os.getpid(), "pids": pids}


def _leave_the_network() -> None:
    """Enter a new network namespace; without the privilege, inside a new user namespace."""
    try:
        unshare(Namespace.NET)
    except PermissionError:
        become_root_of_own_users()
        unshare(Namespace.NET)


def _begin(begin: Begin, name: str, hosts_file: Path) -> int:
    """Start a host; returns the pid of its first process. OSError if the kernel refuses."""
    reader, ready = os.pipe()
    if os.fork() == 0:
        try:
            os.close(reader)
            end_with_parent()
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            _leave_the_terminal()
            begin(name, hosts_file, ready)
        except OSError as error:
            complain(ready, error)
        finally:
            os._exit(1)
    os.close(ready)
    with open(reader, encoding="utf-8") as file:
        answers = dict(line.rstrip("\n").partition(" ")[::2] for line in file)
    if "ready" not in answers:
        step, _, why = answers.get("error", f"{name}: it exited without a message").partition(": ")
        raise OSError(0, why, step)
    return int(answers["pid"])


def _leave_the_terminal() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)
    os.close(nothing)


def begin_host(name: str, hosts_file: Path, ready: int) -> NoReturn:
    """Act as parent of a new host's first process; write its pid to the pipe `ready`."""
    call_itself(f"{name}-parent")
    unshare(OWN)
    first = os.fork()
    if first == 0:
        end_with_parent()
        call_itself(name)
        try:
            _settle(name, hosts_file)
            mount_new("proc", "/proc")
            mount_new("sysfs", "/sys")  # shows the network of this host
            mount_new("tmpfs", "/dev/shm", "mode=1777")
        except OSError as error:
            complain(ready, error)
            os._exit(1)
        os.write(ready, b"ready\n")
        os.close(ready)
        _reap_for_ever()
    os.write(ready, b"pid %d\n" % first)
    os.close(ready)
    os.waitpid(first, 0)
    os._exit(0)


def begin_login(name: str, hosts_file: Path, ready: int) -> NoReturn:
    """Act as the login host: in the others' network, with this machine's processes and memory."""
    call_itself(name)
    unshare(SHARED)
    _settle(name, hosts_file)
    mount_new("sysfs", "/sys")
    os.write(ready, b"pid %d\nready\n" % os.getpid())
    os.close(ready)
    _reap_for_ever()


def complain(ready: int, error: OSError) -> None:
    """Report on the pipe `ready` what the kernel refused."""
    text = f"error {error.filename or 'the kernel'}: {error.strerror}\n"
    os.write(ready, text.encode())


def _settle(name: str, hosts_file: Path) -> None:
    socket.sethostname(name)
    quiet_ipv6()
    keep_mounts_private()
    mount_over(hosts_file, "/etc/hosts")


def _reap_for_ever() -> NoReturn:
    """The first process of a host inherits its orphans."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    while True:
        signal.sigwait({signal.SIGCHLD})
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
