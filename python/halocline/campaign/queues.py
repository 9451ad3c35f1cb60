"""The queues of a run: what is launched together, on which nodes, with which settings."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from halocline.base.errors import UserError, UserErrors
from halocline.base.paths import expanded
from halocline.base.toolchain import Toolchain
from halocline.hosts import Hosts
from halocline.launch.job import Deadlines, Job, Simulation
from halocline.launch.machine import check_fit, machine, simulation
from halocline.specification.cases import Case
from halocline.specification.configuration import (
    FILE,
    Configuration,
    Layout,
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
SLOWER_THAN_PLANNED = 20  # a launch that takes this many times its cases' time has hung
OPENBLAS_VARIABLE = "HALOCLINE_OPENBLAS"
_OPENBLAS_PACKAGE = "scipy_openblas32"
_OPENBLAS_FILE = "lib/libscipy_openblas.so"
_RANKS = re.compile(r"(\d{1,7})(?:-(\d{1,7}))?")
_PLACEMENT_FORM = "ranks and ranges of them, as in 0,4,1-3"


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
                SLOWER_THAN_PLANNED * planned_s,
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
        path=experiment.path,
        pages=dict(queue.configuration).get("pages", ""),
        launcher_kind=value_of(queue.configuration, queue.ranks, "launcher"),
    )


def _nodes(configuration: Configuration, ranks: int) -> tuple[int, ...]:
    """The node of each rank; none without a layout. UserError for a list that does not fit."""
    if "layout" not in dict(configuration):
        return ()
    placement = value_of(configuration, ranks, "placement")
    return node_of_rank(placement, layout_of(configuration, ranks))


def openblas() -> Path | None:
    """The file that $HALOCLINE_OPENBLAS names, else that of the package scipy-openblas32.

    None if there is neither: then the driver looks for the system's.
    """
    if named := os.environ.get(OPENBLAS_VARIABLE):
        return Path(named)
    package = find_spec(_OPENBLAS_PACKAGE)
    folders = (package.submodule_search_locations if package else None) or ()
    files = (Path(folder) / _OPENBLAS_FILE for folder in folders)
    return next((file for file in files if file.exists()), None)


def node_of_rank(placement: str, layout: Layout) -> tuple[int, ...]:
    """The node of each rank, from 0 on; UserError if a file places them otherwise.

    smp fills node after node, wrap distributes the ranks round-robin, folded forwards
    and backwards alternately. A file lists the ranks in the order in which they fill the nodes.
    """
    nodes, ranks = layout.nodes, range(layout.ranks)
    match placement:
        case "smp":
            return tuple(rank // layout.ranks_per_node for rank in ranks)
        case "wrap":
            return tuple(rank % nodes for rank in ranks)
        case "folded":
            turns = (divmod(rank, nodes) for rank in ranks)
            return tuple(at if turn % 2 == 0 else nodes - 1 - at for turn, at in turns)
    return _from_file(expanded(placement.removeprefix(FILE)), layout)


def _from_file(path: Path, layout: Layout) -> tuple[int, ...]:
    nodes: dict[int, int] = {}
    for place, rank in enumerate(_order(path)):
        if rank in nodes or rank >= layout.ranks:
            problem = (
                f"rank {rank} is listed twice" if rank in nodes else f"there is no rank {rank}"
            )
            raise _wrong_placement(path, problem, layout)
        nodes[rank] = place // layout.ranks_per_node
    missing = next((rank for rank in range(layout.ranks) if rank not in nodes), None)
    if missing is not None:
        raise _wrong_placement(path, f"rank {missing} is missing", layout)
    return tuple(nodes[rank] for rank in range(layout.ranks))


def _order(path: Path) -> Iterator[int]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UserError(
            f"the placement {path} cannot be read: {why}",
            allowed=_PLACEMENT_FORM,
            remedy="check the path",
        ) from None
    for number, line in enumerate(lines, start=1):
        for word in re.split(r"[,\s]+", line.partition("#")[0].strip(", \t")):
            match = _RANKS.fullmatch(word)
            if match:
                yield from range(int(match[1]), int(match[2] or match[1]) + 1)
            elif word:
                raise UserError(
                    f"{word!r} is not a rank",
                    where=f"{path}:{number}",
                    allowed=_PLACEMENT_FORM,
                    remedy="list every rank once, node after node",
                )


def _wrong_placement(path: Path, what: str, layout: Layout) -> UserError:
    return UserError(
        what,
        where=str(path),
        allowed=f"each of 0 to {layout.ranks - 1} once for layout {layout}",
        remedy="list every rank once, node after node",
    )
