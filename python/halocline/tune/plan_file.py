"""`tune.json` in a run's folder: what is searched there, so that it can go on."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from halocline.cases import AxisValue
from halocline.errors import UserError
from halocline.ratios import NO_DIFFERENCE
from halocline.reading import Elapsed, json_file, require_schema
from halocline.run_folder import replace
from halocline.tune.candidates import Values

NAME = "tune.json"
SCHEMA = 1
_REMEDY = "tune again"


@dataclass(frozen=True)
class Asked:
    """What was asked for, besides the experiment: the default's ways, and in how much time."""

    workload: str
    default: Values
    budget_s: float
    resolution: float = NO_DIFFERENCE


class _File(Struct):
    schema: int
    workload: str
    default: dict[str, AxisValue]
    budget_s: Elapsed
    resolution: Annotated[float, Meta(gt=0, lt=1)]


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
    told = json_file(file, _File, "what a search was made for", _REMEDY)
    require_schema(told.schema, SCHEMA, file, _REMEDY)
    return Asked(
        workload=told.workload,
        default=tuple(sorted(told.default.items())),
        budget_s=told.budget_s,
        resolution=told.resolution,
    )
