"""OpenBLAS is the one that the user names, else the package that Halocline depends on."""

from __future__ import annotations

import ctypes
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from halocline.campaign import queues


def test_a_site_may_name_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(queues.OPENBLAS_VARIABLE, "/opt/site/libopenblas.so")
    assert queues.openblas() == Path("/opt/site/libopenblas.so")


def test_the_packages_library_multiplies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(queues.OPENBLAS_VARIABLE, raising=False)
    file = queues.openblas()
    assert file is not None, "install it: pip install scipy-openblas32"
    numbers = ctypes.c_double * 1
    product = numbers(0.0)
    one, factor = ctypes.c_int(1), ctypes.c_double(1.0)
    multiply = ctypes.CDLL(str(file)).scipy_cblas_dgemm
    multiply(
        101, 111, 111, one, one, one, factor, numbers(6.0), one, numbers(7.0), one,
        ctypes.c_double(0.0), product, one,
    )  # fmt: skip
    assert product[0] == 42.0


@pytest.mark.parametrize("spec", [None, ModuleSpec("scipy_openblas32", None)])
def test_without_either_the_driver_looks_itself(
    monkeypatch: pytest.MonkeyPatch, spec: ModuleSpec | None
) -> None:
    monkeypatch.delenv(queues.OPENBLAS_VARIABLE, raising=False)
    monkeypatch.setattr(queues, "find_spec", lambda name: spec)
    assert queues.openblas() is None
