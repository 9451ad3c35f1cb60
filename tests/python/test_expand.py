"""From an experiment to its cases."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from halocline.base.errors import UserErrors
from halocline.specification.cases import Case
from halocline.specification.catalogue import Catalogue, from_json
from halocline.specification.expand import check_available, configurations, expand, expand_parts
from halocline.specification.experiment import Experiment, Part


@pytest.fixture
def catalogue(driver_catalogue: dict[str, Any]) -> Catalogue:
    return from_json(driver_catalogue)


def test_axes_that_are_not_given_take_their_defaults(catalogue: Catalogue) -> None:
    cases = expand(Experiment("t", ("pingpong", "pingping"), mpi=("a", "b")), catalogue)
    assert len(cases) == 2 * 2 * 3 * 3 == len({case.id for case in cases})
    first = (("bytes", 0), ("protocol", "send_recv"))
    last = (("bytes", 2**20), ("protocol", "isendrecv"))
    assert cases[0] == Case("pingpong", first, "a", "here", 2)
    assert cases[-1] == Case("pingping", last, "b", "here", 2)


def test_given_axes(catalogue: Catalogue) -> None:
    axes = (("bytes", (8, 4096)), ("protocol", ("ssend_recv",)))
    experiment = Experiment("t", ("pingping",), machine="mock:1us", axes=axes)
    assert [case.driver_line.split(maxsplit=1)[1] for case in expand(experiment, catalogue)] == [
        "pingping bytes=8 protocol=ssend_recv",
        "pingping bytes=4096 protocol=ssend_recv",
    ]


def test_ids_of_plain_cases_are_those_of_older_runs() -> None:
    plain = Case("pingpong", (("bytes", 8), ("protocol", "send_recv")), "mpich", "mock:1.5us", 2)
    assert plain.id == "52b1bfae5c98"
    assert plain.label == "mpich"
    spread = replace(plain, configuration=(("layout", "2N1P"),))
    assert spread.id == "450779ebb306"
    assert spread.label == "mpich layout=2N1P"
    assert spread.driver_line == "450779ebb306 pingpong bytes=8 protocol=send_recv"


def test_configurations_are_swept_library_by_library(catalogue: Catalogue) -> None:
    experiment = Experiment(
        "t",
        ("pingpong",),
        mpi=("a", "b"),
        axes=(("bytes", (8,)), ("protocol", ("send_recv",))),
        configuration=(("env.X", ("1", "unset")), ("layout", ("1N2P", "2N1P"))),
        hosts="h,i",
    )
    assert [
        (case.mpi, case.configuration, case.ranks) for case in expand(experiment, catalogue)
    ] == [
        (mpi, (("env.X", x), ("layout", layout)), 2)
        for mpi in ("a", "b")
        for x in ("1", "unset")
        for layout in ("1N2P", "2N1P")
    ]


def test_layouts_fix_the_ranks_and_equal_configurations_come_once() -> None:
    part = Part(
        "t",
        ("halo",),
        ranks=(2, 4),
        configuration=(("layout", ("1N2P", "2N2P")), ("placement", ("smp", "wrap"))),
    )
    assert configurations(part, True) == (
        ((), 2),
        ((("layout", "2N2P"),), 4),
        ((("layout", "2N2P"), ("placement", "wrap")), 4),
    )
    settings = (("pages", ("base", "huge")),)
    assert configurations(replace(part, configuration=settings), True) == (
        ((("pages", "base"),), 2),
        ((("pages", "base"),), 4),
        ((("pages", "huge"),), 2),
        ((("pages", "huge"),), 4),
    )


def test_a_case_of_several_parts_is_the_first_ones(catalogue: Catalogue) -> None:
    def part(title: str, *sizes: int) -> Part:
        return Part(title, ("pingpong",), axes=(("bytes", sizes), ("protocol", ("send_recv",))))

    experiment = Experiment("t", parts=(part("coarse", 8, 64), part("fine", 8, 16, 64)))
    coarse, fine = expand_parts(experiment, catalogue)
    assert [case.axis("bytes") for case in coarse] == [8, 64]
    assert [case.axis("bytes") for case in fine] == [16]
    assert expand(experiment, catalogue) == (*coarse, *fine)
    assert expand(replace(experiment, parts=(part("one", 8),)), catalogue) == coarse[:1]


def test_a_protocol_that_was_named_must_be_in_one_of_the_libraries(catalogue: Catalogue) -> None:
    everything = replace(
        catalogue,
        protocols=tuple(
            replace(protocol, available=True, reason="") for protocol in catalogue.protocols
        ),
    )
    named = Experiment(
        "t", ("pingpong",), mpi=("old", "new"), axes=(("protocol", ("send_recv", "isendrecv")),)
    )
    check_available(named, {"old": catalogue, "new": everything})
    check_available(replace(named, axes=()), {"old": catalogue, "new": catalogue})
    with pytest.raises(UserErrors) as raised:
        check_available(named, {"old": catalogue, "new": catalogue})
    assert [str(problem) for problem in raised.value.problems] == [
        "old and new do not support protocol 'isendrecv': it came with MPI 4; "
        "see `halocline list protocols` for supported ones"
    ]
