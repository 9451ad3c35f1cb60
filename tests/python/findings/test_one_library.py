"""Runs of several libraries: one is judged, and the answer names it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from findings.made_up import summary
from findings.profiles import PROFILED
from findings.scenarios import SCENARIOS
from halocline.findings.claim import chosen
from halocline.findings.verdicts import answer, of_one_library
from halocline.summary.effects import Effect
from halocline.summary.ratios import Ratio
from halocline.summary.summary import CaseSummary, Summary


def with_library(each: CaseSummary, name: str) -> CaseSummary:
    return replace(each, case=replace(each.case, mpi=name))


def cases(holds: bool, name: str) -> list[CaseSummary]:
    found = SCENARIOS["H3"].summaries(holds)["onesided"].cases
    return [with_library(each, name) for each in found]


@pytest.mark.parametrize(
    ("found", "library", "expected"),
    [
        ([*cases(False, "openmpi"), *cases(True, "mpich")], "openmpi", "differs"),
        ([*cases(True, "openmpi"), *cases(False, "mpich")], "openmpi", "reproduced"),
        ([*cases(False, "openmpi")[1:], *cases(True, "mpich")], "mpich", "reproduced"),
        ([*cases(False, "openmpi")[:2], *cases(True, "mpich")[2:]], "mpich", "cannot be answered"),
    ],
)
def test_the_library_with_most_cases_is_judged_alone(
    found: list[CaseSummary], library: str, expected: str
) -> None:
    (claim,) = chosen(("H3",))
    result = answer(claim, {"onesided": summary(*found)})
    assert result.verdict == expected
    assert f"Of the libraries openmpi and mpich, {library} is judged" in result.because


def test_one_library_is_taken_for_granted() -> None:
    (claim,) = chosen(("H3",))
    result = answer(claim, {"onesided": summary(*cases(True, "openmpi"))})
    assert result.verdict == "reproduced"
    assert "is judged" not in result.because


def test_a_wrong_payload_is_a_measured_case() -> None:
    wrong = replace(cases(True, "openmpi")[0], status="failed", reason="byte 7", metrics=())
    lost = replace(cases(True, "mpich")[0], status="skipped", reason="no windows", metrics=())
    _, remark = of_one_library([summary(lost, wrong)])
    assert remark == "Of the libraries mpich and openmpi, openmpi is judged"


def test_profiles_and_effects_are_those_of_the_library_too() -> None:
    own = PROFILED["C4"][1](True)
    others = [replace(each, case=replace(each.case, mpi="openmpi")) for each in own[:3]]
    effects = tuple(
        Effect(name, "pages", "huge", "base", Ratio("unknown", 1.0, None, None, 1), (), 0)
        for name in ("mpich", "openmpi")
    )
    run = replace(summary(*cases(True, "openmpi")[:2]), effects=effects)
    runs, remark = of_one_library([None, run, [*others, *own]])
    assert remark == "Of the libraries openmpi and mpich, mpich is judged"
    nothing, timed, profiled = runs
    assert isinstance(timed, Summary)
    assert (nothing, timed.cases, timed.effects, profiled) == (None, (), effects[:1], own)
