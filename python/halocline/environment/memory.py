"""Memory, huge pages, swap and the shared memory of the node."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from halocline.environment.kernel_files import chosen, fields, number, size_bytes


def read_memory(root: Path) -> dict[str, Any]:
    """Memory as the kernel below `root` counts it, in bytes."""
    counted = {
        name: size_bytes(amount) for name, amount in fields(root / "proc/meminfo").items() if amount
    }
    huge_pages = root / "sys/kernel/mm/transparent_hugepage"
    return {
        "total_bytes": counted.get("MemTotal"),
        "available_bytes": counted.get("MemAvailable"),
        "swap_total_bytes": counted.get("SwapTotal"),
        "swap_used_bytes": counted.get("SwapTotal", 0) - counted.get("SwapFree", 0),
        "transparent_huge_pages": chosen(huge_pages / "enabled"),
        "transparent_huge_pages_shared": chosen(huge_pages / "shmem_enabled"),
        "huge_page_pools": _pools(root),
    }


def _pools(root: Path) -> list[dict[str, Any]]:
    pools = (root / "sys/kernel/mm/hugepages").glob("hugepages-*kB")
    return sorted(
        (
            {
                "page_bytes": size_bytes(pool.name.removeprefix("hugepages-")),
                "pages": number(pool / "nr_hugepages"),
                "free": number(pool / "free_hugepages"),
            }
            for pool in pools
        ),
        key=lambda pool: pool["page_bytes"] or 0,
    )


def shared_memory(mount: Path) -> dict[str, int] | None:
    """Size and free space of the shared-memory file system; None without one."""
    try:
        state = os.statvfs(mount)
    except FileNotFoundError:
        return None
    return {
        "size_bytes": state.f_blocks * state.f_frsize,
        "free_bytes": state.f_bavail * state.f_frsize,
    }
