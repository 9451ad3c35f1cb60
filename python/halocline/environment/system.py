"""The host's name, its system, its clock and its fabric; what else competes for its processors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from halocline.environment.kernel_files import fields, number, text


def read_system(root: Path) -> dict[str, Any]:
    """Kernel, distribution, clock source and fabric devices below `root`."""
    clocks = root / "sys/devices/system/clocksource/clocksource0"
    kernel = root / "proc/sys/kernel"
    distribution = fields(root / "etc/os-release", separator="=").get("PRETTY_NAME", "")
    infiniband = root / "sys/class/infiniband"
    return {
        "host": text(kernel / "hostname"),
        "kernel": text(kernel / "osrelease"),
        "distribution": distribution.strip("\"'") or None,
        "clock": {
            "source": text(clocks / "current_clocksource"),
            "available": (text(clocks / "available_clocksource") or "").split(),
        },
        "fabric": sorted(entry.name for entry in infiniband.iterdir())
        if infiniband.is_dir()
        else [],
    }


def read_scheduling(root: Path) -> dict[str, Any]:
    """Load averages over 1, 5 and 15 minutes, the share of time stolen since boot, priorities."""
    autogroup = number(root / "proc/sys/kernel/sched_autogroup_enabled")
    return {
        "load": [float(word) for word in (text(root / "proc/loadavg") or "").split()[:3]],
        "steal_share": _steal_share(root),
        "autogroup": None if autogroup is None else autogroup == 1,
        "nice": _nice(root),
    }


def _steal_share(root: Path) -> float | None:
    """Stolen time as a share of all time since boot."""
    first = (text(root / "proc/stat") or "").partition("\n")[0]
    ticks = [int(word) for word in first.split()[1:9]]  # user to steal; guest time is inside user
    total = sum(ticks)
    return ticks[7] / total if len(ticks) == 8 and total else None


def _nice(root: Path) -> int | None:
    # The process name, field 2, may contain spaces: count from its closing parenthesis.
    after_name = (text(root / "proc/self/stat") or "").rpartition(")")[2].split()
    return int(after_name[16]) if len(after_name) > 16 else None
