"""Run other programs, with a time limit and without the variables of other MPI libraries."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from halocline.base.process_group import end_group
from halocline.launch.inherited import JOB_VARIABLES, MANAGER_VARIABLES

LIBRARY_VARIABLES = re.compile(
    r"LD_LIBRARY_PATH|LD_PRELOAD|(I_MPI|FI|UCX|MPICH|MPIR|MPIEXEC|HYDRA|OMPI|OPAL|PRTE|PMIX_MCA|MV2|SMPI)_.*"
)
# Builds must not depend on these, as they are not part of the key.
BUILD_VARIABLES = re.compile(r"(CXX|CPP|C|LD)FLAGS|CXX|CC")

_ERROR = re.compile(
    r"\b(error|abort|aborted|fault|signal|not found|cannot find|undefined reference)\b", re.I
)

_TERM_GRACE_S = 3.0


@dataclass(frozen=True)
class Finished:
    """How a child ended; `returncode` is None when it ran out of time."""

    returncode: int | None
    stdout: str
    stderr: str

    @property
    def ok(self) -> bool:
        return self.returncode == 0

    @property
    def complaint(self) -> str:
        """The line that best describes the error."""
        if self.returncode is None:
            return "it timed out"
        lines = [line.strip() for line in (self.stderr + "\n" + self.stdout).splitlines()]
        lines = [line for line in lines if line and not line.startswith("halocline: ")]
        errors = [line for line in lines if _ERROR.search(line)]
        return (errors or lines or [f"it exited with code {self.returncode} without a message"])[0]


def clean_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """This process's environment without any MPI library's variables, plus those of `settings`."""
    foreign = (LIBRARY_VARIABLES, JOB_VARIABLES, BUILD_VARIABLES, MANAGER_VARIABLES)
    kept = {
        name: value
        for name, value in os.environ.items()
        if not any(pattern.fullmatch(name) for pattern in foreign)
    }
    return kept | dict(settings)


def callers_settings() -> dict[str, str]:
    """The caller's MPI settings, e.g. from a site's `module load`."""
    return {
        name: value
        for name, value in os.environ.items()
        if LIBRARY_VARIABLES.fullmatch(name) and not JOB_VARIABLES.fullmatch(name)
    }


def run(
    command: Sequence[str | Path],
    *,
    timeout_s: float,
    settings: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Finished:
    """Run a short command and keep its output; code 127 if it cannot start."""
    try:
        with _group(command, settings or {}, cwd, stderr=subprocess.PIPE) as child:
            try:
                stdout, stderr = child.communicate(timeout=timeout_s)
            except subprocess.TimeoutExpired:
                end_group(child, _TERM_GRACE_S)
                stdout, stderr = child.communicate()
                return Finished(None, stdout, stderr)
            return Finished(child.returncode, stdout, stderr)
    except OSError as error:
        return Finished(127, "", f"{command[0]}: {error.strerror}")


def stream(
    command: Sequence[str | Path],
    *,
    timeout_s: float,
    log: Path,
    on_line: Callable[[str], None],
    settings: Mapping[str, str] | None = None,
) -> Finished:
    """Run a long command; each line of its output goes to `log` and to `on_line` as it comes."""
    lines: list[str] = []
    try:
        with (
            log.open("a", encoding="utf-8") as file,
            _group(command, settings or {}, None, stderr=subprocess.STDOUT) as child,
        ):
            late = threading.Event()

            def end_late() -> None:
                late.set()
                end_group(child, _TERM_GRACE_S)

            timer = threading.Timer(timeout_s, end_late)
            timer.start()
            try:
                assert child.stdout is not None
                for line in child.stdout:
                    file.write(line)
                    lines.append(line)
                    on_line(line.rstrip("\n"))
                child.wait()
            finally:
                timer.cancel()
            return Finished(None if late.is_set() else child.returncode, "".join(lines), "")
    except OSError as error:
        return Finished(127, "", f"{command[0]}: {error.strerror}")


@contextlib.contextmanager
def _group(
    command: Sequence[str | Path], settings: Mapping[str, str], cwd: Path | None, stderr: int
) -> Iterator[subprocess.Popen[str]]:
    """A child in its own process group, which never outlives the block."""
    with subprocess.Popen(
        [str(word) for word in command],
        env=clean_environment(settings),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as child:
        try:
            yield child
        except BaseException:
            end_group(child, _TERM_GRACE_S)
            raise
