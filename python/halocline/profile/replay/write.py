"""The experiment that replays a profile: a plan, and a TOML file that names it."""

from __future__ import annotations

import hashlib
import shlex
from pathlib import Path

from halocline.errors import UserError
from halocline.profile.profile import Profile
from halocline.profile.program import program_of
from halocline.profile.replay.plan import Plan

_EXPERIMENT = """\
# The calls, sizes and peers of: {command}
# Profiled {started}; written by `halocline profile replay`.
{told}schema = 1
[experiment]
title = "Replay: {program}"
workloads = ["replay"]
ranks = [{ranks}]
[axes]
plan = ["{plan}"]
"""


def write_experiment(profile: Profile, plan: Plan, folder: Path) -> Path:
    """The experiment's file; the plan lies beside it, named after its content."""
    text = "\n".join(plan.lines()) + "\n"
    # Another plan is another case: cases are known by the values of their axes.
    digest = hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
    place = folder.absolute()
    if len(str(place).split()) > 1:
        raise UserError(
            f"{folder} has blanks in its path", remedy="choose another folder with --output"
        )
    file, experiment = place / f"plan-{digest}.txt", place / "experiment.toml"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        experiment.write_text(
            _EXPERIMENT.format(
                command=_one_line(shlex.join(profile.command)),
                started=profile.started.strftime("%Y-%m-%d %H:%M UTC"),
                told="".join(f"# Not as it was: {line}\n" for line in plan.told),
                program=_one_line(program_of(profile.command)).replace('"', "'"),
                ranks=plan.ranks,
                plan=file,
            ),
            encoding="utf-8",
        )
    except OSError as error:
        what = f"cannot write {error.filename or folder}: {error.strerror}"
        raise UserError(what, remedy="choose another folder with --output") from None
    return folder / "experiment.toml"


def _one_line(text: str) -> str:
    return " ".join(text.replace("\\", "/").split())
