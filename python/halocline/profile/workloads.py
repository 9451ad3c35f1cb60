"""Profiles of workloads: each case of an experiment has its own launches under the profiler."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as with_values
from pathlib import Path

from halocline.base.errors import NoFigures, RunFailed
from halocline.base.files import file_name
from halocline.base.progress import Reporter
from halocline.base.shell import pasted
from halocline.base.toolchain import Toolchain
from halocline.campaign.engine import Launch, Policy, carry_out, keep_output
from halocline.campaign.log import Log
from halocline.campaign.plan import CASE_MINIMUM_S
from halocline.campaign.queues import Queue, job_of, queues_of
from halocline.campaign.starters import live
from halocline.hosts import Hosts
from halocline.launch.job import Job
from halocline.launch.leftovers import scratch_directory
from halocline.profile import store
from halocline.profile.library import functions
from halocline.profile.run import variables
from halocline.samples.dataset import load as load_samples
from halocline.samples.run_folder import RunFolder, measuring_into
from halocline.specification.cases import AxisValue, Case
from halocline.specification.expand import expand

TIMED = "timed"  # the driver's region around its timed batches; its phases are regions too
_LONGEST = 120  # characters of names built from values


@dataclass(frozen=True)
class CaseProfile:
    """Where the profile of a case's launch is, or will be."""

    case: Case
    launch: int
    folder: Path

    @property
    def recorded(self) -> bool:
        """Whether it is complete."""
        return (self.folder / store.FACTS).is_file()

    @property
    def samples(self) -> Path:
        """The samples that the driver wrote in that launch."""
        return self.folder / "samples.jsonl"


def profiles_of(folder: RunFolder) -> tuple[CaseProfile, ...]:
    """All profiles that the experiment asks for, launch by launch."""
    cases = expand(folder.experiment, folder.catalogue)
    launches = folder.experiment.launches_minimum
    names = _names(cases)
    return tuple(
        CaseProfile(
            case,
            launch,
            folder.path / f"{names[case.id]}{f'-{launch}' if launches > 1 else ''}.profile",
        )
        for launch in range(1, launches + 1)
        for case in cases
    )


def _names(cases: Sequence[Case]) -> dict[str, str]:
    """Names by case id: label and ranks, and the values in which cases differ."""
    values: dict[str, set[AxisValue]] = {}
    for case in cases:
        for axis, value in case.axes:
            values.setdefault(axis, set()).add(value)

    def name(case: Case) -> str:
        differing = (f"{axis}={value}" for axis, value in case.axes if len(values[axis]) > 1)
        words = "-".join([case.workload, case.label, f"{case.ranks}r", *differing])
        fits = len(words) <= _LONGEST
        return file_name(words) if fits else f"{case.workload}-{case.id}"

    return {case.id: name(case) for case in cases}


def record_cases(
    folder: RunFolder,
    toolchains: Mapping[str, Toolchain],
    reporter: Reporter,
    hosts: Hosts | None = None,
) -> tuple[CaseProfile, ...]:
    """Record the profiles missing from the folder; returns all that are complete.

    Interrupted if the user stops it; RunFailed if a launch or a case failed. Profiles of earlier
    launches stay in the folder. A case that a library does not support is reported and skipped.
    """
    resumed = pasted("halocline", "profile", "workload", "--resume", folder.path)
    with measuring_into(folder), scratch_directory() as scratch:
        cases = expand(folder.experiment, folder.catalogue)
        queues = queues_of(folder.experiment, cases, toolchains, hosts, scratch)
        policy = _each(folder, queues, reporter)
        carry_out(policy, live, reporter, Log(folder.path), f"record the rest with {resumed}")
    recorded = tuple(profile for profile in profiles_of(folder) if profile.recorded)
    if not recorded:
        raise NoFigures(
            "no case could be recorded", saved=folder.path, remedy="see the reasons above"
        )
    return recorded


def _each(folder: RunFolder, queues: tuple[Queue, ...], reporter: Reporter) -> Policy[Job]:
    queue_of = {case: queue for queue in queues for case in queue.cases}
    skipped: set[str] = set()
    for wanted in profiles_of(folder):
        if wanted.recorded or wanted.case.id in skipped:
            continue
        job = _job(folder, queue_of[wanted.case.id], wanted)
        done = yield Launch(job.label, wanted.launch, (job,), 1, left=None)
        (outcome,) = done.outcomes
        if not outcome.ok:
            log = folder.jobs / f"{wanted.folder.name}.log"
            keep_output(log, outcome)
            raise RunFailed(
                f"{wanted.case.label} on {wanted.case.ranks} ranks failed: {outcome.reason}",
                saved=folder.path,
                remedy=f"see {log}",
            )
        if reason := _not_measured(wanted):
            reporter.say(f"{wanted.case.workload} with {wanted.case.label}: {reason}")
            shutil.rmtree(wanted.folder)
            skipped.add(wanted.case.id)
            continue
        store.save(store.gather(wanted.folder, 0))


def _job(folder: RunFolder, queue: Queue, wanted: CaseProfile) -> Job:
    """The launch of this case, with a new folder for its profile."""
    if wanted.folder.exists():  # from an interrupted launch
        shutil.rmtree(wanted.folder)
    wanted.folder.mkdir()
    case = wanted.case
    words = [f"{name}={value}" for name, value in case.axes]
    options = [f"--mpi={case.mpi}", f"--ranks={case.ranks}"]
    command = ["halocline", "profile", "workload", case.workload, *words, *options]
    store.write_job(wanted.folder, command, functions())
    experiment = folder.experiment
    job = job_of(queue, experiment, wanted.launch, [case.id], CASE_MINIMUM_S, wanted.samples)
    environment = {**job.environment, **variables(wanted.folder)}
    return with_values(job, environment=environment, name_regions=True)


def _not_measured(wanted: CaseProfile) -> str:
    """Why the driver did not run it; RunFailed if it failed."""
    for record in load_samples(wanted.samples).samples:
        if record.status == "failed":
            raise RunFailed(
                f"{wanted.case.workload} with {wanted.case.label} failed: {record.reason}",
                saved=wanted.folder,
                remedy="`halocline verify` tries it without the profiler",
            )
        if record.status != "measured":
            return f"{record.status}: {record.reason}"
    return ""
