"""Reading the kernel's small text files in /proc and /sys."""

from __future__ import annotations

from pathlib import Path


def text(path: Path) -> str | None:
    """The content without surrounding space; None if this kernel lacks the file."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def number(path: Path) -> int | None:
    """The integer in the file; None without one."""
    content = text(path)
    return int(content) if content and content.lstrip("-").isdigit() else None


def fields(path: Path, separator: str = ":") -> dict[str, str]:
    """The lines `name: value` up to the first empty one."""
    values: dict[str, str] = {}
    for line in (text(path) or "").splitlines():
        if not line.strip():
            break
        name, _, value = line.partition(separator)
        values[name.strip()] = value.strip()
    return values


def chosen(path: Path) -> str | None:
    """The bracketed word of a file such as `always [madvise] never`."""
    content = text(path) or ""
    return content.partition("[")[2].partition("]")[0] or None


def cpu_list(ranges: str) -> tuple[int, ...]:
    """The CPUs of a kernel list such as `0-3,8`."""
    cpus: list[int] = []
    for part in filter(None, ranges.split(",")):
        first, _, last = part.partition("-")
        cpus.extend(range(int(first), int(last or first) + 1))
    return tuple(cpus)


def size_bytes(amount: str) -> int:
    """Bytes of a kernel size such as `512K` or `1024 kB`."""
    units = {"K": 2**10, "M": 2**20, "G": 2**30}
    digits = amount.rstrip("BbKkMmGg ")
    unit = amount[len(digits) :].strip()[:1].upper()
    return int(digits) * units.get(unit, 1)
