"""The wheel, built whole and installed outside the checkout: its redistribution works."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from documents import CHECKOUT

pytestmark = pytest.mark.launches

LIMIT_S = 900
# The objects of the editable install, where there is one, are those of the wheel.
BUILD = (
    *("wheel", "--no-deps", "--no-build-isolation", "--config-settings=build-dir=build/editable"),
    "--wheel-dir",
)


def _done(folder: Path, *words: str | Path, **variables: str) -> str:
    hidden = {"PYTHONPATH", "VIRTUAL_ENV", "HALOCLINE_LIBRARY"}
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run(
        words,
        check=False,
        cwd=folder,
        env=environment | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_an_installed_wheel_redistributes(tmp_path: Path) -> None:
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    _done(CHECKOUT, *pip, *BUILD, tmp_path, CHECKOUT)
    (wheel,) = tmp_path.glob("halocline-*.whl")
    _done(tmp_path, sys.executable, "-m", "venv", "there")
    there = tmp_path / "there/bin"
    home = {"HALOCLINE_HOME": str(tmp_path / "home"), "PATH": f"{there}:{os.environ['PATH']}"}
    install = ("-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--no-compile")
    _done(tmp_path, there / "python", *install, f"{wheel}[redistribution]")
    where = _done(tmp_path, there / "python", "-c", "import halocline; print(*halocline.__path__)")
    assert all(Path(folder).is_relative_to(tmp_path) for folder in where.split()), where
    library = _done(tmp_path, there / "python", "-m", "halocline.redistribution", **home)
    assert Path(library.strip()).is_relative_to(tmp_path / "home")
    moves = Path(__file__).with_name("moves.py")
    words = (there / "mpiexec", "-n", "2", there / "python", "-m", "mpi4py", moves)
    for case in ("random_layouts", "points", "relabelled"):
        output = _done(tmp_path, *words, case, **home, PYTHONPATH=str(CHECKOUT / "tests/python"))
        assert output == f"{case}: right on 2 ranks\n"
    assert "redistribution" in _done(tmp_path, there / "halocline", "list", "workloads", **home)
    assert "# Exit codes" in _done(tmp_path, there / "halocline", "docs", "exit-codes", **home)
