"""A run is a folder: the experiment, the environment, the samples, the report."""

from __future__ import annotations

import contextlib
import dataclasses
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

from halocline.base.errors import UserError, UserErrors
from halocline.base.files import LOCK, NO_LOCKS, files_in, replace, writing_into
from halocline.base.shell import pasted
from halocline.environment.recorded import REMEDY, WHAT, environment_of
from halocline.launch.inherited import MANAGER_VARIABLES, inherited
from halocline.mpi.identity import digest
from halocline.slurm.batch import FOLDER as BATCH_FOLDER
from halocline.specification.catalogue import Catalogue, from_json
from halocline.specification.experiment import Experiment, Part
from halocline.specification.spec import Known, load

_NOT_A_RUN = "name a folder written by `halocline run` or `halocline survey`"
_SLUG_LENGTH = 40


@dataclass(frozen=True)
class RunFolder:
    """An existing run. `environment` has the driver's catalogue under "catalogue".

    `resumed_with` are the words of the command that continues it.
    """

    path: Path
    experiment: Experiment
    catalogue: Catalogue
    environment: Mapping[str, Any]
    resumed_with: tuple[str, ...] = ("run",)

    @property
    def samples(self) -> Path:
        """The samples file; missing before the first launch."""
        return self.path / "samples.jsonl"

    @property
    def jobs(self) -> Path:
        """Logs of failed launches; missing if none failed."""
        return self.path / "jobs"


def default_path(title: str, now: datetime) -> Path:
    """`runs/20261121-110000-title`, below the current folder; `…-title-2` if that is taken."""
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:_SLUG_LENGTH].strip("-")
    name = "-".join(part for part in (now.strftime("%Y%m%d-%H%M%S"), slug) if part)
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    return next(
        path
        for path in (Path("runs") / candidate for candidate in names)
        if not os.path.lexists(path)
    )


def reserved(title: str, now: datetime) -> Path:
    """The new, empty folder at the default path, which no other run gets."""
    while True:
        path = default_path(title, now)
        with writing_into(path):
            try:
                path.mkdir(parents=True)
            except FileExistsError:  # another run that starts in this second was faster
                if not os.path.lexists(path):
                    raise
            else:
                return path


def create(path: Path, experiment: Experiment, environment: Mapping[str, Any]) -> RunFolder:
    """A new run folder; UserError if the path is in use or cannot be written."""
    if path.exists() and not path.is_dir():
        raise UserError(f"{path} is a file", remedy="choose another folder with --output")
    if path.is_dir() and any(file.name != BATCH_FOLDER for file in files_in(path)):
        raise _in_use(path)
    with writing_into(path):
        path.mkdir(parents=True, exist_ok=True)
        try:
            claimed = (path / "experiment.toml").open("x", encoding="utf-8")
        except FileExistsError:  # by a run that started at the same time
            raise _in_use(path) from None
        try:
            with claimed:
                claimed.write(experiment.toml())
            files = _files_of(experiment, from_json(environment.get("catalogue")))
            content = {**environment, **({"files": files} if files else {})}
            replace(path / "environment.json", json.dumps(content, indent=2) + "\n")
        except OSError:
            (path / "experiment.toml").unlink()
            raise
    return open_run(path)


def _in_use(path: Path) -> UserError:
    if not (path / "experiment.toml").exists():
        return UserError(f"{path} is not empty", remedy="choose another folder with --output")
    resumed = pasted("halocline", "run", "--resume", path)
    remedy = f"resume it with {resumed}, or choose another --output"
    return UserError(f"{path} is not empty", remedy=remedy)


def open_run(path: Path) -> RunFolder:
    """The run in a folder; UserError without one, or if its files are damaged."""
    if not path.is_dir():
        problem = (
            f"{path} is a file, not a run folder" if path.exists() else f"{path} does not exist"
        )
        raise UserError(problem, remedy=_NOT_A_RUN)
    if not (path / "experiment.toml").is_file():
        raise UserError(f"{path} is not a run folder: it has no experiment.toml", remedy=_NOT_A_RUN)
    if not (path / "environment.json").is_file():
        remedy = "restore it: a run is read with the environment it was measured in"
        raise UserError(f"{path} lacks environment.json", remedy=remedy)
    file = path / "environment.json"
    environment = environment_of(file)
    try:
        catalogue = from_json(environment.get("catalogue"))
    except ValueError as error:
        raise UserError(f"not {WHAT}: {error}", where=str(file), remedy=REMEDY) from None
    experiment = load(path / "experiment.toml", Known(catalogue))
    return RunFolder(path, experiment, catalogue, environment)


def require_new(path: Path) -> None:
    """UserError if files would be overwritten."""
    if path.exists() and (not path.is_dir() or files_in(path)):
        what = "is not empty" if path.is_dir() else "is a file"
        raise UserError(f"{path} {what}", remedy="choose another folder with --output")


def add_parts(folder: RunFolder, parts: Sequence[Part], budget_s: float) -> RunFolder:
    """The run with additional parts and time; its measurements are kept."""
    asked = folder.experiment
    longer = dataclasses.replace(
        asked, parts=(*asked.parts, *parts), budget_s=asked.budget_s + budget_s
    )
    replace(folder.path / "experiment.toml", longer.toml())
    return open_run(folder.path)


def measuring_into(folder: RunFolder) -> contextlib.AbstractContextManager[None]:
    """Lock the run: UserError if another process is measuring into it."""
    return holding(folder.path)


@contextlib.contextmanager
def holding(path: Path) -> Iterator[None]:
    """Lock a folder: UserError if another process holds the lock.

    The lock is on a file in it: NFS locks no folders across nodes. Some file systems have none.
    """
    descriptor = os.open(path / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            problem = f"another process is measuring into {path}"
            raise UserError(problem, remedy="wait until it is done") from None
        except OSError as error:
            if error.errno not in NO_LOCKS:
                raise
        yield
    finally:
        os.close(descriptor)


def drop_unended_line_of(path: Path) -> None:
    """Remove an incomplete last line; a complete file stays as it is."""
    with contextlib.suppress(FileNotFoundError), path.open("rb+") as file:
        content = file.read()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            file.truncate(whole)


def end_last_line(folder: RunFolder) -> None:
    """Terminate an incomplete record, so it is valid for all readers, or for none."""
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


def check_same_environment(folder: RunFolder, now: Mapping[str, Any], catalogue: Catalogue) -> None:
    """UserErrors if the run started elsewhere: its figures could not be pooled.

    UserError if its workloads had other axes.
    """
    before = folder.environment
    # With hosts, each launch's start record names its nodes, and the front end may be anywhere.
    pairs = {} if folder.experiment.hosts else {"host": (before.get("host"), now["host"])}
    pairs["processor"] = (
        before.get("processor", {}).get("model"),
        now["processor"]["model"],
    )
    if not (folder.experiment.mocked or folder.experiment.simulated):
        settings, ours = (_settings(each) for each in (before, now))
        pairs |= {
            f"the variable {name}": (settings.get(name, "not set"), ours.get(name, "not set"))
            for name in sorted(settings.keys() | ours.keys())
        }
    version = before.get("halocline", {}).get("version")
    if version is not None:
        pairs["Halocline"] = (version, now["halocline"]["version"])
    for file, then in before.get("files", {}).items():
        pairs[f"the content of {file}"] = (then, digest(Path(file)))
    libraries = {mpi["name"]: mpi["library"] for mpi in now["mpi"]}
    for mpi in before.get("mpi", ()):
        pairs[f"MPI {mpi['name']}"] = (mpi["library"], libraries.get(mpi["name"], "not here"))
    require_same(pairs, folder.path)
    for name in dict.fromkeys(chain(*(part.workloads for part in folder.experiment.all_parts))):
        then, today = _axes(folder.catalogue, name), _axes(catalogue, name)
        if then != today:
            raise UserError(
                f"the axes of {name} have changed since: {', '.join(sorted(then ^ today))}",
                where=str(folder.path),
                remedy="a run of another version of Halocline cannot be resumed: start a new run",
            )


def _settings(environment: Mapping[str, Any]) -> dict[str, str]:
    """The variables of MPI libraries that reach the ranks; a job's own differ from job to job."""
    return {
        name: value
        for name, value in inherited(environment.get("mpi_variables", {})).items()
        if not MANAGER_VARIABLES.fullmatch(name)
    }


def _files_of(experiment: Experiment, catalogue: Catalogue) -> dict[str, str]:
    """The digests of the files that an experiment's cases read."""
    values = {
        str(value)
        for part in experiment.all_parts
        for name in part.workloads
        if (workload := catalogue.workload(name))
        for axis, given in part.axes
        if (known := workload.axis(axis)) and known.kind == "file"
        for value in given
    }
    return {value: digest(Path(value)) for value in sorted(values) if Path(value).is_file()}


def _axes(catalogue: Catalogue, name: str) -> frozenset[str]:
    workload = catalogue.workload(name)
    return frozenset(axis.name for axis in workload.axes) if workload else frozenset()


def require_same(pairs: Mapping[str, tuple[object, object]], path: Path) -> None:
    """UserErrors for each thing that has changed since the folder was started."""
    problems = [
        UserError(
            f"{fact} was {then!r} and is {today!r}",
            where=str(path),
            remedy="a run from another environment cannot be resumed: start a new run",
        )
        for fact, (then, today) in pairs.items()
        if then != today
    ]
    if problems:
        raise UserErrors(problems)
