"""Sizes, times and counts as users write them: `4KiB`, `170s`, `3 cases`."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence

SIZE_UNITS = {"B": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}
TIME_UNITS_S = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}

SIZES_ALLOWED = "a whole number of B, KiB, MiB or GiB, as in 8, 4KiB"
TIMES_ALLOWED = "a number with ns, us, ms, s, min or h, as in 170s, 2min"

LONGEST_S = 1e9
RANGE_MAXIMUM = 100_000  # sizes; a longer range is a mistake

_DIGITS = 40
_NUMBER = re.compile(r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*([A-Za-zµ]*)", re.IGNORECASE)


def size_bytes(text: str) -> int:
    """Bytes from `8`, `8B`, `4KiB`, `1.5MiB`; ValueError says what is wrong."""
    number, unit = _split(text, "size")
    factor = SIZE_UNITS.get(unit or "B")
    if factor is None:
        raise ValueError(f"{text!r} has the unknown unit {unit!r}")
    size = (
        float(number) * factor if "." in number or "e" in number.lower() else int(number) * factor
    )
    if math.isinf(size):
        raise ValueError(f"{text!r} is out of range")
    if size != int(size):
        raise ValueError(f"{text!r} is not a whole number of bytes")
    return int(size)


def sizes_bytes(text: str) -> tuple[int, ...]:
    """A size; or a range that doubles, or that takes steps.

    `1..8` is 1, 2, 4, 8 and `0..4` is 0, 1, 2, 4; `4..16+4` is 4, 8, 12, 16.
    """
    if ".." not in text:
        return (size_bytes(text),)
    ends, plus, step = text.partition("+")
    first, last = (size_bytes(end) for end in ends.split("..", 1))
    if first > last:
        raise ValueError(f"{text!r} ends before it starts")
    if plus:
        return _steps(text, first, last, size_bytes(step))
    sizes = [first]
    while (size := max(2 * sizes[-1], 1)) <= last:
        sizes.append(size)
    if sizes[-1] != last:
        raise ValueError(f"{text!r} doubles from {first} without reaching {last}")
    return tuple(sizes)


def _steps(text: str, first: int, last: int, step: int) -> tuple[int, ...]:
    if step == 0:
        raise ValueError(f"{text!r} has a step of 0")
    if (last - first) % step:
        raise ValueError(f"{text!r} steps from {first} without reaching {last}")
    if (count := (last - first) // step + 1) > RANGE_MAXIMUM:
        raise ValueError(f"{text!r} has {count} sizes, more than {RANGE_MAXIMUM}")
    return tuple(range(first, last + 1, step))


def duration_s(text: str) -> float:
    """Seconds from `170s`, `1.5us`, `2min`; ValueError says what is wrong."""
    number, unit = _split(text, "time")
    if not unit:
        raise ValueError(f"{text!r} has no unit")
    if unit not in TIME_UNITS_S:
        raise ValueError(f"{text!r} has the unknown unit {unit!r}")
    seconds = float(number) * TIME_UNITS_S[unit]
    if seconds > LONGEST_S:
        raise ValueError(f"{text!r} is out of range")
    return seconds


def size_text(size: int) -> str:
    """The shortest exact way to write a size: `4KiB`, `1MiB`, `1000`."""
    for unit, factor in reversed(SIZE_UNITS.items()):
        if factor > 1 and size >= factor and size % factor == 0:
            return f"{size // factor}{unit}"
    return str(size)


def counted(count: int, what: str) -> str:
    """`1 case`, `3 cases`, `3 launches`."""
    ending = "es" if what.endswith("ch") else "s"
    return f"{count} {what}{'' if count == 1 else ending}"


def enumerated(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`; empty without names."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _split(text: str, what: str) -> tuple[str, str]:
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a {what}")
    if len(match[1]) > _DIGITS:
        raise ValueError(f"{text!r} is out of range")
    return match[1], match[2]


def listed(text: str) -> list[str]:
    """The values of a list with commas, where `"a,b",c` is a,b and c; ValueError if invalid."""
    try:
        return next(csv.reader([text]), [])
    except csv.Error:
        raise ValueError("it has a line break, or is far too long") from None
