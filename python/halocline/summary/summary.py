"""The results of a run: a figure with its interval for every case, or why it is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from halocline.hosts.reachable import MADE_HOSTS, RATE, UP, between
from halocline.samples.agreement import completed
from halocline.samples.dataset import Dataset, load
from halocline.samples.left_out import NO_TIME, LeftOut, read
from halocline.samples.pictures import Picture
from halocline.samples.records import Samples, Wire, launch_key
from halocline.samples.run_folder import open_run
from halocline.samples.under_load import FEWER_RANKS, took
from halocline.specification.cases import Case
from halocline.specification.configuration import keys_of
from halocline.specification.expand import expand
from halocline.specification.experiment import MADE, Experiment
from halocline.summary import phases
from halocline.summary.bounds import Bounds
from halocline.summary.effects import Effect, effects
from halocline.summary.effects import to_json as effects_json
from halocline.summary.esmf import smallest_mean
from halocline.summary.metrics import Metric, of_case
from halocline.summary.phases import OfBound, PhaseSummary, UsualBatch
from halocline.summary.shares import REDISTRIBUTION, Measured, Shares

SCHEMA = 1
REFUSED_SHARE = 0.5  # of the batches preempted: above this, the rest is a biased sample

Status = Literal["measured", "skipped", "refused", "failed"]


@dataclass(frozen=True)
class Pair:
    """Two ranks that communicated; None if it is unknown whether they share a node."""

    ranks: tuple[int, int]
    off_node: bool | None


@dataclass(frozen=True)
class CaseSummary:
    """A case and its status; metrics only if it was measured."""

    case: Case
    status: Status
    reason: str
    preempted_share: float
    metrics: tuple[Metric, ...] = ()
    displaced_share: float = 0.0
    figures_s: Mapping[int, float] = field(default_factory=dict)  # time by turn
    pairs: tuple[Pair, ...] = ()
    wire: Wire | None = None  # over all launches; None on one node
    phases: tuple[PhaseSummary, ...] = ()
    usual_batch: UsualBatch | None = None  # with its phases
    of_bound: OfBound | None = None  # the share of what bounds it, in the same launches
    picture_missing: str = ""  # why no launch could keep a picture
    unbounded: tuple[str, ...] = ()  # what to measure for shares of bounds that are not known

    @property
    def left_out(self) -> bool:
        """Whether it has no figure because the budget was spent."""
        return self.status == "skipped" and self.reason.startswith(NO_TIME)

    @property
    def timed(self) -> bool:
        """Whether launches timed it, even if that gave no figure."""
        return self.status in ("measured", "refused")

    def metric(self, name: str) -> Metric | None:
        """The metric of that name, if the case has it."""
        return next((metric for metric in self.metrics if metric.name == name), None)


@dataclass(frozen=True)
class Library:
    """The environment of one label's launches, as reported by the driver."""

    library_version: str
    library_path: str
    standard: str
    abi: str
    compiler: str
    flags: str
    clock: str
    clock_cost_s: float
    nodes: int
    hosts: tuple[str, ...]
    cpus: tuple[str, ...]
    launches: int
    line_s: float | None  # usual cache-line latency between the ranks' cores; None if not probed
    other_hosts: tuple[str, ...] = ()  # of later launches


@dataclass(frozen=True)
class Summary:
    """Everything a report needs from a run."""

    path: Path
    title: str
    machine: str
    experiment: str  # as TOML
    half_width: float
    started: str
    complete: bool
    libraries: Mapping[str, Library]
    failures: tuple[str, ...]
    displaced_share: float  # of all launches of the timed cases
    environment: Mapping[str, Any]
    cases: tuple[CaseSummary, ...]
    effects: tuple[Effect, ...] = ()
    notes: tuple[str, ...] = ()  # for readers of the report
    left_out: tuple[LeftOut, ...] = ()
    made_rate: str | None = None  # between hosts made here, empty if unknown; None: real nodes
    side: str = ""  # its name in a comparison
    pictures: Mapping[str, Picture] = field(default_factory=dict)  # by case, for reports

    @cached_property  # asked for by each of thousands of cases
    def name(self) -> str:
        """Its name among several runs."""
        nameless = self.path.name in ("", "..")  # as `.` is; a link keeps its own name
        return self.side or (self.path.resolve() if nameless else self.path).name

    @property
    def between(self) -> str:
        """The link between its nodes, as text."""
        return between(self.made_rate)

    @cached_property  # asked for by each of thousands of cases
    def swept(self) -> tuple[str, ...]:
        """The configuration keys with a non-default value in some case."""
        return keys_of(summary.case.configuration for summary in self.cases)


def of_run(path: Path) -> Summary:
    """The summary of a run folder; UserError if it is not one or its files are damaged."""
    folder = open_run(path)
    cases = expand(folder.experiment, folder.catalogue)
    return summarise(
        load(folder.samples), cases, folder.experiment, folder.environment, read(folder.path)
    )


def summarise(
    dataset: Dataset,
    cases: Sequence[Case],
    experiment: Experiment,
    environment: Mapping[str, Any],
    left_out: Sequence[LeftOut] = (),
) -> Summary:
    """Summarise the dataset case by case, in the order given."""
    load = _load(environment)
    no_time = {case: part.reason for part in left_out for case in part.cases}
    measured = tuple(
        _with_why(_case(dataset, case, experiment.launches_minimum, load), no_time.get(case.id))
        for case in cases
    )
    bounds = Bounds([(summary.case, summary.metrics) for summary in measured], environment)
    rate = made_rate(experiment, environment)
    shares = Shares(
        [Measured(summary.case, summary.figures_s) for summary in measured], bounds, rate
    )
    summaries = tuple(
        _with_share(_with_phases(dataset, summary, bounds), shares) for summary in measured
    )
    return Summary(
        path=dataset.path.parent,
        title=experiment.title,
        machine=experiment.machine,
        experiment=experiment.toml(),
        half_width=experiment.half_width,
        started=min((start.started for start in dataset.starts), default=""),
        complete=not any(summary.reason.startswith("partial:") for summary in summaries),
        libraries={label: _library(dataset, label) for label in dataset.labels},
        failures=_failures(dataset),
        displaced_share=_mean([each.displaced_share for each in measured if each.timed]),
        environment=environment,
        cases=summaries,
        effects=effects(experiment, [(summary.case, summary.figures_s) for summary in summaries]),
        notes=experiment.notes,
        left_out=tuple(left_out),
        made_rate=rate,
    )


def made_rate(experiment: Experiment, environment: Mapping[str, Any]) -> str | None:
    """The rate between hosts made here, empty if unknown; None for real nodes.

    Older runs recorded no rate: those with temporary hosts had the default one.
    """
    if isinstance(made_hosts := environment.get(MADE_HOSTS), dict):
        return str(made_hosts.get("rate", ""))
    return {MADE: RATE, UP: ""}.get(experiment.hosts)


def to_json(summary: Summary) -> dict[str, Any]:
    """The summary in its JSON schema."""
    return {
        "schema": SCHEMA,
        "run": {
            "path": str(summary.path),
            "title": summary.title,
            "machine": summary.machine,
            "half_width": summary.half_width,
            "started": summary.started,
            "complete": summary.complete,
            "launches": {name: library.launches for name, library in summary.libraries.items()},
            "libraries": {name: asdict(library) for name, library in summary.libraries.items()},
            "failures": list(summary.failures),
            "displaced_share": summary.displaced_share,
            "notes": list(summary.notes),
            "left_out": [{**asdict(part), "reason": part.reason} for part in summary.left_out],
        },
        "environment": dict(summary.environment),
        "cases": [_case_json(case, summary.swept) for case in summary.cases],
        "effects": effects_json(summary.effects),
    }


def _case_json(summary: CaseSummary, swept: Sequence[str]) -> dict[str, Any]:
    case = summary.case
    return {
        "id": case.id,
        "workload": case.workload,
        "axes": {**dict(case.axes), **case.settings(swept)},
        "machine": case.machine,
        "mpi": case.mpi,
        "ranks": case.ranks,
        "status": summary.status,
        "reason": summary.reason,
        "pairs": [asdict(pair) for pair in summary.pairs],
        "path": asdict(summary.wire) if summary.wire else None,
        "metrics": [asdict(metric) for metric in summary.metrics],
        "phases": phases.to_json(summary.phases),
        "of_bound": asdict(summary.of_bound) if summary.of_bound else None,
        "unbounded": list(summary.unbounded),
    }


def _failures(dataset: Dataset) -> tuple[str, ...]:
    return (
        *(
            f"launch {failure.launch} of {failure.label}: {failure.reason}"
            for failure in dataset.failures
        ),
        *(
            f"launch {launch} of {label} left out: {reason}"
            + (
                "; restore it from a copy, or delete this launch's lines and resume the run"
                if (label, launch) in dataset.damaged
                else ""
            )
            for (label, launch), reason in sorted(dataset.left_out.items())
        ),
    )


def _library(dataset: Dataset, label: str) -> Library:
    start = dataset.start(label)
    launches = dataset.launches_completed(label)
    if start is None:  # no launch reached its start record
        return Library("", "", "", "", "", "", "", 0.0, 0, (), (), launches, None)
    return Library(
        library_version=start.library_version,
        library_path=start.library_path,
        standard=start.standard,
        abi=start.abi,
        compiler=start.compiler,
        flags=start.flags,
        clock=start.clock,
        clock_cost_s=start.clock_cost_s,
        nodes=start.nodes,
        hosts=start.hosts,
        cpus=start.cpus,
        launches=launches,
        line_s=dataset.usual_lines_s.get((label, start.ranks)),
        other_hosts=tuple(host for host in dataset.hosts(label) if host not in start.hosts),
    )


def _load(environment: Mapping[str, Any]) -> str:
    """The load recorded when the run started, as text; empty if not recorded."""
    load = environment.get("scheduling", {}).get("load")
    return f" (load {load[0]} when the run started)" if load else ""


def _case(dataset: Dataset, case: Case, launches_minimum: int, load: str) -> CaseSummary:
    records = dataset.case_samples(case.id)
    share = dataset.preempted_share(case.id)
    displaced_share = dataset.displaced_share(case.id)

    def became(status: Status, reason: str) -> CaseSummary:
        return CaseSummary(case, status, reason, share, displaced_share=displaced_share)

    for status in ("failed", "skipped"):
        reason = next((record.reason for record in records if record.status == status), None)
        if reason is not None:
            return became(status, reason)
    if not records:
        return became(*_unreached(dataset, case, launches_minimum))
    launches = dataset.usable(case.id)
    if displaced_share == 1:
        return became(
            "refused",
            "in every launch the ranks' cores were at another distance than in most of this "
            "library's launches; resume the run, or pin the cores of this virtual machine",
        )
    lost = dataset.shares_lost(case.id)
    own_ranks = dataset.shares_cores(case.id)
    remedy = f"; {FEWER_RANKS}" if own_ranks else f"{load}; measure again on an idle node"
    if share > REFUSED_SHARE or not (launches or lost):
        batches = f"{100 * share:.0f} % of the batches"
        if own_ranks:
            preempted = f"ranks sharing cores preempted one another in {batches}"
        else:
            preempted = _spoiled(records, batches)
        return became("refused", preempted + remedy)
    if not launches:
        return became("refused", took(_mean(lost), own_ranks=own_ranks) + remedy)
    lacks = len(launches) < launches_minimum
    reason = f"partial: {len(launches)} of {launches_minimum} launches" if lacks else ""
    if lacks and lost:
        reason += (
            f"; in {len(lost)} ranks sharing cores waited for each other too long"
            if own_ranks
            else f"; in {len(lost)} other work took too much of the time"
        )
    return CaseSummary(
        case,
        "measured",
        reason,
        share,
        _metrics(case, launches, share, displaced_share),
        displaced_share,
        dataset.figures_by_turn(case.id),
        _pairs(dataset, launches[0]),
        _wire(records),
        picture_missing=next(filter(None, (record.picture_missing for record in records)), ""),
    )


def _metrics(
    case: Case, launches: Sequence[Samples], share: float, displaced_share: float
) -> tuple[Metric, ...]:
    """The metrics of a case; a redistribution also has the paper's figure."""
    metrics = of_case(launches, share, displaced_share)
    if case.workload != REDISTRIBUTION:
        return metrics
    paper = smallest_mean(sorted(launches, key=lambda each: each.launch), metrics[0])
    return (*metrics, paper) if paper else metrics


def _with_phases(dataset: Dataset, summary: CaseSummary, bounds: Bounds) -> CaseSummary:
    """Add the phases, bounded by the kernels of the same run."""
    launches = dataset.usable(summary.case.id) if summary.status == "measured" else ()
    if not launches or not launches[0].phases:
        return summary
    parts = phases.of_case(summary.case, launches, bounds, dataset.turns)
    reading = [part.resident_bytes for part in parts if part.bandwidth]
    return replace(
        summary,
        phases=parts,
        usual_batch=phases.usual_batch(launches),
        unbounded=bounds.missing(summary.case, reading),
    )


def _with_share(summary: CaseSummary, shares: Shares) -> CaseSummary:
    if not summary.figures_s:
        return summary
    measured = Measured(summary.case, summary.figures_s)
    share = shares.of(measured)
    missing = () if share else shares.missing(measured)
    return replace(summary, of_bound=share, unbounded=(*summary.unbounded, *missing))


def _wire(records: Sequence[Samples]) -> Wire | None:
    """Payload between nodes over all launches of a case, and the bytes on the interfaces."""
    wires = [record.wire for record in records if record.wire is not None]
    if not wires:
        return None
    return Wire(sum(w.payload_bytes for w in wires), sum(w.wire_bytes for w in wires))


def _pairs(dataset: Dataset, samples: Samples) -> tuple[Pair, ...]:
    """The pairs of a case, and whether the launch had them on one node."""
    if not samples.pairs:
        return ()
    hosts = next(s.hosts for s in dataset.starts if launch_key(s) == launch_key(samples))

    def off_node(ranks: tuple[int, int]) -> bool | None:
        return hosts[ranks[0]] != hosts[ranks[1]] if max(ranks) < len(hosts) else None

    return tuple(Pair(ranks, off_node(ranks)) for ranks in samples.pairs)


def _with_why(summary: CaseSummary, no_time: str | None) -> CaseSummary:
    """Status and reason of a case that lacks launches."""
    if no_time is None or not summary.reason.startswith("partial:"):
        return summary
    status: Status = "measured" if summary.status == "measured" else "skipped"
    few = f", after {summary.reason.removeprefix('partial: ')}" if status == "measured" else ""
    return replace(summary, status=status, reason=f"{no_time}{few}")


def _spoiled(records: Sequence[Samples], batches: str) -> str:
    """What kept these batches from counting, as far as it was measured."""
    preempted = any(record.preempted.any() for record in records)
    late = any((record.late_s > record.late_allowed_s).any() for record in records)
    if not late:
        return f"{batches} were preempted by other work"
    if not preempted:
        return f"a rank began {batches} too late"
    return f"{batches} were preempted by other work, or a rank began them too late"


def _unreached(dataset: Dataset, case: Case, launches_minimum: int) -> tuple[Status, str]:
    lacking = f"partial: 0 of {launches_minimum} launches"
    if reason := dataset.cases_left_out.get(case.id):
        return "skipped", f"{lacking}: left out: {reason}"
    if reason := _why_never_reached(dataset, case):
        return "failed", f"{lacking}: {reason}"
    return "skipped", f"{lacking}: not reached yet; resume the run"


def _why_never_reached(dataset: Dataset, case: Case) -> str:
    """Why no launch for the case reached it; "" if none has failed, or a later one completed."""
    ranks = {launch_key(start): start.ranks for start in dataset.starts}
    alike = {key for key in ranks if key[0] == case.label and ranks[key] == case.ranks}
    last = 0
    reason = ""
    for failure in dataset.failures:
        key = launch_key(failure)
        # Without a start record it is unknown on how many ranks it failed.
        mine = key in alike or (key not in ranks and key[0] == case.label)
        if mine and not failure.reason.startswith(("interrupted", "terminated")):
            last, reason = failure.launch, failure.reason
    whole = completed(dataset.completions, dataset.failures) & alike
    return "" if any(launch > last for _, launch in whole) else reason


def _mean(shares: Sequence[float]) -> float:
    return sum(shares) / len(shares) if shares else 0.0
