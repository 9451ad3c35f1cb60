"""A host from inside: the process whose namespaces form it. Standard library only."""

from __future__ import annotations

import os
import signal
import socket
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from halocline.hosts.namespaces import (
    Namespace,
    call_itself,
    end_with_parent,
    keep_mounts_private,
    mount_new,
    mount_over,
    unshare,
)
from halocline.hosts.network import quiet_ipv6

SHARED = Namespace.NET | Namespace.UTS | Namespace.MOUNT  # private to the login host
OWN = SHARED | Namespace.IPC | Namespace.PID


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
