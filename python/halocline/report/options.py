"""The settings swept by an experiment: which had an effect, and which had none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from halocline.base.quantities import significant
from halocline.base.units import counted
from halocline.report.cells import NOTHING, Cell, Table
from halocline.report.entries import library_name
from halocline.report.run_tables import axes_text
from halocline.report.section import Section
from halocline.summary.effects import CaseEffect, Effect
from halocline.summary.ratios import VERDICTS, Ratio
from halocline.summary.summary import CaseSummary, Summary

_MOST = 6  # in one sentence
_CASES_HEADS = {"faster": "faster", "slower": "slower", "none": "equal", "unknown": "inconclusive"}


@dataclass(frozen=True)
class _Found:
    summary: Summary
    effect: Effect
    library: str  # with its run, if there are several


def options(summaries: Sequence[Summary]) -> Section | None:
    """Each value of a setting against its first one, over all cases and in the extreme one."""
    several = len(summaries) > 1
    effects = [
        _Found(summary, effect, _library(summary, effect, several))
        for summary in summaries
        for effect in summary.effects
    ]
    if not effects:
        return None
    return Section(
        name="options",
        title="Effects of options",
        sentences=(*_made(effects), *_sentences(effects)),
        tables=(_table(effects),),
    )


def _sentences(effects: Sequence[_Found]) -> Iterator[str]:
    """Settings with an effect, without, and inconclusive ones, each with its interval."""
    groups = (
        ("Had an effect, over all cases", ("faster", "slower")),
        ("Had none", ("none",)),
        ("Inconclusive", ("unknown",)),
    )
    for name, verdicts in groups:
        clauses = [
            f"{_setting(each.effect)} ({each.library}): {_words(each.effect)}"
            for each in effects
            if each.effect.overall.verdict in verdicts
        ]
        if clauses:
            more = (
                f"; and {len(clauses) - _MOST} more, in the table" if len(clauses) > _MOST else ""
            )
            yield f"{name}: {'; '.join(clauses[:_MOST])}{more}."


def _made(effects: Sequence[_Found]) -> Iterator[str]:
    """Where layouts of several nodes ran, if the nodes are hosts made here."""
    for between in dict.fromkeys(
        each.summary.between
        for each in effects
        if each.effect.key == "layout" and each.summary.made_rate is not None
    ):
        yield f"Layouts of several nodes ran {between}."


def _words(effect: Effect) -> str:
    """The verdict over all cases; without one, the number of cases with a verdict."""
    text = effect.overall.text
    if effect.overall.verdict != "unknown":
        return text
    counts = [(effect.count(verdict), verdict) for verdict in ("faster", "slower")]
    verdicts = [f"{count} {verdict}" for count, verdict in counts if count]
    cases = counted(len(effect.cases), "case")
    of_cases = f"; of {cases} {' and '.join(verdicts)}" if verdicts else ""
    return text.removeprefix("inconclusive: ") + of_cases


def _setting(effect: Effect) -> str:
    return f"{effect.key}={effect.value} against {effect.baseline}"


def _library(summary: Summary, effect: Effect, several: bool) -> str:
    versions = [
        library.library_version
        for label, library in summary.libraries.items()
        if label.partition(" ")[0] == effect.mpi
    ]
    name = library_name(effect.mpi, versions[0] if versions else "")
    return f"{name}, {summary.name}" if several else name


def _table(effects: Sequence[_Found]) -> Table:
    rows = []
    for each in effects:
        effect = each.effect
        counts = [Cell(str(effect.count(verdict))) for verdict in VERDICTS]
        keys = (each.library, f"{effect.key}={effect.value}", effect.baseline)
        cells = (_with_verdict(effect.overall), *counts, _extreme(each.summary, effect))
        rows.append((keys, cells))
    caption = (
        "Time with a setting against its first value: over all cases, and in how many of them; "
        "intervals are valid for the table as a whole, with 95 % confidence"
    )
    verdicts = (_CASES_HEADS[verdict] for verdict in VERDICTS)
    heads = ("time ratio over all cases", *verdicts, "most in one case")
    return Table(caption, ("library", "setting", "against"), heads, tuple(rows))


def _extreme(summary: Summary, effect: Effect) -> Cell:
    """The case with the largest significant effect."""
    sure = [case for case in effect.cases if case.ratio.verdict in ("faster", "slower")]
    if not sure:
        return Cell(NOTHING)
    cases = {case.case.id: case for case in summary.cases}
    extreme = max(sure, key=_size)
    return Cell(
        _with_verdict(extreme.ratio).value, note=f"{extreme.ratio.text}; {_case(cases, extreme)}"
    )


def _with_verdict(ratio: Ratio) -> Cell:
    """The ratio, with the verdict in words below it."""
    known = ratio.low is not None
    return Cell(significant(ratio.ratio, 3) if known else NOTHING, note=ratio.text)


def _size(each: CaseEffect) -> float:
    return max(each.ratio.ratio, 1 / each.ratio.ratio)


def _case(cases: Mapping[str, CaseSummary], each: CaseEffect) -> str:
    summary = cases[each.case]
    return f"{summary.case.workload} {axes_text(summary)}".strip()
