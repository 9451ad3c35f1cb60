"""Two builds of a program, run from start to end in turn: which takes less time."""

from __future__ import annotations

import json
import math
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from halocline.base.errors import UserError
from halocline.base.files import replace
from halocline.base.progress import Reporter
from halocline.base.shell import pasted
from halocline.campaign import whole_programs
from halocline.campaign.pace import Limits
from halocline.campaign.whole_programs import WARM_UP, Program
from halocline.compare.comparison import LAUNCHES_MINIMUM, Comparison, Row, cautious
from halocline.environment.recorded import environment_of
from halocline.samples.run_folder import require_same
from halocline.specification.cases import Case
from halocline.specification.configuration import ENVIRONMENT, is_key, variables_of
from halocline.specification.experiment import HERE
from halocline.summary.ratios import judged_estimates
from halocline.summary.stats import CONFIDENCE, estimate

KEY = "program"
ENVIRONMENT_FILE = "environment.json"
_NOTE = (
    "Whole runs from start to end, including startup and shutdown; the first of each did not count."
)


def program(settings: Mapping[str, str], option: str) -> Program:
    """The side that `--a` or `--b` describes; UserError if it cannot be started."""
    extra_keys = [
        key for key in settings if key != KEY and not (key.startswith(ENVIRONMENT) and is_key(key))
    ]
    if extra_keys or KEY not in settings:
        argument = f"{option} {extra_keys[0]}=" if extra_keys else f"no {option} {KEY}="
        raise UserError(
            f"{argument} on one side, a program on the other",
            allowed=f"{KEY}=COMMAND, {ENVIRONMENT}NAME=VALUE",
            remedy=f"give both sides a program, as in {option} {KEY}='mpiexec -n 4 ./model'",
        )
    text = settings[KEY]
    try:
        command = tuple(shlex.split(text))
    except ValueError as error:
        remedy = "close the quotation mark; only spaces and quotes are interpreted"
        raise UserError(f"{option} {KEY}={text!r}: {error}", remedy=remedy) from None
    if not command or shutil.which(command[0]) is None:
        remedy = "give its path, or put its folder into PATH"
        raise UserError(f"{option} {KEY}={text!r}: program not found", remedy=remedy)
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
    """Run both in turn into a new folder, as often as time allows."""
    path.mkdir(parents=True, exist_ok=True)
    whole_programs.write(path, sides, limits, resolution)
    replace(path / ENVIRONMENT_FILE, json.dumps(environment, indent=2) + "\n")
    whole_programs.measure(path, reporter)


def resume(path: Path, reporter: Reporter, now: Mapping[str, Any]) -> None:
    """Resume with the original settings; UserErrors on another machine."""
    before = environment(path)
    if {"host", "processor"} <= before.keys():
        pairs = {
            "host": (before["host"], now["host"]),
            "processor": (before["processor"].get("model"), now["processor"]["model"]),
        }
        require_same(pairs, path)
    whole_programs.measure(path, reporter)


def is_one(path: Path) -> bool:
    """Whether this is the folder of a comparison of two programs."""
    return (path / whole_programs.NAME).is_file()


def read(path: Path, resolution: float | None = None) -> Comparison:
    """The result in a folder; UserError if it is damaged."""
    measured = whole_programs.read(path)
    seconds = measured.seconds
    launches = measured.launches
    logs = [math.log(seconds[1][each] / seconds[0][each]) for each in launches]
    difference = estimate(logs) if len(logs) >= LAUNCHES_MINIMUM else None
    limit = measured.resolution if resolution is None else resolution
    (ratio,) = judged_estimates([cautious(difference) if difference else None], [len(logs)], limit)
    low = high = None
    resume = pasted("halocline", "compare", "--resume", path)
    reason = f"interrupted after {len(logs)} of {LAUNCHES_MINIMUM} launches; resume with {resume}"
    if difference:
        (low, high), reason = difference.bounds(1 - CONFIDENCE), ""
    case = Case(KEY, (), "", HERE, 0)
    times = [median(each[launch] for launch in launches) if launches else None for each in seconds]
    row = Row(case, case, times[0], times[1], ratio, low, high, reason)
    first, second = measured.sides
    return Comparison(first.name, second.name, (row,), ratio, True, len(logs), limit, (_NOTE,))


def runs(path: Path) -> tuple[dict[int, float], dict[int, float]]:
    """The seconds of each side by launch, without those that do not count."""
    first, second = (
        {launch: time_s for launch, time_s in of_side.items() if launch != WARM_UP}
        for of_side in whole_programs.read(path).seconds
    )
    return first, second


def environment(path: Path) -> dict[str, Any]:
    """The machine they ran on; empty if not recorded."""
    try:
        return environment_of(path / ENVIRONMENT_FILE)
    except UserError:
        return {}
