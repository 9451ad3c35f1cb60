"""The guardian's orders and observations of its job. Standard library only."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

TAIL_LINES = 200
ANSWER_BYTES = 8  # of the process that forks guardians: a pid


@dataclass(frozen=True)
class Orders:
    """The front end's orders: the launcher's command and the time limits."""

    command: list[str]
    environment: dict[str, str]
    directory: str
    ranks: int
    pids_are_real: bool  # false in a simulation, where all ranks are one process
    start_s: float
    progress_s: float
    total_s: float


@dataclass(frozen=True)
class Rank:
    """The process of a rank: its own pid, and its pid as seen here (None: not visible)."""

    own: int
    here: int | None
    gone: bool  # before it was met


@dataclass
class Watch:
    """What the guardian knows about its job."""

    orders: Orders
    launcher: int
    began_s: float
    deadline_s: float = 0.0
    deadline_cause: str = ""
    cause: str = ""  # why the job ended
    started: bool = False
    complete: bool = False
    world: int | None = None
    case: int = 0
    cases: int = 0
    status: int | None = None  # of the launcher
    ranks: dict[int, Rank] = field(default_factory=dict)
    # Rank, own pid, wait status, whether it was alive when it was met.
    lost: list[dict[str, int | None]] = field(default_factory=list)
    # Ranks that had begun to end, too, when the first was seen to be lost: rank, own pid.
    ending: list[dict[str, int]] = field(default_factory=list)
    stopped: list[int] = field(default_factory=list)
    mapped: set[Path] = field(default_factory=set)
    tail: deque[str] = field(default_factory=lambda: deque(maxlen=TAIL_LINES))
    errors: list[str] = field(default_factory=list)  # the driver's messages

    @property
    def directory(self) -> Path:
        return Path(self.orders.directory)

    def expect_within(self, limit_s: float, cause: str) -> None:
        """Set the next deadline, limited by that of the whole job."""
        total_s = self.began_s + self.orders.total_s
        self.deadline_s = min(time.monotonic() + limit_s, total_s)
        self.deadline_cause = "total" if self.deadline_s == total_s else cause
