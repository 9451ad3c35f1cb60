"""What ranks do: mpiexec -n RANKS python moves.py NAME. A rank that finds anything
wrong ends all of them.

Every grid holds the number of each of its points, so that each value shows where it belongs.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mpi4py import MPI
from numpy.typing import DTypeLike, NDArray

from halocline.redistribution import (
    NOBODY,
    AdoptedMemory,
    Block,
    Cut,
    Fold,
    Halo,
    HaloRoute,
    Layout,
    NodeMemory,
    Points,
    Redistribution,
    RedistributionError,
    Route,
    at,
    cyclic,
    even,
    numbers_in,
    whole,
)

WORLD = MPI.COMM_WORLD
RANK, SIZE = WORLD.rank, WORLD.size
Array = NDArray[Any]


def numbered(shape: Sequence[int], dtype: DTypeLike = np.float64) -> Array:
    """A grid of the numbers of its points."""
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


def parts(layout: Layout, grid: Array) -> list[Array]:
    """This rank's part of the grid in each of its blocks."""
    return [np.array(block.of(grid)) for block in layout.blocks(RANK)]


def expect(arrived: Sequence[Array], layout: Layout, grid: Array) -> None:
    for array, wanted in zip(arrived, parts(layout, grid), strict=True):
        np.testing.assert_array_equal(array, wanted)


def refused(words: str, action: Callable[[], object]) -> None:
    """Every rank gets an error of one line with these words in it."""
    try:
        action()
    except RedistributionError as error:
        assert words in str(error), error
        assert "\n" not in str(error)
    else:
        raise AssertionError(f"nothing was refused; expected: {words}")


def random_cut(random: np.random.Generator, length: int) -> Cut:
    count = int(random.integers(1, 5))
    kind = random.integers(3)
    if kind == 0:
        return even(length, count)
    if kind == 1:
        inner = sorted(int(point) for point in random.integers(0, length + 1, count - 1))
        return at([0, *inner, length])
    return cyclic(length, count, block=int(random.integers(1, 5)))


def random_layout(random: np.random.Generator, shape: Sequence[int]) -> Layout:
    cuts = [random_cut(random, length) for length in shape]
    return Layout(cuts, owners=random.integers(0, SIZE, [cut.parts for cut in cuts]))


def random_layouts() -> None:
    """Several blocks a rank or none, all kinds of cuts, one to four dimensions, all types."""
    random = np.random.default_rng(20260701)  # the same on all ranks
    dtypes = ["f8", "f4", "i8", "i4", "i2", "i1", "u8", "u1", "c16", "c8", "?"]
    for trial in range(60):
        shape = [int(length) for length in random.integers(1, 12, int(random.integers(1, 5)))]
        source, destination = random_layout(random, shape), random_layout(random, shape)
        dtype = dtypes[trial % len(dtypes)]
        grid = numbered(shape, dtype)
        options: dict[str, Any] = {
            "packing": ["rank", "box", "run"][trial % 3],
            "field_by_field": bool(random.integers(2)),
            "messages_only": bool(random.integers(2)),
            "progress_thread": bool(random.integers(2)),
        }
        route = Route(source, destination, WORLD)
        fields = [parts(source, grid), parts(source, grid[::-1])]
        arrived = [destination.arrays(RANK, dtype) for _ in fields]
        with Redistribution(route, fields, arrived, **options) as there:
            there.run()
        expect(arrived[0], destination, grid)
        expect(arrived[1], destination, grid[::-1])
        back = [source.arrays(RANK, dtype) for _ in fields]
        with Redistribution(route.reversed(), arrived, back, **options) as home:
            home.run()
        expect(back[0], source, grid)
        expect(back[1], source, grid[::-1])


def blocks_are_the_librarys() -> None:
    """What Python computes of a block is what the library says of it."""
    random = np.random.default_rng(7)
    for _ in range(100):
        shape = [int(length) for length in random.integers(1, 20, int(random.integers(1, 5)))]
        layout = random_layout(random, shape)
        seen = np.zeros(shape, dtype=int)
        for rank in range(SIZE):
            for block in layout.blocks(rank):
                extents = tuple(
                    upper - lower for lower, upper in zip(block.lower, block.upper, strict=True)
                )
                assert block.shape == extents
                begins = tuple(int(along[0]) for along in block.indices if len(along))
                assert 0 in extents or begins == block.lower
                seen[np.ix_(*block.indices)] += 1
        assert (seen == 1).all()


def strides_and_ghosts() -> None:
    """Fortran order, slices and ghost cells: the memory's order does not matter."""
    shape = (12, 9, 5)
    grid = numbered(shape)
    rows = Layout([even(12, SIZE), whole(9), whole(5)])
    columns = Layout([whole(12), even(9, SIZE), whole(5)])
    (here,), (there,) = rows.blocks(RANK), columns.blocks(RANK)
    route = Route(rows, columns, WORLD)
    sources = {
        "fortran": np.asfortranarray(here.of(grid)),
        "turned": np.array(here.of(grid).transpose(2, 0, 1)).transpose(1, 2, 0),
        "every second": np.repeat(np.array(here.of(grid)), 2, axis=2)[:, :, ::2],
    }
    for source in sources.values():
        outer = np.full([length + 3 for length in there.shape], -1.0, order="F")
        with Redistribution(route, [source], [outer], destination_ghosts=[(1, 2)] * 3) as move:
            move.run()
        inner = tuple(slice(1, length + 1) for length in there.shape)
        np.testing.assert_array_equal(outer[inner], there.of(grid))
        outer[inner] = -1
        assert (outer == -1).all()  # ghost cells stay as they are
        with Redistribution(route, [source], [outer[inner]]) as move:
            move.run()
        np.testing.assert_array_equal(outer[inner], there.of(grid))
        assert (outer == -1).sum() == outer.size - grid[tuple(there_slices(there))].size


def there_slices(block: Block) -> list[slice]:
    return [slice(int(along[0]), int(along[-1]) + 1) for along in block.indices]


def node_memory() -> None:
    """Source and destination in the library's memory; several runs; a field that changes."""
    grid = numbered((40, 30))
    rows, columns = Layout([even(40, SIZE), whole(30)]), Layout([whole(40), even(30, SIZE)])
    (here,), (there,) = rows.blocks(RANK), columns.blocks(RANK)
    shapes = [(here.shape, "f8"), (there.shape, "f8"), (here.shape, "i4"), (there.shape, "i4")]
    memory = NodeMemory(WORLD, NodeMemory.needed(*shapes))
    source, destination, marks, arrived = (memory.array(*each) for each in shapes)
    assert source.ctypes.data % 4096 == 0
    assert all(array.ctypes.data % 64 == 0 for array in (destination, marks, arrived))
    assert not source.any()
    try:
        memory.array([1], "f8")
    except RedistributionError as error:
        assert "0 bytes left" in str(error)
    else:
        raise AssertionError("the memory has no end")
    route = Route(rows, columns, WORLD)
    with Redistribution(route, [source, marks], [destination, arrived], memory=memory) as move:
        for step in range(5):
            source[...] = here.of(grid) + step
            marks[...] = here.of(grid) * step
            move.start()
            move.finish()
            np.testing.assert_array_equal(destination, there.of(grid) + step)
            np.testing.assert_array_equal(arrived, there.of(grid) * step)
            WORLD.barrier()
        others = there.of(grid).size - np.intersect1d(here.of(grid), there.of(grid)).size
        everything = WORLD.allreduce(move.sent_bytes())
        assert everything == WORLD.allreduce(others) * (8 + 4)
    del source, destination, marks, arrived
    memory.free()


def adopted_memory() -> None:
    """The program's own arrays as memory of the node: the values of before, then new ones."""
    grid = numbered((400, 30))
    rows, columns = Layout([even(400, SIZE), whole(30)]), Layout([whole(400), even(30, SIZE)])
    (here,), (there,) = rows.blocks(RANK), columns.blocks(RANK)
    fortran = np.asfortranarray(here.of(grid))
    marks = np.array(here.of(grid), dtype="i4")
    tiny = np.array([1.5, 2.5])
    destination, arrived = np.zeros(there.shape), np.zeros(there.shape, dtype="i4")
    memory = AdoptedMemory(WORLD, fortran, marks, tiny)
    route = Route(rows, columns, WORLD)
    move = Redistribution(route, [fortran, marks], [destination, arrived], memory=memory)
    for step in range(3):
        fortran[...] = here.of(grid) + step
        marks[...] = here.of(grid) * step
        move.run()
        np.testing.assert_array_equal(destination, there.of(grid) + step)
        np.testing.assert_array_equal(arrived, there.of(grid) * step)
        WORLD.barrier()
    refused("in use by 1 redistributions", memory.free)
    refused("are adopted already", lambda: AdoptedMemory(WORLD, fortran))
    move.free()
    memory.free()
    np.testing.assert_array_equal(fortran, here.of(grid) + 2)
    np.testing.assert_array_equal(tiny, [1.5, 2.5])
    refused("is a view with gaps", lambda: AdoptedMemory(WORLD, np.zeros((9, 9))[:, ::2]))
    mapped = np.memmap(f"mapped-{RANK}", "f8", "w+", shape=(4096,))
    refused("map the file", lambda: AdoptedMemory(WORLD, mapped))
    mapped.flags.writeable = False
    refused("is read-only", lambda: AdoptedMemory(WORLD, tiny, mapped))


def points() -> None:
    """Lists of points on either side, or on both, with levels; and some that nobody wants."""
    random = np.random.default_rng(11)
    shape, levels = (30, 20), 3
    grid = numbered((*shape, levels))
    where = np.stack(np.unravel_index(random.permutation(600), shape))
    owners = random.integers(0, SIZE, (2, 600))
    lists = [
        Points(numbers_in(shape, *where[:, owners[side] == RANK]), carried=[levels])
        for side in range(2)
    ]
    source, wanted = (grid[tuple(where[:, owners[side] == RANK])] for side in range(2))
    arrived = np.zeros_like(wanted)
    route = Route(lists[0], lists[1], WORLD)
    with Redistribution(route, [source], [arrived]) as move:
        move.run()
    np.testing.assert_array_equal(arrived, wanted)

    blocks = Layout([even(30, SIZE), whole(20), whole(levels)])
    filled = blocks.arrays(RANK, "f8")
    with Redistribution(Route(lists[0], blocks, WORLD), [source], [filled]) as move:
        move.run()
    expect(filled, blocks, grid)

    half = lists[1].numbers[::2]
    refused("which no rank asks for", lambda: Route(lists[0], Points(half, [levels]), WORLD))
    some = np.zeros((len(half), levels))
    with Redistribution(
        Route(lists[0], Points(half, [levels]), WORLD, unwanted=True), [source], [some]
    ) as move:
        move.run()
    np.testing.assert_array_equal(some, wanted[::2])
    twice = Points([0, 0] if RANK == 0 else [], [levels])
    refused("point 0 is listed twice", lambda: Route(lists[0], twice, WORLD, unwanted=True))


def saved_routes() -> None:
    """A route comes back from its file, and describes what it moves."""
    grid = numbered((24, 18))
    rows, columns = Layout([even(24, SIZE), whole(18)]), Layout([whole(24), even(18, SIZE)])
    Route(rows, columns, WORLD).save("route")
    route = Route.load("route", rows, columns, WORLD)
    described = route.describe()
    assert (described.ranks, described.indices) == (SIZE, grid.size)
    assert described.indices_moved == grid.size * (SIZE - 1) // SIZE
    assert described.messages == SIZE * (SIZE - 1)
    arrived = columns.arrays(RANK, "f8")
    with Redistribution(route, parts(rows, grid), arrived) as move:
        move.run()
    expect(arrived, columns, grid)
    refused("none.route", lambda: Route.load("none.route", rows, columns, WORLD))


def ghost_cells() -> None:
    """A surface and levels in blocks of an ocean without its land, folded in the north."""
    shape, levels, width = (12, 9), 3, 2
    owners = np.arange(12).reshape(4, 3) % SIZE
    owners[1, 1] = NOBODY
    layout = Layout([even(12, 4), even(9, 3)], owners=owners)
    surface = numbered(shape)
    deep = surface[:, :, np.newaxis] + 1000.0 * np.arange(levels)
    land = np.repeat(np.repeat(owners == NOBODY, 3, axis=0), 3, axis=1)
    folded = np.concatenate([deep, deep[::-1, ::-1][:, :width]], axis=1)
    folded[np.concatenate([land, land[::-1, ::-1][:, :width]], axis=1)] = -1
    wanted = np.pad(folded, [(width, width), (0, 0), (0, 0)], mode="wrap")
    route = HaloRoute(layout, WORLD, width, periodic=(True, False), fold=Fold())
    for options in ({}, {"messages_only": True, "protocol": "alltoallw"}, {"packing": "run"}):
        arrays = bordered(layout, deep, width)
        with Halo(route, arrays, **options) as halo:
            halo.start()
            halo.finish()
        for flat, full, block in zip(*arrays, layout.blocks(RANK), strict=True):
            i, j = (int(along[0]) for along in block.indices)
            expected = wanted[i : i + full.shape[0], max(0, j - width) : j + 3 + width]
            beyond = np.full((full.shape[0], width if j == 0 else 0, levels), -1.0)
            expected = np.concatenate([beyond, expected], axis=1)
            np.testing.assert_array_equal(full, expected)
            np.testing.assert_array_equal(flat, expected[:, :, 0])
    refused("has shape", lambda: Halo(route, [layout.arrays(RANK, "f8")]))
    refused("give an entry for each axis", lambda: HaloRoute(layout, WORLD, [1, 1, 1]))
    refused("closed along dimension 1", lambda: HaloRoute(layout, WORLD, 1, fold=Fold()))


def bordered(layout: Layout, grid: Array, width: int) -> list[list[Array]]:
    """This rank's blocks of the first level, and of all: -1 in the ghost cells."""
    deep = []
    for block in layout.blocks(RANK):
        ends = [(width, width), (width, width), (0, 0)]
        deep.append(np.pad(block.of(grid), ends, constant_values=-1))
    return [[array[:, :, 0].copy() for array in deep], deep]


def regions() -> None:
    """A part of the source's grid comes to another place of the destination's."""
    source, destination = Layout([even(20, SIZE), whole(10)]), Layout([whole(30), even(8, SIZE)])
    grid = numbered((20, 10))
    route = Route(
        source,
        destination,
        WORLD,
        source_region=[(5, 15), (2, 6)],
        destination_region=[(12, 22), (1, 5)],
    )
    assert WORLD.allreduce(route.size().elements_sent) == 40
    assert WORLD.allreduce(route.size().elements_received) == 40
    arrived = destination.arrays(RANK, "f8")
    with Redistribution(route, [parts(source, grid)], [arrived]) as move:
        move.run()
    wanted = np.zeros((30, 8))
    wanted[12:22, 1:5] = grid[5:15, 2:6]
    expect(arrived, destination, wanted)


def other_communicator() -> None:
    """A communicator of some of the ranks, in another order."""
    comm = WORLD.Split(0 if RANK < 2 else MPI.UNDEFINED, -RANK)
    if comm == MPI.COMM_NULL:
        return
    grid = numbered((8, 8))
    source, destination = Layout([even(8, comm.size), whole(8)]), Layout([whole(8), whole(8)])
    mine = [np.array(block.of(grid)) for block in source.blocks(comm.rank)]
    arrived = destination.arrays(comm.rank, "f8")
    with Redistribution(Route(source, destination, comm), [mine], [arrived]) as move:
        move.run()
    assert len(arrived) == (1 if comm.rank == 0 else 0)
    for array in arrived:
        np.testing.assert_array_equal(array, grid)


def relabelled() -> None:
    """Blocks that belong to the ranks in the opposite order do not have to move."""
    cuts = [cyclic(40, SIZE, block=3), whole(6)]
    source = Layout(cuts)
    opposite = Layout(cuts, owners=[[SIZE - 1 - place] for place in range(SIZE)])
    found = opposite.relabelled(source)
    before = Route(source, opposite, WORLD).describe().indices_moved
    assert (found.moved_before, found.moved_after, found.saved) == (before, 0, before)
    grid = numbered((40, 6))
    arrived = found.layout.arrays(RANK, "f8")
    route = Route(source, found.layout, WORLD)
    with Redistribution(route, [parts(source, grid)], [arrived]) as move:
        move.run()
    expect(arrived, found.layout, grid)
    assert route.describe().indices_moved == 0
    refused("same indices", lambda: Layout([whole(3)]).relabelled(source))


def errors() -> None:
    """Each is one line, on every rank, and the program goes on."""
    rows, columns = Layout([even(12, SIZE), whole(6)]), Layout([whole(12), even(6, SIZE)])
    refused("5 before 3", lambda: Layout([at([0, 5, 3])]))
    refused("cut into 0 parts", lambda: Layout([even(12, 0)]))
    refused("a layout of 5 dimensions", lambda: Layout([whole(2)] * 5))
    refused("3 blocks with 2 owners", lambda: Layout([even(12, 3)], owners=[0, 0]))
    larger, elsewhere = (
        Layout([whole(12), whole(7)]),
        Layout([whole(12), whole(6)], first_rank=SIZE),
    )
    refused("both must have the same indices", lambda: Route(rows, larger, WORLD))
    refused(f"layout names rank {SIZE}", lambda: Route(rows, elsewhere, WORLD))
    own = Layout([even(12, 2), whole(6)], owners=[[0], [RANK]])
    if SIZE > 1:
        refused("layout", lambda: Route(rows, own, WORLD))
    route = Route(rows, columns, WORLD)
    source, arrived = rows.arrays(RANK, "f8"), columns.arrays(RANK, "f8")
    new = Redistribution
    wrong_on_last = [source[0][:-1]] if RANK == SIZE - 1 else source
    refused(
        f"rank {SIZE - 1}: source field 0 has shape", lambda: new(route, wrong_on_last, arrived)
    )
    refused("source field 0 has 2 arrays", lambda: new(route, [source * 2], arrived))
    refused("1 source fields and 2 destination", lambda: new(route, source, arrived * 2))
    refused("strides", lambda: new(route, [source[0][:, ::-1]], arrived))
    refused("has type", lambda: new(route, [source[0].astype("U1")], arrived))
    refused("has type >f8", lambda: new(route, [source[0].astype(">f8")], arrived))
    refused("packing tape", lambda: new(route, source, arrived, packing="tape"))
    refused("telepathy", lambda: new(route, source, arrived, protocol="telepathy"))
    for other, name in (("f4", "real4"), ("i8", "integer8")):
        words = f"field 1 is of type real8 in one block, {name} in another"
        refused(words, functools.partial(new, route, source, columns.arrays(RANK, other)))
    move = new(route, source, arrived)
    refused("not under way", move.finish)
    move.start()
    refused("under way cannot be run", move.run)
    move.finish()
    move.free()
    move.free()
    refused("was released", move.run)
    route.free()
    refused("was released", lambda: new(route, source, arrived))


CASES: dict[str, Callable[[], None]] = {
    case.__name__: case
    for case in (
        random_layouts,
        blocks_are_the_librarys,
        strides_and_ghosts,
        node_memory,
        ghost_cells,
        adopted_memory,
        regions,
        points,
        saved_routes,
        relabelled,
        other_communicator,
        errors,
    )
}

if __name__ == "__main__":
    CASES[sys.argv[1]]()
    WORLD.barrier()
    if RANK == 0:
        print(f"{sys.argv[1]}: right on {SIZE} ranks")
