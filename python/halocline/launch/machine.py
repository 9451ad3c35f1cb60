"""Simulated machines: one TOML file each, converted to SimGrid's smpirun format."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from xml.etree import ElementTree

from halocline.base.errors import UserError, UserErrors
from halocline.base.parts import part
from halocline.base.reading import content_of, toml
from halocline.base.units import counted
from halocline.launch.job import Simulation

_Value = TypeVar("_Value", str, int, float)

_DOCTYPE = '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'


@dataclass(frozen=True)
class Connection:
    """The network as one message sees it on an idle machine.

    It takes latency + (bytes + 16) / bandwidth: SMPI adds an envelope of 16 bytes to each.
    """

    latency_s: float
    bandwidth_bytes_per_s: float


@dataclass(frozen=True)
class Machine:
    """Identical nodes around one switch."""

    name: str
    summary: str
    source: str  # source of the figures
    nodes: int
    cores: int  # per node
    core_speed_flop_per_s: float
    network: Connection
    on_node: Connection


def machines() -> tuple[Machine, ...]:
    """All simulated machines, by name; UserErrors names every problem of every file."""
    known: list[Machine] = []
    problems: list[UserError] = []
    for file in sorted(_folder().glob("*.toml")):
        try:
            known.append(read(file))
        except UserErrors as errors:
            problems += errors.problems
    if problems:
        raise UserErrors(problems)
    return tuple(known)


def machine(name: str) -> Machine:
    """The machine of this name; UserError if there is none."""
    file = _folder() / f"{name}.toml"
    names = sorted(path.stem for path in _folder().glob("*.toml"))
    if name not in names:
        raise UserError(
            f"no simulated machine is called {name!r}",
            allowed=", ".join(names),
            remedy=f"choose one of these, or describe it in {file}",
        )
    return read(file)


def simulation(
    of: Machine, ranks: int, folder: Path, node_of_rank: Sequence[int] = ()
) -> Simulation:
    """Write the platform and the hostfile for `ranks` ranks into `folder`.

    Ranks are distributed round-robin, one per core, unless `node_of_rank` places them.
    """
    nodes = check_fit(of, ranks, node_of_rank)
    platform, hostfile = folder / f"{of.name}.xml", folder / f"{of.name}.hosts"
    platform.write_text(platform_xml(of), encoding="utf-8")
    hostfile.write_text("".join(f"node-{node}\n" for node in nodes), encoding="utf-8")
    return Simulation(platform, hostfile)


def check_fit(of: Machine, ranks: int, node_of_rank: Sequence[int] = ()) -> Sequence[int]:
    """The node of each rank, one rank per core; UserError if they do not fit."""
    nodes = node_of_rank or [rank % of.nodes for rank in range(ranks)]
    fullest = max(Counter(nodes).values())
    if fullest > of.cores or max(nodes) >= of.nodes:
        wanted = f"{max(nodes) + 1}N{fullest}P" if node_of_rank else counted(ranks, "rank")
        raise UserError(
            f"no room for {wanted} on machine {of.name}",
            allowed=f"1 to {of.nodes * of.cores} ({of.nodes} nodes × {of.cores} cores)",
            remedy="use fewer ranks or a larger machine",
        )
    return nodes


def platform_xml(of: Machine) -> str:
    """The machine in SimGrid's platform format, version 4.1."""
    root = ElementTree.Element("platform", version="4.1")
    ElementTree.SubElement(
        root,
        "cluster",
        id=of.name,
        prefix="node-",
        suffix="",
        radical=f"0-{of.nodes - 1}",
        speed=f"{of.core_speed_flop_per_s!r}f",
        core=str(of.cores),
        bw=f"{of.network.bandwidth_bytes_per_s!r}Bps",
        lat=f"{of.network.latency_s / 2!r}s",  # a message crosses two links: up, then down
        sharing_policy="SPLITDUPLEX",
        loopback_bw=f"{of.on_node.bandwidth_bytes_per_s!r}Bps",
        loopback_lat=f"{of.on_node.latency_s!r}s",
    )
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f"<?xml version='1.0'?>\n{_DOCTYPE}\n{body}\n"


def read(file: Path) -> Machine:
    """The machine described by a file; UserErrors names all problems."""
    try:
        content = toml(content_of(file, "check its permissions").decode())
    except UserError as error:
        raise UserErrors([error]) from None
    except ValueError as error:
        wrong = UserError(str(error), where=str(file), remedy="fix the TOML there")
        raise UserErrors([wrong]) from None
    table = _Table(file, content)
    described = Machine(
        name=table.name("name"),
        summary=table.text("summary"),
        source=table.text("source"),
        nodes=table.count("nodes.count"),
        cores=table.count("nodes.cores"),
        core_speed_flop_per_s=table.positive("nodes.core_speed_flop_per_s"),
        network=table.connection("network"),
        on_node=table.connection("on_node"),
    )
    table.finish()
    return described


def _folder() -> Path:
    folder = part("_machines", "machines")
    if folder is None:
        raise UserError(
            "the simulated machines are missing from this installation",
            remedy="run `pip install --force-reinstall .` in Halocline's clone",
        )
    return folder


class _Table:
    """Reads values from a machine's file and collects all problems."""

    def __init__(self, file: Path, content: dict[str, object]) -> None:
        self._file = file
        self._asked: list[str] = []
        self._problems: list[UserError] = []
        self._values: dict[str, object] = {}
        for key, value in content.items():
            inner = value if isinstance(value, dict) else {"": value}
            self._values |= {f"{key}.{name}".rstrip("."): item for name, item in inner.items()}

    def name(self, key: str) -> str:
        stem = self._file.stem
        return self._take(key, f'"{stem}", as the file is called', stem, lambda it: it == stem)

    def text(self, key: str) -> str:
        return self._take(
            key, "a string in quotes", "", lambda it: isinstance(it, str) and bool(it.strip())
        )

    def count(self, key: str) -> int:
        return self._take(
            key, "a whole number, 1 or more", 1, lambda it: type(it) is int and it >= 1
        )

    def positive(self, key: str) -> float:
        return float(self._take(key, "a number above 0", 1.0, _is_positive))

    def connection(self, key: str) -> Connection:
        return Connection(
            latency_s=self.positive(f"{key}.latency_s"),
            bandwidth_bytes_per_s=self.positive(f"{key}.bandwidth_bytes_per_s"),
        )

    def finish(self) -> None:
        """UserErrors if anything was wrong, including unknown keys."""
        for key in self._values:
            if key not in self._asked:
                self._problem(f"unknown key {key}", ", ".join(self._asked), "remove it")
        if self._problems:
            raise UserErrors(self._problems)

    def _take(
        self, key: str, allowed: str, instead: _Value, accepts: Callable[[object], bool]
    ) -> _Value:
        self._asked.append(key)
        if key not in self._values:
            self._problem(f"{key} is missing", allowed, "add it")
            return instead
        value = self._values[key]
        if not accepts(value):
            self._problem(f"{key} is {value!r}", allowed, "change it")
            return instead
        return value  # type: ignore[return-value]  # it is what `accepts` says

    def _problem(self, what: str, allowed: str, remedy: str) -> None:
        self._problems.append(
            UserError(what, where=str(self._file), allowed=allowed, remedy=remedy)
        )


def _is_positive(value: object) -> bool:
    return type(value) in (int, float) and 0 < float(str(value)) < math.inf
