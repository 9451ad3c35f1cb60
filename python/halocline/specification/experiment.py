"""What to measure: an experiment and its parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from halocline.base.toml_text import text_of
from halocline.specification.cases import AxisValue
from halocline.specification.configuration import DEFAULT, ENVIRONMENT, layout

SCHEMA = 1
PATHS = ("proven", "recorded")  # what is asked of payload between nodes
HERE = "here"
MOCK = "mock:"
MADE = "made"  # temporary hosts on this machine, for the run
MADE_NOTE = (
    "The nodes are hosts made of namespaces on this machine, linked at 1 Gbit/s: between them "
    "the TCP software path was measured, not a network. Its work on the ranks' cores is in the "
    "times."
)

Axes = tuple[tuple[str, tuple[AxisValue, ...]], ...]  # sorted by name
Settings = tuple[tuple[str, tuple[str, ...]], ...]  # sorted by key


def is_simulated(machine: str) -> bool:
    """Whether a machine of this name is a simulated one; "" is none."""
    return machine not in ("", HERE) and not machine.startswith(MOCK)


@dataclass(frozen=True)
class Part:
    """Workloads with their axes and settings; later parts are left out first for time."""

    title: str
    workloads: tuple[str, ...]
    ranks: tuple[int, ...] = (2,)
    axes: Axes = ()
    configuration: Settings = ()

    def table(self) -> dict[str, object]:
        """Its table in a file."""
        return {
            "title": self.title,
            "workloads": self.workloads,
            **_ranks(self.ranks, self.configuration),
            **_tables(self.axes, self.configuration),
        }


@dataclass(frozen=True)
class Experiment:
    """What is measured, where, and how precisely; omitted axes take their defaults.

    If it has parts, only these have workloads, ranks, axes and settings.
    """

    title: str
    workloads: tuple[str, ...] = ()
    mpi: tuple[str, ...] = ("mpich",)
    machine: str = HERE
    ranks: tuple[int, ...] = (2,)
    axes: Axes = ()
    configuration: Settings = ()  # swept
    hosts: str = ""  # where nodes come from: names, a hostfile, slurm, up or made; empty: here
    notes: tuple[str, ...] = ()  # for readers of the report
    parts: tuple[Part, ...] = ()
    half_width: float = 0.01  # relative, at 95 %
    launches_minimum: int = 8
    launches_maximum: int = 100
    budget_s: float = 150.0  # for each MPI library
    deadline_s: float = 60.0  # without progress
    path: str = "proven"  # of PATHS

    @property
    def mocked(self) -> bool:
        """Whether times come from the machine's name instead of a measurement."""
        return self.machine.startswith(MOCK)

    @property
    def simulated(self) -> bool:
        """Whether the machine is a simulated one."""
        return is_simulated(self.machine)

    @property
    def here(self) -> bool:
        """Whether all ranks are on this node."""
        return not self.hosts and not self.simulated

    @property
    def all_parts(self) -> tuple[Part, ...]:
        """Its parts; an experiment without any is a single part."""
        whole = Part(self.title, self.workloads, self.ranks, self.axes, self.configuration)
        return self.parts or (whole,)

    @property
    def nodes(self) -> int:
        """The nodes of its largest layout."""
        shapes = [layout(text) for text in self.swept("layout")]
        return max((shape.nodes for shape in shapes if shape), default=1)

    def swept(self, key: str) -> tuple[str, ...]:
        """The values of a setting over all parts, in their order."""
        value_lists = (dict(part.configuration).get(key, ()) for part in self.all_parts)
        return tuple(dict.fromkeys(value for values in value_lists for value in values))

    @property
    def flags(self) -> tuple[str, ...]:
        """The compiler flags of its drivers, in addition to the usual ones."""
        return tuple(value for value in self.swept("flags") if value != DEFAULT)

    def toml(self) -> str:
        """The text that `load` reads as this same experiment."""
        own = not self.parts
        content: dict[str, object] = {
            "schema": SCHEMA,
            "experiment": {
                "title": self.title,
                **({"workloads": self.workloads} if own else {}),
                "mpi": self.mpi,
                "machine": self.machine,
                **(_ranks(self.ranks, self.configuration) if own else {}),
                **({"hosts": self.hosts} if self.hosts else {}),
                **({"notes": self.notes} if self.notes else {}),
            },
            **_tables(self.axes, self.configuration),
            "measure": {
                "half_width": self.half_width,
                "launches_minimum": self.launches_minimum,
                "launches_maximum": self.launches_maximum,
                "budget": f"{self.budget_s!r}s",
                "deadline": f"{self.deadline_s!r}s",
                **({"path": self.path} if self.path != Experiment.path else {}),
            },
        }
        if self.parts:
            content["part"] = [part.table() for part in self.parts]
        return text_of(content)


def _ranks(ranks: Sequence[int], configuration: Settings) -> dict[str, object]:
    """Empty with a layout, which fixes the ranks."""
    return {} if "layout" in dict(configuration) else {"ranks": ranks}


def _tables(axes: Axes, configuration: Settings) -> dict[str, object]:
    """The tables of axes and settings; variables are a table of their own, `env`."""
    settings: dict[str, object] = {}
    variables: dict[str, object] = {}
    for key, values in configuration:
        if key.startswith(ENVIRONMENT):
            variables[key.removeprefix(ENVIRONMENT)] = values
        else:
            settings[key] = values
    if variables:
        settings["env"] = variables
    tables = {"axes": dict(axes), "configuration": settings}
    return {name: table for name, table in tables.items() if table}
