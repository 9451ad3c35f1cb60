"""Measure the sides of a comparison, for `compare`, its gate and `selftest`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from datetime import datetime
from functools import cache
from pathlib import Path
from shutil import rmtree
from typing import Any

from halocline.base.errors import UserError
from halocline.base.progress import reporting
from halocline.campaign.pace import Limits
from halocline.campaign.queues import check_places
from halocline.campaign.starters import mock_toolchains, starter
from halocline.campaign.turns import SideRun, measure
from halocline.cli import here
from halocline.cli.measuring import hosts_of, recorded
from halocline.compare.folder import LETTERS, NAME, write
from halocline.compare.folder import limits as limits_in
from halocline.compare.folder import sides as sides_in
from halocline.compare.sides import Side, check_live, matched
from halocline.environment import collect
from halocline.hosts import Hosts
from halocline.samples import run_folder
from halocline.samples.dataset import load
from halocline.samples.run_folder import RunFolder
from halocline.specification.expand import check_available


def measure_sides(
    sides: Sequence[Side], limits: Limits, resolution: float, output: Path | None
) -> Path:
    """Measure sides in turn into a new comparison folder."""
    title = f"compare {' and '.join(dict.fromkeys(side.name for side in sides))}"
    if output:
        run_folder.require_new(output)

    @cache  # reserved when the first side is ready
    def place() -> Path:
        return output or run_folder.reserved(title, datetime.now())

    there, begun = bool(output and output.exists()), list[Path]()

    def created(folder: Path, side: Side, environment: Mapping[str, Any]) -> RunFolder:
        described = {**environment, "catalogue": here.own_catalogue()}
        if not folder.exists():  # else it is another process's
            begun.append(folder)
        return run_folder.create(folder, side.experiment, described)

    def ready() -> None:
        write(place(), sides, resolution, limits)
        begun.clear()

    try:
        _measure(sides, limits, place, created, ready)
    finally:
        if begun:  # a folder that lacks a side cannot be resumed; nothing was measured
            for folder in begun:
                rmtree(folder, ignore_errors=True)
            (place() / NAME).unlink(missing_ok=True)
            if not there:
                with suppress(OSError):
                    place().rmdir()
    return place()


def resume_sides(path: Path, limits: Limits | None = None) -> Path:
    """Resume an interrupted comparison, with its original or other limits."""

    def opened(folder: Path, _: Side, environment: Mapping[str, Any]) -> RunFolder:
        run = run_folder.open_run(folder)
        run_folder.check_same_environment(run, environment, here.catalogue())
        return run

    _measure(sides_in(path), limits or limits_in(path), lambda: path, opened, lambda: None)
    return path


def _measure(
    sides: Sequence[Side],
    limits: Limits,
    place: Callable[[], Path],
    folder_of: Callable[[Path, Side, Mapping[str, Any]], RunFolder],
    on_ready: Callable[[], None],
) -> None:
    with ExitStack() as stack, reporting() as reporter:
        runs = []
        most_nodes = max((side.experiment for side in sides), key=lambda side: side.nodes)
        hosts = stack.enter_context(hosts_of(most_nodes))
        for side, letter in zip(sides, LETTERS, strict=False):
            experiment = side.experiment
            check_live(experiment)
            toolchains = here.toolchains_of(experiment, reporter.say)
            check_available(experiment, here.catalogues_of(experiment, toolchains))
            check_places(experiment, hosts)
            libraries = collect(tuple(toolchains[name] for name in experiment.mpi if toolchains))
            environment = {**libraries, **recorded(hosts)}
            folder = folder_of(place() / letter, side, environment)
            stack.enter_context(run_folder.measuring_into(folder))
            run_folder.end_last_line(folder)
            require_same_nodes(folder, hosts)
            tools = mock_toolchains(experiment) if experiment.mocked else toolchains
            runs.append(SideRun(side.name, folder, tools, hosts, side.delay_share))
        start = starter(*(side.experiment for side in sides))
        cases = matched(sides, runs[0].folder.catalogue)
        on_ready()
        measure(runs, cases, limits, start, reporter)


def require_same_nodes(folder: RunFolder, hosts: Hosts | None) -> None:
    """UserError if the batch system now allocates other nodes than for earlier launches.

    Sides are compared on the same nodes, as others would widen the interval of their ratio. MPI
    may report other names for hosts that the user names.
    """
    if hosts is None or hosts.made or hosts.agent is None or not folder.samples.exists():
        return
    for start in load(folder.samples).starts:
        before = {_short(host) for host in start.hosts}
        if before != {_short(name) for name in hosts.names[: start.nodes]}:
            raise UserError(
                f"{folder.path}: launch {start.launch} was on {', '.join(sorted(before))}, the "
                f"nodes are now {', '.join(hosts.names)}",
                remedy="resume it on the original nodes, or start a new comparison",
            )


def _short(host: str) -> str:
    return host.partition(".")[0].lower()
