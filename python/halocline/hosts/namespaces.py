"""The system calls that turn a process into a host. Standard library only, for the keeper."""

from __future__ import annotations

import ctypes
import os
import signal
from enum import IntFlag
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15
_MS_REC_PRIVATE = (1 << 14) | (1 << 18)
_MS_BIND = 1 << 12

_libc = ctypes.CDLL(None, use_errno=True)


class Namespace(IntFlag):
    """The kinds of namespace, with the kernel's values."""

    MOUNT = 0x00020000
    UTS = 0x04000000
    IPC = 0x08000000
    USER = 0x10000000
    PID = 0x20000000
    NET = 0x40000000


def unshare(spaces: Namespace) -> None:
    """Move this process into new namespaces; OSError if the kernel refuses."""
    _check(_libc.unshare(int(spaces)), "unshare")


def become_root_of_own_users() -> None:
    """Enter a user namespace in which this user is root and may create the other namespaces."""
    user, group = os.getuid(), os.getgid()
    unshare(Namespace.USER)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    Path("/proc/self/gid_map").write_text(f"0 {group} 1")


def keep_mounts_private() -> None:
    """Make later mounts visible in this mount namespace only."""
    _mount("none", "/", None, _MS_REC_PRIVATE)


def mount_new(kind: str, target: str, options: str = "") -> None:
    """Mount a new file system of a kind that needs no device."""
    _mount(kind, target, kind, 0, options)


def mount_over(source: Path, target: str) -> None:
    """Bind-mount one file over another."""
    _mount(str(source), target, None, _MS_BIND)


def end_with_parent() -> None:
    """Have the kernel send SIGKILL to this process as soon as its parent ends."""
    _check(_libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "prctl")


def call_itself(name: str) -> None:
    """Set this process's name in `ps`, at most 15 bytes."""
    _check(_libc.prctl(_PR_SET_NAME, name.encode(), 0, 0, 0), "prctl")


def _mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    result = _libc.mount(
        source.encode(),
        target.encode(),
        kind.encode() if kind else None,
        ctypes.c_ulong(flags),
        options.encode(),
    )
    _check(result, f"mount {target}")


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
