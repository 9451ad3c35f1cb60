"""Mistakes of a program, named by what comes of them: mpiexec -n RANKS python mistakes.py NAME.

A rank that finds anything wrong ends all of them.
"""

from __future__ import annotations

import functools
import sys
import warnings
from typing import Any

import numpy as np
from mpi4py import MPI

from halocline.redistribution import (
    AdoptedMemory,
    Halo,
    HaloRoute,
    Layout,
    NodeMemory,
    Points,
    Redistribution,
    Route,
    cyclic,
    even,
    whole,
)
from halocline.redistribution.fields import Ghosts
from library.moves import RANK, SIZE, WORLD, Array, expect, numbered, parts, refused


def layouts() -> tuple[Layout, Layout]:
    """Rows and columns of a grid of 12 × 6."""
    return Layout([even(12, SIZE), whole(6)]), Layout([whole(12), even(6, SIZE)])


def on_rank_0() -> Layout:
    """One block; the other ranks have none."""
    return Layout([whole(12), whole(6)])


def frozen(array: Array) -> Array:
    array.flags.writeable = False
    return array


def a_redistribution_or_memory_that_is_not_freed_warns_and_a_freed_one_does_not() -> None:
    rows, columns = layouts()
    route = Route(rows, columns, WORLD)
    source, arrived = rows.arrays(RANK, "f8"), columns.arrays(RANK, "f8")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with Redistribution(route, [source], [arrived]) as move, NodeMemory(WORLD, 8) as memory:
            move.run()
        del move, memory, route
        assert caught == []
        Redistribution(Route(rows, columns, WORLD), [source], [arrived]).run()
        NodeMemory(WORLD, 8)
        AdoptedMemory(WORLD, *source)
    kinds = ["Redistribution", "NodeMemory", "AdoptedMemory"]
    assert [str(each.message).split()[0] for each in caught] == kinds
    assert all(each.category is ResourceWarning for each in caught)


def a_region_with_too_few_dimensions_is_refused_on_every_rank() -> None:
    rows, columns = layouts()
    few, every = [(0, 12)], [(0, 12), (0, 6)]
    given = few if RANK == SIZE - 1 else every
    words = f"rank {SIZE - 1}: source region [(0, 12)] of a grid of 2 dimensions; give a pair"
    refused(words, lambda: Route(rows, columns, WORLD, source_region=given))
    words = "destination region [] of a grid"
    refused(words, lambda: Route(rows, columns, WORLD, destination_region=[]))
    triples: Any = [(0, 1, 2)] * 2
    refused("a pair (lower, upper)", lambda: Route(rows, columns, WORLD, source_region=triples))


def arrays_that_are_read_only_receive_nothing() -> None:
    rows, columns = layouts()
    route = Route(rows, columns, WORLD)
    source, (arrived,) = rows.arrays(RANK, "f8"), columns.arrays(RANK, "f8")
    text = np.frombuffer(bytes(arrived.nbytes)).reshape(arrived.shape)
    for array in (frozen(arrived), text):
        words = "destination field 0 is read-only"
        refused(words, functools.partial(Redistribution, route, [source], [array]))
    cells = [frozen(array) for array in rows.arrays(RANK, "f8", ghosts=1)]
    refused("field 0 is read-only", lambda: Halo(HaloRoute(rows, WORLD, 1), [cells]))
    with Redistribution(route, [[frozen(array) for array in source]], [arrived.copy()]) as move:
        move.run()


def errors_of_any_kind_on_ranks_with_blocks_reach_those_without() -> None:
    layout = on_rank_0()
    cells, route = layout.arrays(RANK, "f8", ghosts=1), HaloRoute(layout, WORLD, 1)
    refused("rank 0: field 0 needs ghosts for 2 axes", lambda: Halo(route, [cells], ghosts=(1,)))
    no_numbers: Any = (None, None)
    refused("rank 0: TypeError: ", lambda: Halo(route, [cells], ghosts=no_numbers))
    lists = [array.tolist() for array in layout.arrays(RANK, "f8")]
    same = Route(layout, layout, WORLD)
    refused(
        "rank 0: source field 0 is a list in one block; allowed: a NumPy array",
        lambda: Redistribution(same, [lists], [layout.arrays(RANK, "f8")]),
    )
    refused("rank 0: AttributeError: ", lambda: AdoptedMemory(WORLD, *lists))


def memory_that_is_not_the_same_on_all_ranks_is_refused() -> None:
    """Offsets into one would be read as offsets into the other."""
    rows, columns = layouts()
    route = Route(rows, columns, WORLD)
    with NodeMemory(WORLD, 4096) as one, NodeMemory(WORLD, 4096) as other:
        source = [one.array(array.shape, "f8") for array in rows.arrays(RANK, "f8")]
        arrived = columns.arrays(RANK, "f8")
        if SIZE > 1:
            mine = one if RANK == 0 else other
            words = "pass different memory arguments"
            refused(words, lambda: Redistribution(route, [source], [arrived], memory=mine))
        with NodeMemory(MPI.COMM_SELF, 4096) as own:
            mine = one if RANK == 0 else own
            if SIZE > 1:
                words = "rank 1: the memory is that of other ranks"
                refused(words, lambda: Redistribution(route, [source], [arrived], memory=mine))
        with Redistribution(route, [source], [arrived], memory=one) as move:
            move.run()


def points_for_more_ranks_than_there_are_are_refused() -> None:
    """Blocks of ranks that are not there would be nobody's."""
    more = Layout([even(12, SIZE + 1), whole(6)])
    numbers = np.arange(72) if RANK == 0 else np.arange(0)
    refused(f"layout names rank {SIZE}", lambda: Route(Points(numbers), more, WORLD))


def memory_that_was_freed_gives_no_arrays() -> None:
    memory = NodeMemory(WORLD, 1000)
    memory.free()
    refused("80 bytes in memory that was freed", lambda: memory.array([10], "f8"))


def a_halo_route_comes_back_from_its_file_and_fills_the_same_cells() -> None:
    """Not a mistake, but where loading one ended in an AttributeError."""
    layout = layouts()[0]
    widths: Ghosts = [1, (2, 0)]
    made = HaloRoute(layout, WORLD, widths, periodic=(True, True))
    made.save("halo")
    loaded = HaloRoute.load("halo", layout, WORLD, widths)
    grid = numbered((12, 6))
    filled = []
    for route in (made, loaded):
        cells = [np.pad(part, [(1, 1), (2, 0)]) for part in parts(layout, grid)]
        with Halo(route, [cells]) as halo:
            halo.run()
        filled.append(cells)
    np.testing.assert_array_equal(filled[0], filled[1])
    expect([cells[1:-1, :2] for cells in filled[1]], layout, grid[:, -2:])
    refused("widths [1]", lambda: HaloRoute.load("halo", layout, WORLD, [1]))
    narrower = HaloRoute.load("halo", layout, WORLD, 0)
    refused("does not cover the route's box", lambda: Halo(narrower, [layout.arrays(RANK, "f8")]))


def ranks_that_give_other_kinds_are_refused_on_every_rank() -> None:
    rows, columns = layouts()
    everything = [(0, 12), (0, 6)] if RANK == 0 and SIZE > 1 else None
    if SIZE > 1:
        words = "rank 1 gives layouts of blocks, rank 0 layouts of blocks with regions; all ranks"
        refused(words, lambda: Route(rows, columns, WORLD, source_region=everything))
        own = Points([RANK]) if RANK == 0 else Layout([even(SIZE, SIZE)])
        refused("rank 0 a layout of points", lambda: Route(own, own, WORLD))


def numbers_that_the_library_cannot_hold_are_refused_on_every_rank() -> None:
    size: Any = 8.0 if RANK == SIZE - 1 else 8
    refused("the memory's size in bytes is 8.0", lambda: NodeMemory(WORLD, size))
    refused("is 18446744073709551616; allowed: 64 bits", lambda: NodeMemory(WORLD, 2**64))
    refused("memory of -1 bytes", lambda: NodeMemory(WORLD, -1))
    refused("blocks of 0 indices", lambda: Layout([cyclic(10, 2, block=0)]))
    refused("the number of parts is 4294967298", lambda: Layout([even(10, 2**32 + 2)]))
    refused("upper bound is 36893488147419103232", lambda: Layout([whole(2**65)]))
    rows, columns = layouts()
    region = [(0, 2**64 + 2), (0, 6)]
    words = "a bound of the source region is 18446744073709551618"
    refused(words, lambda: Route(rows, columns, WORLD, source_region=region))
    words = "shape (3, 4) and type int64; allowed: one dimension of integers"
    refused(words, lambda: Points(np.arange(12).reshape(3, 4)))
    halves: Any = [0.5, 1.7]
    refused("type float64; allowed: one dimension of integers", lambda: Points(halves))


def owners_in_another_shape_than_the_parts_are_refused() -> None:
    cuts = [even(8, 2), even(9, 3)]
    owners = np.array([[0, 0, 0], [0, 0, RANK]])
    words = "owners of shape (3, 2) for (2, 3) parts"
    refused(words, lambda: Layout(cuts, owners=owners.T))
    by_shape, by_list = Layout(cuts, owners=owners), Layout(cuts, owners=owners.ravel(order="F"))
    assert [block.lower for block in by_shape.blocks(0)] == [
        block.lower for block in by_list.blocks(0)
    ]


def half_precision_is_refused_with_the_sizes_that_are_allowed() -> None:
    rows, columns = layouts()
    source, arrived = rows.arrays(RANK, "f2"), columns.arrays(RANK, "f2")
    words = "has type <f2; allowed, in the machine's byte order: real numbers of 4 or 8 bytes"
    route = Route(rows, columns, WORLD)
    refused(words, lambda: Redistribution(route, [source], [arrived]))


if __name__ == "__main__":
    globals()[sys.argv[1]]()
    WORLD.barrier()
    if RANK == 0:
        print(f"{sys.argv[1]}: right on {SIZE} ranks")
