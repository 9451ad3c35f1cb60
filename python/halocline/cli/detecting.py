"""The searches of `halocline detect`: measure, evaluate, refine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from halocline.base.errors import UserError
from halocline.base.units import counted
from halocline.cli import measuring
from halocline.detect.changes import Change, Kind
from halocline.detect.curves import NotFound
from halocline.detect.in_summary import PROBE, Place, algorithm_changes, eager_limits
from halocline.detect.search import between, closer, octaves
from halocline.report.html import write_report
from halocline.samples import run_folder
from halocline.specification.cases import AxisValue
from halocline.specification.experiment import Axes, Experiment, Part
from halocline.summary.summary import Summary, of_run

_ROUNDS_MAXIMUM = 8
_PROBED_SIZES = 24  # in a round, which makes the range 25 times narrower
_TIMED_SIZES = 11


@dataclass(frozen=True)
class Search:
    """The first measurement, and the refinement after each round, until it is found."""

    first: Experiment
    more: Callable[[Summary], tuple[Part, ...]] = lambda _: ()


def carry_out(what: str, search: Search, output: Path | None) -> Path:
    """The run folder, to which each round adds its parts."""
    command = ("detect", what)
    path = measuring.begin(search.first, output, report=False, resumed_with=command)
    return _refined(what, search, path, search.first.budget_s)


def resume(
    what: str, search_of: Callable[[Experiment], Search], path: Path, round_s: float
) -> Path:
    """Measure what an interrupted search lacks: the rest of its last round, and further rounds."""
    experiment = run_folder.open_run(path).experiment
    if not experiment.title.startswith(title_of(what)) or len(experiment.mpi) > 1:
        raise UserError(
            f"{path} is not a search by `halocline detect {what}`",
            allowed="a run folder of one library that it wrote",
            remedy="name one of these",
        )
    axes = experiment.parts[0].axes if experiment.parts else experiment.axes
    measuring.resume(path, report=False, resumed_with=("detect", what))
    return _refined(what, search_of(replace(experiment, axes=axes)), path, round_s)


def title_of(what: str) -> str:
    """The title of a search's run."""
    return what.replace("-", " ")


def _refined(what: str, search: Search, path: Path, round_s: float) -> Path:
    for _ in range(_ROUNDS_MAXIMUM):
        if not (parts := search.more(of_run(path))):
            break
        run_folder.add_parts(run_folder.open_run(path), parts, round_s)
        measuring.resume(path, report=False, resumed_with=("detect", what))
    write_report([path])
    return path


def eager_limit(asked: Experiment) -> Search:
    """The probe, refined until it separates neighbouring sizes."""

    def more(summary: Summary) -> tuple[Part, ...]:
        return _not_empty(
            _at(
                place,
                PROBE,
                _axes(between(probed.below or 0, probed.above, _PROBED_SIZES), asked.axes),
            )
            for place, limit in eager_limits(summary).items()
            if (probed := limit.probed) and probed.above is not None
        )

    return Search(_with(asked, _part(asked, asked.workloads, _sizes(asked, 1, 2**20))), more)


def packets(asked: Experiment) -> Search:
    """One round: evenly spaced sizes suffice."""
    sizes = _chosen(asked) or tuple(range(256, 8449, 128))
    return Search(_with(asked, _part(asked, asked.workloads, sizes)))


def half_bandwidth(asked: Experiment) -> Search:
    """One round: two sizes per octave up to the largest, interpolated between."""
    named = _sizes(asked, 1, 2**22)
    sizes = {n for size in named for n in (size, size * 3 // 2) if n <= max(named)}
    return Search(_with(asked, _part(asked, asked.workloads, tuple(sorted(sizes)))))


def algorithm(asked: Experiment) -> Search:
    """Powers of two, then refined at every step."""

    def more(summary: Summary) -> tuple[Part, ...]:
        return _not_empty(
            _at(place, place.workload, _axes(tried, [(k, (v,)) for k, v in place.fixed]))
            for place, changes in algorithm_changes(summary).items()
            if not isinstance(changes, NotFound)
            for step in _wide(changes)
            for tried in [
                closer(step.below, step.above, _TIMED_SIZES, _measured(summary, place.workload))
            ]
        )

    return Search(_with(asked, _part(asked, asked.workloads, _sizes(asked, 4, 2**20))), more)


def saturation(asked: Experiment) -> Search:
    """One round over the numbers of pairs that the ranks can make."""
    most = max(asked.ranks) // 2
    pairs = dict(asked.axes).get("pairs", octaves(1, most))
    if len({int(number) for number in pairs if int(number) <= most}) < 2:
        raise UserError(
            f"{counted(max(asked.ranks), 'rank')} can make {counted(most, 'pair')} at most",
            allowed="at least two numbers of pairs, which are compared",
            remedy="give --ranks 4 or more, and no pairs=N or several",
        )
    axes = tuple(sorted({**dict(asked.axes), "pairs": pairs}.items()))
    return Search(replace(asked, axes=axes))


def _wide(changes: Iterable[Change]) -> list[Change]:
    return [c for c in changes if c.kind is Kind.STEP and c.above - c.below > 1]


def _measured(summary: Summary, workload: str) -> set[int]:
    cases = (case.case for case in summary.cases)
    return {int(case.axis("bytes")) for case in cases if case.workload == workload}


def _chosen(asked: Experiment) -> tuple[int, ...]:
    return tuple(int(size) for size in dict(asked.axes).get("bytes", ()))


def _sizes(asked: Experiment, low: int, high: int) -> tuple[int, ...]:
    """The requested sizes, or the powers of two in the range."""
    return _chosen(asked) or octaves(low, high)


def _axes(sizes: Iterable[int], others: Iterable[tuple[str, tuple[AxisValue, ...]]] = ()) -> Axes:
    return tuple(sorted({**dict(others), "bytes": tuple(sizes)}.items()))


def _part(asked: Experiment, workloads: tuple[str, ...], sizes: tuple[int, ...]) -> Part:
    title = "first look at " + " and ".join(workloads)
    return Part(title, workloads, asked.ranks, _axes(sizes, asked.axes), asked.configuration)


def _at(place: Place, workload: str, axes: Axes) -> Part:
    """A refinement around one place."""
    sizes = dict(axes)["bytes"]
    title = f"closer look at {workload}, {sizes[0]} B to {sizes[-1]} B" if sizes else ""
    settings = tuple((key, (value,)) for key, value in place.configuration)
    return Part(title, (workload,), (place.ranks,), axes, settings)


def _not_empty(parts: Iterable[Part]) -> tuple[Part, ...]:
    return tuple(part for part in parts if dict(part.axes)["bytes"])


def _with(asked: Experiment, *parts: Part) -> Experiment:
    return replace(asked, workloads=(), axes=(), configuration=(), ranks=(2,), parts=parts)
