"""Which rank is on which node: MPICH's rank reorder methods, and custom lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from halocline.base.errors import UserError
from halocline.specification.configuration import FILE, Layout

_ENTRY = re.compile(r"(\d{1,7})(?:-(\d{1,7}))?")
_FORM = "ranks and ranges of them, as in 0,4,1-3"


def node_of_rank(placement: str, layout: Layout) -> tuple[int, ...]:
    """The node of each rank, from 0 on; UserError if a file places them otherwise.

    smp fills node after node, wrap distributes the ranks round-robin, folded forwards
    and backwards alternately. A file lists the ranks in the order in which they fill the nodes.
    """
    nodes, ranks = layout.nodes, range(layout.ranks)
    match placement:
        case "smp":
            return tuple(rank // layout.ranks_per_node for rank in ranks)
        case "wrap":
            return tuple(rank % nodes for rank in ranks)
        case "folded":
            turns = (divmod(rank, nodes) for rank in ranks)
            return tuple(at if turn % 2 == 0 else nodes - 1 - at for turn, at in turns)
    return _listed(Path(placement.removeprefix(FILE)).expanduser(), layout)


def _listed(path: Path, layout: Layout) -> tuple[int, ...]:
    nodes: dict[int, int] = {}
    for place, rank in enumerate(_order(path)):
        if rank in nodes or rank >= layout.ranks:
            problem = (
                f"rank {rank} is listed twice" if rank in nodes else f"there is no rank {rank}"
            )
            raise _wrong(path, problem, layout)
        nodes[rank] = place // layout.ranks_per_node
    missing = next((rank for rank in range(layout.ranks) if rank not in nodes), None)
    if missing is not None:
        raise _wrong(path, f"rank {missing} is missing", layout)
    return tuple(nodes[rank] for rank in range(layout.ranks))


def _order(path: Path) -> Iterator[int]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UserError(
            f"the placement {path} cannot be read: {why}", allowed=_FORM, remedy="check the path"
        ) from None
    for number, line in enumerate(lines, start=1):
        for word in re.split(r"[,\s]+", line.partition("#")[0].strip(", \t")):
            match = _ENTRY.fullmatch(word)
            if match:
                yield from range(int(match[1]), int(match[2] or match[1]) + 1)
            elif word:
                raise UserError(
                    f"{word!r} is not a rank",
                    where=f"{path}:{number}",
                    allowed=_FORM,
                    remedy="list every rank once, node after node",
                )


def _wrong(path: Path, what: str, layout: Layout) -> UserError:
    return UserError(
        what,
        where=str(path),
        allowed=f"each of 0 to {layout.ranks - 1} once for layout {layout}",
        remedy="list every rank once, node after node",
    )
