"""The host's name, its system, its clock and its fabric."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from halocline.environment.kernel_files import fields, text


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
