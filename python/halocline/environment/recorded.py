"""The environment of a run, read back: the types of the fields that are used again.

The rest is shown unchanged. Keys may be missing in runs of older versions; null is a value that
the kernel did not report.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypedDict

from msgspec import Meta

from halocline.base.errors import UserError
from halocline.base.reading import Count, Number, Whole, checked, converted, json_file

WHAT = "the environment of a run"
REMEDY = "restore the file from a copy, or measure again"
# As the kernel lists CPUs: 0-3,8.
_RANGE = r"\d{1,4}(-\d{1,4})?"
_Cpus = Annotated[str, Meta(pattern=f"^({_RANGE}(,{_RANGE})*)?$", max_length=4000)]


class _Cache(TypedDict, total=False):
    size_bytes: Count | None


class _NumaNode(TypedDict, total=False):
    node: Count
    cpus: _Cpus | None


class _Processor(TypedDict, total=False):
    model: str | None
    cores: Count
    threads: Count
    core_threads: list[_Cpus]
    caches: list[_Cache]
    numa_nodes: list[_NumaNode]
    governors: list[str] | None
    turbo: bool | None
    hypervisor: str | None


class _Memory(TypedDict, total=False):
    total_bytes: Count | None
    swap_used_bytes: Whole | None
    transparent_huge_pages: str | None


class _Scheduling(TypedDict, total=False):
    load: list[Number] | None
    steal_share: Number | None
    autogroup: bool | None
    nice: Whole | None


class _Allotment(TypedDict, total=False):
    affinity: _Cpus
    cpus: Count
    cpu_quota: Number | None
    locked_memory_bytes: Count | None


class _Clock(TypedDict, total=False):
    source: str | None
    available: list[str]


class _SharedMemory(TypedDict, total=False):
    free_bytes: Count


class _Mpi(TypedDict):
    name: str
    library: str


class _Environment(TypedDict, total=False):
    host: str
    distribution: str | None
    kernel: str | None
    clock: _Clock
    fabric: list[str]
    processor: _Processor
    memory: _Memory
    scheduling: _Scheduling
    allotment: _Allotment
    shared_memory: _SharedMemory | None
    mpi: list[_Mpi]
    mpi_variables: dict[str, str]
    tools: dict[str, str | None]
    made_hosts: dict[str, str]
    halocline: dict[str, Any]
    files: dict[str, str]  # that cases read: their digests


def environment_of(file: Path) -> dict[str, Any]:
    """The machine as described in a file; UserError if it is damaged."""
    environment = json_file(file, dict[str, Any], WHAT, REMEDY)
    try:
        checked(environment)
        converted(environment, _Environment)
    except ValueError as error:
        raise UserError(f"not {WHAT}: {error}", where=str(file), remedy=REMEDY) from None
    return environment
