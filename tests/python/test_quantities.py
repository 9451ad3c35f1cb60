"""Units, and numbers as people read them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import halocline
from halocline.base.quantities import (
    TIMES,
    axis_label,
    rate_text,
    rate_unit,
    significant,
    size_label,
    time_text,
    time_unit,
)
from halocline.summary.ratios import plus_minus, target, times_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.12124, "0.1212"),
        (0.1, "0.1000"),
        (1, "1.000"),
        (9.99951, "10.00"),
        (999.951, "1000"),
        (12.0, "12.00"),
        (12344, "12340"),
        (0.000012, "0.00001200"),
        (0, "0"),
        (-1.5, "-1.500"),
    ],
)
def test_four_significant_digits_and_never_an_exponent(value: float, text: str) -> None:
    assert significant(value) == text


@pytest.mark.parametrize(
    ("time_s", "text"),
    [
        (2.1e-8, "21.00 ns"),
        (9.9e-8, "99.00 ns"),
        (1e-7, "0.1000 µs"),
        (1.212e-7, "0.1212 µs"),
        (99.5e-6, "99.50 µs"),
        (1e-4, "0.1000 ms"),
        (2.5, "2.500 s"),
        (4e-10, "0.4000 ns"),
    ],
)
def test_a_time_has_a_unit_of_its_own(time_s: float, text: str) -> None:
    assert time_text(time_s) == text


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (12.0, "12.00 B/s"),
        (999.96, "1.000 kB/s"),
        (1e6, "1.000 MB/s"),
        (1.234e10, "12.34 GB/s"),
        (5e12, "5000 GB/s"),
    ],
)
def test_a_bandwidth_has_a_unit_of_its_own(rate: float, text: str) -> None:
    assert rate_text(rate) == text


def test_a_table_has_one_unit() -> None:
    assert time_unit([4e-3, 1.2e-7]).name == "µs"
    assert time_unit([4e-3, 2e-8]).name == "ns"
    assert time_unit([]).name == "µs"
    assert rate_unit([1e3, 9.9e10]).name == "MB/s"
    assert rate_unit([2e11]).name == "GB/s"
    assert rate_unit([]).name == "MB/s"


@pytest.mark.parametrize(
    ("half_width", "text"),
    [
        (None, "± unknown"),
        (0.0, "± 0 %"),
        (0.0004, "± <0.1 %"),
        (0.0042, "± 0.4 %"),
        (0.0999, "± 10 %"),
        (0.37, "± 37 %"),
    ],
)
def test_half_widths(half_width: float | None, text: str) -> None:
    assert plus_minus(half_width) == text


def test_targets_and_ratios() -> None:
    assert (target(0.01), target(0.005)) == ("± 1 %", "± 0.5 %")
    assert (times_text(1.0461), times_text(2.64), times_text(140.2)) == ("1.05", "2.6", "140")


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1000, "1000 B"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (2**20, "1 MiB"),
        (2**30, "1 GiB"),
        (10**7, "10000000 B"),
        (2**30 + 1024, "1073742848 B"),
        (33 * 2**20 + 2**17, "33.125 MiB"),
    ],
)
def test_sizes(size: int, text: str) -> None:
    assert size_label(size) == text


def test_an_axis_has_the_units_of_the_words() -> None:
    label = axis_label(TIMES)
    assert [f"' {unit.name}'" in label for unit in TIMES] == [True] * 4
    assert label.startswith("datum.value == 0 ? '0' : datum.value < ")


def test_units_and_page_templates_have_one_place_each() -> None:
    package = Path(halocline.__file__).parent
    users: dict[str, set[str]] = {"import jinja2": set(), "Unit(": set()}
    for file in package.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        for word, found in users.items():
            if re.search(rf"(?<![A-Za-z_.]){re.escape(word)}", text):
                found.add(file.relative_to(package).as_posix())
    assert users == {"import jinja2": {"report/write.py"}, "Unit(": {"base/quantities.py"}}
    assert {file.parent for file in package.rglob("*.j2")} == {package / "report" / "templates"}
