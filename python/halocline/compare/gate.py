"""The regression gate: what is slower than a baseline by more than is allowed, and for sure."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

from halocline.cases import Case
from halocline.compare.comparison import Comparison, Row
from halocline.ratios import share_text
from halocline.run_folder import replace


@dataclass(frozen=True)
class Judgement:
    """A comparison held against a gate; `regressed` were so in every measurement of them."""

    found: Comparison
    gate: float
    regressed: tuple[Row, ...]
    suspected: int = 0  # rows that another measurement did not confirm

    @property
    def ok(self) -> bool:
        """Whether nothing regressed."""
        return not self.regressed


def suspects(found: Comparison, gate: float) -> tuple[Row, ...]:
    """Rows that are slower for sure, and by more than the gate as far as is known."""
    return tuple(row for row in found.rows_of("slower") if row.ratio.ratio >= 1 + gate)


def judgement(first: Comparison, again: Comparison | None, gate: float) -> Judgement:
    """What both measurements say; the second one is made only where the first has suspects."""
    before = suspects(first, gate)
    if again is None:
        return Judgement(first, gate, before)
    confirmed = {identity(row.other) for row in suspects(again, gate)}
    regressed = tuple(row for row in before if identity(row.other) in confirmed)
    return Judgement(first, gate, regressed, len(before) - len(regressed))


def identity(case: Case) -> str:
    """A case's name, the same in every measurement of it."""
    axes = " ".join(f"{name}={value}" for name, value in case.axes)
    settings = " ".join(f"{key}={value}" for key, value in case.configuration)
    return " ".join(filter(None, (case.workload, axes, settings, f"ranks={case.ranks}")))


def sentence(judged: Judgement) -> str:
    """What the gate says, in a line."""
    told = sum(row.low is not None for row in judged.found.rows)
    if judged.ok:
        open_ = "" if told else "; nothing could be compared"
        more = (
            f"; {judged.suspected} seemed slower, which a second measurement did not confirm"
            if judged.suspected
            else ""
        )
        allowed = share_text(judged.gate)
        return f"Gate passed: none of {told} cases regressed by {allowed}{open_}{more}."
    worst = max(judged.regressed, key=lambda row: row.ratio.ratio)
    return (
        f"Gate failed: {len(judged.regressed)} of {told} cases regressed by "
        f"{share_text(judged.gate)} or more, most {identity(worst.other)}: {worst.ratio.text}."
    )


def junit(judged: Judgement) -> str:
    """The judgement as JUnit XML, a test for each case."""
    rows = judged.found.rows
    regressed = {identity(row.other) for row in judged.regressed}
    suite = ET.Element(
        "testsuite",
        name=f"halocline compare {judged.found.other} against {judged.found.baseline}",
        tests=str(len(rows)),
        failures=str(len(judged.regressed)),
        errors="0",
        skipped=str(sum(row.low is None for row in rows)),
    )
    for row in rows:
        case = ET.SubElement(
            suite,
            "testcase",
            classname=f"halocline.{row.other.workload}",
            name=identity(row.other),
            time=f"{row.other_s or 0:.9f}",
        )
        if row.low is None:
            ET.SubElement(case, "skipped", message=row.reason)
        elif identity(row.other) in regressed:
            failure = ET.SubElement(case, "failure", message=row.ratio.text, type="regression")
            failure.text = f"{row.baseline_s!r} s before, {row.other_s!r} s now"
        else:
            ET.SubElement(case, "system-out").text = row.ratio.text
    whole = ET.Element("testsuites")
    whole.append(suite)
    ET.indent(whole)
    return ET.tostring(whole, encoding="unicode", xml_declaration=True) + "\n"


def write_junit(judged: Judgement, path: Path) -> None:
    """Write that file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace(path, junit(judged))
