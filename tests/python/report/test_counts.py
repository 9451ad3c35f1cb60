"""Counts in pages agree with their nouns, one included."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from halocline.compare.comparison import Comparison
from halocline.model.messages import Place
from halocline.model.model import Model, Predicted
from halocline.model.predict import HOCKNEY, Prediction
from halocline.report.comparison import comparison
from halocline.report.html import page
from halocline.report.model import section
from halocline.report.sections import sections
from halocline.specification.cases import AxisValue
from halocline.summary.effects import CaseEffect, Effect
from halocline.summary.ratios import Ratio
from halocline.summary.summary import CaseSummary
from report.instruments import FOUR, measured, redistributions, steps, summary


def with_fields(each: CaseSummary, fields: int) -> CaseSummary:
    axes = {**dict(each.case.axes), "fields": fields}
    return replace(each, case=replace(each.case, axes=tuple(sorted(axes.items()))))


def test_pages_have_one_row_one_field_and_one_rank() -> None:
    step = steps()[0]
    alone = replace(step, case=replace(step.case, ranks=1, configuration=()))
    one = [with_fields(each, 1) for each in redistributions()]
    text = page([summary(*one, measured("halo", 1e-6, protocol="send_recv", words=1), alone, step)])
    assert re.findall(r"\b1 (?:rows|fields|ranks|words)\b", text) == []
    for words in ("(1 row)", "1 field, table1", "1 rank"):
        assert words in text, words


@pytest.mark.parametrize(
    ("axes", "words"),
    [({"words": 1}, "1 word"), ({"words": 2}, "2 words"), ({"fields": 1}, "1 field")],
)
def test_a_prediction_is_of_one_word_or_field(axes: dict[str, AxisValue], words: str) -> None:
    case = Predicted(
        Place("mpich", (), False),
        "halo",
        "isend_irecv",
        tuple(axes.items()),
        2,
        1e-6,
        {HOCKNEY: Prediction(1e-6)},
        "",
    )
    predictions = section(Model((), {}, (case,), (), {})).details[-1]
    assert predictions.rows[0][0][-1] == words


def test_an_option_has_an_effect_on_one_case() -> None:
    case = measured("halo", 1e-6, configuration=FOUR, ranks=4)
    faster = CaseEffect(case.case.id, "other", Ratio("faster", 0.5, 0.4, 0.6, 8))
    wide = Ratio("unknown", 1.0, 0.9, 1.1, 8)
    found = Effect("mpich", "env.KNOB", "1", "0", wide, (faster,), 0)
    run = replace(summary(case), effects=(found,))
    (options,) = [each for each in sections([run]) if each.name == "options"]
    assert options.sentences[0].endswith("; of 1 case 1 faster.")


@pytest.mark.parametrize(("launches", "words"), [(1, "1 launch"), (12, "12 launches")])
def test_a_comparison_has_one_launch(launches: int, words: str) -> None:
    none = Ratio("none", 1.0, 0.99, 1.01, launches)
    turns = comparison(Comparison("a", "b", (), none, True, launches))
    runs = comparison(Comparison("a", "b", (), none, False, launches))
    assert f"in {words} each." in turns.sentences[1]
    assert f"Two runs of {words} or more" in runs.sentences[1]
