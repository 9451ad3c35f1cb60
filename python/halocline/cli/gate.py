"""`halocline compare --gate`: fail if a case is slower than the baseline by a margin."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import TextIO

from halocline.base.errors import RunFailed, Undecided, UserError, UserErrors
from halocline.cli import measuring
from halocline.cli.here import known
from halocline.cli.sides import Asked, again_of
from halocline.compare import history as past
from halocline.compare.comparison import Comparison
from halocline.compare.gate import (
    MEASUREMENTS,
    Judgement,
    judgement,
    sentence,
    wants_another,
    write_junit,
)
from halocline.compare.recorded import common_cases, own_of
from halocline.compare.two_runs import of_folders
from halocline.report.history import PAGE, write_history
from halocline.report.write import require_page
from halocline.samples.dataset import load
from halocline.samples.run_folder import RunFolder, open_run, require_new
from halocline.specification.expand import expand
from halocline.specification.experiment import Experiment

_OPEN = "the gate is undecided"
Measure = Callable[[int], Comparison]  # numbered from 0


def judge(measure: Measure, gate: float) -> Judgement:
    """Measure, and measure suspected regressions again; Undecided if that fails."""
    measured: list[Comparison] = []
    try:
        while not measured or wants_another(measured, gate):
            measured.append(measure(len(measured)))
    except (RunFailed, OSError, UserError, UserErrors) as failed:
        if not measured:
            if isinstance(failed, UserError | UserErrors):
                raise
            raise Undecided(f"{_OPEN}: {failed}") from failed
        return replace(judgement(measured, gate), undecided=str(failed))
    return judgement(measured, gate)


def check_files(junit: Path | None, history: Path | None, output: Path | None) -> None:
    """UserError for unwritable output files, before anything is measured."""
    for option, folder in (("--junit", junit and junit.parent), ("--history", history)):
        try:
            if folder:
                folder.mkdir(parents=True, exist_ok=True)
                TemporaryFile(dir=folder).close()
            if folder == history and history and (history / past.NAME).exists():
                (history / past.NAME).open("a").close()
                past.read(history)
            if folder == history and history:
                require_page(history / PAGE, "--history")
        except OSError as error:
            problem = f"{option}: cannot write into {folder}: {error.strerror}"
            raise UserError(problem, remedy="choose another folder") from None
    if junit is not None:
        if junit.is_dir():
            raise UserError(f"--junit {junit} is a folder", remedy="name a file in it")
        if junit.is_file() and junit.stat().st_size and b"<testsuite" not in _first_of(junit):
            raise UserError(f"--junit {junit} is not JUnit XML", remedy="name another file")
    for number in range(MEASUREMENTS):
        if (path := _numbered(output, number)) is not None:
            require_new(path)


def _first_of(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(200)


def forget(junit: Path | None) -> None:
    """Remove an earlier result, which must not be mistaken for the new one; never /dev/stdout."""
    if junit is not None and junit.is_file() and junit.parts[:2] != ("/", "dev"):
        junit.unlink()


def measuring_of(
    asked: Asked,
    in_turn: Callable[[Path | None], Comparison],
    resolution: float,
    output: Path | None,
) -> Measure:
    """How to measure: a recorded baseline's experiment again, or two live sides in turn.

    `in_turn` measures the sides into a folder.
    """
    if asked.runs:
        return _against_baseline(asked, resolution, output)
    if len(asked.named) == 1 and not any(asked.settings):
        raise UserError(
            f"{asked.named[0]} is not a baseline",
            allowed="a run's folder, or two sides",
            remedy="measure a baseline first: halocline run WORKLOAD --output baseline",
        )

    return lambda number: in_turn(_numbered(output, number))


def _against_baseline(asked: Asked, resolution: float, output: Path | None) -> Measure:
    if len(asked.named) > 1 or asked.rest or asked.settings[0]:
        arguments = " ".join(
            [*asked.named[1:], *asked.rest, *(f"--a {key}" for key in asked.settings[0])]
        )
        remedy = "leave it out: the baseline's experiment is measured again"
        raise UserError(f"{arguments!r} with a baseline", remedy=remedy)
    baseline = asked.runs[0]
    recorded = open_run(baseline)
    load(recorded.samples)  # report damage before measuring
    now = again_of(recorded.experiment, asked.settings[1])
    _require_common_cases(recorded, now, asked.settings[1])

    def measure(number: int) -> Comparison:
        title = f"gate {baseline.name}"
        place = _numbered(output, number)
        try:
            path = measuring.begin(now, place, report=False, title=title)
        except RunFailed as failed:
            if failed.saved is None or not _has_wrong_data(failed.saved):
                raise
            path = failed.saved  # its case fails the gate
        return replace(of_folders((baseline, path), resolution), other=f"now ({path})")

    return measure


def _require_common_cases(baseline: RunFolder, now: Experiment, own: Mapping[str, str]) -> None:
    """UserError if what would be measured has no case of the baseline."""
    catalogues = baseline.catalogue, known().catalogue
    cases = expand(baseline.experiment, catalogues[0]), expand(now, catalogues[1])
    try:
        common_cases(cases, own_of((baseline.experiment, now)), catalogues)
    except UserError:
        if not own:
            raise
        settings = " ".join(f"--b {key}={value}" for key, value in own.items())
        raise UserError(
            f"{settings}: no case would be comparable with {baseline.path}",
            allowed="keys that have one value in the baseline",
            remedy="measure a baseline with one value of each",
        ) from None


def _has_wrong_data(path: Path) -> bool:
    """Whether a case of a run moved wrong data."""
    return any(record.status == "failed" for record in load(open_run(path).samples).samples)


def _numbered(output: Path | None, number: int) -> Path | None:
    if not output or number == 0:
        return output
    again = "again" if number == 1 else f"again-{number}"
    return output.with_name(f"{output.name}-{again}")


def report(
    judged: Judgement, junit: Path | None, history: Path | None, commit: str, to: TextIO
) -> int:
    """Write the requested files and print the judgement; returns the exit code.

    Raises Undecided if the gate neither passed nor failed.
    """
    unwritten = ""
    try:
        if junit is not None:
            write_junit(judged, junit)
        if history is not None and not judged.undecided:
            past.append(history, judged, commit)
            print(f"history: {write_history(history)}", file=to)
    except OSError as error:
        unwritten = f"cannot write {error.filename}: {error.strerror}"
    except UserError as error:
        unwritten = str(error)
    print(sentence(judged), file=to)
    if judged.ok and (why := judged.undecided or unwritten):
        raise Undecided(f"{_OPEN}: {why}")
    if unwritten:
        print(f"halocline: {unwritten}", file=sys.stderr)
    return 0 if judged.ok else 1
