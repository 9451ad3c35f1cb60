"""Figures as files."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest
import vl_convert

from halocline.base.errors import UserError
from halocline.report.export import export_figures
from halocline.summary.summary import Summary

GIBIBYTE = 1 << 30


def limit(monkeypatch: pytest.MonkeyPatch, hard: int) -> list[tuple[int, int]]:
    """Pretends a limit of 12 GiB that may be raised to `hard`; what it is set to later."""
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (12 * GIBIBYTE, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: asked.append(limits))
    return asked


def test_too_few_addresses_are_an_error_not_a_crash(
    monkeypatch: pytest.MonkeyPatch, survey_summary: Summary, tmp_path: Path
) -> None:
    limit(monkeypatch, 12 * GIBIBYTE)
    monkeypatch.setattr(vl_convert, "vegalite_to_svg", lambda _: pytest.fail("drawn all the same"))
    with pytest.raises(UserError, match=r"`ulimit -v`: 12GiB: figures need 64GiB of addresses"):
        export_figures([survey_summary], ["svg"], tmp_path)


def test_a_limit_of_addresses_that_may_be_raised_is(
    monkeypatch: pytest.MonkeyPatch, survey_summary: Summary, tmp_path: Path
) -> None:
    hard = resource.RLIM_INFINITY
    asked = limit(monkeypatch, hard)
    limits: list[tuple[int, int]] = []

    def drawn(_: object) -> str:
        limits.append(asked[-1])
        return ""

    monkeypatch.setattr(vl_convert, "vegalite_to_svg", drawn)
    assert export_figures([survey_summary], ["svg"], tmp_path)
    assert set(limits) == {(hard, hard)}
    assert asked[-1] == (12 * GIBIBYTE, hard)
