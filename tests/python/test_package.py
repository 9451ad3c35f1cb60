"""What the package says of itself in more than one place agrees."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import halocline

CHECKOUT = Path(__file__).parents[2]
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))


def test_cmake_builds_the_version_that_python_names() -> None:
    text = (CHECKOUT / "CMakeLists.txt").read_text(encoding="utf-8")
    assert re.findall(r"project\(halocline VERSION (\S+)", text) == [halocline.__version__]


def test_the_driver_runs_with_the_mpich_that_it_was_built_with() -> None:
    def pins(requirements: list[str]) -> list[str]:
        return [each for each in requirements if each.startswith("mpich")]

    (pin,) = pins(PROJECT["project"]["dependencies"])
    assert pins(PROJECT["build-system"]["requires"]) == [pin]
    assert "==" in pin
