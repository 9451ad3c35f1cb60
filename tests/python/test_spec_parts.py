"""Experiments of several parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from halocline.base.errors import UserErrors
from halocline.specification.catalogue import from_json
from halocline.specification.experiment import Experiment, Part
from halocline.specification.spec import Known, Option, load

HEAD = 'schema = 1\n[experiment]\ntitle = "t"\n'


@pytest.fixture
def known(driver_catalogue: dict[str, Any]) -> Known:
    driver_catalogue["workloads"][1]["ranks_maximum"] = 8
    return Known(from_json(driver_catalogue), ("mpich", "intel", "simgrid"), ("two-nodes",))


def read(text: str, known: Known, folder: Path, *options: Option) -> Experiment:
    file = folder / "e.toml"
    file.write_text(text, encoding="utf-8")
    return load(file, known, options)


def test_parts_have_workloads_axes_and_settings_of_their_own(known: Known, tmp_path: Path) -> None:
    found = read(
        """schema = 1
[experiment]
mpi = ["intel"]
notes = ["first", "second"]
[configuration]
pages = ["huge"]
[[part]]
title = "small"
workloads = ["pingpong"]
axes.bytes = [8]
[[part]]
workloads = ["pingpong", "pingping"]
[part.axes]
bytes = ["1..4"]
protocol = ["send_recv"]
[part.configuration]
layout = ["1N2P"]
pages = ["base", "default"]
env.X = [1]
[[part]]
workloads = ["pingping"]
ranks = [2, 4]
""",
        known,
        tmp_path,
    )
    small = Part(
        "small", ("pingpong",), axes=(("bytes", (8,)),), configuration=(("pages", ("huge",)),)
    )
    both = Part(
        "pingpong and pingping",
        ("pingpong", "pingping"),
        axes=(("bytes", (1, 2, 4)), ("protocol", ("send_recv",))),
        configuration=(
            ("env.X", ("1",)),
            ("layout", ("1N2P",)),
            ("pages", ("base", "default")),
        ),
    )
    many = Part("pingping", ("pingping",), ranks=(2, 4), configuration=(("pages", ("huge",)),))
    assert found == Experiment(
        "small and pingpong and pingping and pingping",
        mpi=("intel",),
        notes=("first", "second"),
        parts=(small, both, many),
    )
    assert found.all_parts == found.parts
    assert found.swept("pages") == ("huge", "base", "default")
    assert read(found.toml(), known, tmp_path) == found


def test_an_experiment_without_parts_is_one() -> None:
    plain = Experiment("t", ("pingpong",), ranks=(4,), axes=(("bytes", (8,)),))
    assert plain.all_parts == (Part("t", ("pingpong",), (4,), (("bytes", (8,)),)),)


def test_ranks_of_a_part_replace_the_layout_of_all_and_the_other_way_round(
    known: Known, tmp_path: Path
) -> None:
    part = '[[part]]\nworkloads = ["pingping"]\n'
    laid_out = f"{HEAD}[configuration]\nlayout = ['1N2P']\n{part}ranks = [4]\n{part}"
    found = read(laid_out, known, tmp_path).parts
    assert [(each.ranks, each.configuration) for each in found] == [
        ((4,), ()),
        ((2,), (("layout", ("1N2P",)),)),
    ]
    ranked = f"{HEAD}ranks = [4]\n{part}configuration.layout = ['1N2P']\n{part}"
    assert [each.ranks for each in read(ranked, known, tmp_path).parts] == [(2,), (4,)]
    option = Option("experiment.ranks", "--ranks", [8])
    assert [each.ranks for each in read(ranked, known, tmp_path, option).parts] == [(2,), (8,)]


def test_all_problems_of_all_parts_are_reported_with_their_lines(
    known: Known, tmp_path: Path
) -> None:
    text = """schema = 1
[experiment]
title = "t"
workloads = ["pingpong"]
notes = ["a\\nb"]
[axes]
bytes = [8]
[configuration]
pages = ["small"]
[[part]]
titlex = "t"
workloads = ["pingpng"]
[[part]]
workloads = ["pingpong"]
ranks = [4]
[part.axes]
bytes = [-1]
byte = [1]
[part.configuration]
layout = ["2N1P"]
[[part]]
axes = 3
"""
    with pytest.raises(UserErrors) as raised:
        read(text, known, tmp_path)
    lines = [str(problem).removeprefix(f"{tmp_path}/e.toml:") for problem in raised.value.problems]
    assert [line.partition(";")[0] for line in lines] == [
        "4: workloads together with [[part]]",
        "5: notes is 'a\\nb', not one line of text",
        "6: axes together with [[part]]",
        "9: pages 'small' is invalid",
        "11: unknown key 'titlex' in [[part]]",
        "12: unknown workload 'pingpng'",
        "15: ranks together with a layout",
        "17: bytes -1 is out of range",
        "18: pingpong has no axis 'byte'",
        "20: layout 2N1P without hosts",
        "21: no workloads",
        "22: axes is 3, not a table",
    ]


def test_what_is_no_part(known: Known, tmp_path: Path) -> None:
    with pytest.raises(UserErrors) as raised:
        read("schema = 1\npart = [3]\n", known, tmp_path)
    assert str(raised.value.problems[-1]).endswith("part is [3], not tables; write [[part]]")


def test_ranks_that_no_part_would_take_are_refused(known: Known, tmp_path: Path) -> None:
    part = '[[part]]\nworkloads = ["pingping"]\naxes.protocol = ["send_recv"]\n'
    ranks = Option("experiment.ranks", "--ranks", [8])
    assert read(HEAD + part, known, tmp_path, ranks).parts[0].ranks == (8,)
    for own in ("ranks = [4]\n", 'configuration.layout = ["1N2P"]\n'):
        with pytest.raises(
            UserErrors, match="--ranks: ranks that no part takes; leave --ranks out"
        ):
            read(HEAD + part + own, known, tmp_path, ranks)
        both = read(HEAD + part + own + part, known, tmp_path, ranks)
        assert both.parts[1].ranks == (8,)
