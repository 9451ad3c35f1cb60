"""What maps and blocks of a run's pictures have, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from halocline.base.errors import UserError
from halocline.report.figures import Figure
from halocline.report.maps import MINUS, classes
from halocline.report.pictures import pictures
from halocline.report.section import Section
from halocline.samples import pictures as files
from halocline.summary.summary import CaseSummary, Summary
from report.instruments import FOUR, measured, summary
from report.pictured import owners, sea, sphere, written


def ocean(solver: str = "pcg", along_y: int = 0) -> CaseSummary:
    return measured(
        "ocean", 0.1, configuration=FOUR, ranks=2, grid="x1", grid_y=along_y, solver=solver
    )


def of(*cases: CaseSummary, **shown: files.Picture) -> Section:
    """The section of cases whose pictures are given in their order."""
    found = dict(zip((each.case.id for each in cases), shown.values(), strict=False))
    section = pictures([replace(summary(*cases), pictures=found)])
    assert section
    return section


def layers(figure: Figure) -> list[list[dict[str, Any]]]:
    """The rows of each data set, the figure's own first."""
    named = figure.specification["datasets"]
    own = figure.specification["data"]["name"]
    return [named[own], *(rows for name, rows in named.items() if name != own)]


def test_a_map_covers_the_sphere_once_and_has_land(tmp_path: Path) -> None:
    section = of(ocean(), a=sea(tmp_path, "a"))
    level, stream, blocks, work = section.charts
    assert [level.name, stream.name] == ["map-sea-level-1", "map-streamfunction-1"]
    assert [blocks.name, work.name] == ["blocks-1", "work-1"]
    (rows,) = layers(level)
    covered = np.zeros((90, 180), dtype=int)
    for row in rows:  # shapes reach a little under their neighbours
        south, north = (round((row[edge] + 90 - 0.2) / 2) for edge in ("y", "y2"))
        west, east = (round((row[edge] + 180 - 0.2) / 2) for edge in ("x", "x2"))
        covered[south:north, west:east] += 1
    assert (covered == 1).all()
    land = [row for row in rows if row["class"] == "land"]
    (antarctica,) = land  # one shape: all of its rows are alike
    assert (antarctica["y"], round(antarctica["y2"])) == (-90, -70)
    assert "after 5.00 days of model time" in level.description
    assert "From launch 1 of mpich." in level.description


def test_values_lie_in_the_class_that_they_are_drawn_in(tmp_path: Path) -> None:
    picture = sea(tmp_path, "a")
    level, *_ = of(ocean(), a=picture).charts
    drawn = picture.map("sea_level")
    assert drawn
    (rows,) = layers(level)
    for row in rows:
        if row["class"] == "land":
            continue
        low, high = (float(edge.replace(MINUS, "-")) for edge in row["class"].split(" to "))
        column, line = round((row["x"] + 180) / 2), round((row["y"] + 90) / 2)
        assert low <= drawn.values[line, column] <= high


@pytest.mark.parametrize(
    ("values", "first", "last", "count"),
    [
        ((-0.8, 0.3), -0.9, 0.9, 9),
        ((4100.0, 5900.0), 4000, 6000, 8),
        ((0.0, 0.0), 0, 2e-10, 1),
        ((-3.0, -1.0), -3, -1, 8),
        ((10_000.0, 10_000.0), 10_000, 10_002, 1),
    ],
)
def test_classes_are_round_and_cover_all(
    values: tuple[float, float], first: float, last: float, count: int
) -> None:
    edges = classes(np.array([*values, np.nan]))
    assert [edges[0], edges[-1]] == pytest.approx([first, last])
    assert len(edges) == count + 1 <= 10
    assert edges[0] <= min(values) and max(values) <= edges[-1]


def test_the_mountain_is_outlined_in_the_map_of_the_height(tmp_path: Path) -> None:
    case = measured("shallow_water", 0.01, configuration=FOUR, ranks=2, case="5")
    (height,) = of(case, a=sphere(tmp_path, "a")).charts
    _, outlines = layers(height)
    for row in outlines:
        assert np.hypot((row["x"] + row["x2"]) / 2 + 90, (row["y"] + row["y2"]) / 2 - 30) < 22
    assert len(outlines) > 50
    assert "the mountain" in height.description


def test_blocks_are_those_of_their_ranks_and_work_adds_up(tmp_path: Path) -> None:
    section = of(ocean(), a=sea(tmp_path, "a"))
    *_, blocks, work = section.charts
    rows, land = layers(blocks)
    assert [row["owner"] for row in rows] == ["rank 0", "rank 1", "rank 0", "dropped"]
    assert {(row["x"], row["x2"]) for row in land} == {(10, 20)}
    assert (min(row["y"] for row in land), max(row["y2"] for row in land)) == (10, 20)
    (bars,) = layers(work)
    assert [row["share"] for row in bars] == pytest.approx([2 / 3, 1 / 3])
    assert section.sentences[-1].endswith(
        "1 of 4 blocks are land and dropped; the busiest rank has 1.333 times the mean work."
    )


def test_blocks_that_are_too_many_are_not_drawn_and_the_page_says_why(tmp_path: Path) -> None:
    why = "its 9,000 blocks are more than the 4,096 that a picture shows"
    many = written(tmp_path, "a", owners=owners() | {"blocks": [], "omitted": why})
    section = of(ocean(), a=files.picture(many))
    assert [chart.name for chart in section.charts] == ["work-1"]
    assert why in section.sentences[-1]


def test_cases_whose_pictures_look_alike_are_drawn_once(tmp_path: Path) -> None:
    cases = [ocean(solver=solver) for solver in ("pcg", "pcsi", "gropp")]
    section = of(*cases, **{name: sea(tmp_path, name) for name in ("a", "b", "c")})
    assert len(section.charts) == 4
    assert section.sentences[-1] == "The folder pictures of the run has 2 more that look alike."


def test_cases_beyond_the_most_that_are_drawn_are_not_called_alike(tmp_path: Path) -> None:
    grids = [ocean(along_y=along_y) for along_y in range(1, 7)]
    alike = ocean(solver="gropp", along_y=1)
    names = (f"case-{number}" for number in range(7))
    section = of(*grids, alike, **{name: sea(tmp_path, name) for name in names})
    assert section.sentences[-1] == (
        "The folder pictures of the run has 1 more that look alike, and 2 whose maps or blocks "
        "are not drawn."
    )


def test_each_grid_of_ranks_is_drawn(tmp_path: Path) -> None:
    cases = [ocean(along_y=along_y) for along_y in (1, 2)]
    section = of(*cases, **{name: sea(tmp_path, name) for name in ("a", "b")})
    assert [chart.name for chart in section.charts if chart.name.startswith("blocks-")] == [
        "blocks-1",
        "blocks-2",
    ]


def test_a_picture_that_is_missing_has_its_reason() -> None:
    reason = "cannot write run/pictures/a.json: No space left on device; choose a folder"
    without: Summary = summary(replace(ocean(), picture_missing=reason))
    section = pictures([without])
    assert section and section.sentences == (f"ocean has no picture: {reason}.",)
    assert pictures([summary(ocean())]) is None


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"schema": 2}, "schema 2 instead of 1"),
        ({"maps": [{"name": "a", "title": "A", "unit": "m", "values": [1.0]}]}, "has 1 values"),
        ({"maps": [{"name": "a", "title": "A", "unit": "m", "values": ["1"]}]}, "values"),
        ({"owners": owners() | {"work": [1]}}, "outside the grid or of an unknown rank"),
        ({"owners": owners() | {"columns": 15}}, "outside the grid or of an unknown rank"),
        ({"owners": owners() | {"land": ["..", "."]}}, "rows of one length"),
        ({"owners": owners() | {"land": ["?"]}}, "land"),
        ({"owners": owners() | {"land_side": 3}}, "land does not cover the grid"),
    ],
)
def test_damaged_pictures_are_refused(tmp_path: Path, changes: dict[str, Any], wrong: str) -> None:
    file = written(tmp_path, "a", **changes)
    with pytest.raises(UserError, match=wrong) as caught:
        files.read(tmp_path, ["a", "b"])
    assert str(file) in str(caught.value)
