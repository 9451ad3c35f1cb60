"""Pictures as launches leave them, with numbers that are easy to follow."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from halocline.samples.pictures import FOLDER, Picture, picture
from halocline.summary.summary import Summary
from report.instruments import FOUR, measured, summary

ROWS, COLUMNS = 90, 180


def latitudes() -> list[float]:
    return [-89.0 + 2 * row for row in range(ROWS)]


def longitudes() -> list[float]:
    return [-179.0 + 2 * column for column in range(COLUMNS)]


def field(name: str, title: str, unit: str, values: list[float | None]) -> dict[str, Any]:
    return {"name": name, "title": title, "unit": unit, "values": values}


def waves(size: float, land_south_of: float = -90.0) -> list[float | None]:
    """Between this and its negative, with land around the south pole."""
    return [
        None
        if latitude < land_south_of
        else float(
            f"{size * math.sin(math.radians(2 * longitude)) * math.cos(math.radians(latitude)):.4g}"
        )
        for latitude in latitudes()
        for longitude in longitudes()
    ]


def cone() -> list[float | None]:
    """A mountain of 2000 m at 90 W 30 N."""
    return [
        2000 * max(0.0, 1 - math.hypot(longitude + 90, latitude - 30) / 20)
        for latitude in latitudes()
        for longitude in longitudes()
    ]


def owners() -> dict[str, Any]:
    """A grid of 20 x 20 in four blocks, the last of them land."""
    land = [("." * 10 if row < 5 else "." * 5 + "#" * 5) for row in range(10)]
    return {
        "columns": 20,
        "rows": 20,
        "blocks": [[0, 10, 0, 10, 0], [10, 20, 0, 10, 1], [0, 10, 10, 20, 0], [10, 20, 10, 20, -1]],
        "work": [200, 100],
        "land_side": 2,
        "land": land,
        "omitted": "",
    }


def written(run: Path, case: str, **changes: Any) -> Path:
    """The file of a case in a run folder."""
    content = {
        "schema": 1,
        "case": case,
        "label": "mpich",
        "launch": 1,
        "model_s": 432_000.0,
        "rows": ROWS,
        "columns": COLUMNS,
        "maps": [],
        **changes,
    }
    file = run / FOLDER / f"{case}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


def sphere(run: Path, case: str) -> Picture:
    """Of the flow over a mountain."""
    height = [5000 + (value or 0) for value in waves(900.0)]
    maps = [
        field("height", "Height of the surface", "m", [*height]),
        field("ground", "Height of the ground", "m", cone()),
    ]
    return picture(written(run, case, maps=maps))


def sea(run: Path, case: str) -> Picture:
    """Of an ocean on two ranks."""
    maps = [
        field("sea_level", "Height of the sea", "m", waves(0.8, -70.0)),
        field("streamfunction", "Barotropic streamfunction", "Sv", waves(120.0, -70.0)),
    ]
    return picture(written(run, case, maps=maps, owners=owners()))


def pictured(run: Path) -> Summary:
    """A run of a sphere and of an ocean with their pictures."""
    ocean = measured("ocean", 0.1, configuration=FOUR, ranks=2, grid="x1")
    flow = measured("shallow_water", 0.01, configuration=FOUR, ranks=2, case="5")
    found = {ocean.case.id: sea(run, "sea"), flow.case.id: sphere(run, "sphere")}
    return replace(summary(ocean, flow), pictures=found)
