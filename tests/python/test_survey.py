"""The definition of the survey."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from halocline.cli.here import own_catalogue
from halocline.specification.catalogue import from_json
from halocline.specification.expand import expand_parts
from halocline.specification.experiment import Experiment, Part
from halocline.specification.spec import Known, Option, load
from halocline.specification.survey import FILE, on_one_node, survey


@pytest.fixture(scope="module")
def known() -> Known:
    return Known(from_json(own_catalogue()), ("mpich",), ("two-nodes",))


def test_all_workloads_and_protocols_are_measured_on_a_node_and_between_two(known: Known) -> None:
    experiment = survey(known, [], "here", None)
    cases = [case for part in expand_parts(experiment, known.catalogue) for case in part]
    off_node = {case.workload for case in cases if dict(case.configuration)["layout"] == "2N1P"}
    on_node = {case.workload for case in cases if dict(case.configuration)["layout"] == "1N2P"}
    every = {workload.name for workload in known.catalogue.workloads}
    recorded = {"replay"}  # needs a profile of a program
    assert every - on_node == recorded, "name them in survey.toml"
    kernels = {
        each.name
        for each in known.catalogue.workloads
        if each.axis("active") and not each.axis("protocol")
    }
    assert every - off_node == kernels | recorded, "only kernels are measured on one node alone"
    first, second, *_ = expand_parts(experiment, known.catalogue)
    assert {case.axis("protocol") for case in (*first, *second)} == {
        protocol.name for protocol in known.catalogue.protocols
    }
    assert {case.ranks for case in cases} == {2}


def test_all_parts_measure_something_that_no_earlier_one_does(known: Known) -> None:
    experiment = survey(known, [], "here", None)
    assert all(expand_parts(experiment, known.catalogue))
    titles = [part.title for part in experiment.parts]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize(
    ("machine", "given", "hosts"),
    [
        ("here", None, "made"),
        ("here", "a,b", "a,b"),
        ("mock:1us", None, ""),
        ("two-nodes", None, ""),
    ],
)
def test_where_nodes_come_from(known: Known, machine: str, given: str | None, hosts: str) -> None:
    options = [Option("experiment.machine", "--machine", machine)]
    assert survey(known, options, machine, given).hosts == hosts


def test_what_is_printed_is_the_same_experiment(known: Known, tmp_path: Path) -> None:
    experiment = survey(known, [Option("experiment.title", "title", "Mine")], "here", None)
    assert experiment.title == "Mine"
    file = tmp_path / "mine.toml"
    file.write_text(experiment.toml(), encoding="utf-8")
    assert load(file, known) == experiment


def test_on_one_node_nothing_else_changes_and_a_note_says_why() -> None:
    def part(title: str, *layouts: str, ranks: tuple[int, ...] = (2,), **more: Any) -> Part:
        return Part(title, ("w",), ranks, configuration=(("layout", layouts),), **more)

    both = part("both", "1N2P", "2N1P")
    axes = (("bytes", (8,)),)
    experiment = Experiment(
        "t",
        hosts="made",
        notes=("first",),
        parts=(
            both,
            part("off node", "2N1P"),
            part("more", "1N2P", "2N2P", "1N8P", ranks=(2, 4, 8), axes=axes),
            Part("plain", ("w",), (4,)),
        ),
    )
    assert on_one_node(experiment, "it rains") == Experiment(
        "t",
        notes=("first", "Nothing was measured between nodes: it rains"),
        parts=(
            part("both", "1N2P"),
            part("more", "1N2P", "1N8P", ranks=(2, 8), axes=axes),
            Part("plain", ("w",), (4,)),
        ),
    )


def test_the_file_is_read_like_any_other(known: Known) -> None:
    machine = Option("experiment.machine", "--machine", "mock:1us")
    assert load(FILE, known, [machine]).parts == survey(known, [], "here", None).parts
