"""Numbers of profiles as text: they are exact counts, so three digits are enough."""

from __future__ import annotations

from collections.abc import Sequence

from halocline.base.quantities import BYTES, SIZES, TIMES, Unit, unit_of

_SPACE = "\N{NO-BREAK SPACE}"


def percent(share: float) -> str:
    """`51 %`, `0.4 %`, `<0.1 %`."""
    value = 100 * share
    if 0 < value < 0.1:
        return f"<0.1{_SPACE}%"
    # Do not round to 0 % or 100 %.
    if value < 9.95 or 99 < value < 100:
        tenths = f"{min(value, 99.9):.1f}" if value < 100 else "100"
        return f"{tenths.removesuffix('.0')}{_SPACE}%"
    return f"{value:.0f}{_SPACE}%"


def bytes_text(number: float) -> str:
    """`8.2 GB`; no decimals below 1000 B."""
    return f"{number:.0f}{_SPACE}B" if number < 1000 else _text(number, BYTES)


def rate_text(rate: float) -> str:
    """`80 MB/s`."""
    return f"{bytes_text(rate)}/s"


def time_text(time_ns: float) -> str:
    """`1.25 ms`."""
    return _text(time_ns / 1e9, TIMES)


def count_text(number: int) -> str:
    """`1 234 567`, grouped so that no locale reads a fraction."""
    return f"{number:,}".replace(",", _SPACE)


def class_text(number: int) -> str:
    """A size class by its largest size: `0 B`, `64 B`, `4 KiB`."""
    limit = 0 if number == 0 else 1 << (number - 1)
    unit = unit_of(limit, SIZES)
    return f"{limit // int(unit.factor)} {unit.name}"


def _text(value: float, units: Sequence[Unit]) -> str:
    unit = unit_of(value, units)
    number = value / unit.factor
    decimals = 0 if number >= 99.95 else 1 if number >= 9.995 else 2
    return f"{number:.{decimals}f}{_SPACE}{unit.name}"
