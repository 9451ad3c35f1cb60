"""A profile in sentences, and a comparison of several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from halocline.base.units import counted
from halocline.profile.functions import SETUP
from halocline.profile.input_output import bursts
from halocline.profile.profile import Rank
from halocline.profile.text import (
    bytes_text,
    class_text,
    count_text,
    percent,
    rate_text,
    time_text,
)
from halocline.profile.totals import SiteTotal, Totals
from halocline.profile.waiting import SiteWaiting, Waiting, waiting

_SITES_TOLD = 3
_SITE_SHARE = 0.05  # of MPI time, below which a call site is not mentioned
_EVEN = 0.1  # deviation of a rank's bytes from the mean that still counts as "even"
_HARDLY_COMPUTES = 0.95  # of the time in MPI; beyond it, longer computing is not the cause
_BURSTS_TOLD = 6
_WORLDS_TOLD = 4
OTHERS = "ranks that are unknown or of another world"


@dataclass(frozen=True)
class Sentence:
    """A claim and its evidence."""

    claim: str
    evidence: str = ""


def words(totals: Totals) -> tuple[Sentence, ...]:
    """Sentences on one profile, the most important first."""
    waits = waiting(totals.profile)
    return (
        *_processors(totals),
        *_share(totals),
        *_sites(totals, waits),
        *_balance(totals),
        *_mix(totals),
        *_sizes(totals),
        *_bytes(totals),
        *_files(totals),
    )


def compared(totals: Sequence[Totals], names: Sequence[str]) -> tuple[Sentence, ...]:
    """Sentences on several profiles in order of ranks, or on two with equally many ranks."""
    ordered = sorted(totals, key=lambda each: each.size)
    first, last = ordered[0], ordered[-1]
    if first.size == last.size:
        return (_alike(totals, names),) if len(totals) == 2 else ()
    spans = f"from {first.size} to {last.size} ranks"
    shares = [run.share_of_communication for run in ordered]
    moved = [float(run.bytes) for run in ordered]
    by_rank = [run.bytes / run.size for run in ordered]
    faster = first.wall_ns / max(1, last.wall_ns)
    return (
        Sentence(
            f"{spans.capitalize()} the share of communication {_course(shares)}.",
            f"{_listed(ordered, [percent(value) for value in shares])}. The run takes "
            f"{time_text(last.wall_ns)} instead of {time_text(first.wall_ns)}: {faster:.2f} times "
            f"as fast, {percent(faster * first.size / last.size)} efficient.",
        ),
        Sentence(
            f"Bytes moved by all ranks {_course(moved, several=True)}; bytes per rank "
            f"{_course(by_rank, several=True)}.",
            f"By all {_listed(ordered, [bytes_text(value) for value in moved])}; by rank "
            f"{_listed(ordered, [bytes_text(value) for value in by_rank])}.",
        ),
    )


def _alike(totals: Sequence[Totals], names: Sequence[str]) -> Sentence:
    """The second profile compared with the first, on equally many ranks."""
    first, second = totals
    before, after = (
        {
            function.name: function.time_ns / run.size
            for function in run.functions
            if function.name not in SETUP
        }
        for run in totals
    )
    change = {
        name: after.get(name, 0.0) - before.get(name, 0.0) for name in dict.fromkeys(before | after)
    }
    most = max(change, key=lambda name: abs(change[name]), default="")
    reference, other = (name.removesuffix(f", {counted(first.size, 'rank')}") for name in names)
    part = (
        f" {most} changes most: from {time_text(before.get(most, 0.0))} to "
        f"{time_text(after.get(most, 0.0))} per rank."
        if most
        else ""
    )
    shares = [percent(run.share_of_communication) for run in totals]
    waited = any(run.running is not None and run.running.notable for run in totals)
    doubt = " Ranks waited for a core, which may explain the whole difference." if waited else ""
    return Sentence(
        f"{other} takes {second.wall_ns / max(1, first.wall_ns):.2f} times as long as {reference}.",
        f"{time_text(second.wall_ns)} against {time_text(first.wall_ns)} on "
        f"{counted(first.size, 'rank')}, one run each, so no interval exists.{doubt} MPI takes "
        f"{shares[1]} of the time against {shares[0]}.{part}",
    )


def troubles(totals: Totals) -> tuple[str, ...]:
    """Problems: ranks that died, full tables, calls without a call site."""
    return tuple(_troubles(totals))


def _processors(totals: Totals) -> Iterator[Sentence]:
    """Comes first because it affects all other sentences."""
    run = totals.running
    if run is None or not run.notable:
        return
    at_most = "" if run.delayed_ns is not None else "up to "
    cores = f" on {run.cores} core{'s' * (run.cores != 1)}" if run.cores else ""
    yield Sentence(
        f"The ranks had a processor for {percent(run.share)} of their time and waited for a core "
        f"for {at_most}{percent(run.delayed)}.",
        f"{time_text(run.processor_ns)} of processor time in {time_text(run.wall_ns)} of "
        f"{totals.size} rank{'s' * (totals.size != 1)}{cores}. Times below include that waiting: "
        "run no more ranks than there are free cores.",
    )


def _share(totals: Totals) -> Iterator[Sentence]:
    if not totals.mpi_ns:
        yield Sentence("The program spent no time in MPI.")
        return
    share = totals.share_of_communication
    setup_ns, inside_ns = int(totals.rank_setup_ns.sum()), totals.inside_ns
    most = [function for function in totals.functions if function.name not in SETUP][:3]
    parts = ", ".join(
        f"{function.name} {percent(function.time_ns / max(1, inside_ns))}" for function in most
    )
    threads = max(rank.threads for rank in totals.profile.ranks)
    summed = f", summed over up to {threads} threads" if threads > 1 else ""
    yield Sentence(
        f"{percent(share)} of the time is MPI{_not_running(totals)}.",
        f"{counted(totals.size, 'rank')} ran for {time_text(totals.wall_ns)} and spent "
        f"{time_text(inside_ns / totals.size)} each in MPI on average{summed}"
        f"{'. Of that: ' if parts else ''}{parts}. {_setup(totals)}, "
        f"{time_text(setup_ns / totals.size)} each, are not in the share.",
    )


def _setup(totals: Totals) -> str:
    """The calls that start and end MPI here; a program with sessions has others."""
    sessions = any(function.name == "Session_init" for function in totals.functions)
    world = any(function.name in ("Init", "Init_thread") for function in totals.functions)
    named = ["MPI_Init and MPI_Finalize"] if world or not sessions else []
    named += ["MPI_Session_init and MPI_Session_finalize"] if sessions else []
    return ", ".join(named)


def _not_running(totals: Totals) -> str:
    """The part of the time in MPI, with its start and end, that was neither waiting nor moving."""
    run = totals.running
    if run is None or not run.divides or not run.idle_high_ns:
        return ""
    whole = max(1, totals.mpi_ns)
    low, high = percent(run.idle_low_ns / whole), percent(run.idle_high_ns / whole)
    span = high if low == high else f"{low} to {high}"
    return f"; for {span} of all time in MPI the rank was not running"


def _sites(totals: Totals, waits: Waiting | None) -> Iterator[Sentence]:
    known = {(wait.function, wait.site): wait for wait in waits.callers} if waits else {}
    for site in totals.program_sites[:_SITES_TOLD]:
        share = site.time_ns / max(1, totals.inside_ns)
        if share < _SITE_SHARE:
            return
        place = f" at {totals.site_text(site.site)}" if site.site >= 0 else ""
        arrivals = known.get((site.function, site.site))
        late = (
            f"; rank {arrivals.last_rank} arrives last in {percent(arrivals.last_share)} of them"
            if arrivals and not arrivals.from_root
            else ""
        )
        yield Sentence(
            f"{percent(share)} of MPI time is {site.function}{place}{late}.",
            _site_evidence(site, arrivals),
        )


def _site_evidence(site: SiteTotal, found: SiteWaiting | None) -> str:
    calls = f"{count_text(site.count)} calls, {time_text(site.time_ns / max(1, site.count))} each"
    if found is None:
        return f"{calls}. Rank {site.slowest_rank} spends most there: {time_text(site.slowest_ns)}."
    whole = max(1, found.waiting_ns + found.transferring_ns)
    share = percent(found.waiting_ns / whole)
    if found.from_root:
        return f"{calls}. {share} of it is waiting for the root."
    return (
        f"{calls}. {share} of it is waiting for the last rank, which "
        f"arrives {time_text(found.latest_ns)} after the one before it (median)."
    )


def _balance(totals: Totals) -> Iterator[Sentence]:
    if totals.size < 2 or not totals.mpi_ns or totals.share_of_communication > _HARDLY_COMPUTES:
        return
    if len({rank.world for rank in totals.profile.ranks}) > 1:
        return  # ranks of one program do not wait for those of another
    outside = totals.rank_program_ns - totals.rank_inside_ns
    mean, busiest = float(outside.mean()), int(outside.argmax())
    over = float(outside[busiest]) / max(1.0, mean) - 1
    if over < 0.02:
        most = f"No rank exceeds the mean by more than {percent(over)}."
        yield Sentence("Computing time is balanced across the ranks.", most)
        return
    rank = totals.profile.ranks[busiest].rank
    yield Sentence(
        f"Rank {rank} computes {percent(over)} longer than the mean.",
        f"Outside MPI it spends {time_text(float(outside[busiest]))}, the mean is "
        f"{time_text(mean)}: the others wait for it.",
    )


def _mix(totals: Totals) -> Iterator[Sentence]:
    if not totals.mix:
        return
    whole = sum(function.count for function in totals.mix)
    parts = ", ".join(
        f"{function.name} {percent(function.count / whole)}" for function in totals.mix[:4]
    )
    yield Sentence(
        f"Most calls are {parts}.",
        f"{count_text(whole)} calls of {len(totals.mix)} functions that can communicate; "
        f"{count_text(totals.calls)} calls in total.",
    )


def _sizes(totals: Totals) -> Iterator[Sentence]:
    sizes = totals.sizes()
    if not sizes:
        return
    small = sum(size.messages for size in sizes if size.limits[1] <= 64) / totals.messages
    often = max(sizes, key=lambda each: each.messages)
    heavy = max(sizes, key=lambda each: each.bytes)
    sentence = f"{percent(small)} of the messages carry 64 B or less."
    evidence = (
        f"{count_text(totals.messages)} messages and contributions to collectives. Most common: "
        f"{_span(often.size_class)} ({percent(often.messages / totals.messages)})."
    )
    if heavy.bytes:
        evidence += (
            f" Most bytes: {_span(heavy.size_class)} ({percent(heavy.bytes / totals.bytes)})."
        )
    yield Sentence(sentence, evidence)


def _span(number: int) -> str:
    if number <= 2:
        return class_text(number)
    return f"above {class_text(number - 1)} up to {class_text(number)}"


def _bytes(totals: Totals) -> Iterator[Sentence]:
    if not totals.bytes:
        return
    sent = totals.rank_bytes_sent
    mean = totals.bytes / totals.size
    off = float(np.abs(sent - mean).max()) / mean
    collective, other = (
        int(sums.sum()) for sums in (totals.rank_collective_bytes, totals.rank_other_bytes)
    )
    least, most = int(sent.argmin()), int(sent.argmax())
    ranks = totals.profile.ranks
    how = (
        f"evenly: no rank differs by {_at_most(percent(off))}"
        if off <= _EVEN
        else f"unevenly: from {bytes_text(float(sent[least]))} (rank {ranks[least].rank}) to "
        f"{bytes_text(float(sent[most]))} (rank {ranks[most].rank})"
    )
    yield Sentence(
        f"Ranks send {bytes_text(mean)} on average, {how}.",
        f"{bytes_text(totals.bytes)} in total: "
        f"{percent(1 - (collective + other) / totals.bytes)} between "
        f"{count_text(totals.partners)} pair{'s' * (totals.partners != 1)} of ranks, "
        f"{percent(collective / totals.bytes)} in collectives"
        + (f", {percent(other / totals.bytes)} to {OTHERS}." if other else "."),
    )


def _at_most(share: str) -> str:
    """`more than 2 %`; for `<0.1 %`, `as much as 0.1 %`."""
    return f"as much as {share[1:]}" if share.startswith("<") else f"more than {share}"


def _files(totals: Totals) -> Iterator[Sentence]:
    files = totals.input_output
    written, read = files.total_bytes("write"), files.total_bytes("read")
    if not written + read:
        return
    more = "write" if written >= read else "read"
    wall_s = totals.wall_ns / 1e9
    periods = bursts(files, more, wall_s)
    when = f"in {len(periods)} bursts" if len(periods) > 1 else "in one burst"
    where, rates = "", ""
    if len(periods) <= _BURSTS_TOLD:
        at = (percent(burst.middle_s / max(wall_s, 1e-9)) for burst in periods)
        where = f", at {', '.join(at)} of the run"
        rates = f"; in the bursts at {', '.join(rate_text(burst.rate) for burst in periods)}"
    yield Sentence(
        f"File {more}s come {when}{where}.",
        f"{bytes_text(written)} written and {bytes_text(read)} read{rates}.",
    )


def _troubles(totals: Totals) -> Iterator[str]:
    profile = totals.profile
    if profile.exit_code:
        yield f"the command ended with exit code {profile.exit_code}"
    endings: dict[str, list[int]] = {}
    for rank in profile.ranks:
        if rank.ended != "finalized":
            endings.setdefault(rank.ended, []).append(rank.rank)
    for ended, ranks in endings.items():
        yield f"{_ranks(ranks)} did not finish normally: {ended}; the call in flight is not counted"
    if profile.missing:
        yield (
            f"{_ranks(profile.missing)} of {totals.size + len(profile.missing)} left no profile: "
            "the totals lack what they did. Their program is linked statically, or their host or "
            "container does not have the folder of the profile, or they were killed before they "
            "wrote to it"
        )
    yield from _worlds(totals)
    merged = sum(rank.merged_calls for rank in profile.ranks)
    if merged:
        yield (
            f"{count_text(merged)} calls ({percent(merged / max(1, totals.calls))}) were merged "
            "for lack of space: the totals have their counts, times and bytes, but call sites and "
            "peers are unknown"
        )
    lost = sum(rank.lost_calls for rank in profile.ranks)
    if lost:
        yield (
            f"{count_text(lost)} calls of {count_text(lost + totals.calls)} are not in the totals: "
            "the profile could not grow because the disk was full or `ulimit -f` was reached"
        )
    untracked = sum(rank.untracked for rank in profile.ranks)
    if untracked:
        what = "communicators, requests, types or regions"
        yield f"{count_text(untracked)} {what} could not be tracked"
    unknown = [site for site in totals.program_sites if site.site < 0]
    time_ns = sum(site.time_ns for site in unknown)
    if totals.inside_ns and time_ns > 0.01 * totals.inside_ns:
        yield f"for {percent(time_ns / totals.inside_ns)} of MPI time the call site is unknown"


def _worlds(totals: Totals) -> Iterator[str]:
    """Several MPI programs in one command, one of which may have started another."""
    worlds: dict[int, list[Rank]] = {}
    for rank in totals.profile.ranks:
        worlds.setdefault(rank.world, []).append(rank)
    if len(worlds) > 1:
        parts = [
            f"{_ranks([rank.rank for rank in ranks])} of {_programs(ranks)}"
            for ranks in worlds.values()
        ]
        more = f" and {len(parts) - _WORLDS_TOLD} more" if len(parts) > _WORLDS_TOLD else ""
        yield (
            f"{len(worlds)} MPI worlds ran under the command; their ranks are numbered one "
            f"after another: {'; '.join(parts[:_WORLDS_TOLD])}{more}"
        )
    messages, moved = totals.between_worlds
    if messages:
        yield (
            f"{count_text(messages)} messages with {bytes_text(moved)} went to ranks of another "
            "world: they are in the totals, but in no pair of ranks"
        )


def _programs(ranks: Sequence[Rank]) -> str:
    names = sorted({Path(rank.program).name for rank in ranks} - {""})
    return " and ".join(names) or "an unknown program"


def _ranks(ranks: Sequence[int]) -> str:
    shown = ", ".join(map(str, ranks[:8]))
    more = f" and {len(ranks) - 8} more" if len(ranks) > 8 else ""
    return f"rank {shown}" if len(ranks) == 1 else f"ranks {shown}{more}"


def _course(values: Sequence[float], *, several: bool = False) -> str:
    """The verb for the trend of values; `several` makes it plural."""
    end = "" if several else "s"
    if max(values) <= 1.02 * min(values):
        return f"stay{end} the same"
    steps = np.diff(values)
    if (steps >= 0).all():
        return f"rise{end}"
    return f"fall{end}" if (steps <= 0).all() else f"rise{end} and fall{end}"


def _listed(totals: Sequence[Totals], texts: Sequence[str]) -> str:
    parts = [f"{text} at {run.size}" for run, text in zip(totals, texts, strict=True)]
    return ", ".join(parts)
