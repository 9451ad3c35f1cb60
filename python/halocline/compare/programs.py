"""Two builds of a program, run as wholes in turn: which of them takes less time."""

from __future__ import annotations

import json
import math
import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Annotated, Any

from msgspec import Meta, Struct

from halocline.cases import Case
from halocline.compare.comparison import LAUNCHES_MINIMUM, NO_TIME, Comparison, Row, cautious
from halocline.compare.interleave import going_on
from halocline.compare.pace import Limits
from halocline.configuration import ENVIRONMENT, is_key, variables_of
from halocline.environment.recorded import environment_of
from halocline.errors import Interrupted, RunFailed, UserError
from halocline.experiment import HERE
from halocline.progress import Estimate, Reporter
from halocline.ratios import judged_estimates
from halocline.reading import Count, Elapsed, json_file, json_lines, require_schema
from halocline.run_folder import (
    drop_unended_line_of,
    holding,
    replace,
    require_same,
)
from halocline.stats import CONFIDENCE, estimate

KEY = "program"
NAME = "programs.json"
RUNS = "runs.jsonl"
ENVIRONMENT_FILE = "environment.json"
SCHEMA = 2
_WARM_UP = 0  # the launch that only fills the caches of the disk
_LETTERS = "ab"
_PATIENCE_S = 10.0  # for a program that was asked to end
_SHOWN_LINES = 5
_WHAT, _REMEDY = "two programs that were compared", "compare again"
_NOTE = (
    "Whole runs, from start to end, with all that the programs do there; the first of each did not "
    "count."
)


@dataclass(frozen=True)
class Program:
    """A side: a command, and the variables that it has of its own."""

    name: str
    command: Annotated[tuple[str, ...], Meta(min_length=1)]
    variables: Mapping[str, str | None]  # None: not to be there

    @property
    def environment(self) -> dict[str, str]:
        """That of this process, with the side's own variables."""
        own = {**os.environ, **self.variables}
        return {key: value for key, value in own.items() if value is not None}


def program(settings: Mapping[str, str], option: str) -> Program:
    """The side that `--a` or `--b` describes; UserError if it cannot be started."""
    others = [
        key for key in settings if key != KEY and not (key.startswith(ENVIRONMENT) and is_key(key))
    ]
    if others or KEY not in settings:
        what = f"{option} {others[0]}=" if others else f"no {option} {KEY}="
        raise UserError(
            f"{what} where the other setting is of a program",
            allowed=f"{KEY}=COMMAND, {ENVIRONMENT}NAME=VALUE",
            remedy=f"give both sides a program, as in {option} {KEY}='mpiexec -n 4 ./model'",
        )
    text = settings[KEY]
    try:
        command = tuple(shlex.split(text))
    except ValueError as error:
        remedy = "close the quotation; nothing but spaces and quotations is looked at"
        raise UserError(f"{option} {KEY}={text!r}: {error}", remedy=remedy) from None
    if not command or shutil.which(command[0]) is None:
        remedy = "give its path, or put its folder into PATH"
        raise UserError(f"{option} {KEY}={text!r}: no such program", remedy=remedy)
    own = [(key, value) for key, value in settings.items() if key != KEY]
    name = " ".join([*(f"{key}={value}" for key, value in own), text])
    return Program(name, command, variables_of(own))


def measure(
    sides: Sequence[Program],
    limits: Limits,
    resolution: float,
    path: Path,
    reporter: Reporter,
    environment: Mapping[str, Any],
) -> None:
    """Run both in turn, AB BA, as often as there is time for.

    RunFailed if one of them does not end well, Interrupted if the user stops it; what was measured
    is in the folder in any case.
    """
    path.mkdir(parents=True, exist_ok=True)
    told = {
        "schema": SCHEMA,
        "resolution": resolution,
        "limits": asdict(limits),
        "folder": str(Path.cwd()),
        "sides": [asdict(side) for side in sides],
    }
    replace(path / NAME, json.dumps(told, indent=1) + "\n")
    replace(path / ENVIRONMENT_FILE, json.dumps(environment, indent=2) + "\n")
    with holding(path):
        _go_on(_read(path), path, reporter)


def resume(path: Path, reporter: Reporter, now: Mapping[str, Any]) -> None:
    """Go on with what was stopped, as it was begun; UserErrors if this is another machine."""
    before = environment(path)
    if {"host", "processor"} <= before.keys():
        pairs = {
            "host": (before["host"], now["host"]),
            "processor": (before["processor"].get("model"), now["processor"]["model"]),
        }
        require_same(pairs, path)
    with holding(path):
        drop_unended_line_of(path / RUNS)
        _go_on(_read(path), path, reporter)


def _go_on(told: _Told, path: Path, reporter: Reporter) -> None:
    """The launches that are missing; before them one that does not count."""
    names = " and ".join(side.name for side in told.sides)
    done = told.launches
    spent_s = sum(sum(of_side.values()) for of_side in told.seconds)
    cost_s = sum(of_side[done[-1]] for of_side in told.seconds) if done else 0.0
    last = told.limits.launches(cost_s, spent_s, len(done)) if done else 0
    if done and len(done) >= last:
        return
    began_s = monotonic() - spent_s
    launch = _WARM_UP
    while launch <= last:
        left = Estimate((last - max(launch, len(done))) * cost_s) if cost_s else None
        reporter.launch(names, launch, len(told.sides), left)
        before_s = monotonic()
        for at in (0, 1) if launch % 2 else (1, 0):
            try:
                seconds = _run(told.sides[at], told.folder, path / f"{_LETTERS[at]}.log")
            except KeyboardInterrupt as stop:
                raise Interrupted(stop, saved=path, remedy=going_on(path)) from stop
            with (path / RUNS).open("a", encoding="utf-8") as file:
                file.write(json.dumps({"launch": launch, "side": at, "seconds": seconds}) + "\n")
        cost_s = monotonic() - before_s
        launch = max(launch, max(done, default=_WARM_UP))
        last = told.limits.launches(cost_s, monotonic() - began_s, launch)
        launch += 1


def _run(side: Program, folder: Path, log: Path) -> float:
    """Seconds of one run in a folder, whose output goes to the log."""
    with log.open("wb") as output:
        began_s = monotonic()
        try:
            started = subprocess.Popen(
                side.command,
                cwd=folder,
                env=side.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        except OSError as error:
            raise RunFailed(
                f"{side.name} cannot be started in {folder}: {error.strerror}",
                saved=log.parent,
                remedy="put it back, or compare again",
            ) from None
        try:
            code = started.wait()
        except KeyboardInterrupt:
            started.terminate()  # a launcher takes its ranks along
            try:
                started.wait(_PATIENCE_S)
            except subprocess.TimeoutExpired:
                started.kill()
                started.wait()
            raise
        seconds = monotonic() - began_s
    if code:
        how = f"exit code {code}" if code > 0 else f"signal {-code}"
        last = log.read_text(encoding="utf-8", errors="replace").splitlines()[-_SHOWN_LINES:]
        raise RunFailed(
            "\n".join([f"{side.name} ended with {how}", *last]),
            saved=log.parent,
            remedy=f"its output is in {log}; mend it, and compare again",
        )
    return seconds


def is_one(path: Path) -> bool:
    """Whether the folder is one of two programs that were compared."""
    return (path / NAME).is_file()


def read(path: Path, resolution: float | None = None) -> Comparison:
    """What came of a folder; UserError if it is damaged."""
    told = _read(path)
    seconds = told.seconds
    launches = told.launches
    logs = [math.log(seconds[1][each] / seconds[0][each]) for each in launches]
    found = estimate(logs) if len(logs) >= LAUNCHES_MINIMUM else None
    limit = told.resolution if resolution is None else resolution
    (ratio,) = judged_estimates([cautious(found) if found else None], [len(logs)], limit)
    low = high = None
    reason = f"{NO_TIME}: {len(logs)} of {LAUNCHES_MINIMUM} launches; raise --budget"
    if found:
        (low, high), reason = found.bounds(1 - CONFIDENCE), ""
    case = Case(KEY, (), "", HERE, 0)
    times = [median(each[launch] for launch in launches) if launches else None for each in seconds]
    row = Row(case, case, times[0], times[1], ratio, low, high, reason)
    first, second = told.sides
    return Comparison(first.name, second.name, (row,), ratio, True, len(logs), limit, (_NOTE,))


def runs(path: Path) -> tuple[dict[int, float], dict[int, float]]:
    """The seconds of each side by launch, without those that do not count."""
    first, second = (
        {launch: each for launch, each in of_side.items() if launch != _WARM_UP}
        for of_side in _read(path).seconds
    )
    return first, second


def environment(path: Path) -> dict[str, Any]:
    """Where they were run; nothing if the folder does not say it."""
    try:
        return environment_of(path / ENVIRONMENT_FILE)
    except UserError:
        return {}


class _File(Struct):
    schema: int
    resolution: Annotated[float, Meta(gt=0, lt=1)]
    limits: Limits
    folder: Annotated[str, Meta(pattern="^[^\\0]+$")]
    sides: tuple[Program, Program]


class _Run(Struct):
    launch: Count
    side: Annotated[int, Meta(ge=0, le=1)]
    seconds: Elapsed


@dataclass(frozen=True)
class _Told:
    """What a folder says; `seconds`: of each side, by launch."""

    sides: tuple[Program, Program]
    resolution: float
    limits: Limits
    folder: Path  # where they are run
    seconds: tuple[dict[int, float], dict[int, float]]

    @property
    def launches(self) -> list[int]:
        """Those that both sides ended, without those that do not count."""
        return sorted((set(self.seconds[0]) & set(self.seconds[1])) - {_WARM_UP})


def _read(path: Path) -> _Told:
    told = json_file(path / NAME, _File, _WHAT, _REMEDY)
    require_schema(told.schema, SCHEMA, path / NAME, _REMEDY)
    seconds: tuple[dict[int, float], dict[int, float]] = ({}, {})
    if (path / RUNS).exists():
        for run in json_lines(path / RUNS, _Run, _WHAT, _REMEDY):
            seconds[run.side][run.launch] = run.seconds
    return _Told(told.sides, told.resolution, told.limits, Path(told.folder), seconds)
