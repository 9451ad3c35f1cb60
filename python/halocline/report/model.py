"""The section of a model: fits, residuals, and errors of predictions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import altair as alt

from halocline.base.quantities import size_label, time_text
from halocline.base.units import counted, enumerated
from halocline.detect.in_summary import SEND
from halocline.model.fit import Bounded
from halocline.model.model import PREDICTION_ALLOWED, Messages, Model, Predicted
from halocline.report.axes import TIME_LABEL, finished, hue_and_shape, logarithmic, tooltips
from halocline.report.axes import size_axis as along_sizes
from halocline.report.cells import NOTHING, Cell, Table
from halocline.report.entries import ordered
from halocline.report.figures import Figure
from halocline.report.html import Answer, write_report
from halocline.report.model_words import (
    accuracy_lines,
    at_once_text,
    fit_text,
    link_lines,
    loggp_text,
    max_rate_text,
    piece_text,
    slope_text,
    unpredicted_lines,
)
from halocline.report.palette import colour
from halocline.report.rows import Row, zero_at
from halocline.report.section import Section, joined
from halocline.summary.ratios import percent_text, plus_minus, share_text

PAGE = "model.html"
_SENTENCES = 8
_PLACES = 4  # in the answer
_ABOUT = "The run used for the fit: figures, tables, launches, environment"


def write_page(model: Model, run: Path, output: Path | None = None) -> Path:
    """Write the run's report, headed by its model."""
    return write_report([run], output or run / PAGE, Answer([section(model)], _ABOUT))


def section(model: Model) -> Section:
    """What may be used, and what may not, with reasons."""
    charts = [chart for make in (_curves, _errors, _ratios) if (chart := make(model))]
    tables = [_parameters(model), *([_accuracies(model)] if model.accuracies else [])]
    return Section(
        name="model",
        title="Model: latency, bandwidth, contention",
        sentences=joined(
            [
                f"{line}."
                for line in (
                    *_answer(model),
                    *link_lines(model),
                    *accuracy_lines(
                        [accuracy for accuracy in model.accuracies if not accuracy.rejected]
                    ),
                    *_rejected(model),
                    *(
                        f"{why[:1].upper()}{why[1:]}"
                        for why in unpredicted_lines(model.unpredicted)
                    ),
                )
            ],
            _SENTENCES,
        ),
        charts=tuple(charts),
        tables=tuple(tables),
        details=tuple(
            [_residuals(model), *([_predictions(model)] if model.predicted else [])],
        ),
    )


def _rejected(model: Model) -> Iterator[str]:
    rejected = sum(bool(accuracy.rejected) for accuracy in model.accuracies)
    if rejected:
        of = f"{rejected} of {len(model.accuracies)} predictions"
        yield f"{of} must not be used: see the table for reasons"


def _answer(model: Model) -> Iterator[str]:
    """The number of usable fits, and for each place one of them: send_recv's, or the best."""
    fits = [fit for messages in model.messages for fit in messages.fits.values()]
    usable = sum(fit.usable is not None for fit in fits)
    best = []
    for place in dict.fromkeys(messages.place for messages in model.messages):
        candidates = [
            (messages.protocol, fit)
            for messages in model.messages
            for at_once, fit in messages.fits.items()
            if messages.place == place and at_once == 1 and fit.usable is not None
        ]
        if candidates:
            protocol, fit = min(
                candidates, key=lambda pair: (pair[0] != SEND, pair[1].median_error)
            )
            best.append((place, protocol, fit))
    errors = sorted(fit.median_error for _, _, fit in best if fit.median_error is not None)
    ends = " to ".join(dict.fromkeys(share_text(error) for error in (*errors[:1], *errors[-1:])))
    protocols = enumerated(list(dict.fromkeys(protocol for _, protocol, _ in best)))
    off = f"; with {protocols}, sizes held out of the fit are off by {ends}" if best else ""
    yield f"{usable} of {counted(len(fits), 'fit')} usable{off}"
    for place, protocol, fit in best[:_PLACES]:
        yield f"{place.name}, {protocol}: {fit_text(1, fit)}"


def _panel(each: Messages) -> str:
    """The protocol first, as space is short; the sentences above explain made hosts."""
    return f"{each.protocol}, {each.place.name.partition(' (')[0]}"


def _rows(model: Model) -> Iterator[Row]:
    """A row for each size of each usable fit."""
    fits = [fit for messages in model.messages for fit in messages.fits.values() if fit.usable]
    sizes = {left.bytes for fit in fits for left in fit.residuals if left.bytes}
    zero = zero_at(sizes)
    for messages in model.messages:
        for at_once, fit in messages.fits.items():
            if fit.usable is None:
                continue
            for left in fit.residuals:
                number = next(
                    n for n, piece in enumerate(fit.pieces) if left.bytes <= piece.to_bytes
                )
                yield {
                    "panel": _panel(messages),
                    "series": at_once_text(at_once),
                    "piece": f"{at_once} {number}",
                    "bytes": left.bytes,
                    "at": left.bytes or zero,
                    "size": size_label(left.bytes),
                    "measured": left.measured_s,
                    "fitted": left.fitted_s,
                    "error": 100 * left.error,
                    "left_out": 100 * left.left_out_error,
                    "text": f"{time_text(left.measured_s)} measured, {time_text(left.fitted_s)} "
                    "fitted",
                }


_TOLD = {"panel": "of", "series": "with", "size": "size", "text": "time"}


def _curves(model: Model) -> Figure | None:
    drawn = list(_rows(model))
    if not drawn:
        return None
    scale, axis = logarithmic(drawn, "measured", TIME_LABEL)
    hue, shape = hue_and_shape(drawn)
    base = alt.Chart().encode(along_sizes(drawn), hue)
    fitted = alt.Y("fitted:Q", title="time", scale=scale, axis=axis)
    measured = alt.Y("measured:Q", title="time", scale=scale, axis=axis)
    panel = alt.layer(
        base.mark_line(strokeWidth=1.5, clip=True, aria=False).encode(fitted, detail="piece:N"),
        base.mark_point(size=34, opacity=1, aria=False).encode(
            measured, shape, tooltip=tooltips(_TOLD)
        ),
        width=300,
        height=200,
    )
    words = (
        "Points are measured, lines are Hockney's model, a piece for each protocol of the library; "
        "both axes logarithmic. Unusable fits are not drawn; see the table for reasons."
    )
    title = "Times and fits"
    return Figure("model-curves", title, words, _faceted(panel, drawn), len(_panels(drawn)))


def _errors(model: Model) -> Figure | None:
    drawn = list(_rows(model))
    if not drawn:
        return None
    hue, shape = hue_and_shape(drawn)
    y = alt.Y("error:Q", title="fitted against measured, %")
    base = alt.Chart().encode(along_sizes(drawn), hue)
    panel = alt.layer(
        alt.Chart().mark_rule(color=colour("muted"), aria=False).encode(y=alt.datum(0)),
        base.mark_line(strokeWidth=1, opacity=0.5, aria=False).encode(y),
        base.mark_point(filled=True, size=34, opacity=1, aria=False).encode(
            y, shape, tooltip=tooltips(_TOLD)
        ),
        width=300,
        height=140,
    )
    words = "Residual at each size: above 0 the model overestimates the time."
    faceted = _faceted(panel, drawn)
    return Figure("model-residuals", "Residuals", words, faceted, len(_panels(drawn)))


def _panels(drawn: list[Row]) -> list[str]:
    return list(ordered(row["panel"] for row in drawn))


def _faceted(panel: alt.LayerChart | alt.FacetChart, drawn: list[Row]) -> dict[str, Any]:
    assert isinstance(panel, alt.LayerChart)  # alt.layer may also return a facet chart
    facet = alt.Facet("panel:N", title=None, sort=_panels(drawn))
    return finished(panel.facet(facet=facet, columns=2, data=alt.InlineData(values=drawn)))


def _ratios(model: Model) -> Figure | None:
    drawn: list[Row] = [
        {
            "line": f"{case.workload}, {case.protocol}, {case.place.name}",
            "series": name,
            "case": _case(case),
            "ratio": prediction.time_s / case.measured_s,
            "text": f"{time_text(prediction.time_s)} predicted, "
            f"{time_text(case.measured_s)} measured",
        }
        for case in model.predicted
        for name, prediction in case.by_model.items()
        if prediction.time_s
    ]
    if not drawn:
        return None
    names = list(ordered(row["line"] for row in drawn))
    hue, shape = hue_and_shape(drawn)
    scale = alt.Scale(type="log", nice=False, padding=8)
    x = alt.X("ratio:Q", title="predicted time, divided by measured", scale=scale)
    titles = {"line": "of", "case": "case", "series": "model", "text": "time"}
    edges = [
        alt.Chart().mark_rule(color=colour("muted"), aria=False).encode(x=alt.datum(edge))
        for edge in (1 - PREDICTION_ALLOWED, 1, 1 + PREDICTION_ALLOWED)
    ]
    panel = alt.layer(
        *edges,
        alt.Chart()
        .mark_point(size=44, opacity=1, aria=False)
        .encode(
            x,
            alt.Y("line:N", sort=names, title=None, axis=alt.Axis(labelLimit=320)),
            alt.YOffset("series:N"),
            hue,
            shape,
            tooltip=tooltips(titles),
        ),
        data=alt.InlineData(values=drawn),
    ).properties(width=560, height=max(80, 48 * len(names)))
    words = (
        f"One point per case not used for the fit. Beyond the outer lines it is more "
        f"than {share_text(PREDICTION_ALLOWED)} off."
    )
    return Figure("model-predictions", "Predictions against measurements", words, finished(panel))


def _case(each: Predicted) -> str:
    axes = dict(each.axes)
    size = axes.get("bytes")
    if "words" in axes:
        return counted(int(axes["words"]), "word")
    return size_label(int(size)) if size is not None else counted(int(axes["fields"]), "field")


def _parameters(model: Model) -> Table:
    rows: list[tuple[tuple[str, ...], tuple[Cell, ...]]] = []
    for messages in model.messages:
        keys = (messages.place.name, messages.protocol)
        for at_once, fit in messages.fits.items():
            name = f"Hockney, {at_once_text(at_once)}"
            if fit.usable is None:
                rows.append(((*keys, name), (Cell(fit_text(at_once, fit).split(": ", 1)[1]),)))
                continue
            for piece in fit.pieces:
                latency = f"{time_text(piece.latency_s.value)} {_spread(piece.latency_s)}"
                slope = f"{slope_text(piece)} {_spread(piece.per_byte_s)}"
                rows.append(
                    ((*keys, name), (Cell(f"{piece_text(piece)}: {latency}, then {slope}"),))
                )
        if messages.loggp:
            rows.append(((*keys, "LogGP"), (Cell(loggp_text(messages.loggp)),)))
        if messages.max_rate:
            rows.append(((*keys, "max-rate"), (Cell(max_rate_text(messages.max_rate)),)))
    caption = "Parameters ± half of the 95 % interval: from resampled launches, or from the scatter"
    caption += " of sizes around the line, whichever is larger"
    return Table(caption, ("place", "protocol", "model"), ("parameters",), tuple(rows))


def _spread(each: Bounded) -> str:
    if each.low is None or each.high is None or each.value == 0:
        return plus_minus(None)
    return plus_minus((each.high - each.value) / each.value)


def _accuracies(model: Model) -> Table:
    rows = tuple(
        (
            (accuracy.place.name, accuracy.workload, accuracy.protocol, accuracy.model),
            (
                Cell(str(accuracy.cases)),
                Cell(
                    NOTHING if accuracy.median_error is None else share_text(accuracy.median_error)
                ),
                Cell(NOTHING if accuracy.worst_error is None else share_text(accuracy.worst_error)),
                Cell(f"no: {accuracy.rejected}" if accuracy.rejected else "yes"),
            ),
        )
        for accuracy in model.accuracies
    )
    caption = "Errors of the models for cases not used in the fit"
    heads = ("cases", "median error", "worst error", "may be used")
    return Table(caption, ("place", "workload", "messages of", "model"), heads, rows)


def _residuals(model: Model) -> Table:
    rows = tuple(
        (
            (row["panel"], row["series"], row["size"]),
            (
                Cell(time_text(row["measured"])),
                Cell(time_text(row["fitted"])),
                Cell(percent_text(row["error"] / 100)),
                Cell(percent_text(row["left_out"] / 100)),
            ),
        )
        for row in _rows(model)
    )
    caption = "Residuals of usable fits: with all sizes, and with this size left out"
    heads = ("measured", "fitted", "error", "error left out")
    return Table(caption, ("messages", "with", "size"), heads, rows)


def _predictions(model: Model) -> Table:
    rows = tuple(
        (
            (case.place.name, f"{case.workload}, {case.protocol}", _case(case)),
            (
                Cell(time_text(case.measured_s), note=case.left_out),
                *(
                    _predicted(prediction.time_s, case.measured_s)
                    for prediction in case.by_model.values()
                ),
            ),
        )
        for case in model.predicted
    )
    caption = "Every prediction and its error"
    heads = ("measured", *next(iter(model.predicted)).by_model)
    return Table(caption, ("place", "workload", "case"), heads, rows)


def _predicted(time_s: float | None, measured_s: float) -> Cell:
    if time_s is None:
        return Cell(NOTHING)
    return Cell(time_text(time_s), note=percent_text(time_s / measured_s - 1))
