"""Several hosts: real ones, or ones made of namespaces on this machine."""

from __future__ import annotations

from halocline.hosts.found import Hosts, find

__all__ = ["Hosts", "find"]
