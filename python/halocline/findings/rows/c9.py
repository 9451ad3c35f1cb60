"""C9: four components through a coupler, with two MPI libraries."""

from __future__ import annotations

from functools import partial

from halocline.findings.claim import Claim, Criterion, Evidence, Known, Unanswered
from halocline.findings.evidence import all_cases, check, times
from halocline.model.components import COMPONENTS, WORKLOAD
from halocline.summary.summary import CaseSummary, Summary

LIBRARIES = ("mpich", "intel")
TOGETHER = Criterion(
    "four components run together through a coupler",
    "components that took time for their steps, while fluxes were passed",
    len(COMPONENTS),
    len(COMPONENTS),
    LIBRARIES,
)
ALIKE = Criterion(
    "two MPI libraries are compared", "difference of the checksums of the last day's bits", 0, 0
)


def judge(summary: Summary) -> Evidence:
    """Each library runs all of it, with the same result."""
    with_library = {name: partial(_case, summary, name) for name in LIBRARIES}
    checks = [
        check(TOGETHER, f"components with {name}", partial(_components, find))
        for name, find in with_library.items()
    ]
    first, other = with_library.values()

    def difference() -> Known:
        apart = abs(_fact(first(), "checksum") - _fact(other(), "checksum"))
        return Known(apart, apart, apart)

    checks.append(check(ALIKE, "checksum of one library less the other's", difference))
    numbers = times(*((f"a coupled day with {name}", find) for name, find in with_library.items()))
    return Evidence(tuple(checks), numbers)


def _case(summary: Summary, library: str) -> CaseSummary:
    cases = [case for case in all_cases(summary, WORKLOAD) if case.case.mpi == library]
    if not cases:
        raise Unanswered(f"{WORKLOAD} with {library} is not among the requested cases")
    if not cases[0].metric("time"):
        raise Unanswered(f"{WORKLOAD} with {library} was {cases[0].status}: {cases[0].reason}")
    return cases[0]


def _components(find: partial[CaseSummary]) -> Known:
    case = find()
    times_s = {phase.name: phase.time.median for phase in case.phases}
    names = [f"{name}_run" for name in COMPONENTS]
    if lost := [name for name in (*names, "coupling") if name not in times_s]:
        raise Unanswered(f"{WORKLOAD} with {case.case.mpi} has no time of {lost[0]}")
    ran = sum(times_s["coupling"] > 0 and times_s[name] > 0 for name in names)
    return Known(ran, ran, ran)


def _fact(each: CaseSummary, name: str) -> float:
    fact = each.metric(name)
    if fact is None:
        raise Unanswered(f"{WORKLOAD} with {each.case.mpi} has no {name}")
    if fact.low != fact.high:
        raise Unanswered(f"{WORKLOAD} with {each.case.mpi} has another {name} in other launches")
    return fact.median


claim = Claim(
    id="C9",
    text="four components (atmosphere, ocean, land, sea ice) run together through a coupler; two"
    " MPI libraries are compared",
    paper="CESM profiling 2011, software and scaling",
    experiments=("coupled",),
    judge=judge,
    criteria=(TOGETHER, ALIKE),
    compares_libraries=True,
)
