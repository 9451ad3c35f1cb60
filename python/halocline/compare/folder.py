"""A comparison's folder: a run folder for each side, and which sides these are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from halocline.cases import Case
from halocline.compare.comparison import Comparison, of_turns
from halocline.compare.recorded import common_cases
from halocline.compare.sides import Side
from halocline.dataset import load
from halocline.errors import UserError
from halocline.expand import expand
from halocline.run_folder import open_run, replace

NAME = "comparison.json"
SCHEMA = 1
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def write(path: Path, sides: Sequence[Side], resolution: float) -> None:
    """Note the sides; the run of the first one is in `a`, that of the second in `b`."""
    told = {
        "schema": SCHEMA,
        "resolution": resolution,
        "sides": [
            {"name": side.name, "own": sorted(side.own), "delay_share": side.delay_share}
            for side in sides
        ],
    }
    replace(path / NAME, json.dumps(told, indent=1) + "\n")


def is_comparison(path: Path) -> bool:
    """Whether the folder is one of a comparison."""
    return (path / NAME).is_file()


def runs(path: Path) -> tuple[Path, ...]:
    """The run folders of the sides."""
    return tuple(path / letter for letter in LETTERS if (path / letter).is_dir())


def read(path: Path, resolution: float | None = None) -> tuple[Comparison, ...]:
    """Every other side of a folder against its first one; UserError if it is damaged."""
    try:
        told = json.loads((path / NAME).read_text(encoding="utf-8"))
        names = [str(side["name"]) for side in told["sides"]]
        own = frozenset(key for side in told["sides"] for key in side["own"])
        asked = float(told["resolution"]) if resolution is None else resolution
        if told["schema"] != SCHEMA or len(names) < 2:
            raise ValueError(f"schema {told['schema']!r} with {len(names)} sides")
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise UserError(
            f"not the sides of a comparison: {type(error).__name__} {error}",
            where=str(path / NAME),
            remedy="compare again",
        ) from None
    opened = [open_run(path / letter) for letter in LETTERS[: len(names)]]
    datasets = [load(run.samples) for run in opened]
    cases = [
        [case for case in expand(run.experiment, run.catalogue) if dataset.case_samples(case.id)]
        for run, dataset in zip(opened, datasets, strict=True)
    ]
    return tuple(
        of_turns(
            (names[0], names[at]),
            (datasets[0], datasets[at]),
            _common(cases[0], cases[at], own),
            asked,
        )
        for at in range(1, len(names))
    )


def _common(
    first: Sequence[Case], second: Sequence[Case], own: frozenset[str]
) -> tuple[tuple[Case, Case], ...]:
    return common_cases((first, second), own)
