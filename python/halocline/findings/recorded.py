"""Evidence from profiles: what a workload calls, sends and writes, and how long it is in MPI."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from halocline.findings.claim import Known, Unanswered
from halocline.findings.evidence import OFF_NODE, WHERE, Compared
from halocline.profile.functions import SETUP
from halocline.profile.profile import FileInput, Profile
from halocline.profile.store import load
from halocline.profile.totals import Totals
from halocline.profile.workloads import TIMED, CaseProfile
from halocline.specification.cases import Case
from halocline.summary.stats import estimate

# Their number says how long a rank waited, not what the program does.
POLLS = ("Iprobe", "Improbe", "Test", "Testall", "Testany", "Testsome")
SUFFIX, UNFINISHED = ".nc", ".part"  # of the files that a run of the coupled model writes
_DELAYED = 0.05  # from here on times in MPI are no longer those of ranks with a core each
FIRST_FILE = f"beginning{SUFFIX}"


@dataclass(frozen=True)
class Region:
    """The timed runs of one rank."""

    runs: int
    time_s: float
    mpi_s: float
    bytes: int


@dataclass(frozen=True)
class Recorded:
    """What one profile says."""

    case: Case
    launch: int
    calls: Mapping[str, int]  # by function, without MPI_, of those that communicate; no polls
    functions: frozenset[str]  # all that were called
    mpi_s: Mapping[str, float]  # by function, over all ranks
    messages: Mapping[int, int]  # by the largest size of their class, in bytes
    timed: tuple[Region, ...]  # a rank each
    between: str = ""  # the link of hosts made here, as text
    delayed: float = 0.0  # share of the time in which ranks had no core
    read_bytes: int = 0
    written: tuple[tuple[float, int], ...] = ()  # seconds, and bytes
    runs: int = 0  # with files, timed or not

    @property
    def layout(self) -> str:
        """The nodes, and the ranks on each."""
        return self.case.settings(("layout",))["layout"]

    @property
    def share_of_mpi(self) -> float:
        """Of the ranks' time in the timed runs; Unanswered without any."""
        time_s = sum(each.time_s for each in self.timed)
        if time_s <= 0:
            raise Unanswered(f"the profile of {self.case.label} has no timed run")
        return sum(each.mpi_s for each in self.timed) / time_s

    def share_of_calls(self, name: str) -> float:
        """Of the time in MPI, without its beginning and end, in this function."""
        whole_s = sum(time_s for each, time_s in self.mpi_s.items() if each not in SETUP)
        return self.mpi_s.get(name, 0.0) / whole_s if whole_s else 0.0

    @property
    def rank_bytes(self) -> tuple[float, ...]:
        """What each rank sends in a run; Unanswered if it has none."""
        if not self.timed or any(each.runs < 1 for each in self.timed):
            raise Unanswered(f"the profile of {self.case.label} has no timed run")
        return tuple(each.bytes / each.runs for each in self.timed)


Profiles = Sequence[Recorded]


def recorded(at: CaseProfile, between: str = "") -> Recorded:
    """Read a profile; UserError if it is damaged. `between`: the link of hosts made here."""
    profile = load(at.folder)
    totals = Totals(profile)
    return Recorded(
        case=at.case,
        launch=at.launch,
        calls={each.name: each.count for each in totals.mix if each.name not in POLLS},
        functions=frozenset(each.name for each in totals.functions),
        mpi_s={each.name: each.time_ns / 1e9 for each in totals.functions},
        messages={each.limits[1]: each.messages for each in totals.sizes()},
        timed=_timed(profile),
        between=between,
        delayed=totals.running.delayed if totals.running else 0.0,
        read_bytes=totals.input_output.total_bytes("read"),
        written=_written(profile),
        runs=_runs(profile),
    )


def _timed(profile: Profile) -> tuple[Region, ...]:
    if TIMED not in profile.region_names:
        return ()
    own = profile.regions.where(profile.regions.region == profile.region_names.index(TIMED))
    order = np.argsort(own.rank)
    columns = (own.count, own.time_ns, own.mpi_ns, own.bytes)
    rows = zip(*(column[order].tolist() for column in columns), strict=True)
    return tuple(Region(runs, time / 1e9, mpi / 1e9, sent) for runs, time, mpi, sent in rows)


def _written(profile: Profile) -> tuple[tuple[float, int], ...]:
    """When the model wrote its files, and how much."""
    chosen = np.isin(profile.io.file, _files(profile, SUFFIX))
    rows = profile.io.where(chosen & (profile.io.operation == _operation("write")))
    pairs = zip((rows.bin_start_ns / 1e9).tolist(), rows.bytes.tolist(), strict=True)
    return tuple((at_s, moved) for at_s, moved in pairs if moved)


def _runs(profile: Profile) -> int:
    """How often the model began to write its files, in the warm-up too."""
    chosen = np.isin(profile.io.file, _files(profile, FIRST_FILE))
    rows = profile.io.where(chosen & (profile.io.operation == _operation("open")))
    return int(rows.count.sum())


def _files(profile: Profile, ending: str) -> list[int]:
    names = [name.removesuffix(UNFINISHED) for name in profile.files]
    return [number for number, name in enumerate(names) if name.endswith(ending)]


def _operation(name: str) -> int:
    return FileInput.OPERATIONS.index(name)


def chosen(profiles: Profiles | None, ranks: int = 0, layout: str = "") -> Profiles:
    """Those on so many ranks, or of this layout; Unanswered without any."""
    where = layout or f"{ranks} ranks"
    kept = [
        each
        for each in profiles or ()
        if each.case.ranks == (ranks or each.case.ranks) and layout in ("", each.layout)
    ]
    if not kept:
        raise Unanswered(f"no profile of `coupled` with {where}")
    return kept


def known(profiles: Profiles, count: Callable[[Recorded], float]) -> Known:
    """A count that launches may differ in, with its extremes as bounds."""
    values = sorted(count(each) for each in profiles)
    return Known(values[(len(values) - 1) // 2], values[0], values[-1])


def relative(one: Known, other: Known) -> Known:
    """One count over another that is not 0."""
    return Known(one.value / other.value, one.low / other.high, one.high / other.low)


def where(profiles: Profiles | None, layout: str) -> str:
    """`on node`, `off node`, or a note that the nodes were hosts made here."""
    made = [each.between for each in profiles or () if each.layout == layout and each.between]
    return made[0] if made and layout == OFF_NODE else WHERE.get(layout, layout)


def share(profiles: Profiles) -> Compared:
    """The share of time in MPI, launch by launch."""
    return _over_launches([each.share_of_mpi for each in _undisturbed(profiles)])


def shares_ratio(one: Profiles, other: Profiles) -> Compared:
    """The share of time in MPI over another, by launch."""
    others = {each.launch: each.share_of_mpi for each in _undisturbed(other)}
    both = [
        (each.share_of_mpi, others[each.launch])
        for each in _undisturbed(one)
        if others.get(each.launch, 0) > 0
    ]
    return _over_launches([a / b for a, b in both])


def _undisturbed(profiles: Profiles) -> Profiles:
    """Those whose ranks had their cores: waiting for one would count as time in MPI."""
    undisturbed = [each for each in profiles if each.delayed <= _DELAYED]
    if len(undisturbed) < 2:
        raise Unanswered(
            f"in {len(profiles) - len(undisturbed)} of {len(profiles)} launches ranks waited for a "
            f"core for more than {_DELAYED:.0%} of the time: run it again on an idle machine"
        )
    return undisturbed


def _over_launches(values: Sequence[float]) -> Compared:
    positive = [value for value in values if value > 0]
    if len(positive) < 2:
        raise Unanswered(
            f"{len(positive)} of the launches give a share; at least 2 are needed: run it again"
        )
    return Compared(estimate([math.log(value) for value in positive]))
