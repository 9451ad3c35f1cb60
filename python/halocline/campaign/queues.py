"""The queues of a run: what is launched together, on which nodes, with which settings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from halocline.base.errors import UserError, UserErrors
from halocline.base.toolchain import Toolchain
from halocline.campaign.openblas import openblas
from halocline.campaign.placement import node_of_rank
from halocline.hosts import Hosts
from halocline.launch.job import Deadlines, Job, Simulation
from halocline.launch.machine import check_fit, machine, simulation
from halocline.specification.cases import Case
from halocline.specification.configuration import (
    Configuration,
    built_name,
    label,
    layout_of,
    value_of,
    variables_of,
)
from halocline.specification.expand import configurations
from halocline.specification.experiment import Experiment

_TOTAL_MINIMUM_S = 600.0
_DEADLINES_IN_TOTAL = 10
_SLOWER_THAN_PLANNED = 20  # a launch that takes this many times its cases' time has hung


@dataclass(frozen=True)
class Queue:
    """The cases of one label on one number of ranks, by their ids."""

    toolchain: Toolchain
    configuration: Configuration
    ranks: int
    cases: Mapping[str, Case]
    hosts: Hosts | None
    node_of_rank: tuple[int, ...]
    simulation: Simulation | None

    @property
    def label(self) -> str:
        """The label of its launches' records."""
        return label(self.toolchain.name, self.configuration)


def queues_of(
    experiment: Experiment,
    cases: Sequence[Case],
    toolchains: Mapping[str, Toolchain],
    hosts: Hosts | None,
    scratch: Path,
) -> tuple[Queue, ...]:
    """The queues, library by library, each with at least one case.

    `toolchains` come from `here.toolchains_of`; files for a simulator are written to `scratch`.
    """
    kinds: dict[tuple[str, Configuration, int], dict[str, Case]] = defaultdict(dict)
    for case in cases:
        kinds[case.mpi, case.configuration, case.ranks][case.id] = case
    queues: list[Queue] = []
    for (mpi, configuration, ranks), own in kinds.items():
        nodes = _nodes(configuration, ranks)
        simulated = None
        if experiment.simulated:
            folder = scratch / str(len(queues))
            folder.mkdir()
            simulated = simulation(machine(experiment.machine), ranks, folder, nodes)
        toolchain = toolchains[built_name(mpi, dict(configuration).get("flags"))]
        named = replace(toolchain, name=mpi)
        queues.append(Queue(named, configuration, ranks, own, hosts, nodes, simulated))
    return tuple(queues)


def check_places(experiment: Experiment, hosts: Hosts | None) -> None:
    """UserErrors for every layout that the hosts or the simulated machine cannot hold."""
    problems: list[UserError] = []
    kinds = (configurations(part, experiment.here) for part in experiment.all_parts)
    for configuration, ranks in dict.fromkeys(kind for of_side in kinds for kind in of_side):
        try:
            nodes = _nodes(configuration, ranks)
            if experiment.simulated:
                check_fit(machine(experiment.machine), ranks, nodes)
        except UserError as problem:
            problems.append(problem)
        wanted = layout_of(configuration, ranks)
        if hosts and wanted.nodes > len(hosts.names):
            problems.append(
                UserError(
                    f"layout {wanted} needs {wanted.nodes} nodes, --hosts gives {len(hosts.names)}",
                    allowed=f"up to {len(hosts.names)} nodes",
                    remedy="choose a smaller layout, or name more hosts",
                )
            )
    if problems:
        raise UserErrors({str(problem): problem for problem in problems}.values())


def job_of(
    queue: Queue,
    experiment: Experiment,
    launch: int,
    cases: Sequence[str],
    case_s: float,
    samples: Path,
) -> Job:
    """A launch of some of the queue's cases, each of which may take `case_s`."""
    deadline_s = experiment.deadline_s
    planned_s = len(cases) * case_s
    nodes = layout_of(queue.configuration, queue.ranks).nodes
    return Job(
        toolchain=queue.toolchain,
        ranks=queue.ranks,
        launch=launch,
        cases=tuple(queue.cases[case].driver_line for case in cases),
        samples=samples,
        # Half of the width requested over launches: the remaining noise within a launch then
        # hardly widens the interval.
        half_width=experiment.half_width / 2,
        case_s=case_s,
        deadlines=Deadlines(
            start_s=deadline_s,
            progress_s=deadline_s,
            total_s=max(
                _TOTAL_MINIMUM_S,
                _DEADLINES_IN_TOTAL * deadline_s,
                _SLOWER_THAN_PLANNED * planned_s,
            ),
        ),
        environment=variables_of(queue.configuration),
        simulation=queue.simulation,
        openblas=None if queue.simulation else openblas(),
        label=queue.label,
        hosts=queue.hosts,
        nodes=queue.hosts.names[:nodes] if queue.hosts else (),
        node_of_rank=queue.node_of_rank,
        binding=value_of(queue.configuration, queue.ranks, "binding"),
        pages=dict(queue.configuration).get("pages", ""),
        launcher_kind=value_of(queue.configuration, queue.ranks, "launcher"),
    )


def _nodes(configuration: Configuration, ranks: int) -> tuple[int, ...]:
    """The node of each rank; none without a layout. UserError for a list that does not fit."""
    if "layout" not in dict(configuration):
        return ()
    placement = value_of(configuration, ranks, "placement")
    return node_of_rank(placement, layout_of(configuration, ranks))
