"""`halocline compare --gate`: fail if a case is slower than the baseline by a margin."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, TextIO

from halocline.base.errors import RunFailed, Undecided, UserError, UserErrors

if TYPE_CHECKING:
    from halocline.cli.sides import Asked
    from halocline.compare.comparison import Comparison
    from halocline.compare.gate import Judgement

_OPEN = "the gate is undecided"
Measure = Callable[[int], "Comparison"]  # numbered from 0


def judge(measure: Measure, gate: float) -> Judgement:
    """Measure, and measure suspected regressions again; Undecided if that fails."""
    from halocline.compare.gate import judgement, wants_another  # noqa: PLC0415

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
    from halocline.compare import history as past  # noqa: PLC0415
    from halocline.compare.gate import MEASUREMENTS  # noqa: PLC0415
    from halocline.samples.run_folder import require_new  # noqa: PLC0415

    for option, folder in (("--junit", junit and junit.parent), ("--history", history)):
        try:
            if folder:
                folder.mkdir(parents=True, exist_ok=True)
                TemporaryFile(dir=folder).close()
            if folder == history and history and (history / past.NAME).exists():
                (history / past.NAME).open("a").close()
                past.read(history)
        except OSError as error:
            problem = f"{option}: cannot write into {folder}: {error.strerror}"
            raise UserError(problem, remedy="choose another place") from None
    if junit is not None:
        if junit.is_dir():
            raise UserError(f"--junit {junit} is a folder", remedy="name a file in it")
        junit.unlink(missing_ok=True)  # it must not be mistaken for the new result
    for number in range(MEASUREMENTS):
        if (path := _numbered(output, number)) is not None:
            require_new(path)


def measuring_of(
    asked: Asked,
    ranks: int | None,
    hosts: str | None,
    launches: str | None,
    budget: str | None,
    resolution: float,
    output: Path | None,
) -> Measure:
    """How to measure: a recorded baseline's experiment again, or two live sides in turn."""
    if asked.runs:
        return _against_baseline(asked, resolution, output)
    if len(asked.named) == 1 and not any(asked.settings):
        raise UserError(
            f"{asked.named[0]} is not a baseline",
            allowed="a run's folder, or two sides",
            remedy="measure a baseline first: halocline run WORKLOAD --output baseline",
        )

    def measure(number: int) -> Comparison:
        from halocline.cli.compare import compared  # noqa: PLC0415

        path = _numbered(output, number)
        return compared(asked, ranks, hosts, launches, budget, resolution, path)[0][0]

    return measure


def _against_baseline(asked: Asked, resolution: float, output: Path | None) -> Measure:
    from halocline.cli import measuring  # noqa: PLC0415
    from halocline.compare.sides import side  # noqa: PLC0415
    from halocline.compare.two_runs import of_folders  # noqa: PLC0415
    from halocline.samples.dataset import load  # noqa: PLC0415
    from halocline.samples.run_folder import open_run  # noqa: PLC0415

    if len(asked.named) > 1 or asked.rest or asked.settings[0]:
        arguments = " ".join(
            [*asked.named[1:], *asked.rest, *(f"--a {key}" for key in asked.settings[0])]
        )
        remedy = "leave it out: the baseline's experiment is measured again"
        raise UserError(f"{arguments!r} with a baseline", remedy=remedy)
    baseline = asked.runs[0]
    load(open_run(baseline).samples)  # report damage before measuring
    now = side("now", open_run(baseline).experiment, asked.settings[1])

    def measure(number: int) -> Comparison:
        title = f"gate {baseline.name}"
        place = _numbered(output, number)
        path = measuring.begin(now.experiment, place, report=False, title=title)
        return replace(of_folders((baseline, path), resolution), other=f"now ({path})")

    return measure


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
    from halocline.compare import history as past  # noqa: PLC0415
    from halocline.compare.gate import sentence, write_junit  # noqa: PLC0415
    from halocline.report.history import write_history  # noqa: PLC0415

    unwritten = ""
    try:
        if junit is not None:
            write_junit(judged, junit)
        if history is not None and not judged.undecided:
            past.append(history, judged, commit)
            print(f"history: {write_history(history)}", file=to)
    except OSError as error:
        unwritten = f"cannot write {error.filename}: {error.strerror}"
    print(sentence(judged), file=to)
    if judged.ok and (why := judged.undecided or unwritten):
        raise Undecided(f"{_OPEN}: {why}")
    if unwritten:
        print(f"halocline: {unwritten}", file=sys.stderr)
    return 0 if judged.ok else 1
