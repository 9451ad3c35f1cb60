"""Several hosts: real ones, or ones built from namespaces on this machine."""

from __future__ import annotations

from halocline.hosts.found import find
from halocline.hosts.make import temporary_hosts
from halocline.hosts.reachable import BETWEEN_NODES, MADE_HOSTS, RATE, Hosts, between

__all__ = [
    "BETWEEN_NODES",
    "MADE_HOSTS",
    "RATE",
    "Hosts",
    "between",
    "find",
    "temporary_hosts",
]
