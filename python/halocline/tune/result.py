"""The result of a search: a sentence, the evidence, JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halocline.tune.candidates import Candidate, Space
from halocline.tune.rungs import Standing
from halocline.tune.search import Outcome
from halocline.tune.verdict import Verdict, sentence

SCHEMA = 1


@dataclass(frozen=True)
class Result:
    """A finished search and the files it wrote."""

    path: Path
    space: Space
    found: Outcome
    standings: Mapping[str, Standing]
    verdict: Verdict
    spent_s: float
    files: Mapping[str, Path]

    @property
    def sentence(self) -> str:
        return sentence(self.verdict, self.measured, len(self.left_out))

    @property
    def measured(self) -> int:
        """The number of candidates compared with the default."""
        return len(self.space.candidates) - len(self.found.left_out)

    @property
    def left_out(self) -> dict[str, str]:
        """What could not be measured, by name, and why."""
        unavailable = {
            f"protocol={name}": f"skipped: {reason}"
            for name, reason in self.space.unavailable.items()
        }
        return unavailable | {
            candidate.name(self.space.default): self.found.left_out[candidate.key]
            for candidate in self.space.candidates
            if candidate.key in self.found.left_out
        }

    @property
    def ranked(self) -> tuple[Candidate, ...]:
        """All measured candidates: by last rung, then by time."""
        measured = [
            candidate
            for candidate in self.space.candidates
            if candidate.key not in self.found.left_out
        ]
        return tuple(
            sorted(
                measured,
                key=lambda each: (
                    -self.found.rung_of.get(each.key, 0),
                    self.standings[each.key].score,
                    each.key,
                ),
            )
        )


def to_json(result: Result) -> dict[str, Any]:
    """The result as JSON."""
    space, verdict = result.space, result.verdict
    chosen = None if verdict.recommended is None else verdict.finalists[verdict.recommended]
    case = space.default.cases[0]
    return {
        "schema": SCHEMA,
        "run": str(result.path),
        "workload": case.workload,
        "mpi": case.mpi,
        "ranks": case.ranks,
        "problems": [
            {name: value for name, value in problem.axes if name not in dict(space.default.ways)}
            for problem in space.default.cases
        ],
        "outcome": verdict.outcome,
        "sentence": result.sentence,
        "default": space.default.settings,
        "recommended": chosen.changes(space.default) if chosen else {},
        "measured": result.measured,
        "seconds": result.spent_s,
        "files": {name: str(path) for name, path in result.files.items()},
        "finalists": [
            {
                "changes": finalist.changes(space.default),
                "against_default": ratio and ratio.to_json(),
                "against_best": other and other.to_json(),
            }
            for finalist, ratio, other in zip(
                verdict.finalists, verdict.against_default, verdict.against_best, strict=True
            )
        ],
        "candidates": [
            {
                "changes": candidate.changes(space.default),
                "rung": result.found.rung_of.get(candidate.key, 0),
                "logs": list(result.standings[candidate.key].logs),
            }
            for candidate in result.ranked
        ],
        "left_out": result.left_out,
    }
