"""mpi4py's own tests pass and fail under the profiler exactly as without it."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from profiles.programs import Programs, library_of

pytestmark = pytest.mark.launches

# Modules of its tests; the others need minutes, or start programs of their own.
CHOSEN = "p2p_buf|cco_buf|cco_nb_buf|cco_pr_buf|cco_vec|test_io|request|session|mpiabi"
TEST = re.compile(
    r"^(test\w+) \(([\w.]+)\)(?:\n[^\n]*?)?? \.\.\. (?:.*?)(ok|FAIL|ERROR|skipped)", re.M | re.S
)
RANKS = 2


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source of the version that is installed, from the package index."""
    folder = tmp_path_factory.mktemp("mpi4py")
    version = importlib.metadata.version("mpi4py")
    words = ["pip", "download", "--quiet", "--no-deps", "--no-binary", "mpi4py"]
    words += ["--dest", str(folder), f"mpi4py=={version}"]
    subprocess.run([sys.executable, "-m", *words], check=True, timeout=200)
    (archive,) = folder.glob("*.tar.gz")
    shutil.unpack_archive(archive, folder)
    return folder / f"mpi4py-{version}" / "test"


def outcomes(text: str) -> dict[str, str]:
    """What became of each test, by its name."""
    return {f"{name} {place}": how for name, place, how in TEST.findall(text)}


def test_every_test_ends_as_it_does_without(
    suite: Path, programs: Programs, tmp_path: Path
) -> None:
    def command(name: str) -> list[str]:
        """A command whose ranks write to files of their own, which would run into each other."""
        run = f"'{sys.executable}' '{suite / 'main.py'}' -v -i '{CHOSEN}'"
        return ["sh", "-c", f"exec {run} > '{tmp_path}/{name}'.$PMI_RANK 2>&1"]

    launcher = str(library_of("mpich-abi").launcher)
    bare = subprocess.run(
        [launcher, "-n", f"{RANKS}", *command("bare")],
        check=False,
        capture_output=True,
        timeout=300,
    )
    ended = programs.profile(
        "mpich-abi", *command("profiled"), ranks=RANKS, folder=tmp_path / "p", limit_s=300
    )
    assert ended.code == bare.returncode
    for rank in range(RANKS):
        known = outcomes((tmp_path / f"bare.{rank}").read_text(encoding="utf-8"))
        assert len(known) > 400
        assert outcomes((tmp_path / f"profiled.{rank}").read_text(encoding="utf-8")) == known
    assert min(rank.calls for rank in ended.profile.ranks) > 10_000
