"""`tune.json` in a run's folder: what is searched there, so that it can go on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from halocline.errors import UserError
from halocline.ratios import NO_DIFFERENCE
from halocline.run_folder import replace
from halocline.tune.candidates import Values

NAME = "tune.json"
SCHEMA = 1


@dataclass(frozen=True)
class Asked:
    """What was asked for, besides the experiment: the default's ways, and in how much time."""

    workload: str
    default: Values
    budget_s: float
    resolution: float = NO_DIFFERENCE


def write(path: Path, asked: Asked) -> None:
    """Note it in a run's folder."""
    told = {"schema": SCHEMA, **asdict(asked), "default": dict(asked.default)}
    replace(path / NAME, json.dumps(told, indent=1) + "\n")


def read(path: Path) -> Asked:
    """What a folder was made for; UserError if it is none of a search, or damaged."""
    file = path / NAME
    if not file.is_file():
        raise UserError(
            f"{path} is no folder of `halocline tune`", remedy="name one that it has made"
        )
    try:
        told: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if told["schema"] != SCHEMA:
            raise ValueError(f"schema {told['schema']} instead of {SCHEMA}")
        return Asked(
            workload=str(told["workload"]),
            default=tuple(sorted(dict(told["default"]).items())),
            budget_s=float(told["budget_s"]),
            resolution=float(told["resolution"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UserError(
            f"not what a search was made for: {type(error).__name__} {error}",
            where=str(file),
            remedy="tune again",
        ) from None
