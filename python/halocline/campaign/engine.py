"""The one loop that launches: a policy says what comes next, the engine launches and logs it.

A policy is a generator. It yields a `Launch`, is sent the outcome as `Done`, and ends when
it has measured enough. It decides from the contents of its folder, so it can resume there.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Generic, TypeVar, cast

from halocline.base.errors import Interrupted, RunFailed
from halocline.base.files import NO_SPACE
from halocline.base.progress import Estimate, Reporter
from halocline.campaign.log import Launched, Log
from halocline.launch.job import Outcome, Progress

What = TypeVar("What")  # a job of the driver, or a whole program
Answer = TypeVar("Answer")  # a policy's return value

OnCase = Callable[[Progress], None]

_WORTH_SAYING_PERCENT = 10  # of a node's memory


class Times:
    """When a launch began, and each of its cases."""

    def __init__(self) -> None:
        self._began_s = monotonic()
        self.cases_s: list[float] = []  # after the launch began
        self.took_s = 0.0

    def case(self) -> None:
        """The next case begins."""
        self.cases_s.append(monotonic() - self._began_s)

    def end(self) -> None:
        """The launch has ended."""
        self.took_s = monotonic() - self._began_s

    @property
    def starting_s(self) -> float:
        """Seconds until the first case began; 0 if none did."""
        return self.cases_s[0] if self.cases_s else 0.0


def _as_before(_: Times) -> Estimate | None:
    return None


def _none_out(_: Sequence[Outcome]) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True)
class Turns:
    """How concurrent jobs share the cores, see `launch.turns.take_turns`."""

    rounds: int
    first: int
    rows: Sequence[Sequence[int]] | None = None


@dataclass(frozen=True)
class Launch(Generic[What]):
    """What is launched next.

    `left` is the time until all is done; `estimate` corrects it within the launch, case by case.
    `out` gives what the outcomes exclude from further launches. For the other fields see
    `Launched`.
    """

    name: str
    number: int
    jobs: tuple[What, ...]
    cases: int
    left: Estimate | None
    turns: Turns | None = None  # None: one job alone
    turn: int = 0
    of_turn: int = 1
    rung: int = 0
    in_jobs: int = 0  # cases of all jobs together, where not every job has all
    estimate: Callable[[Times], Estimate | None] = field(default=_as_before)
    out: Callable[[Sequence[Outcome]], Mapping[str, str]] = field(default=_none_out)


@dataclass(frozen=True)
class Done:
    """The result of a launch: an outcome for each of its jobs."""

    outcomes: tuple[Outcome, ...]
    times: Times


Policy = Generator[Launch[What], Done, None]
Start = Callable[[Launch[What], OnCase], Sequence[Outcome]]


def carry_out(
    policy: Generator[Launch[What], Done, Answer],
    start: Start[What],
    reporter: Reporter,
    log: Log | None = None,
    remedy: str = "",
) -> Answer:
    """Launch what the policy yields until it ends; returns its answer.

    Interrupted if the user stops it, RunFailed if the disk is full or the policy gives up: the
    log's folder keeps what was measured, and `remedy` says how to resume. Without a log, nothing
    is kept.
    """
    done: Done | None = None
    said: set[str] = set()  # what cases allocate, said once
    try:
        while True:
            try:
                launch = next(policy) if done is None else policy.send(done)
            except StopIteration as end:
                return cast(Answer, end.value)
            done = _launched(launch, start, reporter, log, said)
    except KeyboardInterrupt as stop:
        if log is None:
            raise
        raise Interrupted(stop, saved=log.folder, remedy=remedy) from stop
    except OSError as error:
        if log is None or error.errno not in NO_SPACE:
            raise
        problem = f"no space left on the disk of {error.filename or log.folder}"
        raise RunFailed(
            problem, saved=log.folder, remedy=f"free some space, then {remedy}"
        ) from None
    finally:
        policy.close()


def _launched(
    launch: Launch[What],
    start: Start[What],
    reporter: Reporter,
    log: Log | None,
    said: set[str],
) -> Done:
    reporter.launch(launch.name, launch.number, launch.cases, launch.left)
    times = Times()

    def on_case(progress: Progress) -> None:
        if (memory := progress.memory) is not None:
            if memory.percent >= _WORTH_SAYING_PERCENT and str(memory) not in said:
                said.add(str(memory))
                reporter.say(f"{launch.name}: {memory}")
            return
        times.case()
        reporter.case(progress.case, progress.cases, launch.estimate(times))

    outcomes = tuple(start(launch, on_case))
    times.end()
    for remains in {outcome.remains for outcome in outcomes} - {""}:
        reporter.say(f"{launch.name} launch {launch.number}: {remains}")
    if log is not None:
        log.append(
            Launched(
                launch=launch.number,
                cases=launch.in_jobs or launch.cases,
                starting_s=times.starting_s,
                whole=all(outcome.ok for outcome in outcomes),
                took_s=times.took_s,
                name=launch.name,
                turn=launch.turn,
                of_turn=launch.of_turn,
                rung=launch.rung,
                jobs=len(launch.jobs),
                out=dict(launch.out(outcomes)),
            )
        )
    return Done(outcomes, times)


def keep_output(file: Path, outcome: Outcome) -> None:
    """Keep the output of a failed launch."""
    file.parent.mkdir(exist_ok=True)
    with file.open("a", encoding="utf-8") as kept:
        kept.write(f"{outcome.reason}\n{outcome.output}\n")
