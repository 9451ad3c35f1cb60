"""Claims that profiles answer: each holds, fails, is partly missing or drowned in noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from findings.made_up import measured, skipped, summary
from findings.profiles import PROFILED, TIMED, profile, shaken
from halocline.findings.claim import Answer, Unanswered, chosen
from halocline.findings.recorded import Recorded
from halocline.findings.rows import c1, c2, c3, c8
from halocline.findings.verdicts import answer


def judged(name: str, profiles: Sequence[Recorded]) -> Answer:
    (claim,) = chosen((name,))
    return answer(claim, {}, {PROFILED[name][0]: profiles} if profiles else {})


@pytest.mark.parametrize("name", PROFILED)
def test_a_claim_is_answered_by_what_profiles_say(name: str) -> None:
    make = PROFILED[name][1]
    assert judged(name, make(True)).verdict == "reproduced"
    assert judged(name, make(False)).verdict == "differs"


@pytest.mark.parametrize("name", PROFILED)
def test_a_part_that_was_not_profiled_answers_nothing(name: str) -> None:
    profiles = PROFILED[name][1](True)
    last = profiles[-1].case
    rest = [each for each in profiles if each.case != last]
    assert judged(name, rest).verdict == "cannot be answered"
    assert "not measured yet" in judged(name, []).because


@pytest.mark.parametrize("name", PROFILED)
def test_a_profile_without_all_ranks_or_calls_answers_nothing(name: str) -> None:
    profiles = [replace(each, missing="1 of 2 ranks") for each in PROFILED[name][1](True)]
    found = judged(name, profiles)
    assert found.verdict == "cannot be answered"
    assert "has 1 of 2 ranks; record it again" in found.because


@pytest.mark.parametrize("name", TIMED)
@pytest.mark.parametrize("seed", range(10))
def test_noise_never_answers(name: str, seed: int) -> None:
    assert judged(name, shaken(PROFILED[name][1](True), seed)).verdict == "cannot be answered"


@pytest.mark.parametrize("name", TIMED)
def test_ranks_without_a_core_answer_nothing(name: str) -> None:
    late = [replace(each, delayed=0.3) for each in PROFILED[name][1](True)]
    found = judged(name, late)
    assert found.verdict == "cannot be answered"
    assert "in 6 of 6 launches ranks waited for a core" in found.because
    few = [replace(each, delayed=0.3 * (each.launch < 3)) for each in PROFILED[name][1](True)]
    assert judged(name, few).verdict == "reproduced"


@pytest.mark.parametrize("name", TIMED)
def test_one_launch_has_no_interval(name: str) -> None:
    found = judged(name, [each for each in PROFILED[name][1](True) if each.launch == 1])
    assert found.verdict == "cannot be answered"
    assert "1 of the launches give a share; at least 2 are needed" in found.because


def test_another_call_mix_is_explained_by_the_requests_of_a_wait() -> None:
    found = judged("C3", PROFILED["C3"][1](False))
    assert "Here each Wait or Waitall completes 1.1 requests, in CESM 2.1" in found.because
    assert judged("C3", [profile(c3.RANKS, calls={"Bcast": 1})]).because.endswith("not measured")


def test_a_profile_without_a_timed_run_answers_nothing() -> None:
    (few, many) = PROFILED["C6"][1](True)
    lost = Recorded(many.case, 1, {}, frozenset(), {}, {}, ())
    found = judged("C6", [few, lost])
    assert found.verdict == "cannot be answered"
    assert "has no timed run" in found.because


@pytest.mark.parametrize(("written", "runs"), [((), 1), ([(0.0, 1)], 1), ([(0.0, 1), (1.0, 1)], 0)])
def test_files_that_were_not_written_over_time_have_no_share_near_the_beginning(
    written: Sequence[tuple[float, int]], runs: int
) -> None:
    each = profile(written=written, runs=runs, read_bytes=1)
    assert not c8.judge([each]).numbers
    with pytest.raises(Unanswered):
        c8.clustered(each)


@pytest.mark.parametrize(
    ("times_s", "share"),
    [((0.0, 5.1, 9.9, 10.0, 15.1, 20.0), 1.0), ((0.0, 2.5, 5.0, 7.5, 17.5, 20.0), 0.5)],
)
def test_the_share_of_bytes_near_the_beginning_the_middle_and_the_end(
    times_s: Sequence[float], share: float
) -> None:
    each = profile(written=[(at_s, 100) for at_s in times_s], runs=2, read_bytes=1)
    (number,) = c8.judge([each]).numbers
    assert number.value == pytest.approx(share)


def test_networks_that_are_not_here_answer_nothing_but_show_what_a_made_link_costs() -> None:
    times_s = {"1N1P": 2.0, "1N2P": 1.0, "2N1P": 1.5}
    cases = [
        measured("coupled", time_s, layout, 2 - (layout == "1N1P"))
        for layout, time_s in times_s.items()
    ]
    found = answer(c1.claim, {"coupled_network": summary(*cases)})
    assert found.verdict == "cannot be answered"
    values = [number.value for number in found.numbers]
    assert values == pytest.approx([2 / 1.5, 2.0, 1.5], rel=0.05)
    assert all(number.low is not None for number in found.numbers)
    lost = skipped("coupled", "no second host", "2N1P")
    fewer = answer(c1.claim, {"coupled_network": summary(*cases[:2], lost)})
    assert len(fewer.numbers) == 1


def test_offload_needs_its_hardware() -> None:
    found = answer(c2.claim, {}, {"coupled_share": PROFILED["C4"][1](True)})
    assert found.verdict == "cannot be answered"
    assert "CORE-Direct" in found.because
    assert [number.paper for number in found.numbers] == ["33 % to 51 %", "15 % to 25 %"]
