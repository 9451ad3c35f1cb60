"""What lies between the nodes of a comparison, if that is no network."""

from __future__ import annotations

from collections.abc import Sequence

from halocline.hosts.reachable import between
from halocline.samples.run_folder import RunFolder
from halocline.specification.configuration import layout_of
from halocline.specification.expand import expand
from halocline.summary.summary import made_rate


def made_notes(runs: Sequence[RunFolder]) -> tuple[str, ...]:
    """A note for each link between hosts made here that messages of the runs took."""
    return tuple(dict.fromkeys(note for run in runs if (note := _note(run))))


def _note(run: RunFolder) -> str:
    rate = made_rate(run.experiment, run.environment)
    cases = expand(run.experiment, run.catalogue)
    apart = any(layout_of(case.configuration, case.ranks).nodes > 1 for case in cases)
    return f"Cases on several nodes are {between(rate)}." if rate is not None and apart else ""
