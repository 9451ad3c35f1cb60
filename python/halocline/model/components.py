"""The layout advisor: how many ranks each component of a coupled model should get."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from halocline.base.errors import UserError
from halocline.base.quantities import time_text
from halocline.specification import configuration
from halocline.summary.phases import PhaseSummary
from halocline.summary.summary import CaseSummary, Summary

SCHEMA = 1
WORKLOAD = "coupled"
LAND, ICE, ATMOSPHERE, OCEAN = COMPONENTS = ("land", "ice", "atmosphere", "ocean")
SEQUENTIAL, CONCURRENT, MIXED = ("sequential", "concurrent", "mixed")
# Axes that say which ranks compute what, and how data travels.
_SHARING = ("arrangement", *(f"{name}_ranks" for name in COMPONENTS))
_WAYS = ("protocol", "near")

Ranks = Mapping[str, int]


@dataclass(frozen=True)
class Cost:
    """A component's time: a part that its ranks share, and a part that each repeats."""

    component: str
    shared_s: float
    repeated_s: float
    measured_s: Mapping[int, float]  # by number of ranks

    def on(self, ranks: int) -> float:
        return self.shared_s / ranks + self.repeated_s


@dataclass(frozen=True)
class Layout:
    """The ranks of each component, and the predicted time of a run."""

    arrangement: str
    ranks: Ranks
    total: int  # ranks of the job
    predicted_s: float

    @property
    def words(self) -> str:
        """As `halocline run coupled` takes it."""
        words = [f"arrangement={self.arrangement}"]
        if self.arrangement != SEQUENTIAL or set(self.ranks.values()) != {self.total}:
            words += [f"{name}_ranks={self.ranks[name]}" for name in COMPONENTS]
        return " ".join([*words, f"--ranks {self.total}"])


@dataclass(frozen=True)
class Checked:
    """A measured layout, and the error of the time predicted for it."""

    layout: Layout
    measured_s: float

    @property
    def error(self) -> float:
        return self.layout.predicted_s / self.measured_s - 1


@dataclass(frozen=True)
class Costs:
    """The cost of every component, and of the coupling between them."""

    of: Mapping[str, Cost]
    coupling_s: float

    def layout(self, arrangement: str, ranks: Ranks, total: int) -> Layout:
        """A layout of `total` ranks, with its predicted time."""
        predicted_s = self.coupling_s + _longest_s(arrangement, ranks, self.of)
        return Layout(arrangement, ranks, total, predicted_s)


@dataclass(frozen=True)
class Advice:
    """The best layout of each arrangement, the fastest first, and the data behind it."""

    layouts: tuple[Layout, ...]
    costs: Costs
    checked: tuple[Checked, ...]
    model: tuple[str, ...]  # the other words of the fastest measured case

    def command(self, layout: Layout) -> str:
        """The command that runs the same model in a layout, to paste into a shell."""
        return f"halocline run {WORKLOAD} {shlex.join(self.model)} {layout.words}"


def advise(summary: Summary, ranks: int) -> Advice:
    """The advice for a number of ranks from a run of `coupled` in one or more layouts."""
    cases = _measured(summary)
    costs = Costs(
        {name: _cost(name, cases) for name in COMPONENTS},
        min(_phase(case, "coupling") + _phase(case, "files") for case in cases),
    )
    best = [
        min(
            (costs.layout(arrangement, counts, ranks) for counts in every(costs.of, ranks)),
            key=_time_s,
        )
        for arrangement, every in _CANDIDATES.items()
        if ranks >= _LEAST_RANKS[arrangement]
    ]
    checked = tuple(
        Checked(
            costs.layout(str(case.case.axis("arrangement")), ranks_of(case), case.case.ranks),
            _time_of(case),
        )
        for case in cases
    )
    fastest = min(cases, key=_time_of).case
    settings = [(key, value) for key, value in fastest.configuration if key != "layout"]
    named = [pair for pair in fastest.axes if pair[0] not in _SHARING] + settings
    model = (*(f"{name}={value}" for name, value in named), "--mpi", fastest.mpi)
    best.sort(key=_time_s)
    return Advice(tuple(best), costs, checked, model)


def to_json(advice: Advice, run: str) -> dict[str, Any]:
    """The advice in its JSON schema; times in seconds, errors relative."""

    def described(layout: Layout) -> dict[str, Any]:
        return {
            "arrangement": layout.arrangement,
            "ranks": dict(layout.ranks),
            "predicted_s": layout.predicted_s,
            "words": layout.words,
            "command": advice.command(layout),
        }

    return {
        "schema": SCHEMA,
        "run": run,
        "layouts": [described(entry) for entry in advice.layouts],
        "costs": [
            {
                "component": entry.component,
                "shared_s": entry.shared_s,
                "repeated_s": entry.repeated_s,
                "measured": [
                    {"ranks": n, "time_s": time_s} for n, time_s in entry.measured_s.items()
                ],
            }
            for entry in advice.costs.of.values()
        ],
        "coupling_s": advice.costs.coupling_s,
        "checked": [
            {**described(entry.layout), "measured_s": entry.measured_s, "error": entry.error}
            for entry in advice.checked
        ],
    }


def _measured(summary: Summary) -> list[CaseSummary]:
    """The cases of one model; UserError if there is none, or several models."""
    remedy = f"measure one: `halocline run {WORKLOAD} arrangement=sequential,mixed`"
    cases = [
        case
        for case in summary.cases
        if case.case.workload == WORKLOAD and case.status == "measured"
    ]
    if not cases:
        raise UserError(f"{summary.path} has no measured case of {WORKLOAD}", remedy=remedy)
    models = {
        (
            case.case.mpi,
            *((k, v) for k, v in case.case.axes if k not in (*_SHARING, *_WAYS)),
            # Nodes change what messages cost; how many ranks one node has does not.
            *(
                (k, v)
                for k, v in case.case.configuration
                if k != "layout" or not _on_a_node(str(v))
            ),
        )
        for case in cases
    }
    if len(models) > 1:
        raise UserError(
            f"{summary.path} has {len(models)} coupled models",
            allowed="layouts of one model, all from the start or all from one checkpoint",
            remedy=remedy,
        )
    return cases


def _cost(component: str, cases: Sequence[CaseSummary]) -> Cost:
    """From its slowest rank, in the fastest case for each number of ranks.

    With one number of ranks, all of the time counts as shared. With more: least squares of the
    relative errors, with neither part below 0.
    """
    measured: dict[int, float] = {}
    for case in cases:
        count = ranks_of(case)[component]
        time_s = _named(case, f"{component}_run").slowest.median
        if time_s <= 0:
            raise UserError(f"{component} took no time in a case", remedy="measure again")
        measured[count] = min(time_s, measured.get(count, time_s))
    points = sorted(measured.items())
    shared_s, repeated_s = _fitted(points)
    return Cost(component, shared_s, repeated_s, dict(points))


def _fitted(points: Sequence[tuple[int, float]]) -> tuple[float, float]:
    if len(points) == 1:
        ((count, time_s),) = points
        return time_s * count, 0.0
    # For each point: shared × x + repeated × y = 1.
    weighed = [(1 / (count * time_s), 1 / time_s) for count, time_s in points]
    xx = sum(x * x for x, _ in weighed)
    xy = sum(x * y for x, y in weighed)
    yy = sum(y * y for _, y in weighed)
    x_sum = sum(x for x, _ in weighed)
    y_sum = sum(y for _, y in weighed)
    determinant = xx * yy - xy * xy
    shared_s = (x_sum * yy - y_sum * xy) / determinant
    repeated_s = (y_sum * xx - x_sum * xy) / determinant
    if repeated_s < 0:
        return x_sum / xx, 0.0
    if shared_s < 0:
        return 0.0, y_sum / yy
    return shared_s, repeated_s


def _longest_s(arrangement: str, ranks: Ranks, costs: Mapping[str, Cost]) -> float:
    """Seconds until the last component of an interval has ended."""
    times_s = {name: costs[name].on(ranks[name]) for name in COMPONENTS}
    if arrangement == SEQUENTIAL:
        return sum(times_s.values())
    if arrangement == CONCURRENT:
        return max(times_s.values())
    apart = ranks[LAND] + ranks[ICE] <= ranks[ATMOSPHERE]
    both = max if apart else sum
    return max(times_s[ATMOSPHERE] + both((times_s[LAND], times_s[ICE])), times_s[OCEAN])


def _sequential(costs: Mapping[str, Cost], ranks: int) -> Iterator[Ranks]:
    yield dict.fromkeys(costs, ranks)


def _concurrent(costs: Mapping[str, Cost], ranks: int) -> Iterator[Ranks]:
    yield _dealt(costs, ranks)


def _mixed(costs: Mapping[str, Cost], ranks: int) -> Iterator[Ranks]:
    apart = dict.fromkeys((LAND, ICE), 1)
    for rest in range(1, ranks):
        ocean = ranks - rest
        yield {LAND: rest, ICE: rest, ATMOSPHERE: rest, OCEAN: ocean}
        if rest > len(apart):
            _deal(costs, apart)
        if rest >= len(apart):
            yield {**apart, ATMOSPHERE: rest, OCEAN: ocean}


def _dealt(costs: Mapping[str, Cost], ranks: int) -> dict[str, int]:
    """One each, then each further rank to the slowest: optimal, as more never slow it down."""
    counts = dict.fromkeys(costs, 1)
    for _ in range(ranks - len(counts)):
        _deal(costs, counts)
    return counts


def _deal(costs: Mapping[str, Cost], counts: dict[str, int]) -> None:
    counts[max(counts, key=lambda name: costs[name].on(counts[name]))] += 1


_CANDIDATES: Mapping[str, Callable[[Mapping[str, Cost], int], Iterator[Ranks]]] = {
    SEQUENTIAL: _sequential,
    CONCURRENT: _concurrent,
    MIXED: _mixed,
}
_LEAST_RANKS = {SEQUENTIAL: 1, CONCURRENT: len(COMPONENTS), MIXED: 2}


def _time_s(layout: Layout) -> float:
    return layout.predicted_s


def _time_of(case: CaseSummary) -> float:
    time = case.metric("time")
    assert time is not None  # every measured case has one
    return time.median


def _on_a_node(text: str) -> bool:
    shape = configuration.layout(text)
    return shape is not None and shape.nodes == 1


def ranks_of(case: CaseSummary) -> Ranks:
    """The ranks of each component; UserError if they were not measured."""
    counts = {name: case.metric(f"{name}_ranks") for name in COMPONENTS}
    return {name: round((count or _lacking(case)).median) for name, count in counts.items()}


def _phase(case: CaseSummary, name: str) -> float:
    return _named(case, name).time.median


def _named(case: CaseSummary, name: str) -> PhaseSummary:
    part = next((phase for phase in case.phases if phase.name == name), None)
    return part or _lacking(case)


def _lacking(case: CaseSummary) -> NoReturn:
    problem = f"a case of {WORKLOAD} on {case.case.ranks} ranks has no times of its components"
    raise UserError(problem, remedy="measure it again")


def in_words(advice: Advice) -> Iterator[str]:
    """For the terminal: the layouts, fastest first, then the basis of the prediction."""
    for layout in advice.layouts:
        yield f"{time_text(layout.predicted_s)}: {advice.command(layout)}"
    for cost in advice.costs.of.values():
        yield _cost_text(cost)
    for checked in advice.checked:
        yield (
            f"{checked.layout.words}: measured {time_text(checked.measured_s)}, "
            f"predicted {time_text(checked.layout.predicted_s)} ({checked.error:+.0%})"
        )


def _cost_text(cost: Cost) -> str:
    measured = ", ".join(f"{time_text(s)} on {n}" for n, s in cost.measured_s.items())
    if len(cost.measured_s) == 1:
        return f"{cost.component}: {measured}; as if its ranks shared all of it"
    return (
        f"{cost.component}: {measured}; {time_text(cost.shared_s)} shared by its ranks, "
        f"{time_text(cost.repeated_s)} on each"
    )
