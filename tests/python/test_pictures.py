"""Launches of models leave their pictures in the run folder, and reports draw them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from halocline.mpi.build import abi_driver
from halocline.samples.pictures import FOLDER, NOBODY, picture
from halocline.samples.records import Samples, read
from halocline.summary.summary import of_run
from profiles.programs import library_of

OCEAN = (
    "solver=chronopoulos_gear preconditioner=diagonal sum=flat summation=plain "
    "iterations=2 tolerance=1e-13 near=messages protocol=isend_irecv solver_ranks=0 barriers=solve "
    "grid_y=0"
)
SPHERE = (
    "levels=16 stepping=semi_implicit precision=double grid_y=0 fourier=transpose "
    "legendre=transpose reproducible=no protocol=isend_irecv"
)
CASES = (
    f"sea ocean grid=x1 levels=3 distribution=curve block=0 {OCEAN}",
    f"solver barotropic grid=x1 distribution=rake block=32 {OCEAN}",
    f"mountain shallow_water truncation=21 case=5 active=shared {SPHERE}",
    f"alone shallow_water truncation=21 case=5 active=one {SPHERE}",
)


def launch(folder: Path, number: int) -> dict[str, Samples]:
    """Runs the cases on two ranks, each for a moment, and returns what they left."""
    cases = folder / "cases.txt"
    cases.write_text("".join(f"{case}\n" for case in CASES), encoding="utf-8")
    output = folder / "samples.jsonl"
    words: list[Any] = ["--cases", cases, "--output", output, "--label", "x", "--launch", number]
    words += ["--case-seconds", "0.02", "--path", "recorded", "--shared-cores"]
    launcher = [library_of("mpich-abi").launcher, "-n", 2, abi_driver(print)]
    subprocess.run([str(word) for word in (*launcher, *words)], check=True, timeout=100)
    records, _ = read(output, output.read_bytes())
    found = [each for each in records if isinstance(each, Samples) and each.launch == number]
    assert [each.status for each in found] == ["measured"] * len(CASES)
    return {each.case: each for each in found}


@pytest.mark.launches
@pytest.mark.waits
def test_the_first_launch_of_a_case_leaves_its_picture(tmp_path: Path) -> None:
    records = launch(tmp_path, 1)
    assert {each.picture_missing for each in records.values()} == {""}
    files = {file.stem: file for file in (tmp_path / FOLDER).iterdir()}
    assert sorted(files) == ["mountain", "sea", "solver"]  # one rank alone shares no model

    sea = picture(files["sea"])
    assert sea.owners and sea.model_s > 0 and sea.model_s % 3600 == 0  # whole steps
    facts = {fact.name: fact.value for fact in records["solver"].facts}
    assert sum(sea.owners.work) == facts["ocean_cells"]
    level, stream = (sea.map(name) for name in ("sea_level", "streamfunction"))
    assert level and stream
    land = np.isnan(level.values)
    assert (land == np.isnan(stream.values)).all()
    south_pole, sahara, pacific = (0, 90), (57, 95), (45, 10)
    assert (land[south_pole], land[sahara], land[pacific]) == (True, True, False)
    assert 0.2 < land.mean() < 0.45  # 2° cells are smaller where there is more land

    solver = picture(files["solver"])
    assert solver.owners and not solver.maps
    assert any(block.owner == NOBODY for block in solver.owners.blocks)

    mountain = picture(files["mountain"])
    height, ground = (mountain.map(name) for name in ("height", "ground"))
    assert height and ground
    assert 4500 < height.values.min() < height.values.max() < 6200
    row, column = np.unravel_index(ground.values.argmax(), ground.values.shape)
    assert abs(2 * row - 89 - 30) <= 4 and abs(2 * column - 179 + 90) <= 6  # 30 N 90 W
    assert mountain.model_s > 0

    before = {name: file.read_bytes() for name, file in files.items()}
    launch(tmp_path, 2)
    assert before == {name: file.read_bytes() for name, file in files.items()}


@pytest.mark.launches
@pytest.mark.waits
def test_without_room_for_pictures_cases_are_measured_and_say_why(tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("a file, no folder", encoding="utf-8")
    records = launch(tmp_path, 1)
    for name in ("sea", "solver", "mountain"):
        assert records[name].picture_missing.startswith("cannot write ")
        assert f"{FOLDER}/{name}.json" in records[name].picture_missing
        assert records[name].elapsed_s.size
    assert records["alone"].picture_missing == ""


@pytest.mark.launches
def test_the_report_of_a_run_draws_them(tmp_path: Path) -> None:
    home = os.environ.get("HALOCLINE_HOME") or str(tmp_path / "home")
    words = "run ocean levels=3 iterations=2 protocol=isend_irecv --ranks 2 --launches 2"
    # It exits with 1 where other work left no figure: the picture is there nevertheless.
    subprocess.run(
        [
            Path(sys.executable).with_name("halocline"),
            *words.split(),
            "--budget=30s",
            "--output=run",
        ],
        cwd=tmp_path,
        env={**os.environ, "HALOCLINE_HOME": home},
        capture_output=True,
        check=False,
    )
    run = tmp_path / "run"
    (file,) = (run / FOLDER).iterdir()
    (case,) = of_run(run).cases
    assert file.stem == case.case.id == picture(file).case
    page = (run / "report.html").read_text(encoding="utf-8")
    for name in ("map-sea-level-1", "map-streamfunction-1", "blocks-1", "work-1"):
        assert (f'id="figure-{name}"' in page) == (case.status == "measured")
