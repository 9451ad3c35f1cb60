"""The policy of `compare` for whole programs: both run start to end, in turn, AB BA."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import Annotated, Any, NoReturn

from msgspec import Meta, Struct

from halocline.base.errors import RunFailed, Terminated
from halocline.base.files import replace
from halocline.base.process_group import end_group
from halocline.base.progress import Estimate, Reporter
from halocline.base.reading import Count, Elapsed, json_file, json_lines, require_schema
from halocline.campaign.engine import Launch, OnCase, Policy, carry_out
from halocline.campaign.log import Log
from halocline.campaign.pace import Limits
from halocline.campaign.turns import going_on
from halocline.launch.job import Outcome, Progress
from halocline.samples.run_folder import drop_unended_line_of, holding

NAME = "programs.json"
RUNS = "runs.jsonl"
SCHEMA = 2
WARM_UP = 0  # the launch that only fills the disk cache
_LETTERS = "ab"
_PATIENCE_S = 10.0  # grace period after SIGTERM
_SHOWN_LINES = 5
_WHAT, _REMEDY = "two programs that were compared", "compare again"


@dataclass(frozen=True)
class Program:
    """A side: a command, and its own environment variables."""

    name: str
    command: Annotated[tuple[str, ...], Meta(min_length=1)]
    variables: Mapping[str, str | None]  # None: unset

    @property
    def environment(self) -> dict[str, str]:
        """This process's environment with the side's variables."""
        own = {**os.environ, **self.variables}
        return {key: value for key, value in own.items() if value is not None}


@dataclass(frozen=True)
class Recorded:
    """The measured runs of two programs; `seconds`: of each side, by launch."""

    sides: tuple[Program, Program]
    resolution: float
    limits: Limits
    folder: Path  # working directory
    seconds: tuple[dict[int, float], dict[int, float]]

    @property
    def launches(self) -> list[int]:
        """Launches that both sides completed, except the warm-up."""
        return sorted((set(self.seconds[0]) & set(self.seconds[1])) - {WARM_UP})


class _File(Struct):
    schema: int
    resolution: Annotated[float, Meta(gt=0, lt=1)]
    limits: Limits
    folder: Annotated[str, Meta(pattern="^[^\\0]+$")]
    sides: tuple[Program, Program]


class _Run(Struct):
    launch: Count
    side: Annotated[int, Meta(ge=0, le=1)]
    seconds: Elapsed


def write(path: Path, sides: Sequence[Program], limits: Limits, resolution: float) -> None:
    """Record what is compared in a new folder."""
    content: dict[str, Any] = {
        "schema": SCHEMA,
        "resolution": resolution,
        "limits": asdict(limits),
        "folder": str(Path.cwd()),
        "sides": [asdict(side) for side in sides],
    }
    replace(path / NAME, json.dumps(content, indent=1) + "\n")


def read(path: Path) -> Recorded:
    """Read a folder; UserError if it is damaged."""
    content = json_file(path / NAME, _File, _WHAT, _REMEDY)
    require_schema(content.schema, SCHEMA, path / NAME, _REMEDY)
    seconds: tuple[dict[int, float], dict[int, float]] = ({}, {})
    if (path / RUNS).exists():
        for run in json_lines(path / RUNS, _Run, _WHAT, _REMEDY):
            seconds[run.side][run.launch] = run.seconds
    return Recorded(
        content.sides, content.resolution, content.limits, Path(content.folder), seconds
    )


def measure(path: Path, reporter: Reporter) -> None:
    """Run the programs of a folder as often as time allows; existing runs are reused.

    RunFailed if one of them fails, Interrupted if the user stops it; the folder keeps
    what was measured.
    """
    with holding(path):
        drop_unended_line_of(path / RUNS)
        recorded, log = read(path), Log(path)

        def start(launch: Launch[int], on_case: OnCase) -> Sequence[Outcome]:
            for number, side in enumerate(launch.jobs, start=1):
                on_case(Progress(number, len(launch.jobs)))
                _run(recorded, side, launch.number, path)
            return [Outcome(True, "complete")] * len(launch.jobs)

        carry_out(pairs(recorded, log), start, reporter, log, going_on(path))


def pairs(recorded: Recorded, log: Log) -> Policy[int]:
    """The missing launches, preceded by a warm-up that does not count; jobs are sides."""
    limits, done = recorded.limits, recorded.launches
    spent_s = sum(sum(of_side.values()) for of_side in recorded.seconds)
    cost_s = sum(of_side[done[-1]] for of_side in recorded.seconds) if done else 0.0
    last = limits.launches(cost_s, spent_s, len(done)) if done else 0
    if done and len(done) >= last:
        return
    launch = WARM_UP
    while launch <= last:
        left = Estimate((last - max(launch, len(done))) * cost_s) if cost_s else None
        order = (0, 1) if launch % 2 else (1, 0)
        names = " and ".join(side.name for side in recorded.sides)
        pair = yield Launch(names, launch, order, len(order), left, turn=log.next_turn)
        cost_s = pair.times.took_s
        spent_s += cost_s
        launch = max(launch, max(done, default=WARM_UP))
        last = limits.launches(cost_s, spent_s, launch)
        launch += 1


def _run(recorded: Recorded, side: int, launch: int, path: Path) -> None:
    """One run of a side, recorded as soon as it ends."""
    log = path / f"{_LETTERS[side]}.log"
    seconds = _seconds(recorded.sides[side], recorded.folder, log)
    with (path / RUNS).open("a", encoding="utf-8") as file:
        file.write(json.dumps({"launch": launch, "side": side, "seconds": seconds}) + "\n")


@contextmanager
def _hangup_raised() -> Iterator[None]:
    """A closed terminal ends the program too: it is in a session without one."""

    def terminate(*_: object) -> NoReturn:
        raise Terminated

    before = signal.getsignal(signal.SIGHUP)
    if before is signal.SIG_DFL:  # otherwise the user wants it to go on
        signal.signal(signal.SIGHUP, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


def _seconds(side: Program, folder: Path, log: Path) -> float:
    """Seconds of one run in a folder; its output goes to the log."""
    with log.open("wb") as output:
        began_s = monotonic()
        try:
            started = subprocess.Popen(
                side.command,
                cwd=folder,
                env=side.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # so that nothing of it outlives an interruption
            )
        except OSError as error:
            raise RunFailed(
                f"{side.name} cannot be started in {folder}: {error.strerror}",
                saved=log.parent,
                remedy=f"restore it, and {going_on(log.parent)}",
            ) from None
        try:
            with _hangup_raised():
                code = started.wait()
        except BaseException:
            end_group(started, _PATIENCE_S)
            raise
        seconds = monotonic() - began_s
    if code:
        how = f"exit code {code}" if code > 0 else f"signal {-code}"
        last = log.read_text(encoding="utf-8", errors="replace").splitlines()[-_SHOWN_LINES:]
        raise RunFailed(
            "\n".join([f"{side.name} failed with {how}", *last]),
            saved=log.parent,
            remedy=f"its output is in {log}; fix the cause, and {going_on(log.parent)}",
        )
    return seconds
