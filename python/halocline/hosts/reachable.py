"""Hosts that a launcher can reach."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

UP = "up"  # word for hosts that are already up
BETWEEN_NODES = "between nodes"
MADE_HOSTS = "made_hosts"  # in a run's environment: what joined them
RATE = "1gbit"
_PREFIXES = {"k": "k", "m": "M", "g": "G"}


@dataclass(frozen=True)
class Hosts:
    """Hosts that a launcher can reach.

    `agent` is a program `AGENT HOST COMMAND…` that replaces ssh; None: ssh itself.
    `interface` is the network interface between them, `entry` the words before a command that has
    to run inside their network.
    """

    names: tuple[str, ...]
    agent: Path | None = None
    interface: str | None = None
    addresses: tuple[str, ...] = ()
    entry: tuple[str, ...] = ()
    rate: str = ""  # of made hosts, in tc's format

    @property
    def made(self) -> bool:
        """Whether they are made of namespaces and so share this machine's cores."""
        return bool(self.entry)

    def recorded(self) -> Mapping[str, Any]:
        """The hosts for a run's environment."""
        return {MADE_HOSTS: {"rate": self.rate}} if self.made else {}


def between(rate: str | None) -> str:
    """The link between a run's nodes in words; `rate` is that of made hosts, empty if unknown."""
    if rate is None:
        return BETWEEN_NODES
    number, unit = rate.removesuffix("bit")[:-1], rate.removesuffix("bit")[-1:]
    words = f"a rate of {number} {_PREFIXES.get(unit, '')}bit/s" if number else "a rate"
    return f"between made hosts ({words} set here; not a network)"
