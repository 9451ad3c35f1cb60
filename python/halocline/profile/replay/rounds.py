"""How repeated calls are replayed in rounds, exact to the byte."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_CANDIDATES = 64  # candidate numbers of rounds


@dataclass(frozen=True)
class Rounds:
    """A repeated body, and a rest that follows once."""

    repeats: int

    def body(self, count: int) -> int:
        """The number of calls in each round."""
        return count // (self.repeats + 1) if self.repeats else 0

    def rest(self, count: int) -> int:
        """The number of calls after all rounds: at least those of one round, for uneven sizes."""
        return count - self.repeats * self.body(count)

    def sizes(self, count: int, total: int) -> tuple[int, Sequence[int]]:
        """The size of each call in a round, and those of the rest, adding up to the total."""
        size = total // count if count else 0
        rest = self.rest(count)
        return size, spread(total - self.repeats * self.body(count) * size, rest)


def spread(total: int, count: int) -> tuple[int, ...]:
    """A total split over a number of calls, as evenly as integers allow; the larger ones first."""
    if not count:
        return ()
    size, more = divmod(total, count)
    return (size + 1,) * more + (size,) * (count - more)


def rounds_of(
    counts: Iterable[int], limits: Sequence[tuple[int, int]] = (), least: Sequence[int] = ()
) -> Rounds:
    """The number of rounds that makes the plan shortest: usually the number of time steps.

    Constraints come first: `limits` has counts of which only a limited number may be in flight;
    `least` has counts of calls that every round needs at least once.
    """
    known: dict[int, int] = {}
    for count in counts:
        known[count] = known.get(count, 0) + 1
    often = sorted(known, key=lambda count: (-known[count], -count))[:_CANDIDATES]
    numbers = {*often, *least, *(count // most for count, most in limits)}
    candidates = [Rounds(0), *(Rounds(count - 1) for count in sorted(numbers) if count > 1)]

    def cost(rounds: Rounds) -> tuple[int, int]:
        over = sum(
            max(0, max(rounds.body(count), rounds.rest(count)) - most) for count, most in limits
        ) + sum(max(0, rounds.repeats + 1 - count) for count in least)
        length = sum(
            times * (rounds.body(count) + rounds.rest(count)) for count, times in known.items()
        )
        return over, length

    return min(candidates, key=cost)
