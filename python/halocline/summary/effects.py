"""Which settings of the configuration had an effect, which had none, and how sure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from halocline.specification.cases import Case
from halocline.specification.configuration import canonical, layout
from halocline.specification.experiment import Experiment
from halocline.summary.ratios import Ratio, Verdict, judged, side_by_side

Figures = Mapping[int, float]  # seconds by launch


@dataclass(frozen=True)
class CaseEffect:
    """One case with the setting against the same with the baseline, by id."""

    case: str
    baseline: str
    ratio: Ratio


@dataclass(frozen=True)
class Effect:
    """One value of a setting against its first value, with one library.

    `overall` is over the cases whose two sides were launched as often as most.
    """

    mpi: str
    key: str
    value: str
    baseline: str
    overall: Ratio
    cases: tuple[CaseEffect, ...]
    not_compared: int  # cases with a missing figure

    def count(self, verdict: Verdict) -> int:
        """The number of cases with this verdict."""
        return sum(case.ratio.verdict == verdict for case in self.cases)


@dataclass(frozen=True)
class _Pair:
    """A case and its baseline, and their ratios in logarithms, launch by launch."""

    case: Case
    baseline: Case
    logs: tuple[float, ...]


def effects(experiment: Experiment, measured: Sequence[tuple[Case, Figures]]) -> tuple[Effect, ...]:
    """The effect of every swept setting, against its first value.

    Launches are compared in pairs, as they took turns. Holm's procedure bounds the risk of a wrong
    claim for the rows over all cases, and for those of the cases, each taken as one table.
    """
    keys = {key for part in experiment.all_parts for key, _ in part.configuration}
    swept = [(key, values) for key in sorted(keys) if len(values := experiment.swept(key)) > 1]
    rows = [
        (mpi, key, value, values[0], _pairs(experiment, measured, mpi, key, value, values[0]))
        for key, values in swept
        for mpi in experiment.mpi
        for value in values[1:]
    ]
    overall = judged([_over_all(pairs) for *_, pairs in rows])
    case_ratios = iter(judged([pair.logs for *_, pairs in rows for pair in pairs if pair.logs]))
    return tuple(
        Effect(
            mpi=mpi,
            key=key,
            value=value,
            baseline=first,
            overall=ratio,
            cases=tuple(
                CaseEffect(pair.case.id, pair.baseline.id, next(case_ratios))
                for pair in pairs
                if pair.logs
            ),
            not_compared=sum(not pair.logs for pair in pairs),
        )
        for (mpi, key, value, first, pairs), ratio in zip(rows, overall, strict=True)
    )


def to_json(measured: Sequence[Effect]) -> list[dict[str, Any]]:
    """The effects in the summary's JSON format."""
    return [
        {
            **asdict(effect),
            "overall": effect.overall.to_json(),
            "cases": [{**asdict(case), "ratio": case.ratio.to_json()} for case in effect.cases],
        }
        for effect in measured
    ]


def _pairs(
    experiment: Experiment,
    measured: Sequence[tuple[Case, Figures]],
    mpi: str,
    key: str,
    value: str,
    first: str,
) -> list[_Pair]:
    """The library's cases with this value, each with the corresponding one with the first value."""
    known = {
        (case.workload, case.axes, case.ranks, case.configuration): (case, figures)
        for case, figures in measured
        if case.mpi == mpi
    }
    pairs: list[_Pair] = []
    for case, figures in known.values():
        if case.settings((key,))[key] != value:
            continue
        settings = {**dict(case.configuration), key: first}
        if (shape := layout(settings.get("layout", ""))) and shape.ranks != case.ranks:
            continue  # another number of ranks is another case
        like = canonical(settings, case.ranks, experiment.here)
        if like == case.configuration:
            continue  # the key has no effect, such as placement on one node
        if (partner := known.get((case.workload, case.axes, case.ranks, like))) is not None:
            times = side_by_side([figures, partner[1]])
            logs = tuple(math.log(time_s / other_s) for time_s, other_s in times)
            pairs.append(_Pair(case, partner[0], logs))
    return pairs


def _over_all(pairs: Sequence[_Pair]) -> tuple[float, ...]:
    """The mean over the cases in each launch: launches are replicated, cases are not."""
    lengths = sorted(len(pair.logs) for pair in pairs if pair.logs)
    if not lengths:
        return ()
    common = lengths[(len(lengths) - 1) // 2]
    kept = [pair.logs[:common] for pair in pairs if len(pair.logs) >= common]
    return tuple(sum(logs) / len(logs) for logs in zip(*kept, strict=True))
