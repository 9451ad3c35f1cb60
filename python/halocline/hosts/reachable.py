"""Hosts that a launcher can reach."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Hosts:
    """Hosts that a launcher can reach.

    `agent` is a program `AGENT HOST COMMAND…` that takes the place of ssh; None: ssh itself.
    `interface` is the network interface between them, `entry` the words before a command that has
    to run inside of their network.
    """

    names: tuple[str, ...]
    agent: Path | None = None
    interface: str | None = None
    addresses: tuple[str, ...] = ()
    entry: tuple[str, ...] = ()

    @property
    def made(self) -> bool:
        """Whether they are made of namespaces: then they share this machine's cores."""
        return bool(self.entry)
