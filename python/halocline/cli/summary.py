"""`halocline summary`: the figures of a run as a table, as CSV, or as JSON for programs."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from halocline.base.errors import UserError
from halocline.base.units import listed, size_text, sizes_bytes
from halocline.cli.summary_table import show
from halocline.summary.summary import CaseSummary, Summary, of_run, to_json

_FIELDS: dict[str, Callable[[CaseSummary], str]] = {
    "workload": lambda each: each.case.workload,
    "mpi": lambda each: each.case.mpi,
    "ranks": lambda each: str(each.case.ranks),
    "status": lambda each: each.status,
}
_MOST_NAMED = 12
_METRIC = ("name", "unit", "median", "low", "high", "minimum", "launches", "samples")


def summary(
    run: Annotated[Path, typer.Argument(help="A run's folder.", show_default=False)],
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[name=value]...", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print CSV: one line per quantity and case.")
    ] = False,
) -> None:
    """Print the figures of a run: medians and 95 % intervals over launches.

    Words like protocol=send_recv select cases, by workload, mpi, ranks, status, axis or setting.

    Example: halocline summary runs/20261121-110000-survey workload=pingpong bytes=8
    """
    if as_json and as_csv:
        raise UserError("--json and --csv together", remedy="give one of them")
    chosen = _chosen(of_run(run), words or ())
    if as_json:
        print(json.dumps(to_json(chosen), indent=1, allow_nan=False))
    elif as_csv:
        _write_csv(to_json(chosen)["cases"])
    else:
        show(chosen)


def _chosen(whole: Summary, words: Sequence[str]) -> Summary:
    """The summary of the selected cases; UserError if none match."""
    if not words:
        return whole
    for word in words:
        name, equals, value = word.partition("=")
        known = {key for case in whole.cases for key in _values(case, whole.swept)}
        if not equals or name not in known:
            raise UserError(
                f"{word!r} matches no case of {whole.path}",
                allowed=", ".join(f"{key}=…" for key in sorted(known)),
                remedy="write for example workload=pingpong",
            )
        wanted = _wanted(name, value)
        kept = [case for case in whole.cases if _values(case, whole.swept).get(name) in wanted]
        if not kept:
            there = {_values(case, whole.swept).get(name) for case in whole.cases} - {None}
            named = sorted(map(str, there), key=lambda each: (len(each), each))
            more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
            raise UserError(
                f"{word!r} matches no case of {whole.path}",
                allowed=f"{', '.join(named[:_MOST_NAMED])}{more}",
                remedy="change the value, or leave it out",
            )
        whole = replace(whole, cases=tuple(kept))
    ids = {case.case.id for case in whole.cases}
    left_out = [
        replace(entry, cases=tuple(case for case in entry.cases if case in ids))
        for entry in whole.left_out
    ]
    # Effects cover all cases of a run.
    return replace(whole, effects=(), left_out=tuple(entry for entry in left_out if entry.cases))


def _values(case: CaseSummary, swept: Sequence[str]) -> dict[str, str]:
    axes = {name: _size(value) if name == "bytes" else str(value) for name, value in case.case.axes}
    fields = {name: field(case) for name, field in _FIELDS.items()}
    return {**axes, **case.case.settings(swept), **fields}


def _wanted(name: str, value: str) -> set[str]:
    try:
        if name != "bytes":
            return {value, *listed(value)}  # a single value may have commas too, as binding=0,1
        return {_size(size) for text in value.split(",") for size in sizes_bytes(text)}
    except (ValueError, OverflowError) as error:
        remedy = "write for example bytes=8,1MiB or protocol=sendrecv,isend_irecv"
        raise UserError(f"{name}={value}: {error}", remedy=remedy) from None


def _size(value: str | int) -> str:
    return size_text(int(value))


def _of_phases(case: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What each phase has an interval of, with the phase's name before it."""
    return [
        {**metric, "name": f"{phase['name']}: {metric['name']}"}
        for phase in case["phases"]
        for metric in phase.values()
        if isinstance(metric, dict) and "median" in metric
    ]


def _write_csv(cases: Sequence[Mapping[str, Any]]) -> None:
    axes = list(dict.fromkeys(name for case in cases for name in case["axes"]))
    own = ("id", "workload", "mpi", "machine", "ranks")
    lines = csv.writer(sys.stdout, lineterminator="\n")
    lines.writerow([*own, *axes, "status", "reason", "quantity", *_METRIC[1:]])
    for case in cases:
        keys = [case[name] for name in own] + [case["axes"].get(name, "") for name in axes]
        for metric in [*case["metrics"], *_of_phases(case)] or [{}]:
            figures = [metric.get(name) for name in _METRIC]
            lines.writerow([*keys, case["status"], case["reason"], *figures])
