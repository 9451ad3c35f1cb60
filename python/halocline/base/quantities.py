"""Units, and numbers formatted in them: in text, tables and on axes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from halocline.base.units import SIZE_UNITS

DIGITS = 4


@dataclass(frozen=True)
class Unit:
    """A unit to print in, and its value in the base unit (s, B/s, B or flop/s)."""

    name: str
    factor: float


NANOSECOND, MICROSECOND, MILLISECOND, SECOND = TIMES = (
    Unit("ns", 1e-9),
    Unit("µs", 1e-6),
    Unit("ms", 1e-3),
    Unit("s", 1.0),
)
BYTES = (Unit("B", 1.0), Unit("kB", 1e3), Unit("MB", 1e6), Unit("GB", 1e9), Unit("TB", 1e12))
RATES = tuple(Unit(f"{unit.name}/s", unit.factor) for unit in BYTES)
SIZES = (
    *(Unit(name, factor) for name, factor in SIZE_UNITS.items()),
    Unit("TiB", float(1 << 40)),
)
MEGABYTES = BYTES[2]
MB_S = RATES[2]
GFLOPS = Unit("Gflop/s", 1e9)


def significant(value: float, digits: int = DIGITS) -> str:
    """A number with this many significant digits, not in scientific notation: `0.1212`, `12340`."""
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(float(f"{value:.{digits - 1}e}"))))
    decimals = digits - 1 - exponent
    return f"{round(value, decimals):.{max(decimals, 0)}f}"


def unit_of(value: float, units: Sequence[Unit], least: float = 1.0) -> Unit:
    """The largest unit in which the value is at least `least`; otherwise the smallest."""
    return next((unit for unit in reversed(units) if value >= least * unit.factor), units[0])


def time_unit(times_s: Iterable[float]) -> Unit:
    """The unit for a table of times, in which the smallest is at least 0.1."""
    smallest = min((time for time in times_s if time > 0), default=1e-6)
    return unit_of(smallest, TIMES, 0.0999)


def rate_unit(rates: Iterable[float]) -> Unit:
    """The unit for a table of bandwidths: MB/s, unless the largest is far from that."""
    largest = max(rates, default=MB_S.factor)
    _, kilo, mega, giga, _ = RATES
    return kilo if largest < mega.factor else mega if largest < 1e5 * mega.factor else giga


def unit_of_bytes(amount: float) -> Unit:
    """The unit for an amount of bytes, in powers of 1000."""
    return unit_of(amount, BYTES, 0.9995)


def time_text(time_s: float) -> str:
    """One time in its own unit."""
    return in_unit(time_s, unit_of(time_s, TIMES, 0.09995))


def rate_text(rate: float) -> str:
    """One bandwidth in its own unit, GB/s at most."""
    return in_unit(rate, unit_of(rate, RATES[:-1], 0.9995))


def in_unit(value: float, unit: Unit) -> str:
    """`12.34 GB/s`."""
    return f"{significant(value / unit.factor)} {unit.name}"


def size_label(size: int) -> str:
    """A size as text: `8 B`, `4 KiB`, `1.5 MiB`; different sizes have different texts."""
    for name, factor in reversed(SIZE_UNITS.items()):
        if size >= factor and float(f"{size / factor:g}") * factor == size and size < 1e5 * factor:
            return f"{size / factor:g} {name}"
    return f"{size} B"


def axis_label(units: Sequence[Unit]) -> str:
    """The labels of an axis as Vega's expression: 5e-7 s is `500 ns`."""
    texts = [f"format(datum.value / {unit.factor:.17g}, '~r') + ' {unit.name}'" for unit in units]
    # After the logarithm, 1000 ns must become 1 µs.
    choices = [
        f"datum.value < {0.99 * larger.factor:.17g} ? {text}"
        for text, larger in zip(texts, units[1:], strict=False)
    ]
    return " : ".join(["datum.value == 0 ? '0'", *choices, texts[-1]])


def time_of_day(stamp: str) -> str:
    """`2026-11-24T12:33:50Z` for people: `2026-11-24 12:33:50 UTC`."""
    return stamp.replace("T", " ").replace("Z", " UTC")
