"""Evidence from profiles: what a workload calls, sends and writes, and its time in MPI."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from halocline.base.units import counted
from halocline.findings.claim import Known, Unanswered
from halocline.findings.evidence import OFF_NODE, WHERE, Compared
from halocline.profile.functions import SETUP
from halocline.profile.profile import FileInput, Profile
from halocline.profile.store import load
from halocline.profile.totals import Totals
from halocline.profile.workloads import TIMED, CaseProfile
from halocline.specification.cases import Case
from halocline.summary.stats import estimate

# Their count shows how long a rank waited, not what the program does.
POLLS = ("Iprobe", "Improbe", "Test", "Testall", "Testany", "Testsome")
SUFFIX, UNFINISHED = ".nc", ".part"  # of the files that a run of the coupled model writes
_DELAYED = 0.05  # above this, times in MPI are no longer those of ranks with a core each
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
    """The contents of one profile."""

    case: Case
    launch: int
    calls: Mapping[str, int]  # by function, without MPI_, of those that communicate; no polls
    functions: frozenset[str]  # all that were called
    mpi_s: Mapping[str, float]  # by function, over all ranks
    messages: Mapping[int, int]  # by the largest size of their class, in bytes
    timed: tuple[Region, ...]  # one per rank
    between: str = ""  # the link of hosts made here, as text
    delayed: float = 0.0  # share of the time in which ranks had no core
    read_bytes: int = 0
    written: tuple[tuple[float, int], ...] = ()  # seconds, and bytes
    runs: int = 0  # with files, timed or not
    missing: str = ""  # what is not in the profile, as text

    @property
    def layout(self) -> str:
        """The nodes, and the ranks on each."""
        return self.case.settings(("layout",))["layout"]

    @property
    def share_of_mpi(self) -> float:
        """MPI's share of the ranks' time in the timed runs; Unanswered without any."""
        time_s = sum(region.time_s for region in self.timed)
        if time_s <= 0:
            raise Unanswered(f"the profile of {self.case.label} has no timed run")
        return sum(region.mpi_s for region in self.timed) / time_s

    def share_of_calls(self, name: str) -> float:
        """This function's share of the time in MPI, without initialising and finalising it."""
        whole_s = sum(time_s for function, time_s in self.mpi_s.items() if function not in SETUP)
        return self.mpi_s.get(name, 0.0) / whole_s if whole_s else 0.0

    @property
    def rank_bytes(self) -> tuple[float, ...]:
        """What each rank sends in a run; Unanswered if it has none."""
        if not self.timed or any(region.runs < 1 for region in self.timed):
            raise Unanswered(f"the profile of {self.case.label} has no timed run")
        return tuple(region.bytes / region.runs for region in self.timed)


Profiles = Sequence[Recorded]


def recorded(at: CaseProfile, between: str = "") -> Recorded:
    """Read a profile; UserError if it is damaged. `between`: the link of hosts made here."""
    profile = load(at.folder)
    totals = Totals(profile)
    return Recorded(
        case=at.case,
        launch=at.launch,
        calls={row.name: row.count for row in totals.mix if row.name not in POLLS},
        functions=frozenset(row.name for row in totals.functions),
        mpi_s={row.name: row.time_ns / 1e9 for row in totals.functions},
        messages={row.limits[1]: row.messages for row in totals.sizes()},
        timed=_timed(profile),
        between=between,
        delayed=totals.running.delayed if totals.running else 0.0,
        read_bytes=totals.input_output.total_bytes("read"),
        written=_written(profile),
        runs=_runs(profile),
        missing=_missing(profile, at.case.ranks),
    )


def _missing(profile: Profile, ranks: int) -> str:
    lost = sum(rank.lost_calls for rank in profile.ranks)
    if len(profile.ranks) < ranks:
        return f"{len(profile.ranks)} of {counted(ranks, 'rank')}"
    return f"all but {counted(lost, 'call')}" if lost else ""


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
    """How often the model began to write its files, including the warm-up."""
    chosen = np.isin(profile.io.file, _files(profile, FIRST_FILE))
    rows = profile.io.where(chosen & (profile.io.operation == _operation("open")))
    return int(rows.count.sum())


def _files(profile: Profile, ending: str) -> list[int]:
    names = [name.removesuffix(UNFINISHED) for name in profile.files]
    return [number for number, name in enumerate(names) if name.endswith(ending)]


def _operation(name: str) -> int:
    return FileInput.OPERATIONS.index(name)


def chosen(profiles: Profiles | None, ranks: int = 0, layout: str = "") -> Profiles:
    """The profiles on this many ranks, or of this layout; Unanswered without any."""
    where = layout or counted(ranks, "rank")
    kept = [
        profile
        for profile in profiles or ()
        if profile.case.ranks == (ranks or profile.case.ranks) and layout in ("", profile.layout)
    ]
    if not kept:
        raise Unanswered(f"no profile of `coupled` with {where}")
    for profile in kept:
        if profile.missing:
            raise Unanswered(f"a profile with {where} has {profile.missing}; record it again")
    return kept


def total(each: Recorded) -> float:
    """What all ranks send in a run, in bytes; Unanswered if nothing."""
    return _some(sum(each.rank_bytes), each, "bytes")


def calls(each: Recorded) -> float:
    """All calls that communicate; Unanswered without any."""
    return _some(sum(each.calls.values()), each, "calls")


def messages(each: Recorded) -> float:
    """All messages; Unanswered without any."""
    return _some(sum(each.messages.values()), each, "messages")


def _some(count: float, each: Recorded, what: str) -> float:
    if count <= 0:
        raise Unanswered(f"the profile of {each.case.label} has no {what}")
    return count


def known(profiles: Profiles, count: Callable[[Recorded], float]) -> Known:
    """A count that may differ between launches, with its extremes as bounds."""
    values = sorted(count(profile) for profile in profiles)
    return Known(values[(len(values) - 1) // 2], values[0], values[-1])


def relative(one: Known, other: Known) -> Known:
    """One count over another that is not 0."""
    return Known(one.value / other.value, one.low / other.high, one.high / other.low)


def where(profiles: Profiles | None, layout: str) -> str:
    """`on node`, `off node`, or a note that the nodes were hosts made here."""
    links = [
        profile.between
        for profile in profiles or ()
        if profile.layout == layout and profile.between
    ]
    return links[0] if links and layout == OFF_NODE else WHERE.get(layout, layout)


def share(profiles: Profiles) -> Compared:
    """The share of time in MPI, launch by launch."""
    return _over_launches([profile.share_of_mpi for profile in _undisturbed(profiles)])


def shares_ratio(one: Profiles, other: Profiles) -> Compared:
    """The share of time in MPI over another, by launch."""
    other_shares = {profile.launch: profile.share_of_mpi for profile in _undisturbed(other)}
    both = [
        (profile.share_of_mpi, other_shares[profile.launch])
        for profile in _undisturbed(one)
        if other_shares.get(profile.launch, 0) > 0
    ]
    return _over_launches([a / b for a, b in both])


def _undisturbed(profiles: Profiles) -> Profiles:
    """Profiles whose ranks had their cores: waiting for a core would count as time in MPI."""
    undisturbed = [profile for profile in profiles if profile.delayed <= _DELAYED]
    disturbed = len(profiles) - len(undisturbed)
    if disturbed and len(undisturbed) < 2:
        raise Unanswered(
            f"in {disturbed} of {len(profiles)} launches ranks waited for a core for more than "
            f"{_DELAYED:.0%} of the time: run it again on an idle machine"
        )
    return undisturbed


def _over_launches(values: Sequence[float]) -> Compared:
    positive = [value for value in values if value > 0]
    if len(positive) < 2:
        raise Unanswered(
            f"{len(positive)} of the launches give a share; at least 2 are needed: run it again"
        )
    return Compared(estimate([math.log(value) for value in positive]))
