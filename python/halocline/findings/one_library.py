"""The runs of one MPI library: judges compare times, and those of two libraries do not mix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from halocline.base.units import enumerated
from halocline.findings.evidence import is_wrong
from halocline.findings.recorded import Profiles, Recorded
from halocline.summary.summary import CaseSummary, Summary

Run = Summary | Profiles | None


def of_one_library(runs: Sequence[Run]) -> tuple[list[Run], str]:
    """What the library with the most measured cases did, the first named one of several.

    And a remark that names it, empty if there is no other.
    """
    measured: Counter[str] = Counter()
    for run in runs:
        for each in _cases(run):
            measured[each.case.mpi] += isinstance(each, Recorded) or _ran(each)
    if len(measured) < 2:
        return list(runs), ""
    library = max(measured, key=measured.__getitem__)
    return (
        [_of(run, library) for run in runs],
        f"Of the libraries {enumerated(list(measured))}, {library} is judged",
    )


def _cases(run: Run) -> Sequence[CaseSummary | Recorded]:
    return run.cases if isinstance(run, Summary) else run or ()


def _ran(each: CaseSummary) -> bool:
    return each.metric("time") is not None or is_wrong(each)


def _of(run: Run, library: str) -> Run:
    if isinstance(run, Summary):
        cases = tuple(each for each in run.cases if each.case.mpi == library)
        effects = tuple(effect for effect in run.effects if effect.mpi == library)
        return replace(run, cases=cases, effects=effects)
    return run and [profile for profile in run if profile.case.mpi == library]
