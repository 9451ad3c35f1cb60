"""Numbers as people read them: four significant digits, one unit a table, never an exponent."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from halocline.metrics import INCONCLUSIVE
from halocline.units import SIZE_UNITS

DIGITS = 4


@dataclass(frozen=True)
class Unit:
    """A unit to print in, and its value in the base unit (seconds, or bytes per second)."""

    name: str
    factor: float


TIME_UNITS = (Unit("ns", 1e-9), Unit("µs", 1e-6), Unit("ms", 1e-3), Unit("s", 1.0))
RATE_UNITS = (Unit("B/s", 1.0), Unit("kB/s", 1e3), Unit("MB/s", 1e6), Unit("GB/s", 1e9))


def significant(value: float, digits: int = DIGITS) -> str:
    """A number with that many significant digits, written out: `0.1212`, `12.00`, `12340`."""
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(float(f"{value:.{digits - 1}e}"))))
    decimals = digits - 1 - exponent
    return f"{round(value, decimals):.{max(decimals, 0)}f}"


def time_unit(times_s: Iterable[float]) -> Unit:
    """The unit for a table of times: the smallest is at least 0.1 of it."""
    smallest = min((time for time in times_s if time > 0), default=1e-6)
    return next((u for u in reversed(TIME_UNITS) if smallest >= 0.0999 * u.factor), TIME_UNITS[0])


def rate_unit(rates: Iterable[float]) -> Unit:
    """The unit for a table of bandwidths: MB/s, unless the largest is far from it."""
    largest = max(rates, default=1e6)
    _, kilo, mega, giga = RATE_UNITS
    return kilo if largest < mega.factor else mega if largest < 1e5 * mega.factor else giga


def time_text(time_s: float) -> str:
    """One time in a unit of its own."""
    unit = next((u for u in reversed(TIME_UNITS) if time_s >= 0.09995 * u.factor), TIME_UNITS[0])
    return f"{significant(time_s / unit.factor)} {unit.name}"


def rate_text(rate: float) -> str:
    """One bandwidth in a unit of its own."""
    unit = next((u for u in reversed(RATE_UNITS) if rate >= 0.9995 * u.factor), RATE_UNITS[0])
    return f"{significant(rate / unit.factor)} {unit.name}"


def plus_minus(half_width_relative: float | None) -> str:
    """Half an interval's width: `± 0.4 %`, or a word where it says nothing."""
    if half_width_relative is None:
        return "± unknown"
    if half_width_relative > INCONCLUSIVE:
        return "(inconclusive)"
    percent = 100 * half_width_relative
    if percent == 0:
        return "± 0 %"
    if percent < 0.1:
        return "± <0.1 %"
    return f"± {percent:.1f} %" if percent < 9.95 else f"± {percent:.0f} %"


def target(half_width_relative: float) -> str:
    """The half-width that was asked for: `± 1 %`."""
    return f"± {100 * half_width_relative:g} %"


def times_text(ratio: float) -> str:
    """A ratio in words' precision: `2.6`, `1.05`, `140`."""
    return significant(ratio, 3 if ratio < 2 else 2)


def size_label(size: int) -> str:
    """A size for people: `8 B`, `4 KiB`, `1.5 MiB`."""
    for name, factor in reversed(SIZE_UNITS.items()):
        if size >= factor and size % (factor / 8) == 0:
            return f"{size / factor:g} {name}"
    return f"{size} B"
