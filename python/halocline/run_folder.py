"""A run is a folder: what was asked, where it was measured, the samples, the report."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import fcntl
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, count
from pathlib import Path
from typing import Any

from halocline.catalogue import Catalogue, from_json
from halocline.environment.recorded import REMEDY, WHAT, environment_of
from halocline.errors import UserError, UserErrors
from halocline.experiment import Experiment, Part
from halocline.slurm.batch import FOLDER as BATCH_FOLDER
from halocline.spec import Known, load

_NOT_A_RUN = "name a folder that `halocline run` or `halocline survey` has made"
_SLUG_LENGTH = 40
NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True)
class RunFolder:
    """An existing run. `environment` has the driver's catalogue under "catalogue"."""

    path: Path
    experiment: Experiment
    catalogue: Catalogue
    environment: Mapping[str, Any]

    @property
    def samples(self) -> Path:
        """What was measured; not there before the first launch."""
        return self.path / "samples.jsonl"

    @property
    def jobs(self) -> Path:
        """Logs of launches that failed; not there if none did."""
        return self.path / "jobs"


def default_path(title: str, now: datetime) -> Path:
    """`runs/20261121-110000-title`, below the current folder; `…-title-2` if that is taken."""
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:_SLUG_LENGTH].strip("-")
    name = "-".join(part for part in (now.strftime("%Y%m%d-%H%M%S"), slug) if part)
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    return next(path for path in (Path("runs") / each for each in names) if not path.exists())


def create(path: Path, experiment: Experiment, environment: Mapping[str, Any]) -> RunFolder:
    """A new run folder; UserError if the place is taken or cannot be written."""
    if path.exists() and not path.is_dir():
        raise UserError(f"{path} is a file", remedy="choose another folder with --output")
    if path.is_dir() and any(file.name != BATCH_FOLDER for file in path.iterdir()):
        remedy = f"go on with `halocline run --resume {path}`, or choose another --output"
        raise UserError(f"{path} is not empty", remedy=remedy)
    try:
        path.mkdir(parents=True, exist_ok=True)
        replace(path / "experiment.toml", experiment.toml())
        replace(path / "environment.json", json.dumps(environment, indent=2) + "\n")
    except OSError as error:
        if error.errno in NO_SPACE:
            raise
        what = f"cannot write into {path}: {error.strerror}"
        raise UserError(what, remedy="choose a folder of your own with --output") from None
    return open_run(path)


def open_run(path: Path) -> RunFolder:
    """The run in a folder; UserError if there is none, or its files are damaged."""
    if not path.is_dir():
        what = f"{path} is a file, not a run folder" if path.exists() else f"{path} does not exist"
        raise UserError(what, remedy=_NOT_A_RUN)
    for name in ("experiment.toml", "environment.json"):
        if not (path / name).is_file():
            raise UserError(f"{path} is no run folder: it has no {name}", remedy=_NOT_A_RUN)
    file = path / "environment.json"
    environment = environment_of(file)
    try:
        catalogue = from_json(environment.get("catalogue"))
    except ValueError as error:
        raise UserError(f"not {WHAT}: {error}", where=str(file), remedy=REMEDY) from None
    experiment = load(path / "experiment.toml", Known(catalogue))
    return RunFolder(path, experiment, catalogue, environment)


def require_new(path: Path) -> None:
    """UserError if something is there already, which would be overwritten."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise UserError(f"{path} is not empty", remedy="choose another folder with --output")


def add_parts(folder: RunFolder, parts: Sequence[Part], budget_s: float) -> RunFolder:
    """The run with parts more, and more time for them; what it has measured stays."""
    asked = folder.experiment
    longer = dataclasses.replace(
        asked, parts=(*asked.parts, *parts), budget_s=asked.budget_s + budget_s
    )
    replace(folder.path / "experiment.toml", longer.toml())
    return open_run(folder.path)


def replace(path: Path, text: str) -> None:
    """Write a whole file: a reader sees the old one or the new one, never a part.

    A device or a pipe is written to, never replaced by a file.
    """
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        error.filename, error.filename2 = str(path), None  # nobody knows the draft
        raise
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()


def measuring_into(folder: RunFolder) -> contextlib.AbstractContextManager[None]:
    """Hold the run: UserError if another process is measuring into it."""
    return holding(folder.path)


@contextlib.contextmanager
def holding(path: Path) -> Iterator[None]:
    """Hold a folder: UserError if another process does."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        what = f"another process is measuring into {path}"
        raise UserError(what, remedy="wait until it is done") from None
    finally:
        os.close(descriptor)


def drop_unended_line_of(path: Path) -> None:
    """Take away a last line that its writer did not end."""
    if path.exists():
        whole, newline, _ = path.read_text(encoding="utf-8").rpartition("\n")
        replace(path, whole + newline)


def end_last_line(folder: RunFolder) -> None:
    """End a record that its writer did not end: then it counts for all readers, or for none."""
    end_last_line_of(folder.samples)


def end_last_line_of(samples: Path) -> None:
    """The same for any file of records."""
    if not samples.exists():
        return
    with samples.open("a+b") as file:
        if file.tell() > 0:
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                file.write(b"\n")


def check_same_environment(folder: RunFolder, now: Mapping[str, Any]) -> None:
    """UserErrors if this is not where the run was begun: its figures could not be pooled."""
    before = folder.environment
    # With hosts each launch's start record names its nodes, and the front end may be anywhere.
    pairs = {} if folder.experiment.hosts else {"host": (before.get("host"), now["host"])}
    pairs["processor"] = (
        before.get("processor", {}).get("model"),
        now["processor"]["model"],
    )
    libraries = {mpi["name"]: mpi["library"] for mpi in now["mpi"]}
    for mpi in before.get("mpi", ()):
        pairs[f"MPI {mpi['name']}"] = (mpi["library"], libraries.get(mpi["name"], "not here"))
    require_same(pairs, folder.path)


def require_same(pairs: Mapping[str, tuple[object, object]], path: Path) -> None:
    """UserErrors for what was one thing when the folder was begun and is another now."""
    problems = [
        UserError(
            f"{what} was {then!r} and is {today!r}",
            where=str(path),
            remedy="what was measured elsewhere cannot be resumed: start a new run",
        )
        for what, (then, today) in pairs.items()
        if then != today
    ]
    if problems:
        raise UserErrors(problems)
