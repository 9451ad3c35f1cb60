"""Error messages: one line with what, where, allowed values, remedy."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


class UserError(Exception):
    """Wrong usage: exit code 2."""

    def __init__(
        self, what: str, *, remedy: str, where: str | None = None, allowed: str | None = None
    ) -> None:
        place = f"{where}: " if where else ""
        permitted = f"; allowed: {allowed}" if allowed else ""
        # Text quoted from a file may have several lines.
        super().__init__(" ".join(f"{place}{what}{permitted}; {remedy}".splitlines()))


class UserErrors(Exception):
    """Several usage errors, reported one per line: exit code 2."""

    def __init__(self, problems: Iterable[UserError]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class RunFailed(Exception):
    """The measured program failed: exit code 1. Names what was saved and how to resume."""

    def __init__(self, what: str, *, remedy: str, saved: Path | None = None) -> None:
        self.what, self.saved = what, saved
        kept = f"; what was measured is saved in {saved}" if saved else ""
        super().__init__(f"{what}{kept}; {remedy}")


class NoFigures(RunFailed):
    """All launches succeeded, but cases have no figure: exit code 1."""


class Undecided(Exception):
    """A gate could not be evaluated: exit code 3, as 1 is a regression."""


class Terminated(KeyboardInterrupt):
    """SIGTERM, as a batch system sends it at the time limit: handled like Ctrl-C."""


def stopped_by(stop: BaseException | None) -> str:
    """The cause of the interruption."""
    return "terminated" if isinstance(stop, Terminated) else "interrupted"


class Interrupted(Exception):
    """Interrupted by a signal: exit code 130 or 143. Names what was saved and how to resume."""

    def __init__(self, stop: KeyboardInterrupt, *, saved: Path, remedy: str) -> None:
        super().__init__(f"{stopped_by(stop)}; what was measured is saved in {saved}; {remedy}")
