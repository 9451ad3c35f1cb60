"""The claims: every verdict follows from the numbers, and none from anything else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from conftest import Command
from findings.made_up import OFF_NODE, ON_NODE, measured, skipped, summary
from halocline.errors import RunFailed, UserError
from halocline.experiment import Experiment
from halocline.findings.catalogue import chosen, claims
from halocline.findings.claim import Answer, answer
from halocline.findings.measured import answers, experiment_file
from halocline.findings.rows import h5, h7, h8, h9, u8, x8, x9
from halocline.model.messages import Place
from halocline.model.model import Model, Predicted
from halocline.model.predict import MODELS, Told
from halocline.summary import CaseSummary, Summary

MESSAGES = (4, 8, 4000, 8000, 4 * 1024**2, 4_000_000)


def verdict(found: Summary, row: object) -> Answer:
    return answer(row.claim, found)  # type: ignore[attr-defined]


def sends(layout: str, ssend_small: float, ssend_large: float) -> list[CaseSummary]:
    cases = []
    for size in MESSAGES:
        time_s = 1e-6 + size / 1e10
        factor = ssend_small if size <= 8000 else ssend_large
        cases += [
            measured("pingpong", time_s, layout, protocol="send_recv", bytes=size),
            measured("pingpong", factor * time_s, layout, protocol="ssend_recv", bytes=size),
        ]
    return cases


def test_every_claim_names_its_paper_and_how_it_is_measured_or_what_is_lacking() -> None:
    for claim in claims():
        assert claim.paper
        if claim.judge:
            assert experiment_file(claim.experiment).exists()
        else:
            assert claim.lacks


@pytest.mark.parametrize(
    ("small", "large", "expected"),
    [(3.0, 1.0, "reproduced"), (1.0, 1.0, "differs"), (3.0, 2.0, "differs")],
)
def test_ssend_is_slower_only_for_small_messages(small: float, large: float, expected: str) -> None:
    found = summary(*sends(ON_NODE, small, large), *sends(OFF_NODE, 3.0, 1.0))
    result = verdict(found, h5)
    assert result.verdict == expected
    ratios = {number.what: number.value for number in result.numbers if number.unit == ""}
    assert ratios["Ssend over Send, 8 B on node"] == pytest.approx(small, rel=0.01)
    assert ratios["Ssend over Send, 4 MiB on node"] == pytest.approx(large, rel=0.01)


def test_without_a_second_node_the_ranges_are_not_answered() -> None:
    assert verdict(summary(*sends(ON_NODE, 1, 1)), h9).verdict == "cannot be answered"
    both = summary(*sends(ON_NODE, 1, 1), *sends(OFF_NODE, 1, 1))
    assert verdict(both, h9).verdict == "reproduced"


def test_pairs_need_cores() -> None:
    result = verdict(summary(cores=2), h7)
    assert result.verdict == "cannot be answered"
    assert "2" in result.because


@pytest.mark.parametrize(("large", "expected"), [(3.0, "reproduced"), (1.0, "differs")])
def test_pairs_break_down_for_large_messages(large: float, expected: str) -> None:
    cases = [
        measured(
            "pairs",
            time_s * (1 if size == 8 else 1 + (large - 1) * (pairs - 1) / 3),
            ranks=ranks,
            pattern="pingpong",
            protocol="send_recv",
            bytes=size,
            pairs=0,
        )
        for size, time_s in ((8, 1e-6), (1024**2, 1e-4))
        for ranks, pairs in ((2, 1), (4, 2), (8, 4))
    ]
    assert verdict(summary(*cases, cores=8), h7).verdict == expected


@pytest.mark.parametrize(
    ("on_node", "off_node", "expected"),
    [(0.5, 1.0, "reproduced"), (2.0, 1.0, "differs"), (0.5, 3.0, "differs")],
)
def test_one_sided_wins_on_node_only(on_node: float, off_node: float, expected: str) -> None:
    cases = [
        measured("pingpong", factor * 1e-6, layout, protocol=protocol, bytes=size)
        for layout, put in ((ON_NODE, on_node), (OFF_NODE, off_node))
        for size in (8, 1024**2)
        for protocol, factor in (("send_recv", 1.0), ("put_flag", put))
    ]
    assert verdict(summary(*cases), h8).verdict == expected


def test_what_was_skipped_is_told_with_its_reason() -> None:
    lacking = skipped("pingpong", "no windows here", protocol="put_flag", bytes=8)
    result = verdict(summary(lacking), h8)
    assert result.verdict == "cannot be answered"
    assert "no windows here" in result.because


def protocols(layout: str, small: Mapping[str, float], large: float) -> list[CaseSummary]:
    return [
        measured("pingping", time_s, layout, protocol=name, bytes=size)
        for name, factor in small.items()
        for size, time_s in ((8, factor * 1e-6), (4 * 1024**2, 1e-3))
    ] + [measured("pingping", large * 1e-3, layout, protocol="alltoallv", bytes=4 * 1024**2)]


def test_the_best_protocol_may_be_another() -> None:
    as_told = [
        *protocols(ON_NODE, {"sendrecv": 1.0, "isend_irecv": 1.3}, 1.1),
        *protocols(OFF_NODE, {"sendrecv": 1.3, "isend_irecv": 1.0}, 1.1),
    ]
    assert verdict(summary(*as_told), x8).verdict == "reproduced"
    other = [*protocols(ON_NODE, {"sendrecv": 1.3, "isend_irecv": 1.0}, 1.1), *as_told[-5:]]
    result = verdict(summary(*other), x8)
    assert result.verdict == "differs"
    assert "on node the best at 8 B is isend_irecv" in result.because


@pytest.mark.parametrize(
    ("persistent", "put", "expected"), [(1.0, 2.0, "reproduced"), (1.0, 0.5, "differs")]
)
def test_halo_over_put_is_not_competitive(persistent: float, put: float, expected: str) -> None:
    cases = [
        measured("halo", factor * 1e-6 * words, protocol=protocol, words=words)
        for words in (4, 1024, 65_536)
        for protocol, factor in (
            ("isend_irecv", 1.0),
            ("persistent", persistent),
            ("put_flag", put),
        )
    ]
    assert verdict(summary(*cases), x9).verdict == expected


def foreseen(places: int, off: float) -> list[Predicted]:
    """Six cases in so many places, each twice as slow as the one before; predictions off so far."""
    return [
        Predicted(
            Place("mpich", (("place", str(at)),), False),
            "halo",
            "isend_irecv",
            (("words", words),),
            2,
            2.0**at * words * 1e-6,
            dict.fromkeys(MODELS, Told((2.0 + off) ** at * words * 1e-6)),
            "",
        )
        for at in range(places)
        for words in (1, 2, 4, 8, 16, 32)
    ]


@pytest.mark.parametrize(
    ("off", "expected"), [(0.0, "reproduced"), (0.3, "reproduced"), (1.0, "differs")]
)
def test_specifications_predict_ratios(
    off: float, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Model((), {}, tuple(foreseen(3, off)), (), {})
    monkeypatch.setattr(u8, "model", lambda _: made)
    result = verdict(summary(), u8)
    assert result.verdict == expected
    assert result.numbers[0].value == 1.0
    assert result.numbers[1].value == pytest.approx(off / 2)  # neighbours, two of three pairs


def test_specifications_that_foresee_the_wrong_place_differ(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = Model((), {}, tuple(foreseen(3, -1.2)), (), {})
    monkeypatch.setattr(u8, "model", lambda _: made)
    result = verdict(summary(), u8)
    assert (result.verdict, result.numbers[0].value) == ("differs", 0.0)


def test_specifications_need_places_to_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(u8, "model", lambda _: Model((), {}, tuple(foreseen(1, 0.0)), (), {}))
    assert "0 pairs of places" in verdict(summary(), u8).because
    monkeypatch.undo()
    assert "no times of a message alone" in verdict(summary(), u8).because


def test_an_unknown_claim_is_refused() -> None:
    with pytest.raises(UserError, match=r"unknown finding 'Z9'.*H5"):
        chosen(("Z9",))
    assert [claim.id for claim in chosen(("h5",))] == ["H5"]


def test_nothing_measured_says_how_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HALOCLINE_HOME", str(tmp_path))
    for claim, found, run in answers(claims()):
        assert found.verdict == "cannot be answered"
        assert run is None
        assert (f"halocline findings {claim.id} --run" in found.because) == bool(claim.judge)


def test_the_command_tells_every_claim(command: Command) -> None:
    told = json.loads(command("findings", "--json").out)
    assert [each["id"] for each in told["findings"]] == [claim.id for claim in claims()]
    assert "H5  cannot be answered" in command("findings").out
    refused = command("findings", "H5", "--budget", "5s")
    assert refused.code == 2
    assert "without --run" in refused.err


def test_an_experiment_that_fails_leaves_the_others_to_be_measured(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []

    def begin(experiment: Experiment, output: Path) -> None:
        begun.append(experiment.title)
        raise RunFailed("rank 1 ended early", remedy="mend it")

    monkeypatch.setattr("halocline.cli.measuring.begin", begin)
    monkeypatch.setattr(
        "halocline.spec.load", lambda file, vocabulary, options: Experiment(file.stem)
    )
    ended = command("findings", "H4", "X9", "--run")
    assert (begun, ended.code) == (["messages", "halo"], 1)
    assert "X9  cannot be answered" in ended.out
    assert ended.err == 2 * "halocline: rank 1 ended early; mend it\n"
