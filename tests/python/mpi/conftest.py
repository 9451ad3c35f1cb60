"""A small stand-in for the driver, and a home of its own for each test."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import halocline

CHECKOUT = Path(__file__).parents[3]
STANDIN = Path(__file__).parent / "standin"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where Halocline keeps everything during the test."""
    folder = tmp_path / "home"
    monkeypatch.setenv("HALOCLINE_HOME", str(folder))
    return folder


@pytest.fixture
def standin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose driver builds in two seconds; its folder."""
    checkout = tmp_path / "checkout"
    shutil.copytree(STANDIN, checkout)
    shutil.copytree(CHECKOUT / "machines", checkout / "machines")
    (checkout / "python").mkdir()
    (checkout / "python/halocline").symlink_to(CHECKOUT / "python/halocline")
    monkeypatch.setattr(halocline, "__path__", [str(checkout / "python/halocline")])
    return checkout


@pytest.fixture
def installed() -> Callable[[str], Path]:
    """Gives the path of a program; fails with the command that installs it if it is missing."""
    packages = {
        "mpicxx.mpich": "libmpich-dev mpich",
        "mpicxx.openmpi": "libopenmpi-dev openmpi-bin",
        "smpicxx": "libsimgrid-dev",
    }

    def find(name: str) -> Path:
        found = shutil.which(name)
        if found is None:
            pytest.fail(f"{name} is missing; install it: apt install {packages[name]}")
        return Path(found)

    return find


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str, str], Path]:
    """Writes an executable shell script."""

    def write(name: str, body: str) -> Path:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        file.chmod(0o755)
        return file

    return write
