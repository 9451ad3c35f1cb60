"""The file of ways of a search: what the redistribution library reads of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from halocline.samples.dataset import Dataset, load
from halocline.specification.catalogue import (
    ANY_NUMBER_OF_RANKS,
    Axis,
    Catalogue,
    Protocol,
    Workload,
)
from halocline.specification.experiment import Experiment
from halocline.tune import ways
from halocline.tune.candidates import Space, experiment_of, space_of
from samples_records import complete, jsonl, samples, start
from tune.drawn import SETTINGS

MACHINE = "AMD EPYC 7763 64-Core Processor x 128"
AXES = (("grid", ("16x32x4", "64x128x16")), ("memory", ("user",)))


def catalogue(workload: str) -> Catalogue:
    def choice(name: str, *choices: str) -> Axis:
        return Axis(name, "choice", default=choices[:1], choices=choices)

    axes = (
        Axis("protocol", "protocol"),
        choice("grid", "16x32x4", "64x128x16"),
        choice("packing", "rank", "box", "type"),
        choice("bundle", "whole", "fields"),
        choice("memory", "library", "user"),
        choice("near", "shared", "messages"),
    )
    protocols = ("isend_irecv", "persistent", "isend_irecv_type", "sendrecv")
    return Catalogue(
        version="1",
        mpi_standard="5.0",
        simulated=False,
        workloads=(Workload(workload, "moves", 1, ANY_NUMBER_OF_RANKS, axes),),
        protocols=tuple(
            Protocol(name, "moves", (), True, "", "it waits" if name == "sendrecv" else "")
            for name in protocols
        ),
    )


def space(workload: str = ways.WORKLOAD, near: str = "messages") -> Space:
    axes = (*AXES, ("near", (near,)))
    asked = Experiment(title="tune", workloads=(workload,), ranks=(4,), axes=axes)
    whole, default = experiment_of(asked, catalogue(workload), SETTINGS, {})
    return space_of(whole, default, catalogue(workload))


def measured(path: Path, of: Space, **changes: Any) -> Dataset:
    """One launch in which the first candidate was measured; a problem more, more bytes."""
    records = [start(1, **{"ranks": 4, "machine": MACHINE, **changes})]
    for at, case in enumerate(of.candidates[0].cases):
        records.append(samples(1, case.id, moved_bytes=4000 * 10**at))
    records.append(complete(1))
    path.write_text(jsonl(records), encoding="utf-8")
    return load(path)


def test_each_problem_has_a_line(tmp_path: Path) -> None:
    of = space()
    named = {each.name(of.default): each for each in of.candidates}
    chosen = named["packing=box protocol=persistent"]
    text = ways.text(of, chosen, measured(tmp_path / "samples.jsonl", of), "It is faster.")
    way = "protocol=persistent packing=box bundle=whole near=messages"
    assert text == (
        "halocline ways 1\n"
        "# It is faster.\n"
        "# machine | MPI library | problem | way\n"
        f"{MACHINE} | MPICH Version: 5.0.2 | nodes=one memory=user ranks=4 bytes=1000 | {way}\n"
        f"{MACHINE} | MPICH Version: 5.0.2 | nodes=one memory=user ranks=4 bytes=10000 | {way}\n"
    )


def test_derived_datatypes_are_a_matter_of_the_protocol(tmp_path: Path) -> None:
    of = space()
    typed = next(each for each in of.candidates if dict(each.ways)["packing"] == "type")
    text = ways.text(of, typed, measured(tmp_path / "samples.jsonl", of), "")
    assert text is not None
    assert "packing=type" not in text
    assert f"protocol={dict(typed.ways)['protocol']} packing=rank" in text


def test_a_protocol_that_could_break_programs_is_not_written(tmp_path: Path) -> None:
    of = space()
    waiting = next(each for each in of.candidates if dict(each.ways)["protocol"] == "sendrecv")
    assert ways.text(of, waiting, measured(tmp_path / "samples.jsonl", of), "") is None


@pytest.mark.parametrize(("nodes", "written"), [(1, True), (2, False)])
def test_no_protocol_where_nothing_is_sent(tmp_path: Path, nodes: int, written: bool) -> None:
    of = space(near="shared")
    waiting = next(each for each in of.candidates if dict(each.ways)["protocol"] == "sendrecv")
    text = ways.text(of, waiting, measured(tmp_path / "samples.jsonl", of, nodes=nodes), "")
    assert (text is not None) == written
    if text is not None:
        assert "protocol=" not in text
        assert text.endswith("near=shared\n")


def test_settings_that_it_was_found_with_are_named(tmp_path: Path) -> None:
    of = space()
    chosen = next(each for each in of.candidates if "env.A" in dict(each.configuration))
    text = ways.text(of, chosen, measured(tmp_path / "samples.jsonl", of), "")
    assert text is not None
    assert "# found with env.A as in settings.sh\n" in text


@pytest.mark.parametrize("changes", [{"simulated": True}, {"machine": ""}])
def test_other_machines_than_a_real_one_have_none(tmp_path: Path, changes: Any) -> None:
    of = space()
    found = measured(tmp_path / "samples.jsonl", of, **changes)
    assert ways.text(of, of.default, found, "") is None


def test_another_workload_has_none(tmp_path: Path) -> None:
    of = space("halo")
    found = measured(tmp_path / "samples.jsonl", of)
    assert ways.text(of, of.default, found, "") is None


def test_a_problem_that_was_never_measured_leaves_none(tmp_path: Path) -> None:
    of = space()
    assert ways.text(of, of.default, Dataset(tmp_path / "none"), "") is None
