"""The experiment that replays a profile: a plan, and a TOML file that names it."""

from __future__ import annotations

import hashlib
import shlex
from pathlib import Path

from halocline.base.errors import UserError
from halocline.base.toml_text import text_of
from halocline.profile.profile import Profile
from halocline.profile.program import program_of
from halocline.profile.replay.plan import Plan
from halocline.specification.experiment import SCHEMA


def write_experiment(profile: Profile, plan: Plan, folder: Path) -> Path:
    """The experiment's file; the plan is next to it, named by its content."""
    text = "\n".join(plan.lines()) + "\n"
    # Another plan is another case: cases are identified by the values of their axes.
    digest = hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
    place = folder.absolute()
    if len(str(place).split()) > 1:
        raise UserError(
            f"{folder} has blanks in its path", remedy="choose another folder with --output"
        )
    file, experiment = place / f"plan-{digest}.txt", place / "experiment.toml"
    comments = (
        f"The calls, sizes and peers of: {shlex.join(profile.command)}",
        f"Profiled {profile.started:%Y-%m-%d %H:%M} UTC; written by `halocline profile replay`.",
        *(f"Differs from the program: {line}" for line in plan.deviations),
    )
    content: dict[str, object] = {
        "schema": SCHEMA,
        "experiment": {
            "title": f"Replay: {program_of(profile.command)}",
            "workloads": ["replay"],
            "ranks": [plan.ranks],
        },
        "axes": {"plan": [str(file)]},
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        experiment.write_text(text_of(content, comments), encoding="utf-8")
    except OSError as error:
        problem = f"cannot write {error.filename or folder}: {error.strerror}"
        raise UserError(problem, remedy="choose another folder with --output") from None
    return folder / "experiment.toml"
