"""What is to be measured: an experiment, and the parts that it may have."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from halocline.cases import AxisValue
from halocline.configuration import DEFAULT, layout

SCHEMA = 1
HERE = "here"
MOCK = "mock:"
MADE = "made"  # hosts made on this machine for the time of the run
MADE_NOTE = (
    "The nodes are hosts made of namespaces on this machine, joined at 1 Gbit/s: between them the "
    "software's path over TCP was measured, not a network. Its work on the ranks' cores is in the "
    "times."
)

Axes = tuple[tuple[str, tuple[AxisValue, ...]], ...]  # sorted by name
Settings = tuple[tuple[str, tuple[str, ...]], ...]  # sorted by key


@dataclass(frozen=True)
class Part:
    """Workloads with their axes and settings; a later part is the first to be left out for time."""

    title: str
    workloads: tuple[str, ...]
    ranks: tuple[int, ...] = (2,)
    axes: Axes = ()
    configuration: Settings = ()

    def toml(self) -> list[str]:
        """The lines of its table."""
        return [
            "[[part]]",
            f"title = {_quoted(self.title)}",
            f"workloads = {_list(self.workloads)}",
            *_ranks(self.ranks, self.configuration),
            *_table("part.axes", self.axes),
            *_table("part.configuration", self.configuration),
        ]


@dataclass(frozen=True)
class Experiment:
    """What is measured, where, and how exactly; an axis that is not given takes its default.

    With parts these have the workloads, ranks, axes and settings, and the experiment has none.
    """

    title: str
    workloads: tuple[str, ...] = ()
    mpi: tuple[str, ...] = ("mpich",)
    machine: str = HERE
    ranks: tuple[int, ...] = (2,)
    axes: Axes = ()
    configuration: Settings = ()  # swept
    hosts: str = ""  # where nodes come from: names, a hostfile, slurm, up or made; none: here
    notes: tuple[str, ...] = ()  # what readers of the report should know
    parts: tuple[Part, ...] = ()
    half_width: float = 0.01  # relative, at 95 %
    launches_minimum: int = 8
    launches_maximum: int = 100
    budget_s: float = 150.0  # for each MPI library
    deadline_s: float = 60.0  # without progress

    @property
    def mocked(self) -> bool:
        """Whether times come from the machine's name instead of from a machine."""
        return self.machine.startswith(MOCK)

    @property
    def simulated(self) -> bool:
        """Whether the machine is a simulated one."""
        return self.machine != HERE and not self.mocked

    @property
    def here(self) -> bool:
        """Whether all ranks are on this one node: nothing else is asked for."""
        return not self.hosts and not self.simulated

    @property
    def all_parts(self) -> tuple[Part, ...]:
        """Its parts; an experiment without any is one itself."""
        whole = Part(self.title, self.workloads, self.ranks, self.axes, self.configuration)
        return self.parts or (whole,)

    @property
    def nodes(self) -> int:
        """The nodes of its largest layout."""
        shapes = [layout(text) for text in self.swept("layout")]
        return max((shape.nodes for shape in shapes if shape), default=1)

    def swept(self, key: str) -> tuple[str, ...]:
        """The values of a setting over all parts, in their order."""
        found = (dict(part.configuration).get(key, ()) for part in self.all_parts)
        return tuple(dict.fromkeys(value for values in found for value in values))

    @property
    def flags(self) -> tuple[str, ...]:
        """The compiler flags that its drivers are built with, besides the usual ones."""
        return tuple(value for value in self.swept("flags") if value != DEFAULT)

    def toml(self) -> str:
        """The text that `load` reads as this same experiment."""
        own = not self.parts
        return "\n".join(
            [
                f"schema = {SCHEMA}",
                "[experiment]",
                f"title = {_quoted(self.title)}",
                *([f"workloads = {_list(self.workloads)}"] if own else []),
                f"mpi = {_list(self.mpi)}",
                f"machine = {_quoted(self.machine)}",
                *(_ranks(self.ranks, self.configuration) if own else []),
                *([f"hosts = {_quoted(self.hosts)}"] if self.hosts else []),
                *([f"notes = {_list(self.notes)}"] if self.notes else []),
                *_table("axes", self.axes),
                *_table("configuration", self.configuration),
                "[measure]",
                f"half_width = {self.half_width!r}",
                f"launches_minimum = {self.launches_minimum}",
                f"launches_maximum = {self.launches_maximum}",
                f'budget = "{self.budget_s!r}s"',
                f'deadline = "{self.deadline_s!r}s"',
                *(line for part in self.parts for line in part.toml()),
                "",
            ]
        )


def _ranks(ranks: Sequence[int], configuration: Settings) -> list[str]:
    """Nothing beside a layout, which fixes the ranks."""
    return [] if "layout" in dict(configuration) else [f"ranks = {_list(ranks)}"]


def _table(name: str, entries: Sequence[tuple[str, Sequence[AxisValue]]]) -> list[str]:
    lines = [f"{key} = {_list(values)}" for key, values in entries]
    return [f"[{name}]", *lines] if lines else []


def _quoted(text: str) -> str:
    # JSON's escapes are also TOML's, except that TOML wants DEL escaped.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(values: Sequence[AxisValue]) -> str:
    return "[" + ", ".join(_quoted(v) if isinstance(v, str) else str(v) for v in values) + "]"
