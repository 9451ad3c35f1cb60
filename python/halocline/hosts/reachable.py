"""Hosts that a launcher can reach."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

UP = "up"  # word for hosts that are already up
BETWEEN_NODES = "between nodes"
MADE_HOSTS = "made_hosts"  # in a run's environment: what connected them
RATE = "1gbit"
RATES = re.compile(r"(\d+(?:\.\d+)?)([kmg])bit")  # as tc writes them
_SSH = ("ssh", "-x", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10")
_PREFIXES = {"k": ("k", 1e3), "m": ("M", 1e6), "g": ("G", 1e9)}


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

    @property
    def reach(self) -> tuple[str, ...]:
        """The words before a host's name and a shell command to run there."""
        return (str(self.agent),) if self.agent else _SSH

    def recorded(self) -> Mapping[str, Any]:
        """The hosts for a run's environment."""
        return {MADE_HOSTS: {"rate": self.rate}} if self.made else {}


def between(rate: str | None) -> str:
    """The link between a run's nodes in words; `rate` is that of made hosts, empty if unknown."""
    if rate is None:
        return BETWEEN_NODES
    words = f" of {speed}" if (speed := rate_words(rate)) else ""
    return f"between made hosts (a rate{words} set here; not a network)"


def rate_words(rate: str) -> str:
    """`1 Gbit/s`; empty if it is not known."""
    match = RATES.fullmatch(rate)
    return f"{match[1]} {_PREFIXES[match[2]][0]}bit/s" if match else ""


def rate_bytes_per_s(rate: str) -> float | None:
    """The same as a number; None if it is not known."""
    match = RATES.fullmatch(rate)
    return float(match[1]) * _PREFIXES[match[2]][1] / 8 if match else None
