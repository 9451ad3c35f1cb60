"""The policy of `tune`: successive halving, from all candidates to the few worth comparing."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from halocline.base.units import counted
from halocline.campaign.engine import Done, Launch, Policy
from halocline.compare.comparison import LAUNCHES_MINIMUM
from halocline.launch.job import Job
from halocline.samples.left_out import NO_TIME
from halocline.tune.candidates import Candidate, Space, Values
from halocline.tune.rungs import FINALISTS, RUNGS, Standing, between_launches, kept, lacking

SEATS = 6  # concurrent jobs: the default, and one per other configuration
FIRST_ROWS = 24  # rows of the first launch, whose cost is still a guess
# Shares of the budget: end of the first rung, end of all rungs, and one launch.
FIRST_RUNG, ALL_RUNGS, ONE_LAUNCH = 0.5, 0.7, 0.125
FINAL_LAUNCHES, FINAL_LAUNCHES_MOST = LAUNCHES_MINIMUM, 64  # of the final comparison
_CLEAR = 6.0  # standard errors: with this few launches, a significant lead among several ratios


@dataclass(frozen=True)
class JobCosts:
    """Seconds to start a job, and per case in it. The default values are guesses."""

    start_s: float = 0.5
    case_s: float = 0.05


class Bench(Protocol):
    """Measures candidates in turn with the default."""

    def launch(self, batch: Sequence[Candidate], rung: int, left_s: float) -> Policy[Job]:
        """Measure all of a batch once; failures are out from then on."""

    def standings(self) -> Mapping[str, Standing]:
        """The states of all candidates, by key."""

    def within(self) -> float:
        """The default's spread within a launch."""

    def spent_s(self) -> float:
        """The time spent in launches so far."""

    def costs(self) -> JobCosts | None:
        """The cost of launches; None before the first."""


@dataclass
class Outcome:
    """The outcome of a search. Candidates by key, `finalists` best first."""

    finalists: tuple[str, ...] = ()
    rung_of: dict[str, int] = field(default_factory=dict)  # the last rung it reached, from 1
    left_out: dict[str, str] = field(default_factory=dict)  # with reasons
    launches: tuple[int, ...] = RUNGS  # after each rung


@dataclass(frozen=True)
class Plan:
    """The search settings; `halving`: whether rungs drop candidates."""

    budget_s: float
    launches: tuple[int, ...] = RUNGS
    halving: bool = True

    def ends_s(self, rung: int, final_s: float) -> float:
        """The time after which a rung (from 1) starts no more launches."""
        if not self.halving:
            return self.budget_s
        rest_s = max(self.budget_s - final_s, 0.0)
        share = FIRST_RUNG if rung == 1 else ALL_RUNGS
        return min(share * self.budget_s, rest_s)


def search(
    space: Space, bench: Bench, plan: Plan, say: Callable[[str], None]
) -> Generator[Launch[Job], Done, Outcome]:
    """Launch until a few candidates are left, or the time is used up.

    Existing launches are reused: an interrupted search resumes where it stopped.
    """
    outcome = Outcome(launches=plan.launches)
    by_key = {candidate.key: candidate for candidate in space.candidates}
    alive = tuple(by_key)
    for rung, launches in enumerate(plan.launches, start=1):
        yield from _climb(space, bench, plan, [by_key[key] for key in alive], rung)
        standings = bench.standings()
        had = {key: standings[key].after(launches) for key in alive}
        for key, standing in had.items():
            if standing.rung:
                outcome.rung_of[key] = min(standing.rung, rung)
            if not standing.logs or standing.reason:
                outcome.left_out[key] = standing.reason or _why_unmeasured(standing)
        known = {key: standing for key, standing in had.items() if key not in outcome.left_out}
        alive = kept(known, bench.within()) if plan.halving else tuple(known)
        say(f"rung {rung}: {counted(len(known), 'candidate')} measured, {len(alive)} kept")
        if len(alive) <= FINALISTS:
            break
    standings = bench.standings()
    ranked = sorted(alive, key=lambda key: (standings[key].score, key))
    outcome.finalists = tuple(ranked)
    return outcome


def _climb(
    space: Space, bench: Bench, plan: Plan, alive: Sequence[Candidate], rung: int
) -> Policy[Job]:
    """One rung: until all have their launches, or its time is used up."""
    launches = plan.launches[rung - 1]
    while True:
        standings = bench.standings()
        missing = set(lacking(standings, (candidate.key for candidate in alive), launches))
        if not missing:
            return
        costs = bench.costs()
        left_s = plan.ends_s(rung, final_s(space, costs)) - bench.spent_s()
        todo = _next_of(space, [candidate for candidate in alive if candidate.key in missing], rung)
        jobs = min(SEATS, 1 + len({candidate.configuration for candidate in todo}))
        rows = _rows(plan, left_s, costs, jobs) // space.problems
        if rows < 1 and any(standing.launches for standing in standings.values()):
            return
        batch = batch_of(space, todo, standings, max(rows, 1))
        yield from bench.launch(batch, rung, max(left_s, 0.0))


def final_s(space: Space, costs: JobCosts | None, launches: int = FINAL_LAUNCHES) -> float:
    """The time of this many launches of the final comparison."""
    cost = costs or JobCosts()
    return launches * (FINALISTS + 2) * (cost.start_s + space.problems * cost.case_s)


def final_launches(
    space: Space, outcome: Outcome, bench: Bench, budget_s: float, resolution: float
) -> int:
    """The number of launches of the final comparison.

    As many as needed to separate the lead seen in the search from 0, or from `resolution`: the
    comparison's own data must not decide.
    """
    standings = bench.standings()
    lead = abs(standings[outcome.finalists[0]].score)
    apart = between_launches([standings[key] for key in outcome.finalists], bench.within())
    left_s = budget_s - bench.spent_s()
    most = min(FINAL_LAUNCHES_MOST, int(left_s / final_s(space, bench.costs(), 1)))
    clear = (
        launches
        for launches in range(FINAL_LAUNCHES, most)
        if max(lead, resolution - lead) * math.sqrt(launches) >= _CLEAR * apart
    )
    return next(clear, max(FINAL_LAUNCHES, most))


def _next_of(space: Space, todo: Sequence[Candidate], rung: int) -> Sequence[Candidate]:
    """First those of the default's configuration; the others then start with the best of these."""
    usual = [
        candidate for candidate in todo if candidate.configuration == space.default.configuration
    ]
    return usual if rung == 1 and usual else todo


def _rows(plan: Plan, left_s: float, costs: JobCosts | None, jobs: int) -> int:
    """The maximum number of rows in a launch."""
    cost = costs or JobCosts()
    starts_s = cost.start_s * jobs
    most_s = min(left_s, max(ONE_LAUNCH * plan.budget_s, 2 * starts_s)) - starts_s
    rows = max(0, int(most_s / (cost.case_s * jobs)))
    return rows if costs is not None else min(rows, FIRST_ROWS)


def batch_of(
    space: Space,
    todo: Sequence[Candidate],
    standings: Mapping[str, Standing],
    ways_most: int,
) -> list[Candidate]:
    """The next launch: a number of candidates, best first, under a few configurations."""
    best = _best_of_ways(space, standings)
    ways = sorted(
        dict.fromkeys(candidate.ways for candidate in todo), key=lambda ways: best.get(ways, 0.0)
    )
    chosen = set(ways[:ways_most])
    wanted = [candidate for candidate in todo if candidate.ways in chosen]
    kinds = list(dict.fromkeys(candidate.configuration for candidate in wanted))[: SEATS - 1]
    return [candidate for candidate in wanted if candidate.configuration in kinds]


def _best_of_ways(space: Space, standings: Mapping[str, Standing]) -> dict[Values, float]:
    best: dict[Values, float] = {space.default.ways: 0.0}
    for candidate in space.candidates:
        score = standings[candidate.key].score
        best[candidate.ways] = min(score, best.get(candidate.ways, score))
    return best


def _why_unmeasured(standing: Standing) -> str:
    if standing.launches:
        return "other work took its cores, or its ranks migrated, in every launch"
    return f"{NO_TIME}: raise --budget"


def finalists_of(space: Space, outcome: Outcome) -> tuple[Candidate, ...]:
    """The finalists to compare with the default.

    The best two, and the best one with default library settings, to show whether a setting
    is worthwhile, unless that could not be measured.
    """
    by_key = {candidate.key: candidate for candidate in space.candidates}
    best = [by_key[key] for key in outcome.finalists][:FINALISTS]
    usual = space.default.configuration
    simpler = [
        candidate
        for candidate in space.candidates
        if best and candidate.ways == best[0].ways and candidate.configuration == usual
        if candidate.key not in outcome.left_out
    ]
    return tuple(dict.fromkeys((*best, *simpler)))
