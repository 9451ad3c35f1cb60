"""`tune.json` in a run folder: what is searched there, so that it can be resumed."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from halocline.base.errors import UserError
from halocline.base.files import replace
from halocline.base.reading import Elapsed, json_file, require_schema
from halocline.base.shell import pasted
from halocline.specification.cases import AxisValue
from halocline.summary.ratios import NO_DIFFERENCE
from halocline.tune.candidates import Values

NAME = "tune.json"
SCHEMA = 1
_REMEDY = "tune again"


@dataclass(frozen=True)
class Asked:
    """The request in addition to the experiment: the default's values, and the time limit."""

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
    """Write it into a run folder."""
    content = {"schema": SCHEMA, **asdict(asked), "default": dict(asked.default)}
    replace(path / NAME, json.dumps(content, indent=1) + "\n")


def resume_remedy(path: Path) -> str:
    """How to resume the search of a folder."""
    return f"resume with {pasted('halocline', 'tune', '--resume', path)}"


def read(path: Path) -> Asked:
    """The search of a folder; UserError if it is not a search folder, or damaged."""
    file = path / NAME
    if not file.is_file():
        raise UserError(
            f"{path} was not written by `halocline tune`", remedy="name a folder it wrote"
        )
    content = json_file(file, _File, "the request of a search", _REMEDY)
    require_schema(content.schema, SCHEMA, file, _REMEDY)
    return Asked(
        workload=content.workload,
        default=tuple(sorted(content.default.items())),
        budget_s=content.budget_s,
        resolution=content.resolution,
    )
