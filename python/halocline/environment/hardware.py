"""Cores, caches, NUMA nodes, clock-frequency settings, memory and its pages."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

from halocline.environment.kernel_files import chosen, cpu_list, fields, number, size_bytes, text


def read_processor(root: Path) -> dict[str, Any]:
    """The processors below `root`; None for values this kernel does not report."""
    description = fields(root / "proc/cpuinfo")
    cpus = _online(root)
    topology = [cpu / "topology" for cpu in cpus]
    # One entry per core, in the order of its first thread; a set would lose that.
    cores = list(
        dict.fromkeys(
            text(directory / "thread_siblings_list") or directory.parent.name.removeprefix("cpu")
            for directory in topology
        )
    )
    flags = description.get("flags", "").split()
    return {
        "model": _model(description),
        "sockets": len({text(directory / "physical_package_id") for directory in topology}),
        "cores": len(cores),
        "threads": len(cpus),
        "core_threads": cores,
        "caches": _caches(cpus),
        "numa_nodes": _numa_nodes(root),
        "hypervisor": _hypervisor(root) if "hypervisor" in flags else None,
        "invariant_tsc": {"constant_tsc", "nonstop_tsc"} <= set(flags),
        **_frequency(root, cpus, description),
    }


def _online(root: Path) -> list[Path]:
    cpus = sorted(
        (root / "sys/devices/system/cpu").glob("cpu[0-9]*"), key=lambda cpu: int(cpu.name[3:])
    )
    # A kernel leaves it out where a CPU is offline; gVisor, for all.
    return [cpu for cpu in cpus if (cpu / "topology").is_dir()] or cpus


def _model(description: dict[str, str]) -> str | None:
    """x86 names the model, POWER calls it cpu, Arm gives two numbers."""
    named = description.get("model name") or description.get("cpu")
    if named or "CPU part" not in description:
        return named
    return f"Arm implementer {description['CPU implementer']} part {description['CPU part']}"


def _caches(cpus: list[Path]) -> list[dict[str, Any]]:
    instances = {
        (
            number(index / "level"),
            text(index / "type"),
            text(index / "size"),
            text(index / "shared_cpu_list"),
        )
        for cpu in cpus
        for index in (cpu / "cache").glob("index[0-9]*")
    }
    kinds = Counter(
        (level or 0, kind or "", size_bytes(size), len(cpu_list(shared or "")))
        for level, kind, size, shared in instances
        if size
    )
    return [
        {"level": level, "type": kind, "size_bytes": size, "shared_by": threads, "count": count}
        for (level, kind, size, threads), count in sorted(kinds.items())
    ]


def _numa_nodes(root: Path) -> list[dict[str, Any]]:
    nodes = (root / "sys/devices/system/node").glob("node[0-9]*")
    return [
        {
            "node": int(node.name[4:]),
            "cpus": text(node / "cpulist"),
            "memory_bytes": _node_memory(node),
        }
        for node in sorted(nodes, key=lambda node: int(node.name[4:]))
    ]


def _node_memory(node: Path) -> int | None:
    total = fields(node / "meminfo").get(f"Node {node.name[4:]} MemTotal")
    return size_bytes(total) if total else None


def _hypervisor(root: Path) -> str:
    identity = root / "sys/class/dmi/id"
    names = (text(identity / "sys_vendor"), text(identity / "product_name"))
    return " ".join(filter(None, names)) or text(root / "sys/hypervisor/type") or "unnamed"


def _frequency(root: Path, cpus: list[Path], description: dict[str, str]) -> dict[str, Any]:
    scaling = [cpu / "cpufreq" for cpu in cpus]
    governors = {text(directory / "scaling_governor") for directory in scaling} - {None}
    maximum_khz = [number(directory / "cpuinfo_max_freq") for directory in scaling]
    megahertz = description.get("cpu MHz")
    return {
        "frequency_hz": round(float(megahertz) * 1e6) if megahertz else None,
        "frequency_maximum_hz": max((khz * 1000 for khz in maximum_khz if khz), default=None),
        "governors": sorted(governor for governor in governors if governor),
        "turbo": _turbo(root),
    }


def _turbo(root: Path) -> bool | None:
    forbidden = number(root / "sys/devices/system/cpu/intel_pstate/no_turbo")
    if forbidden is not None:
        return forbidden == 0
    boost = number(root / "sys/devices/system/cpu/cpufreq/boost")
    return None if boost is None else boost == 1


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
