"""From an experiment to its cases."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from halocline.cases import Case
from halocline.catalogue import Catalogue, from_json
from halocline.errors import UserErrors
from halocline.expand import check_available, expand
from halocline.spec import Experiment


@pytest.fixture
def catalogue(told: dict[str, Any]) -> Catalogue:
    return from_json(told)


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
        "old and new cannot do protocol 'isendrecv': it came with MPI 4; "
        "see `halocline list protocols` for what it can"
    ]
