"""Which launches cannot be pooled with others of their label, or are not as they were written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from halocline.launch.written import Written
from halocline.samples.records import Completion, Failure, Start, launch_key

# What the launches of one label must agree on, or their figures cannot be pooled.
_OF_LABEL = (
    *("library_version", "library_path", "standard", "abi"),
    *("simulated", "clock", "compiler", "flags"),
)
_OF_RANKS = ("nodes", "hosts", "cpus")  # differ with the number of ranks
_NAMES_OF_NODES = "hosts"

Key = tuple[str, int]  # label and launch


def completed(completions: Iterable[Completion], failures: Iterable[Failure]) -> set[Key]:
    """The completed launches."""
    return {launch_key(c) for c in completions} - {launch_key(f) for f in failures}


def left_out(
    starts: Sequence[Start], completions: Iterable[Completion], failures: Iterable[Failure]
) -> dict[Key, str]:
    """Launches that differ from their label's first complete one or started repeatedly, and why."""
    complete = completed(completions, failures)
    begun = Counter(map(launch_key, starts))
    of_label: dict[str, Start] = {}
    of_ranks: dict[tuple[str, int], Start] = {}
    reasons: dict[Key, str] = {}
    for start in sorted(starts, key=lambda start: launch_key(start) not in complete):
        key = launch_key(start)
        if begun[key] > 1:
            reasons[key] = f"it started {begun[key]} times"
            continue
        first = of_label.setdefault(start.label, start)
        reason = _difference(first, start, _OF_LABEL)
        if not reason:
            first = of_ranks.setdefault((start.label, start.ranks), start)
            reason = _difference(first, start, _OF_RANKS)
        if reason:
            reasons[key] = reason
    return reasons


def damaged(
    completions: Sequence[Completion], failures: Iterable[Failure], written: Mapping[Key, Written]
) -> dict[Key, str]:
    """The completed launches whose lines were changed, lost or added, and how this shows."""
    failed = set(map(launch_key, failures))
    times = Counter(map(launch_key, completions))
    reasons: dict[Key, str] = {}
    for completion in completions:
        key = launch_key(completion)
        if key in failed:
            continue  # which says why
        wrong = written.get(key, Written()).differences(vars(completion))
        if times[key] > 1:
            wrong = [f"{times[key]} completion records"]
        if wrong:
            reasons[key] = f"the file does not hold what its driver wrote: {', '.join(wrong)}"
    return reasons


def _difference(first: Start, other: Start, names: Iterable[str]) -> str:
    for name in names:
        before, now = getattr(first, name), getattr(other, name)
        same = _sharing(before) == _sharing(now) if name == _NAMES_OF_NODES else before == now
        if not same:
            return f"{name} {_text(now)}, launch {first.launch} had {_text(before)}"
    return ""


def _sharing(hosts: Sequence[str]) -> list[int]:
    """The ranks of each node by its first one: a run may resume on other nodes of the same kind
    (docs/decisions/0016-batch-script.md).
    """
    return [hosts.index(host) for host in hosts]


def _text(value: object) -> str:
    """`'0 | 1'` for values per rank."""
    return repr(" | ".join(value) if isinstance(value, tuple) else value)
