"""Numbers of profiles as people read them."""

from __future__ import annotations

_SPACE = "\N{NO-BREAK SPACE}"
_BYTE_UNITS = (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 1.0))
_TIME_UNITS = (("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1.0))
_BINARY_UNITS = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def percent(share: float) -> str:
    """`51 %`, `0.4 %`, `<0.1 %`."""
    value = 100 * share
    if 0 < value < 0.1:
        return f"<0.1{_SPACE}%"
    # What is not all or nothing must not look like it.
    if value < 9.95 or 99 < value < 100:
        tenths = f"{min(value, 99.9):.1f}" if value < 100 else "100"
        return f"{tenths.removesuffix('.0')}{_SPACE}%"
    return f"{value:.0f}{_SPACE}%"


def bytes_text(number: float) -> str:
    """`8.2 GB`; whole below 1000 B."""
    name, factor = next((unit for unit in _BYTE_UNITS if number >= unit[1]), _BYTE_UNITS[-1])
    return f"{number:.0f}{_SPACE}B" if factor == 1 else f"{_three(number / factor)}{_SPACE}{name}"


def rate_text(rate: float) -> str:
    """`80 MB/s`."""
    return f"{bytes_text(rate)}/s"


def time_text(time_ns: float) -> str:
    """`1.25 ms`."""
    name, factor = next((unit for unit in _TIME_UNITS if time_ns >= unit[1]), _TIME_UNITS[-1])
    return f"{_three(time_ns / factor)}{_SPACE}{name}"


def count_text(number: int) -> str:
    """`1 234 567`, in groups that no locale takes for a fraction."""
    return f"{number:,}".replace(",", _SPACE)


def size_text(limit: int) -> str:
    """A limit of a class of sizes: `64 B`, `4 KiB`; of 2^k + 1 only the power is told."""
    for factor, name in _BINARY_UNITS:
        if limit >= factor:
            return f"{limit // factor} {name}"
    return f"{limit} B"


def class_text(number: int) -> str:
    """A class of sizes by its largest: `0 B`, `64 B`, `4 KiB`."""
    return size_text(0 if number == 0 else 1 << (number - 1))


def _three(value: float) -> str:
    decimals = 0 if value >= 99.95 else 1 if value >= 9.995 else 2
    return f"{value:.{decimals}f}"
