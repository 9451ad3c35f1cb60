"""Concurrent jobs that measure in turn; jobs without the turn sleep."""

from __future__ import annotations

import os
import select
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from halocline.base.errors import UserError
from halocline.launch.job import Job, Outcome, Progress
from halocline.launch.leftovers import scratch_directory
from halocline.launch.run_job import Stop, run_job

# How a job returns its turn, and its messages, as in driver/turns.hpp.
BEFORE_BLOCK, AFTER_LOST_BLOCK = b"b", b"l"
GO_ON, END_CASE = b"g", b"e"

# The reason for a job killed because another one failed.
ENDED_WITH_OTHERS = "ended because the side that it took turns with failed"

# If other work disturbs blocks, rounds are repeated: at most this factor.
ROUNDS_FACTOR = 5


def order_of_turns(sides: int, turn: int) -> tuple[int, ...]:
    """ABBA, in the next round BAAB, and so on; of three sides ABCCBA, then BCAACB.

    Steady drift affects all sides equally within a round, and none is always first.
    """
    forth = [(turn + side) % sides for side in range(sides)]
    return (*forth, *reversed(forth))


@dataclass
class _Seat:
    """A job, and the pipes to give it the turn and get it back."""

    job: Job
    given: int
    handed: int
    over: int  # readable once the job has ended
    on_case: Callable[[Progress], None]
    stop: Stop = field(default_factory=Stop)
    outcome: Outcome | None = None
    place: bytes = b""
    dismissed: bool = False
    stopped: bool = False

    def on_progress(self, progress: Progress) -> None:
        """Pass on what its cases allocate; the jobs' cases begin together."""
        if progress.memory is not None:
            self.on_case(progress)

    def go(self, order: bytes) -> bool:
        """Give it the turn; returns whether it gave the turn back."""
        os.write(self.given, order)
        return self.await_turn()

    def end(self) -> None:
        """Kill the job, unless it has ended by itself or is about to."""
        if not self.dismissed and not select.select([self.over], [], [], 0)[0]:
            self.stopped = True
            self.stop.now()

    def await_turn(self) -> bool:
        """Whether it has returned its turn, or never will."""
        ready, _, _ = select.select([self.handed, self.over], [], [])
        self.place = os.read(self.handed, 1) if self.handed in ready else b""
        return self.place != b""


def take_turns(
    jobs: Sequence[Job],
    rounds: int,
    on_case: Callable[[Progress], None],
    first: int = 0,
    rows: Sequence[Sequence[int]] | None = None,
) -> tuple[Outcome, ...]:
    """Launch the jobs and let them measure each case in turn.

    A job has two blocks of each case in a round; rounds with an invalid block are
    repeated, within limits. A case that one job skips is skipped by all. If one job fails,
    all are killed. The job `first` starts. In each of `rows` these jobs measure their next
    case while the others sleep; without rows all jobs have the same number of cases and
    measure all of them together.
    """
    together = rows or [range(len(jobs))] * len(jobs[0].cases)
    with ExitStack() as open_seats:
        scratch = open_seats.enter_context(scratch_directory())
        seats = [
            open_seats.enter_context(_seated(job, scratch / str(at), on_case))
            for at, job in enumerate(jobs)
        ]
        try:
            if all([seat.await_turn() for seat in seats]):
                _all_cases(seats, together, rounds, on_case, first)
        finally:
            for seat in seats:  # all, before any of them is waited for
                seat.end()
    return tuple(_outcome(seat) for seat in seats)


def _all_cases(
    seats: Sequence[_Seat],
    rows: Sequence[Sequence[int]],
    rounds: int,
    on_case: Callable[[Progress], None],
    first: int,
) -> None:
    """Take turns until all cases are measured, or a job fails."""
    for case, row in enumerate(rows):
        on_case(Progress(case + 1, len(rows)))
        taking = [seats[at] for at in row]
        if not all(seat.go(GO_ON) for seat in taking):
            return
        ready = [seat for seat in taking if seat.place == BEFORE_BLOCK]
        if len(ready) == len(taking) and not _all_rounds(taking, rounds, first + case):
            return
        if not all(seat.go(END_CASE) for seat in ready):
            return
    for seat in seats:  # nothing is being measured: all at once
        seat.dismissed = True
        os.write(seat.given, GO_ON)


def _all_rounds(seats: Sequence[_Seat], rounds: int, first: int) -> bool:
    """Take turns until this many rounds are valid; returns whether all jobs are still alive."""
    counted = 0
    for turn in range(ROUNDS_FACTOR * rounds):
        lost = False
        for at in order_of_turns(len(seats), first + turn):
            if not seats[at].go(GO_ON):
                return False
            lost = lost or seats[at].place == AFTER_LOST_BLOCK
        counted += not lost
        if counted == rounds:
            break
    return True


def _outcome(seat: _Seat) -> Outcome:
    if seat.outcome is None:
        raise RuntimeError(f"no outcome of {seat.job.label}")
    if seat.stopped and not seat.outcome.ok:
        return replace(seat.outcome, reason=ENDED_WITH_OTHERS)
    return seat.outcome


@contextmanager
def _seated(job: Job, folder: Path, on_case: Callable[[Progress], None]) -> Iterator[_Seat]:
    """The job running in its own thread; on exit it is killed unless finished."""
    folder.mkdir()
    with ExitStack() as files:

        def opened(descriptor: int) -> int:
            files.callback(os.close, descriptor)
            return descriptor

        for name in ("given", "handed"):
            os.mkfifo(folder / name)
        # Both ends: opening one would wait for the other, and a reader must see the end only when
        # this process has exited.
        given = opened(os.open(folder / "given", os.O_RDWR | os.O_CLOEXEC))
        handed = opened(os.open(folder / "handed", os.O_RDWR | os.O_CLOEXEC))
        over, ended = map(opened, os.pipe())
        seat = _Seat(replace(job, turns=folder), given, handed, over, on_case)
        thread = threading.Thread(target=_run, args=(seat, ended), name=job.label)
        thread.start()
        try:
            yield seat
        finally:
            seat.end()
            thread.join()


def _run(seat: _Seat, ended: int) -> None:
    try:
        seat.outcome = run_job(seat.job, seat.on_progress, seat.stop)
    except Exception as problem:
        seat.outcome = Outcome(False, f"{type(problem).__name__}: {problem}")
    finally:
        os.write(ended, b".")


def check_place(job: Job) -> None:
    """UserError if the job's rank 0 is on another host, unreachable for turns."""
    hosts = job.hosts
    if hosts is None or hosts.made or not job.nodes:
        return
    here = socket.gethostname().partition(".")[0]
    if job.nodes[0].partition(".")[0] not in (here, "localhost") and not _is_here(job.nodes[0]):
        raise UserError(
            f"sides take turns only from their first host, {job.nodes[0]}; this is {here}",
            remedy="run the command there, or measure each side with "
            "`halocline run` and compare the runs",
        )


def _is_here(host: str) -> bool:
    """Whether a name or address is one of this host's."""
    try:
        found = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):  # a label of more than 63 letters
        return False
    for family, kind, _, _, address in found:
        with suppress(OSError), socket.socket(family, kind) as end:
            end.bind(address)
            return True
    return False
