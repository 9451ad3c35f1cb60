"""Runs to report on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from halocline.report.entries import Entry, points
from halocline.summary.summary import Summary, of_run
from report.synthetic import make_run


@pytest.fixture(scope="session")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A survey of three libraries, with every trouble."""
    return make_run(tmp_path_factory.mktemp("runs") / "survey")


@pytest.fixture(scope="session")
def survey_summary(survey: Path) -> Summary:
    return of_run(survey)


@pytest.fixture(scope="session")
def survey_points(survey_summary: Summary) -> Sequence[Entry]:
    return points([survey_summary])
