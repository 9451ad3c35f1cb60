"""The share of the host this process may use: cgroup, affinity, limits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from halocline.environment.kernel_files import cpu_list, fields, text

_NO_LIMIT_BYTES = 2**60  # version 1 writes a huge number for no limit


def read_allotment(root: Path) -> dict[str, Any]:
    """CPUs and bytes granted to this process below `root`; None means no limit."""
    allowed = fields(root / "proc/self/status").get("Cpus_allowed_list", "")
    limits = text(root / "proc/self/limits") or ""
    return {
        **_cgroup(root),
        "affinity": allowed,
        "cpus": len(cpu_list(allowed)),
        "locked_memory_bytes": _soft_limit(limits, "Max locked memory"),
        "stack_bytes": _soft_limit(limits, "Max stack size"),
    }


def _soft_limit(limits: str, name: str) -> int | None:
    match = re.search(rf"^{name}\s+(\d+)\s", limits, re.MULTILINE)
    return int(match[1]) if match else None


def _cgroup(root: Path) -> dict[str, Any]:
    """The tightest limit of this process's cgroup and all above it."""
    groups: dict[str, str] = {}  # controller to path; version 2 has the empty name
    for line in (text(root / "proc/self/cgroup") or "").splitlines():
        _, controllers, path = line.split(":", 2)
        groups.update(dict.fromkeys(controllers.split(","), path))
    if "cpu" in groups or "memory" in groups:
        quotas = [_quota_1(folder) for folder in _upwards(root, "cpu", groups.get("cpu", "/"))]
        memory = _texts(root, "memory", groups.get("memory", "/"), "memory.limit_in_bytes")
        cpuset = _texts(root, "cpuset", groups.get("cpuset", "/"), "cpuset.cpus")
    else:
        path = groups.get("", "/")
        quotas = [_quota_2(folder) for folder in _upwards(root, "", path)]
        memory = _texts(root, "", path, "memory.max")
        cpuset = _texts(root, "", path, "cpuset.cpus.effective")
    limits = [int(amount) for amount in memory if amount.isdigit()]
    return {
        "cgroup_version": _version(groups),
        "cpu_quota": min((quota for quota in quotas if quota), default=None),
        "cpuset": next(iter(cpuset), None),
        "memory_bytes": min((limit for limit in limits if limit < _NO_LIMIT_BYTES), default=None),
    }


def _version(groups: dict[str, str]) -> int | None:
    if "cpu" in groups or "memory" in groups:
        return 1
    return 2 if "" in groups else None


def _upwards(root: Path, controller: str, path: str) -> Iterator[Path]:
    """The cgroup's folder and those above it; inside a container only some of them exist."""
    mount = root / "sys/fs/cgroup" / controller
    folder = mount / path.lstrip("/")
    yield from (
        ancestor for ancestor in (folder, *folder.parents) if ancestor.is_relative_to(mount)
    )


def _texts(root: Path, controller: str, path: str, name: str) -> list[str]:
    contents = (text(folder / name) for folder in _upwards(root, controller, path))
    return [content for content in contents if content]


def _quota_1(folder: Path) -> float | None:
    quota = text(folder / "cpu.cfs_quota_us")
    period = text(folder / "cpu.cfs_period_us")
    return _cores(quota, period) if quota and period else None


def _quota_2(folder: Path) -> float | None:
    quota, _, period = (text(folder / "cpu.max") or "max").partition(" ")
    return _cores(quota, period)


def _cores(quota_us: str, period_us: str) -> float | None:
    """Processors' worth of time; version 1 writes -1 and version 2 writes max for no limit."""
    if not quota_us.isdigit():
        return None
    return int(quota_us) / int(period_us)
