"""A search space whose candidates have known effects, and a bench that draws launches of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

import pytest

from halocline.campaign.engine import Policy
from halocline.launch.job import Job
from halocline.specification.catalogue import (
    ANY_NUMBER_OF_RANKS,
    Axis,
    Catalogue,
    Protocol,
    Workload,
)
from halocline.specification.experiment import Experiment
from halocline.tune.candidates import Candidate, Space, experiment_of, space_of
from halocline.tune.rungs import Standing
from halocline.tune.search import JobCosts, Outcome, Plan
from halocline.tune.search import search as policy_of
from halocline.tune.settings import Setting

PROTOCOLS = ("send_recv", "isend_irecv", "persistent", *(f"other_{at}" for at in range(17)))
LACKING = "shmem_put"
SETTINGS = (Setting("env.A", ("1", "2")), Setting("env.B", ("0",)))


def catalogue() -> Catalogue:
    axes = (
        Axis("protocol", "protocol"),
        Axis("packing", "choice", default=("rank",), choices=("rank", "box")),
        Axis("words", "integer", "words", 1, 2**20, default=(1, 256, 2**20)),
    )
    return Catalogue(
        version="1",
        mpi_standard="5.0",
        simulated=False,
        workloads=(Workload("exchange", "moves", 1, ANY_NUMBER_OF_RANKS, axes),),
        protocols=(
            *(Protocol(name, "moves", (), True, "") for name in PROTOCOLS),
            Protocol(LACKING, "moves", (), False, "there is no OpenSHMEM"),
        ),
    )


def asked(**changes: object) -> Experiment:
    return Experiment(**{"title": "exchange", "workloads": ("exchange",), **changes})  # type: ignore[arg-type]


def space(experiment: Experiment | None = None, **usual: str) -> Space:
    whole, default = experiment_of(experiment or asked(), catalogue(), SETTINGS, usual)
    return space_of(whole, default, catalogue())


class Drawn:
    """Launches with normal noise: between launches, and more of it in the first rung."""

    def __init__(
        self, space: Space, effects: Mapping[str, float], seed: int, noise: float = 0.01
    ) -> None:
        self._space, self._effects, self._noise = space, effects, noise
        self._source = random.Random(seed)
        self._logs: dict[str, list[float]] = {each.key: [] for each in space.candidates}
        self.spent = 0.0  # seconds
        self.batches: list[tuple[Candidate, ...]] = []
        self.broken: dict[str, str] = {}
        self.disturbed: set[str] = set()  # whose first launch is discarded
        self.launched: dict[str, list[int]] = {each.key: [] for each in space.candidates}  # rungs

    def launch(self, batch: Sequence[Candidate], rung: int, left_s: float) -> Policy[Job]:
        yield from ()  # nothing is launched: it is drawn
        self.batches.append(tuple(batch))
        for each in batch:
            self.launched[each.key].append(rung)
            lost = each.key in self.disturbed and len(self.launched[each.key]) == 1
            if each.key not in self.broken and not lost:
                log = self._effects[each.key] + self._source.gauss(0, self._noise)
                self._logs[each.key].append(log)
        jobs = 1 + len({each.configuration for each in batch})
        rows = len({each.ways for each in batch})
        self.spent += JobCosts.start_s * jobs + JobCosts.case_s * (len(batch) + rows)

    def standings(self) -> Mapping[str, Standing]:
        return {
            key: Standing(
                tuple(logs),
                len(self.launched[key]),
                self._reason(key),
                max(self.launched[key], default=0),
            )
            for key, logs in self._logs.items()
        }

    def within(self) -> float:
        return self._noise

    def spent_s(self) -> float:
        return self.spent

    def costs(self) -> JobCosts | None:
        return JobCosts() if self.batches else None

    @property
    def measured(self) -> int:
        """How many times a candidate was in a launch."""
        return sum(map(len, self.batches))

    def _reason(self, key: str) -> str:
        tried = any(each.key == key for batch in self.batches for each in batch)
        return self.broken.get(key, "") if tried else ""


def search(space: Space, bench: Drawn, plan: Plan, say: Callable[[str], None]) -> Outcome:
    """What the search ends with; nothing is launched."""
    policy = policy_of(space, bench, plan, say)
    with pytest.raises(StopIteration) as end:
        next(policy)
    assert isinstance(end.value.value, Outcome)
    return end.value.value
