"""What connects the nodes of a comparison, if it is not a real network."""

from __future__ import annotations

from collections.abc import Sequence

from halocline.hosts.reachable import between
from halocline.samples.run_folder import RunFolder
from halocline.specification.cases import Case
from halocline.specification.configuration import layout_of
from halocline.summary.summary import made_rate


def made_notes(runs: Sequence[RunFolder], cases: Sequence[Sequence[Case]]) -> tuple[str, ...]:
    """A note for each link between hosts made here that the runs' messages crossed."""
    notes = map(_note, runs, cases)
    return tuple(dict.fromkeys(filter(None, notes)))


def _note(run: RunFolder, cases: Sequence[Case]) -> str:
    rate = made_rate(run.experiment, run.environment)
    apart = any(layout_of(case.configuration, case.ranks).nodes > 1 for case in cases)
    return f"Cases on several nodes ran {between(rate)}." if rate is not None and apart else ""
