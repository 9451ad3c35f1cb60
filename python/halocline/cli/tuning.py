"""Carry out a search and its final comparison, for `tune` and `tune --resume`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halocline.base.errors import Interrupted, RunFailed, UserError
from halocline.base.files import replace as replace_file
from halocline.base.progress import Reporter, reporting
from halocline.base.toolchain import Toolchain
from halocline.campaign.engine import carry_out
from halocline.campaign.log import Log, of_turns
from halocline.campaign.log import read as past_launches
from halocline.campaign.pace import Limits
from halocline.campaign.queues import check_places
from halocline.campaign.starters import mock_toolchains, starter
from halocline.cli import here
from halocline.cli.comparing import measure_sides, resume_sides
from halocline.cli.measuring import hosts_of, keeping
from halocline.compare import folder as comparison
from halocline.compare.comparison import LAUNCHES_MINIMUM, Comparison
from halocline.compare.folder import limits as limits_in
from halocline.compare.sides import Side, check_live
from halocline.environment import collect
from halocline.launch.leftovers import scratch_directory
from halocline.samples import run_folder
from halocline.samples.run_folder import RunFolder
from halocline.specification.catalogue import Catalogue
from halocline.specification.experiment import Experiment
from halocline.tune import files, plan_file, ways
from halocline.tune.bench import Bench
from halocline.tune.candidates import Candidate, Space, space_of
from halocline.tune.plan_file import Asked
from halocline.tune.result import Result, to_json
from halocline.tune.search import (
    FINAL_LAUNCHES_MOST,
    Plan,
    final_launches,
    finalists_of,
    search,
)
from halocline.tune.search import Outcome as Found
from halocline.tune.verdict import judged

_NEVER_S = 1e9  # no problem is left out for time: the choice must be good for all
RESULT = "result.json"

Library = tuple[dict[str, Toolchain], Catalogue]


def begin(experiment: Experiment, asked: Asked, output: Path | None) -> Result:
    """Search into a new folder."""
    check_live(experiment)
    with reporting() as reporter:
        toolchains, catalogue = library_of(experiment, reporter)
        space = space_of(experiment, asked.default, catalogue)
        environment = collect(_used(experiment, toolchains))
        path = output or run_folder.reserved(experiment.title, datetime.now())
        folder = run_folder.create(
            path, experiment, {**environment, "catalogue": here.own_catalogue()}
        )
        plan_file.write(path, asked)
        found, bench = _searched(space, asked, folder, toolchains, reporter)
    return _ended(space, asked, folder, found, bench)


def resume(path: Path, budget_s: float | None = None) -> Result:
    """Resume an interrupted search, optionally with another budget."""
    asked = plan_file.read(path)
    if budget_s is not None:
        asked = replace(asked, budget_s=budget_s)
    folder = run_folder.open_run(path)
    with reporting() as reporter:
        toolchains, catalogue = library_of(folder.experiment, reporter)
        now = collect(_used(folder.experiment, toolchains))
        run_folder.check_same_environment(folder, now, here.catalogue())
        space = space_of(folder.experiment, asked.default, catalogue)
        found, bench = _searched(space, asked, folder, toolchains, reporter)
    return _ended(space, asked, folder, found, bench)


def library_of(experiment: Experiment, reporter: Reporter) -> Library:
    """The experiment's library, ready to run, and its catalogue."""
    toolchains = here.toolchains_of(experiment, reporter.say)
    catalogue = here.catalogues_of(experiment, toolchains)[experiment.mpi[0]]
    return (mock_toolchains(experiment) if experiment.mocked else toolchains), catalogue


def _used(experiment: Experiment, toolchains: Mapping[str, Toolchain]) -> tuple[Toolchain, ...]:
    """The libraries that run MPI, not a mock."""
    return () if experiment.mocked else tuple(toolchains[name] for name in experiment.mpi)


def _searched(
    space: Space,
    asked: Asked,
    folder: RunFolder,
    toolchains: dict[str, Toolchain],
    reporter: Reporter,
) -> tuple[Found, Bench]:
    experiment = space.experiment
    with ExitStack() as stack:
        hosts = stack.enter_context(hosts_of(experiment))
        check_places(experiment, hosts)
        stack.enter_context(run_folder.measuring_into(folder))
        plan_file.write(folder.path, asked)  # a resumed search may have another budget
        scratch = stack.enter_context(scratch_directory())
        log = Log(folder.path)
        bench = Bench(space, folder, toolchains, log, scratch, hosts)
        policy = search(space, bench, Plan(asked.budget_s), reporter.say)
        remedy = plan_file.resume_remedy(folder.path)
        found = carry_out(policy, starter(experiment), reporter, log, remedy)
        return found, bench


def _ended(space: Space, asked: Asked, folder: RunFolder, found: Found, bench: Bench) -> Result:
    """Compare the finalists with the default, and write the result."""
    path = folder.path
    finalists = finalists_of(space, found)
    tables: list[NDArray[np.float64]] = []
    pairs: tuple[Comparison, ...] = ()
    compared = path
    if finalists:
        launches = final_launches(space, found, bench, asked.budget_s, asked.resolution)
        left_s = asked.budget_s - bench.spent_s()
        compared, tables = _compared(space, finalists, launches, left_s, asked.resolution, path)
        pairs = comparison.read(compared, asked.resolution)
    verdict = judged(space.default, finalists, tables, asked.resolution)
    draft = Result(path, space, found, bench.standings(), verdict, bench.spent_s(), {})
    if not draft.measured:
        reasons = Counter(draft.left_out.values()).most_common(1)
        raise RunFailed(
            f"no candidate could be measured: {reasons[0][0] if reasons else 'no candidates'}",
            saved=path,
            remedy="fix that, then tune again",
        )
    chosen = space.default if verdict.recommended is None else finalists[verdict.recommended]
    written = files.write(path, space.experiment, space.default, chosen, draft.sentence)
    if verdict.outcome != "unknown":
        written |= _ways(chosen, draft, bench)
    pages = {"report": _page(draft, pairs, compared)} if pairs else {}
    result = replace(draft, files={**written, **pages})
    replace_file(path / RESULT, json.dumps(to_json(result), indent=1) + "\n")
    return result


def _ways(chosen: Candidate, draft: Result, bench: Bench) -> dict[str, Path]:
    """The library's file of ways, where what was tuned is the library's to choose."""
    text = ways.text(draft.space, chosen, bench.samples, draft.sentence)
    if text is None:
        return {}
    replace_file(draft.path / ways.NAME, text)
    return {"ways": draft.path / ways.NAME}


def _page(draft: Result, pairs: Sequence[Comparison], compared: Path) -> Path:
    with keeping(draft.path, plan_file.resume_remedy(draft.path)):
        # Imported late: it takes half a second, which must not delay the search.
        from halocline.report.tuned import write_tuned  # noqa: PLC0415

        return write_tuned(draft, pairs, comparison.runs(compared), compared / "report.html")


def _compared(
    space: Space,
    finalists: Sequence[Candidate],
    launches: int,
    left_s: float,
    resolution: float,
    path: Path,
) -> tuple[Path, list[NDArray[np.float64]]]:
    """The folder of the final comparison, resumed or new, and its tables.

    Discarded launches are repeated while time allows, up to the maximum.
    """
    every = (space.default, *finalists)
    sides = tuple(side_of(space, each) for each in every)
    final = path / "final"
    number = 1
    while final.exists() and not _is_of(final, sides):
        number += 1
        final = path / f"final-{number}"
    try:
        if final.exists():
            resume_sides(final, _exactly(max(launches, limits_in(final).launches_minimum)))
        else:
            measure_sides(sides, _exactly(launches), resolution, final)
        launched = -1
        while True:
            tables = comparison.logs(final)[0]
            past = of_turns(past_launches(final))
            if len(past) == launched:  # what cannot be measured is not launched again
                return final, tables
            launched = len(past)
            had = sum(each.whole for each in past)
            missing = LAUNCHES_MINIMUM - _usable(tables)
            over = sum(each.took_s for each in past) >= left_s
            if missing <= 0 or had >= FINAL_LAUNCHES_MOST or over:
                return final, tables
            resume_sides(final, _exactly(min(had + missing, FINAL_LAUNCHES_MOST)))
    except Interrupted as stopped:
        stop = stopped.__cause__
        assert isinstance(stop, KeyboardInterrupt)
        raise Interrupted(stop, saved=path, remedy=plan_file.resume_remedy(path)) from stop
    except RunFailed as failed:
        problem = f"the final comparison: {failed.what}"
        resumed = plan_file.resume_remedy(path)
        remedy = f"see what its sides printed in {final}, fix the cause, and {resumed}"
        raise RunFailed(problem, saved=path, remedy=remedy) from failed


def _exactly(launches: int) -> Limits:
    return Limits(launches, launches, _NEVER_S)


def _usable(tables: Sequence[NDArray[np.float64]]) -> int:
    """Launches complete for all sides and problems: the best is also compared with the others."""
    return int(np.isfinite(np.hstack(tables)).all(axis=1).sum())


def _is_of(final: Path, sides: Sequence[Side]) -> bool:
    """Whether the folder is a comparison of these sides."""
    try:
        return comparison.names(final) == tuple(side.name for side in sides)
    except UserError:  # from another version, or damaged: keep it, start a new one
        return False


def side_of(space: Space, candidate: Candidate) -> Side:
    """A candidate, or the default, as a side of a comparison."""
    part = files.part_of(candidate, candidate.name(space.default))
    experiment = replace(
        space.experiment,
        title=part.title,
        parts=(),
        workloads=part.workloads,
        ranks=part.ranks,
        axes=part.axes,
        configuration=part.configuration,
    )
    return Side(part.title, experiment, space.keys | {"mpi", "machine"})
