"""A comparison folder: a run folder per side, and a record of the sides."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from halocline.base.errors import UserError
from halocline.base.files import replace
from halocline.base.reading import json_file, require_schema
from halocline.campaign import log
from halocline.campaign.pace import Limits
from halocline.campaign.turns import resuming
from halocline.compare.blocks import launch_logs
from halocline.compare.comparison import Comparison, of_turns, unmeasured
from halocline.compare.made import made_notes
from halocline.compare.recorded import common_cases
from halocline.compare.sides import Side
from halocline.samples.dataset import Dataset, load
from halocline.samples.records import launch_key
from halocline.samples.run_folder import open_run
from halocline.specification.cases import Case
from halocline.specification.expand import expand

NAME = "comparison.json"
SCHEMA = 2
# Settings of a side that put its ranks on other cores.
CORES = frozenset({"layout", "placement", "binding", "launcher"})
LETTERS = "abcdefghijklmnopqrstuvwxyz"
_REMEDY = "compare again"


class _Side(Struct):
    name: str
    own: tuple[str, ...]
    delay_share: Annotated[float, Meta(ge=0, le=1)]


class _File(Struct):
    schema: int
    resolution: Annotated[float, Meta(gt=0, lt=1)]
    limits: Limits
    sides: Annotated[tuple[_Side, ...], Meta(min_length=2, max_length=len(LETTERS))]


def write(path: Path, sides: Sequence[Side], resolution: float, limits: Limits) -> None:
    """Record the sides; the run of the first is in `a`, that of the second in `b`."""
    content = {
        "schema": SCHEMA,
        "resolution": resolution,
        "limits": asdict(limits),
        "sides": [
            {"name": side.name, "own": sorted(side.own), "delay_share": side.delay_share}
            for side in sides
        ],
    }
    replace(path / NAME, json.dumps(content, indent=1) + "\n")


def is_comparison(path: Path) -> bool:
    """Whether this is a comparison folder."""
    return (path / NAME).is_file()


def runs(path: Path) -> tuple[Path, ...]:
    """The run folders of the sides."""
    return tuple(path / letter for letter in LETTERS if (path / letter).is_dir())


def names(path: Path) -> tuple[str, ...]:
    """The names of the sides."""
    return tuple(side.name for side in _content(path).sides)


def sides(path: Path) -> tuple[Side, ...]:
    """The sides, as they were when the comparison began; UserError if the folder is damaged."""
    sides = _content(path).sides
    return tuple(
        Side(
            side.name,
            open_run(path / letter).experiment,
            frozenset(side.own),
            side.delay_share,
        )
        for side, letter in zip(sides, LETTERS, strict=False)
    )


def resume_remedy(path: Path) -> str:
    """How to resume it."""
    return _resuming(path, _content(path))


def limits(path: Path) -> Limits:
    """Its limits on launches and time."""
    return _content(path).limits


def read(path: Path, resolution: float | None = None) -> tuple[Comparison, ...]:
    """Each other side of a folder against the first; UserError if it is damaged."""
    contents = _opened(path)
    content = _content(path)
    asked = content.resolution if resolution is None else resolution
    interrupted = "" if _is_complete(path, content.limits) else _resuming(path, content)
    return tuple(
        of_turns(
            (contents.names[0], contents.names[at]),
            (contents.datasets[0], contents.datasets[at]),
            common_cases((contents.cases[0], contents.cases[at]), contents.own),
            asked,
            contents.same_cores,
            contents.notes,
            interrupted,
            _ended_by_others(contents, at),
        )
        for at in range(1, len(contents.names))
    )


def _resuming(path: Path, content: _File) -> str:
    return resuming(path, is_selftest=any(side.delay_share for side in content.sides))


def _is_complete(path: Path, limits: Limits) -> bool:
    """Whether a folder has its fewest launches; a first turn that only probed counts for none."""
    whole = [turn for turn in log.of_turns(log.read(path)) if turn.whole]
    probed = len(whole) > 1 and whole[0].cases < whole[1].cases
    return len(whole) >= limits.launches_minimum + probed


def _ended_by_others(contents: _Sides, at: int) -> dict[str, str]:
    """The baseline's cases that sides other than `at` could not measure, and why.

    No side launches such a case again.
    """
    reasons: dict[str, str] = {}
    for third in range(1, len(contents.names)):
        if third == at:
            continue
        sides = contents.datasets[0], contents.datasets[third]
        for cases in common_cases((contents.cases[0], contents.cases[third]), contents.own):
            if reason := unmeasured(sides, cases):
                reasons.setdefault(cases[0].id, f"{contents.names[third]} {reason}")
    return reasons


def logs(path: Path) -> tuple[list[NDArray[np.float64]], float]:
    """The logarithms of the other sides' times over the first one's, and the last one's delay.

    A row for each turn, a column for each case; NaN for unusable launches.
    """
    contents = _opened(path)
    tables = []
    for at in range(1, len(contents.names)):
        sides = contents.datasets[0], contents.datasets[at]
        pairs = common_cases((contents.cases[0], contents.cases[at]), contents.own)
        columns = [_logs_by_turn(sides, pair, contents.same_cores) for pair in pairs]
        turns = range(1, 1 + max(sides[0].turns.values(), default=0))
        rows = [[column.get(turn, np.nan) for column in columns] for turn in turns]
        tables.append(np.array(rows).reshape(len(turns), len(columns)))
    return tables, _content(path).sides[-1].delay_share


def _logs_by_turn(
    sides: tuple[Dataset, Dataset], cases: tuple[Case, Case], same_cores: bool
) -> dict[int, float]:
    """The log ratios of a case's launches, by turn."""
    baseline, case = sides[0], cases[0].id
    logs, _ = launch_logs((baseline, case), (sides[1], cases[1].id), same_cores)
    turn_of = {r.launch: baseline.turns[launch_key(r)] for r in baseline.case_samples(case)}
    return {turn_of[launch]: log for launch, log in logs.items()}


@dataclass(frozen=True)
class _Sides:
    names: tuple[str, ...]
    own: frozenset[str]
    datasets: tuple[Dataset, ...]
    cases: tuple[tuple[Case, ...], ...]  # measured
    notes: tuple[str, ...]

    @property
    def same_cores(self) -> bool:
        """Whether no side chooses the cores of its ranks."""
        return not self.own & CORES


def _opened(path: Path) -> _Sides:
    content = _content(path)
    runs = [open_run(path / letter) for letter in LETTERS[: len(content.sides)]]
    datasets = tuple(
        load(run.samples) if run.samples.exists() else Dataset(run.samples) for run in runs
    )
    if not all(dataset.samples for dataset in datasets):
        raise UserError(
            f"{path}: no launch has measured all sides yet",
            remedy=_resuming(path, content),
        )
    cases = tuple(
        tuple(
            case for case in expand(run.experiment, run.catalogue) if dataset.case_samples(case.id)
        )
        for run, dataset in zip(runs, datasets, strict=True)
    )
    return _Sides(
        names=names(path),
        own=frozenset(key for side in content.sides for key in side.own),
        datasets=datasets,
        cases=cases,
        notes=made_notes(runs, cases),
    )


def _content(path: Path) -> _File:
    """The file's content; UserError if it is damaged."""
    content = json_file(path / NAME, _File, "the sides of a comparison", _REMEDY)
    require_schema(content.schema, SCHEMA, path / NAME, _REMEDY)
    return content
