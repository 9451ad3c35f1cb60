"""Checks of the host: its load, its frequencies, its memory, its clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from halocline.doctor.finding import Finding, Severity

_IDLE_LOAD = 0.5
_STEAL_SHARE = 0.001
# Read in user space without asking the hypervisor or a device.
_CHEAP_CLOCKS = ("tsc", "arch_sys_counter", "timebase")


def _load(environment: Mapping[str, Any]) -> Finding | None:
    load = environment["scheduling"]["load"]
    if not load or load[0] <= _IDLE_LOAD:
        return None
    return Finding(
        "load",
        Severity.WARNING,
        f"load {load[0]:.2f} in the last minute on {environment['processor']['threads']} CPUs",
        "other processes preempt the ranks; small messages then take up to a thousand times longer",
        "measure on an idle node: wait, or stop other processes",
        "top -o %CPU",
    )


def _autogroup(environment: Mapping[str, Any]) -> Finding | None:
    scheduling = environment["scheduling"]
    nice = scheduling["nice"]
    if not scheduling["autogroup"] or not (nice or _load(environment)):
        return None
    return Finding(
        "autogroup",
        Severity.WARNING,
        f"sched_autogroup is on, with nice {nice}",
        "processes of different sessions share the CPUs evenly, whatever their nice value",
        "switch it off, or run nothing else",
        "sudo sysctl kernel.sched_autogroup_enabled=0",
    )


def _priority(environment: Mapping[str, Any]) -> Finding | None:
    nice = environment["scheduling"]["nice"]
    if not nice or nice < 0:
        return None
    return Finding(
        "priority",
        Severity.WARNING,
        f"this shell runs with nice {nice}",
        "every other process has priority",
        "measure from a shell of normal priority",
    )


def _governor(environment: Mapping[str, Any]) -> Finding | None:
    governors = environment["processor"]["governors"]
    if not governors or governors == ["performance"]:
        return None
    return Finding(
        "governor",
        Severity.WARNING,
        f"CPU frequency governor {', '.join(governors)}",
        "the frequency follows the load, so the first batches are slower than the last",
        "select the performance governor",
        "sudo cpupower frequency-set --governor performance",
    )


def _turbo(environment: Mapping[str, Any]) -> Finding | None:
    if not environment["processor"]["turbo"]:
        return None
    return Finding(
        "turbo",
        Severity.NOTE,
        "turbo frequencies are on",
        "the frequency depends on the temperature and on how many cores are busy",
        "switch turbo off to compare runs; leave it on to see what users get",
        "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"
        " || echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo",
    )


def _siblings(environment: Mapping[str, Any]) -> Finding | None:
    processor = environment["processor"]
    if processor["threads"] <= processor["cores"]:
        return None
    return Finding(
        "siblings",
        Severity.NOTE,
        f"{processor['threads']} hardware threads on {processor['cores']} cores",
        "two ranks on one core share its units and its caches: each is slower, messages are faster",
        "bind every rank to a core of its own, or switch the second threads off",
        "echo off | sudo tee /sys/devices/system/cpu/smt/control",
    )


def _virtual_machine(environment: Mapping[str, Any]) -> Finding | None:
    hypervisor = environment["processor"]["hypervisor"]
    if hypervisor is None:
        return None
    steal = environment["scheduling"]["steal_share"] or 0.0
    stolen = steal > _STEAL_SHARE
    return Finding(
        "virtual-machine",
        Severity.WARNING if stolen else Severity.NOTE,
        f"a virtual machine (hypervisor {hypervisor}), {steal:.2%} of its time stolen since boot",
        "the hypervisor gives CPUs to others without any trace in the samples"
        if stolen
        else "the figures are this virtual machine's: cores and caches may be shared with others",
        "measure on bare metal, or on a dedicated host",
    )


def _huge_pages(environment: Mapping[str, Any]) -> Finding | None:
    if environment["memory"]["transparent_huge_pages"] != "always":
        return None
    return Finding(
        "huge-pages",
        Severity.NOTE,
        "transparent huge pages: always",
        "buffers of 2 MiB and more get huge pages or not, depending on fragmentation,"
        " so launches differ",
        "give them only to programs that ask",
        "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
    )


def _swap(environment: Mapping[str, Any]) -> Finding | None:
    used = environment["memory"]["swap_used_bytes"]
    if not used:
        return None
    return Finding(
        "swap",
        Severity.WARNING,
        f"{used / 2**20:.0f} MiB of swap in use",
        "a page read back from disk stalls a rank for milliseconds",
        "free memory, then empty the swap",
        "sudo swapoff -a && sudo swapon -a",
    )


def _clock(environment: Mapping[str, Any]) -> Finding | None:
    clock = environment["clock"]
    source = clock["source"]
    if source is None or source in _CHEAP_CLOCKS:
        return None
    switchable = "tsc" in clock["available"]
    return Finding(
        "clock",
        Severity.WARNING,
        f"clock source {source}",
        "reading the clock takes longer than with tsc, up to as long as a small message",
        "select tsc"
        if switchable
        else "boot with tsc=reliable if the processor has an invariant TSC",
        "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource"
        if switchable
        else None,
    )


CHECKS = (
    _load,
    _autogroup,
    _priority,
    _governor,
    _turbo,
    _siblings,
    _virtual_machine,
    _huge_pages,
    _swap,
    _clock,
)
