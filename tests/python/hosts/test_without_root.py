"""Hosts that somebody makes who is not root."""

from __future__ import annotations

import os
import pickle
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import halocline
from launch.trace import CASES, MakeJob, kinds

pytestmark = [pytest.mark.launches, pytest.mark.waits]

NOBODY = pwd.getpwnam("nobody")
PACKAGES = [str(Path(halocline.__file__).parents[1]), *(path for path in sys.path if path)]
BARE = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(PACKAGES)}
AS_NOBODY = (
    *("setpriv", f"--reuid={NOBODY.pw_uid}", f"--regid={NOBODY.pw_gid}", "--clear-groups"),
    *("--inh-caps=-all", "--bounding-set=-all"),
    "env",  # setpriv itself may still start what only root can reach
)

USER = NOBODY.pw_name if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
BECOME = AS_NOBODY if os.getuid() == 0 else ()


@cache
def python() -> str:
    """An interpreter that this user may execute: root's own may lie where nobody else may look."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    tried = [sys.executable, *filter(None, (shutil.which(version, path="/usr/bin:/bin"),))]
    for path in tried:
        words = [*BECOME, path, "-B", "-c", "import halocline.cli.main"]
        if (
            subprocess.run(words, env=BARE, cwd="/", check=False, capture_output=True).returncode
            == 0
        ):
            return path
    pytest.fail(
        f"{USER} may not run {' or '.join(tried)} with Halocline; run: chmod -R o+rX "
        f"{' '.join(PACKAGES)}, and: apt install {version}"
    )


@pytest.fixture
def own_folder() -> Iterator[Path]:
    """A folder of that user: those of pytest are root's."""
    with tempfile.TemporaryDirectory(prefix="halocline-test-") as name:
        folder = Path(name)
        if BECOME:
            os.chown(folder, NOBODY.pw_uid, NOBODY.pw_gid)
        yield folder


Unprivileged = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def unprivileged(own_folder: Path) -> Unprivileged:
    """Runs a Python program as that user, in a home of its own."""

    def run(
        program: str, *words: str | Path, before: tuple[str, ...] = ()
    ) -> subprocess.CompletedProcess[str]:
        command = [*BECOME, *before, python(), "-B", "-c", program, *words]
        variables = {**BARE, "HOME": str(own_folder), "HALOCLINE_HOME": str(own_folder / "home")}
        return subprocess.run(
            command, env=variables, cwd=own_folder, check=False, capture_output=True, text=True
        )

    return run


@pytest.fixture
def halocline_hosts(unprivileged: Unprivileged) -> Iterator[Callable[..., str]]:
    """Runs `halocline hosts WORD…` as that user; no hosts are left up."""
    program = "from halocline.cli.main import main; main()"

    def run(*words: str) -> str:
        done = unprivileged(program, "hosts", *words)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    yield run
    run("down")


def test_hosts_without_root(halocline_hosts: Callable[..., str]) -> None:
    assert halocline_hosts("up", "2") == (
        "host1, host2: up, 1gbit between them; use them with --hosts up\n"
    )
    assert halocline_hosts("exec", "host2", "hostname") == "host2\n"
    assert halocline_hosts("exec", "host1", "ls", "/sys/class/net").split() == ["eth0", "lo"]
    assert halocline_hosts("exec", "login", "getent", "hosts", "host1").split()[1] == "host1"
    owner = halocline_hosts("exec", "host1", "stat", "--format=%U", "/proc/self/ns/user")
    assert owner == "root\n"  # of this user namespace alone
    assert halocline_hosts("down") == "host1, host2: down\n"


JOB = """
import pickle, sys
from dataclasses import replace
from pathlib import Path
from halocline.hosts import temporary_hosts
from halocline.launch.run_job import run_job
job = pickle.loads(Path(sys.argv[1]).read_bytes())
with temporary_hosts(2) as hosts:
    print(run_job(replace(job, hosts=hosts, nodes=hosts.names), lambda progress: None).reason)
"""


@pytest.mark.parametrize("name", ["mpich", "openmpi"])
def test_a_job_on_hosts_without_root(
    name: str, make_job: MakeJob, own_folder: Path, unprivileged: Unprivileged
) -> None:
    job = make_job(name, cases=CASES[:2], node_of_rank=(0, 1), samples=own_folder / "samples.jsonl")
    driver = own_folder / "driver"
    shutil.copy(job.toolchain.driver, driver)
    pickled = own_folder / "job"
    pickled.write_bytes(pickle.dumps(replace(job, toolchain=replace(job.toolchain, driver=driver))))
    done = unprivileged(JOB, pickled)
    assert (done.stdout, done.stderr) == ("complete\n", "")
    assert kinds(job) == ["start", "samples", "samples", "complete"]
    assert pwd.getpwuid(job.samples.stat().st_uid).pw_name == USER


def test_a_kernel_that_forbids_it(unprivileged: Unprivileged) -> None:
    """In a user namespace where no more of them are allowed, and without root's capabilities."""
    forbid = "echo 0 > /proc/sys/user/max_user_namespaces; exec setpriv --bounding-set=-all "
    forbid += '--inh-caps=-all env "$@"'
    program = "from halocline.cli.main import main; main()"
    done = unprivileged(
        program,
        *("hosts", "up", "2"),
        before=("unshare", "--user", "--map-root-user", "sh", "-c", forbid, "sh"),
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "halocline: this machine does not allow root to start hosts: unshare: No space "
        "left on device; allow it: sudo sysctl -w user.max_user_namespaces=10000\n"
    )
