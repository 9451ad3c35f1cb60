"""A damaged profile ends in a line that names it, or is read: no other error, and no hang."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from halocline.base.errors import UserError
from halocline.cli.profile import show
from halocline.profile import store
from halocline.profile.export import write_csv, write_json, write_trace
from halocline.profile.library import functions, profiler
from halocline.profile.parts import ROW, read_part
from halocline.profile.profile import Profile
from halocline.profile.replay.plan import plan_of
from halocline.profile.replay.write import write_experiment
from halocline.profile.report.page import page
from halocline.profile.run import FOLDER, TRACE
from halocline.profile.totals import Totals
from mutations import INPUTS, mutated
from profiles.model import model
from profiles.programs import SOURCES, Programs, library_of

Damage = Callable[[bytes, Random], bytes]
_USES: tuple[Callable[[Profile, Path], object], ...] = (
    lambda profile, _: show(Totals(profile)),
    lambda profile, place: write_json(profile, place / "profile.json"),
    write_csv,
    lambda profile, place: write_trace(profile, place / "trace.json"),
    lambda profile, place: write_experiment(profile, plan_of(profile), place),
    lambda profile, _: page([profile]),
)


def _with_another_number(data: bytes, random: Random) -> bytes:
    """Of a process's part: a number is one that breaks sums, places and loops."""
    width = random.choice((4, 8))
    # Most of a file are rows; the header has what everything hangs on.
    at = random.randrange(min(len(data), random.choice((512, 1 << 14, len(data)))) // width) * width
    extremes = (0, 1, 2, 255, 1 << 12, 1 << 31, (1 << 32) - 1, 1 << 62, (1 << 64) - 1)
    number = random.choice((*extremes, random.getrandbits(64))) % (1 << 8 * width)
    return data[:at] + number.to_bytes(width, "little") + data[at + width :]


def _within(data: bytes, random: Random) -> bytes:
    """Of a zip archive: a member, whose checksum is right again."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    chosen = random.choice(list(members))
    members[chosen] = random.choice((mutated, _with_another_number))(members[chosen], random)
    changed = io.BytesIO()
    with zipfile.ZipFile(changed, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return changed.getvalue()


@pytest.fixture(scope="module")
def put_together(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "p"
    folder.mkdir()
    store.save(model(3, folder))
    return folder


@pytest.fixture(scope="module")
def in_parts(programs: Programs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As a command leaves it whose recording was killed as well."""
    folder = tmp_path_factory.mktemp("parts") / "p"
    folder.mkdir()
    store.write_job(folder, ("mpiexec", "-n", "2", "./model"), functions())
    for source, ranks in (("mix.c", 2), ("regions.c", 1)):
        program = programs.build("mpich-abi", source, f"-I{SOURCES.parents[3] / 'src/profiler'}")
        subprocess.run(
            [library_of("mpich-abi").launcher, "-n", str(ranks), program],
            env={**os.environ, FOLDER: str(folder), TRACE: "100", "LD_AUDIT": str(profiler())},
            cwd=folder.parent,
            capture_output=True,
            check=True,
            timeout=60,
        )
        for file in folder.glob("*-*-*.part"):  # with a pid: the seed alone chooses what is damaged
            part = read_part(file)
            assert part is not None
            file.rename(folder / f"{Path(source).stem}{part.rank}.part")
    return folder


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("name", "damages"),
    [
        (store.FACTS, (mutated,)),
        (store.TABLES, (mutated, _within, _within)),
    ],
)
def test_profile(
    name: str,
    damages: tuple[Damage, ...],
    put_together: Path,
    tmp_path: Path,
) -> None:
    _try(put_together, name, damages, tmp_path)


@pytest.mark.launches
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("name", "damages"), [(store.JOB, (mutated,)), ("*.part", (mutated, _with_another_number))]
)
def test_profile_in_parts(
    name: str,
    damages: tuple[Damage, ...],
    in_parts: Path,
    tmp_path: Path,
) -> None:
    _try(in_parts, name, damages, tmp_path)


@pytest.mark.parametrize(
    ("rank", "profile"),
    [
        ({"processor_ns": 2**63}, {}),
        ({"delayed_ns": -2}, {}),
        ({"host": 7}, {}),
        ({}, {"cores": (2**63, 1)}),
        ({}, {"functions": ("MPI_Init",)}),
    ],
)
def test_numbers_that_no_run_has(
    rank: dict[str, int], profile: dict[str, tuple[object, ...]], tmp_path: Path
) -> None:
    whole = model(2, tmp_path)
    strange = replace(whole.ranks[0], **rank)  # type: ignore[arg-type]
    store.save(replace(whole, ranks=(strange, *whole.ranks[1:]), **profile))  # type: ignore[arg-type]
    with pytest.raises(UserError, match=rf"{tmp_path}/profile\.\w+: is damaged: "):
        store.load(tmp_path)


@pytest.mark.launches
def test_a_call_that_ends_before_it_begins_took_no_time(in_parts: Path, tmp_path: Path) -> None:
    """As where the counters of two cores differ."""
    folder = tmp_path / "p"
    shutil.copytree(in_parts, folder)
    file = min(folder.glob("*.part"))
    whole = read_part(file)
    assert whole is not None
    row = whole.threads[0].rows[0].tobytes()
    at = 8 * (ROW.names or ()).index("ticks")
    early = row[:at] + (2**64 - 5).to_bytes(8, "little") + row[at + 8 :]
    file.write_bytes(file.read_bytes().replace(row, early, 1))
    before, after = (store.load(one).calls.time_ns for one in (in_parts, folder))
    assert sorted(after - before)[-1] == 0 and (after >= 0).all() and (after != before).sum() == 1


def _try(whole: Path, name: str, damages: tuple[Damage, ...], place: Path) -> None:
    """Warnings are errors here, so that what is read is not printed about either."""
    random = Random(f"profiles {name}")
    folder = place / "p"
    shutil.copytree(whole, folder)
    contents = {file: file.read_bytes() for file in sorted(folder.glob(name))}
    for number in range(INPUTS):
        file = random.choice(list(contents))
        file.write_bytes(random.choice(damages)(contents[file], random))
        use = random.choice(_USES)
        try:
            use(store.load(folder), place / "used")
        except UserError as error:
            assert str(folder) in str(error) and "\n" not in str(error)
        except Exception as error:
            shutil.copytree(folder, place / "failed")
            raise AssertionError(f"input {number} of {name}, use {_USES.index(use)}") from error
        file.write_bytes(contents[file])
