"""Where to measure next to narrow down a limit along message sizes."""

from __future__ import annotations

import math
from collections.abc import Collection
from itertools import count as _count
from itertools import islice

_BESIDE = 3  # points on either side of the range: a step stands out against them


def octaves(low: int, high: int) -> tuple[int, ...]:
    """The powers of two from low to high, both included."""
    exponents = range(math.ceil(math.log2(max(low, 1))), math.floor(math.log2(high)) + 1)
    return tuple(sorted({low, *(2**exponent for exponent in exponents), high}))


def between(low: int, high: int, count: int) -> tuple[int, ...]:
    """At most `count` numbers inside, evenly spread."""
    inside = high - low - 1
    if inside <= count:
        return tuple(range(low + 1, high))
    return tuple(sorted({low + round((high - low) * n / (count + 1)) for n in range(1, count + 1)}))


def closer(low: int, high: int, count: int, taken: Collection[int]) -> tuple[int, ...]:
    """Numbers inside, and some on either side equally spaced; none already used."""
    spacing = max(1, round((high - low) / (count + 1)))
    below = (n for n in range(low, 0, -spacing) if n not in taken)
    above = (n for n in _count(high, spacing) if n not in taken)
    inside = (n for n in between(low, high, count) if n not in taken)
    return tuple(sorted({*islice(below, _BESIDE), *inside, *islice(above, _BESIDE)}))
