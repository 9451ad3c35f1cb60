"""JSON, tables and traces hold what the profile holds."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from halocline.base.errors import UserError
from halocline.profile.export import write_csv, write_json, write_trace
from halocline.profile.facts import to_json
from halocline.profile.profile import Events
from profiles.made import ISEND, made
from profiles.model import model, truth


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_json_has_a_schema_and_totals_that_agree() -> None:
    facts = json.loads(json.dumps(to_json(model(4)), allow_nan=False))
    known = truth(4)
    assert facts["schema"] == 1
    assert facts["totals"]["bytes"] == known.bytes
    for table in ("functions", "sizes", "ranks", "sites"):
        assert sum(each["bytes"] for each in facts[table]) == known.bytes, table
    pairs = sum(each["bytes"] for each in facts["pairs"])
    assert pairs + sum(each["bytes_in_collectives"] for each in facts["ranks"]) == known.bytes
    assert facts["waiting"]["sites"][0]["last_rank"] == 3
    assert facts["files"][0]["name"] == "history.nc"


def test_json_of_a_profile_without_arrivals() -> None:
    profile = made(2)
    none = profile.arrivals.where(profile.arrivals.rank < 0)
    assert to_json(replace(profile, arrivals=none))["waiting"] is None


def test_tables_hold_every_row(tmp_path: Path) -> None:
    profile = model(4)
    written = write_csv(profile, tmp_path / "tables")
    names = ["calls", "ranks", "functions", "sizes", "pairs", "files"]
    assert [path.stem for path in written] == names
    rows = {path.stem: read(path) for path in written}
    assert len(rows["calls"]) == len(profile.calls)
    assert sum(int(row["bytes_sent"]) for row in rows["calls"]) == truth(4).bytes
    assert (
        rows["calls"][0] | {"function": "MPI_Init", "called_at": "", "peer": ""}
        == (rows["calls"][0])
    )
    assert sum(int(row["bytes_given"]) for row in rows["ranks"]) == truth(4).bytes
    assert rows["files"][0]["operation"] == "write"


def test_a_trace_has_an_event_a_call(tmp_path: Path) -> None:
    events = Events.of(
        rank=[0, 1],
        thread=[0, 0],
        function=[ISEND, ISEND],
        enter_ns=[1500, 2000],
        leave_ns=[2500, 2001],
        bytes=[64, 64],
        peer=[1, -2],
    )
    path = tmp_path / "new/trace.json"
    write_trace(replace(made(2), events=events), path)
    found = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
    assert [event["ph"] for event in found] == ["M", "M", "X", "X"]
    expected = {"name": "MPI_Isend", "pid": 0, "ts": 1.5, "dur": 1.0}
    assert found[2] | expected == found[2]
    assert [event["args"]["peer"] for event in found[2:]] == [1, "unknown"]


def test_a_missing_trace_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UserError) as raised:
        write_trace(made(2), tmp_path / "trace.json")
    assert str(raised.value) == (
        "made.profile has no trace; profile the program again with --trace"
    )


def test_an_export_replaces_an_earlier_one_and_nothing_else(tmp_path: Path) -> None:
    samples = tmp_path / "samples.jsonl"
    samples.write_text('{"schema": 1}\n', encoding="utf-8")
    with pytest.raises(UserError, match=r"samples.jsonl is not an earlier export"):
        write_json(made(2), samples)
    assert samples.read_text(encoding="utf-8") == '{"schema": 1}\n'
    own = tmp_path / "tables/calls.csv"
    own.parent.mkdir()
    own.write_text("what I measured\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"calls.csv is not an earlier export"):
        write_csv(made(2), own.parent)
    for _ in range(2):
        write_json(made(2), tmp_path / "profile.json")
        write_csv(made(2), tmp_path / "new")
    assert json.loads((tmp_path / "profile.json").read_text(encoding="utf-8"))["schema"] == 1
    link = tmp_path / "link.json"
    link.symlink_to("profile.json")
    write_json(made(2), link)
    assert link.is_symlink()
