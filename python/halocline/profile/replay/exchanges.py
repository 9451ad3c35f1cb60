"""MPI_Sendrecv: pairing of a rank's sends and receives without deadlock.

A profile records what a rank's exchanges sent and what they received, but not how these pair up.
Sends and receives are the edges of a graph in which every rank has equal in- and out-degree. Such
a graph decomposes into cycles; the ranks of a cycle make their calls at the same time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Values = tuple[int, ...]
OUTSIDE = -9  # stands for a rank whose end of the message is not an exchange


@dataclass(frozen=True)
class Edge:
    """A message; an end that is not an exchange has its own function, or none."""

    source: int  # a rank, or OUTSIDE
    destination: int
    given: Values
    taken: Values
    other: tuple[int, str, Values] | None = None  # the call at the end outside: rank, function


def circles(edges: Sequence[Edge]) -> Iterator[list[Edge]]:
    """The edges as cycles; every edge is in exactly one."""
    leaving: dict[int, list[Edge]] = defaultdict(list)
    for edge in reversed(edges):
        leaving[edge.source].append(edge)
    for start in list(leaving):
        path: list[Edge] = []
        at: dict[int, int] = {}  # where in the path a rank was left
        rank = start
        while path or leaving[start]:
            if rank in at:
                begin = at[rank]
                for edge in path[begin:]:
                    del at[edge.source]
                yield path[begin:]
                del path[begin:]
                continue
            at[rank] = len(path)
            path.append(leaving[rank].pop())
            rank = path[-1].destination


def calls_of(circle: Sequence[Edge]) -> Iterator[tuple[int, str, Values]]:
    """The calls of a cycle: rank, function, and arguments."""
    for arriving, leaving in zip([circle[-1], *circle[:-1]], circle, strict=True):
        if leaving.source != OUTSIDE:
            yield leaving.source, "Sendrecv", (*leaving.given, *arriving.taken[1:])
        if leaving.other is not None:
            yield leaving.other
