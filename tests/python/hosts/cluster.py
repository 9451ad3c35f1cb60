"""Two hosts as in a cluster: reached by ssh, each with processes and a /tmp of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import halocline
from halocline.hosts import Hosts, temporary_hosts
from hosts.striking import on

DROPBEAR = shutil.which("dropbear", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
_CONFIG = """\
StrictHostKeyChecking no
UserKnownHostsFile /dev/null
LogLevel ERROR
"""
_SETUP = """\
set -e
mount --bind {folder}/passwd /etc/passwd
mount --bind /tmp /mnt
mount -t tmpfs -o mode=1777 tmpfs /tmp
for kept in {kept}; do mkdir "/tmp/$kept" && mount --bind "/mnt/$kept" "/tmp/$kept"; done
{dropbear} -r {folder}/host-key -p 22 -P /tmp/dropbear.pid
until [ -e /tmp/dropbear.pid ]; do sleep 0.05; done
"""


@contextmanager
def cluster(folder: Path, shared: list[Path]) -> Iterator[Hosts]:
    """Two such hosts; what lies below `shared` they share with this machine, of its /tmp."""
    if os.getuid() != 0:
        pytest.fail("a daemon of ssh needs root; run: sudo -E make test")
    if DROPBEAR is None:
        pytest.fail("dropbear is missing; run: apt install dropbear-bin")
    home = folder / "home"
    (home / ".ssh").mkdir(parents=True, mode=0o700)
    (folder / "passwd").write_text(f"root:x:0:0:root:{home}:/bin/sh\n")
    key = home / ".ssh/id_ed25519"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    shutil.copy(f"{key}.pub", home / ".ssh/authorized_keys")
    (home / ".ssh/config").write_text(_CONFIG)
    subprocess.run(
        ["dropbearkey", "-t", "ed25519", "-f", folder / "host-key"],
        check=True,
        capture_output=True,
    )
    needed = [folder, *shared, Path(sys.prefix), *map(Path, halocline.__path__)]
    kept = {path.resolve().parts[2] for path in needed if path.resolve().parts[1] == "tmp"}
    with temporary_hosts(2) as hosts:
        kept.add(Path(hosts.entry[0]).parts[2])
        script = _SETUP.format(folder=folder, kept=" ".join(sorted(kept)), dropbear=DROPBEAR)
        for name in hosts.names:
            on(hosts, name, script)
        yield hosts
