"""Profiles of the coupled model, made up: truth holds, fails, or is drowned in noise."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence

from findings.made_up import HALF, noise
from halocline.findings.recorded import Recorded, Region
from halocline.specification.cases import Case

LAUNCHES = range(1, 7)
MIX = {"Irecv": 320, "Isend": 260, "Wait": 210, "Waitall": 70, "Allreduce": 140}
IN_USE = frozenset({*MIX, *(f"F{number}" for number in range(18))})


def profile(
    ranks: int = 2,
    layout: str = "",
    launch: int = 1,
    share: float = 0.2,
    *,
    sent: Sequence[int] = (),
    calls: Mapping[str, int] = MIX,
    functions: frozenset[str] = IN_USE,
    messages: Mapping[int, int] | None = None,
    read_bytes: int = 0,
    written: Sequence[tuple[float, int]] = (),
    runs: int = 0,
) -> Recorded:
    """What one profile says."""
    configuration = (("layout", layout),) if layout else ()
    case = Case("coupled", (), "mpich", "here", ranks, configuration)
    rows = tuple(Region(2, 1.0, share, 2 * each) for each in (sent or [100] * ranks))
    return Recorded(
        case=case,
        launch=launch,
        calls=calls,
        functions=functions,
        mpi_s={},
        messages=messages or {},
        timed=rows,
        read_bytes=read_bytes,
        written=tuple(written),
        runs=runs,
    )


def shares(alone: float, on_node: float, apart: float) -> list[Recorded]:
    """Shares of time in MPI, by layout."""
    wanted = {"1N1P": alone, "1N2P": on_node, "2N1P": apart}
    return [
        profile(2 - (layout == "1N1P"), layout, launch, share)
        for layout, share in wanted.items()
        for launch in LAUNCHES
    ]


def shaken(profiles: Sequence[Recorded], seed: int) -> list[Recorded]:
    """The same with noise of 50 % in the times in MPI."""
    chance = random.Random(seed)
    found = []
    for each in profiles:
        share = min(1.0, each.share_of_mpi * math.exp(noise(chance, HALF)))
        found.append(profile(each.case.ranks, each.layout, each.launch, share))
    return found


def c3(holds: bool) -> list[Recorded]:
    return [profile(8, calls=MIX if holds else {**MIX, "Waitall": 300})]


def c4(holds: bool) -> list[Recorded]:
    return shares(0.2, 0.22, 0.23) if holds else shares(0.3, 0.2, 0.2)


def c5(holds: bool) -> list[Recorded]:
    small = {2: 60, 4: 61, 8: 62} if holds else {2: 60, 4: 61, 8: 90}
    return [
        profile(ranks, messages={64: count, 4096: 100 - count}) for ranks, count in small.items()
    ]


def c6(holds: bool) -> list[Recorded]:
    few, many = 8_000, 3_000 if holds else 9_000
    return [profile(2, sent=[few] * 2), profile(8, sent=[many] * 8)]


def c7(holds: bool) -> list[Recorded]:
    per_rank = {2: 8_000, 4: 5_000, 8: 3_000 if holds else 2_000}
    return [profile(ranks, sent=[sent] * ranks) for ranks, sent in per_rank.items()]


def c8(holds: bool) -> list[Recorded]:
    times_s = (0.0, 5.1, 9.9, 10.0, 15.1, 20.0)
    read_bytes = 10 if holds else 1000
    return [profile(read_bytes=read_bytes, written=[(at_s, 100) for at_s in times_s], runs=2)]


def c11(holds: bool) -> list[Recorded]:
    return shares(0.01, 0.42, 0.45) if holds else shares(0.01, 0.2, 0.9)


PROFILED: dict[str, tuple[str, Callable[[bool], list[Recorded]]]] = {
    "C3": ("coupled_calls", c3),
    "C4": ("coupled_share", c4),
    "C5": ("coupled_calls", c5),
    "C6": ("coupled_calls", c6),
    "C7": ("coupled_calls", c7),
    "C8": ("coupled_files", c8),
    "C11": ("coupled_share", c11),
}
TIMED = ("C4", "C11")  # the others count
