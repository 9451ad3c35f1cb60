"""Whether ranks calling MPI in a given order can deadlock. Each call is as strict as MPI allows, so
sends wait for their receives."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from halocline.base.errors import UserError

_AT_ONCE = ("Test", "Testall", "Testany", "Testsome", "Iprobe", "Put", "Get")
_Key = tuple[int, int, int, int]  # communicator, sender, receiver, tag
_Ending = tuple[str, tuple[int, ...], int]  # what must have been posted, and how many times


class PlannedCall(Protocol):
    """A call with its arguments."""

    @property
    def function(self) -> str: ...
    @property
    def values(self) -> tuple[int, ...]: ...


def check_order(
    calls: Mapping[int, Sequence[PlannedCall]],
    members: Sequence[tuple[int, ...]],
    prepared: Mapping[int, Sequence[PlannedCall]] | None = None,
    windows: Sequence[tuple[int, int]] = (),
    where: str | None = None,
) -> None:
    """UserError if some ranks would deadlock.

    `prepared`: the calls that create each rank's persistent requests, in order; `windows`: the
    communicator and the bytes of each.
    """
    machine = _Machine(members, prepared or {}, windows)
    ranks = {rank: machine.run(rank, own) for rank, own in calls.items()}
    going = dict(ranks)
    while going:
        before = machine.progress
        for rank, steps in list(going.items()):
            if next(steps, "ended") == "ended":
                del going[rank]
                machine.progress += 1
        if machine.progress == before:
            raise UserError(
                f"no order without deadlock exists for the calls of "
                f"ranks {', '.join(map(str, sorted(going)[:8]))}",
                where=where,
                remedy="report it, with the profile",
            )


class _Machine:
    """Everything posted so far, on all ranks."""

    def __init__(
        self,
        members: Sequence[tuple[int, ...]],
        prepared: Mapping[int, Sequence[PlannedCall]],
        windows: Sequence[tuple[int, int]],
    ) -> None:
        # Fences synchronise separately from collectives on the window's communicator.
        self._members = [*members, *(members[communicator] for communicator, _ in windows)]
        self._first_window = len(members)
        self._prepared = prepared
        self._sends: dict[_Key, int] = defaultdict(int)
        self._receives: dict[_Key, int] = defaultdict(int)
        self._arrived: dict[tuple[int, int], int] = defaultdict(int)
        self.progress = 0

    def run(self, rank: int, calls: Sequence[PlannedCall]) -> Iterator[str]:
        """Make a rank's calls; yield whenever one has to wait."""
        requests: list[list[_Ending]] = []
        sequence: dict[int, int] = defaultdict(int)
        for call in calls:
            self.progress += 1
            if call.function in ("Wait", "Waitany", "Waitsome", "Waitall"):
                taken = call.values[0] if call.values else 1
                endings = [ending for request in requests[:taken] for ending in request]
                del requests[:taken]
            elif call.function in _AT_ONCE or call.function.endswith("_init"):
                continue
            elif call.function.startswith("Start"):
                requests += [self._started(rank, number) for number in call.values]
                continue
            else:
                endings = self._posted(rank, call, sequence)
                if call.function.startswith("I"):
                    requests.append(endings)
                    continue
            while not all(map(self._is_over, endings)):
                yield "waits"

    def _started(self, rank: int, number: int) -> list[_Ending]:
        request = self._prepared[rank][number]
        if request.function == "Recv_init":
            return self._taken(rank, request.values)
        return self._sent(rank, request.values)

    def _posted(self, rank: int, call: PlannedCall, sequence: dict[int, int]) -> list[_Ending]:
        name, values = call.function, call.values
        if name == "Sendrecv":
            return [*self._sent(rank, values[:4]), *self._taken(rank, (values[0], *values[4:]))]
        if name.lower().endswith("send"):
            return self._sent(rank, values)
        if name.lower().endswith("recv"):
            return self._taken(rank, values)
        communicator = values[0] + (self._first_window if name == "Win_fence" else 0)
        sequence[communicator] += 1
        key = (communicator, sequence[communicator])
        self._arrived[key] += 1
        return [("all", key, len(self._members[communicator]))]

    def _sent(self, rank: int, values: tuple[int, ...]) -> list[_Ending]:
        communicator, peer, tag, _ = values
        if peer < 0:
            return []
        key = (communicator, rank, self._members[communicator][peer], tag)
        self._sends[key] += 1
        return [("received", key, self._sends[key])]

    def _taken(self, rank: int, values: tuple[int, ...]) -> list[_Ending]:
        communicator, _, tag, _, sender, _ = values
        if sender < 0:
            return []
        key = (communicator, sender, rank, tag)
        self._receives[key] += 1
        return [("sent", key, self._receives[key])]

    def _is_over(self, ending: _Ending) -> bool:
        condition, key, times = ending
        if condition == "all":
            return self._arrived[key] >= times  # type: ignore[index]
        posted = self._receives if condition == "received" else self._sends
        return posted[key] >= times  # type: ignore[index]
