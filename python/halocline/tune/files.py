"""Files written by a search: shell exports, a module file, and an experiment that repeats it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from halocline.base.files import replace as replace_file
from halocline.specification.cases import AxisValue
from halocline.specification.configuration import DEFAULT, ENVIRONMENT, UNSET
from halocline.specification.experiment import Experiment, Part
from halocline.tune.candidates import WAYS, Candidate

EXPORTS, MODULE, REPEAT = "settings.sh", "settings.module", "repeat.toml"


def write(
    path: Path, experiment: Experiment, default: Candidate, chosen: Candidate, sentence: str
) -> dict[str, Path]:
    """Write all three and return them by kind; `chosen` is the default itself if it is as good."""
    changes = _as_measured(chosen.changes(default))
    texts = {
        EXPORTS: exports(changes, sentence),
        MODULE: module(changes, sentence),
        REPEAT: repeat(experiment, default, chosen).toml(),
    }
    for name, text in texts.items():
        replace_file(path / name, text)
    return {"exports": path / EXPORTS, "module": path / MODULE, "repeat": path / REPEAT}


def exports(changes: Mapping[str, AxisValue], sentence: str) -> str:
    """Lines for a POSIX shell."""
    lines = [f"# {sentence}", *(f"# {line}" for line in _remarks(changes))]
    for name, value in _variables(changes).items():
        lines.append(f"unset {name}" if value is None else f"export {name}={shlex.quote(value)}")
    return "\n".join(lines) + "\n"


def module(changes: Mapping[str, AxisValue], sentence: str) -> str:
    """A Tcl module file, for Lmod and Environment Modules."""
    lines = ["#%Module1.0", f"# {sentence}", *(f"# {line}" for line in _remarks(changes))]
    lines.append(f"module-whatis {_tcl('settings recommended by halocline tune')}")
    for name, value in _variables(changes).items():
        lines.append(f"unsetenv {name}" if value is None else f"setenv {name} {_tcl(value)}")
    return "\n".join(lines) + "\n"


def repeat(experiment: Experiment, default: Candidate, chosen: Candidate) -> Experiment:
    """An experiment that measures the choice and the default again."""
    wanted = dict.fromkeys((chosen, default))
    parts = tuple(
        part_of(candidate, "the default" if candidate is default else candidate.name(default))
        for candidate in wanted
    )
    return replace(experiment, title=f"{experiment.title} again", parts=parts)


def part_of(candidate: Candidate, title: str) -> Part:
    """A candidate's cases as a part of an experiment."""
    first = candidate.cases[0]
    values: dict[str, dict[AxisValue, None]] = {}
    for case in candidate.cases:
        for name, value in case.axes:
            values.setdefault(name, {})[value] = None
    return Part(
        title=title,
        workloads=(first.workload,),
        ranks=(first.ranks,),
        axes=tuple((name, tuple(listed)) for name, listed in sorted(values.items())),
        configuration=tuple((key, (value,)) for key, value in candidate.configuration),
    )


def _as_measured(changes: Mapping[str, AxisValue]) -> dict[str, AxisValue]:
    """The default of a variable is what launches inherit from the shell."""
    return {
        key: os.environ.get(key.removeprefix(ENVIRONMENT), UNSET)
        if key.startswith(ENVIRONMENT) and value == DEFAULT
        else value
        for key, value in changes.items()
    }


def _variables(changes: Mapping[str, AxisValue]) -> dict[str, str | None]:
    return {
        key.removeprefix(ENVIRONMENT): None if value == UNSET else str(value)
        for key, value in changes.items()
        if key.startswith(ENVIRONMENT)
    }


def _remarks(changes: Mapping[str, AxisValue]) -> list[str]:
    """The changes that no environment variable can make."""
    lines = []
    for key, value in changes.items():
        if key in WAYS:
            lines.append(f"{key}={value}: how the program itself communicates")
        elif not key.startswith(ENVIRONMENT):
            lines.append(f"{key}={value}: how the program is started or built")
    return lines or ([] if changes else ["nothing to set"])


def _tcl(text: str) -> str:
    for special in '\\"$[]{}':
        text = text.replace(special, f"\\{special}")
    return f'"{text}"'
