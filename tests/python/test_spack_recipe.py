"""The Spack recipe agrees with what it builds, as far as can be seen without Spack."""

from __future__ import annotations

import re
import runpy
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from documents import CHECKOUT
from halocline import __version__

RECIPE = CHECKOUT / "packaging/spack/packages/halocline/package.py"
CMAKE = (CHECKOUT / "CMakeLists.txt").read_text(encoding="utf-8")


class CMakePackage:
    """As Spack's, what the recipe uses of it."""

    spec: Any

    def define(self, name: str, value: object) -> str:
        return f"-D{name}={value}"

    def define_from_variant(self, name: str, variant: str) -> str:
        return f"-D{name}={variant}"


@pytest.fixture
def recipe(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The directives that the recipe gives, and its class."""
    found: dict[str, Any] = {}
    package = ModuleType("spack.package")
    for name in ("license", "version", "variant", "depends_on", "conflicts"):
        found[name] = []
        setattr(package, name, lambda *words, _at=name, **more: found[_at].append((words, more)))
    package.CMakePackage = CMakePackage  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "spack", ModuleType("spack"))
    monkeypatch.setitem(sys.modules, "spack.package", package)
    found["class"] = runpy.run_path(str(RECIPE))["Halocline"]
    return found


def test_versions_are_the_project_s(recipe: dict[str, Any]) -> None:
    assert recipe["version"] == [((__version__,), {"branch": "main"})]
    assert recipe["class"].git == f"file://{CHECKOUT.resolve()}"
    minimum = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", CMAKE)
    assert minimum is not None
    needed = [words[0] for words, _ in recipe["depends_on"]]
    assert f"cmake@{minimum[1]}:" in needed
    assert "mpi" in needed


def test_what_it_defines_are_options_of_cmake(recipe: dict[str, Any]) -> None:
    package = recipe["class"]()
    package.spec = {"mpi": SimpleNamespace(mpicxx="/mpi/bin/mpicxx")}
    defined = [word.removeprefix("-D").partition("=")[0] for word in package.cmake_args()]
    assert defined[0] == "CMAKE_CXX_COMPILER"
    for name in defined[1:]:
        assert f"option({name} " in CMAKE
    variants = [words[0] for words, _ in recipe["variant"]]
    assert variants == ["fortran"]
    library = (CHECKOUT / "cmake/library.cmake").read_text(encoding="utf-8")
    assert [f"add_custom_target({name} " in library for name in package.build_targets] == [True]
