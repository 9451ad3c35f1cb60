"""The regression gate: cases significantly slower than a baseline by more than allowed."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from halocline.base.files import replace
from halocline.base.units import counted
from halocline.compare.comparison import Comparison, Row
from halocline.specification.cases import Case
from halocline.summary.ratios import share_text

MEASUREMENTS = 3  # at most; two of them have to agree
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")  # a program's last lines may have colours
LEANING = 0.5  # of the gate: a row this much slower, significant or not, is measured again


@dataclass(frozen=True)
class Judgement:
    """The first comparison judged by a gate.

    `regressed` rows were slower in two measurements, and are reported as in the first of these.
    """

    found: Comparison
    gate: float
    regressed: tuple[Row, ...]
    suspected: int = 0  # rows not confirmed by another measurement
    undecided: str = ""  # why the gate is undecided, if so
    wrong: tuple[Row, ...] = ()  # with a wrong payload, or another failure

    @property
    def ok(self) -> bool:
        """Whether nothing regressed or was wrong."""
        return not self.regressed and not self.wrong

    @property
    def comparable(self) -> tuple[Row, ...]:
        """The rows that could be compared."""
        return tuple(row for row in self.found.rows if row.low is not None)

    @property
    def open_rows(self) -> tuple[Row, ...]:
        """Rows that pass although a regression beyond the gate cannot be ruled out."""
        failed = {identity(row.other) for row in self.regressed}
        return tuple(
            row
            for row in self.comparable
            if identity(row.other) not in failed
            and (row.ratio.high is None or row.ratio.high > 1 + self.gate)
        )


def suspects(comparison: Comparison, gate: float) -> tuple[Row, ...]:
    """Rows significantly slower, with an estimate beyond the gate."""
    return tuple(row for row in comparison.rows_of("slower") if row.ratio.ratio >= 1 + gate)


def judgement(measured: Sequence[Comparison], gate: float) -> Judgement:
    """The joint judgement of the measurements: a row regressed if two of them suspect it."""
    slower: dict[str, list[Row]] = {}
    for comparison in measured:
        for row in suspects(comparison, gate):
            slower.setdefault(identity(row.other), []).append(row)
    regressed = tuple(rows[0] for rows in slower.values() if len(rows) > 1)
    failed = {identity(row.other): row for found in measured for row in found.rows if row.failed}
    undecided = "" if regressed or failed else _why_undecided(measured, slower)
    suspected = len(slower) - len(regressed)
    wrong = tuple(failed.values())
    return Judgement(measured[0], gate, regressed, suspected, undecided, wrong)


def _why_undecided(measured: Sequence[Comparison], suspected: Mapping[str, Sequence[Row]]) -> str:
    if not any(row.low is not None for row in measured[0].rows):
        why = next((row.reason for row in measured[0].rows if row.reason), "no cases")
        return f"nothing could be compared: {why}"
    for name in suspected:
        if (
            len(measured) > 1
            and sum(name in _comparable(comparison) for comparison in measured) == 1
        ):
            return f"{name} seemed slower and could not be measured again"
    nowhere = set.intersection(*map(_lost, measured))
    lost = [row for row in measured[0].rows if identity(row.other) in nowhere]
    if lost:
        more = f", and {counted(len(lost) - 1, 'other case')} as well" if lost[1:] else ""
        first = lost[0]
        return f"{identity(first.other)} has a figure in the baseline only: {first.reason}{more}"
    return ""


def _lost(measured: Comparison) -> set[str]:
    """Cases of which only the baseline has a figure: nothing shows that they did not regress."""
    return {
        identity(row.other)
        for row in measured.rows
        if row.baseline_s is not None and row.other_s is None
    }


def _comparable(measured: Comparison) -> dict[str, Row]:
    return {identity(row.other): row for row in measured.rows if row.low is not None}


def wants_another(measured: Sequence[Comparison], gate: float) -> bool:
    """Whether one more measurement could make a row fail.

    Every measurement so far must have found it slower, significantly or not, or lack it. So a case
    as fast as before is mostly measured once, and a regression missed once is still found.
    """
    if len(measured) == MEASUREMENTS or not judgement(measured, gate).ok:
        return False
    leaning = [
        {
            identity(row.other)
            for row in comparison.rows
            if row.low is None or row.ratio.ratio >= 1 + LEANING * gate
        }
        for comparison in measured
    ]
    both = set.intersection(*leaning) & set().union(*map(_comparable, measured))
    if len(measured) < MEASUREMENTS - 1:
        return bool(both)
    sure = {identity(row.other) for comparison in measured for row in suspects(comparison, gate)}
    return bool(both & sure)


def identity(case: Case) -> str:
    """A case's name, the same in every measurement of it."""
    axes = " ".join(f"{name}={value}" for name, value in case.axes)
    settings = " ".join(f"{key}={value}" for key, value in case.configuration)
    where = f"ranks={case.ranks} mpi={case.mpi}" if case.mpi else ""
    return " ".join(filter(None, (case.workload, axes, settings, where)))


def sentence(judged: Judgement) -> str:
    """The gate's judgement in one line."""
    cases, allowed = counted(len(judged.comparable), "case"), share_text(judged.gate)
    if judged.undecided:
        return f"Gate undecided: {judged.undecided}."
    if judged.ok:
        more = (
            f"; {judged.suspected} seemed slower, not confirmed by another measurement"
            if judged.suspected
            else ""
        )
        if judged.open_rows:
            more += f"; for {len(judged.open_rows)} this cannot be ruled out: {_more(judged)}"
        without = [row for row in judged.found.rows if row.low is None]
        if without:
            number, first = counted(len(without), "case"), without[0]
            more += f"; {number} could not be compared, {identity(first.other)}: {first.reason}"
        return f"Gate passed: none of {cases} regressed by {allowed}{more}."
    wrong = ""
    if judged.wrong:
        first, all_cases = judged.wrong[0], counted(len(judged.found.rows), "case")
        wrong = (
            f"{len(judged.wrong)} of {all_cases} failed on a side, first "
            f"{identity(first.other)}: {first.reason.removeprefix('failed: ')}"
        )
    if not judged.regressed:
        return f"Gate failed: {wrong}."
    worst = max(judged.regressed, key=lambda row: row.ratio.ratio)
    regressed = (
        f"{len(judged.regressed)} of {cases} regressed by {share_text(judged.gate)} or more, most "
        f"{identity(worst.other)}: {worst.ratio.text}"
    )
    return f"Gate failed: {'; '.join(filter(None, (regressed, wrong)))}."


def _more(judged: Judgement) -> str:
    return "raise --budget" if judged.found.taken else "measure a baseline with more launches"


def junit(judged: Judgement) -> str:
    """The judgement as JUnit XML, a test for each case."""
    rows = judged.found.rows
    regressed = {identity(row.other): row for row in judged.regressed}
    wrong = {identity(row.other): row for row in judged.wrong}
    without = [row for row in rows if row.low is None]
    suite = ET.Element(
        "testsuite",
        name=f"halocline compare {judged.found.other} against {judged.found.baseline}",
        tests=str(len(rows) + bool(judged.undecided)),
        failures=str(len(judged.regressed)),
        errors=str(len(wrong) + bool(judged.undecided)),
        skipped=str(sum(identity(row.other) not in regressed | wrong for row in without)),
    )
    for row in rows:
        case = ET.SubElement(
            suite,
            "testcase",
            classname=f"halocline.{row.other.workload}",
            name=identity(row.other),
            time=f"{row.other_s or 0:.9f}",
        )
        if worse := regressed.get(identity(row.other)):
            failure = ET.SubElement(case, "failure", message=worse.ratio.text, type="regression")
            failure.text = f"{worse.baseline_s!r} s before, {worse.other_s!r} s now"
        elif invalid := wrong.get(identity(row.other)):
            ET.SubElement(case, "error", message=invalid.reason)
        elif row.low is None:
            ET.SubElement(case, "skipped", message=row.reason)
        else:
            ET.SubElement(case, "system-out").text = row.ratio.text
    if judged.undecided:
        ET.SubElement(
            ET.SubElement(suite, "testcase", classname="halocline", name="gate"),
            "error",
            message=judged.undecided,
        )
    whole = ET.Element("testsuites")
    whole.append(suite)
    ET.indent(whole)
    return _NOT_IN_XML.sub("?", ET.tostring(whole, encoding="unicode", xml_declaration=True)) + "\n"


def write_junit(judged: Judgement, path: Path) -> None:
    """Write the JUnit XML to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace(path, junit(judged))
