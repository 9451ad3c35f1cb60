"""The catalogue, from stand-in drivers and from the real one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from halocline.base.errors import UserError
from halocline.cli.here import own_catalogue
from halocline.specification.catalogue import Axis, from_json, from_text


def test_a_catalogue_is_what_the_driver_prints(
    standin: Path, driver_catalogue: dict[str, Any]
) -> None:
    assert own_catalogue() == driver_catalogue
    catalogue = from_json(driver_catalogue)
    pingpong = catalogue.workload("pingpong")
    assert pingpong is not None
    assert pingpong.axis("bytes") == Axis("bytes", "integer", "B", 0, 2**30, (0, 8, 2**20))
    assert [catalogue.defaults(axis) for axis in pingpong.axes] == [
        ("send_recv", "ssend_recv", "isendrecv"),
        (0, 8, 2**20),
    ]
    isendrecv = catalogue.protocol("isendrecv")
    assert isendrecv is not None
    assert (isendrecv.available, isendrecv.reason) == (False, "it came with MPI 4")
    assert catalogue.workload("pongping") is None
    assert catalogue.protocol("pigeons") is None


def test_axes_of_names_and_numbers_of_ranks(driver_catalogue: dict[str, Any]) -> None:
    assert (
        driver_catalogue["workloads"][0].pop("ranks_multiple", 1) == 1
    )  # runs of older versions lack it
    driver_catalogue["workloads"][1] |= {"ranks_maximum": 2**20, "ranks_multiple": 2}
    shape = {"name": "shape", "kind": "choice", "choices": ["flat", "tree"], "default": ["tree"]}
    driver_catalogue["workloads"][1]["axes"] = [shape]
    one, pairs = from_json(driver_catalogue).workloads
    assert [workload.ranks_text for workload in (one, pairs)] == [
        "2 ranks",
        "2 or more ranks, a multiple of 2",
    ]
    assert [ranks for ranks in range(7) if one.runs_on(ranks)] == [2]
    assert [ranks for ranks in range(7) if pairs.runs_on(ranks)] == [2, 4, 6]
    (axis,) = pairs.axes
    assert axis == Axis("shape", "choice", choices=("flat", "tree"), default=("tree",))
    assert (axis.allowed, axis.value_text("tree")) == ("flat, tree", "tree")
    assert from_json(driver_catalogue).defaults(axis) == ("tree",)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("hello", "not JSON: invalid character (byte 0)"),
        ("{}", "schema None instead of 1"),
        ('{"schema":2}', "schema 2 instead of 1"),
        (
            '{"schema":1,"version":"","mpi_standard":"","simulated":true}',
            "missing field workloads",
        ),
    ],
)
def test_what_is_no_catalogue(text: str, why: str) -> None:
    with pytest.raises(UserError) as raised:
        from_text(text, Path("/builds/key/halocline-driver"))
    assert str(raised.value) == (
        "/builds/key/halocline-driver did not report what it can measure: invalid "
        f"catalogue: {why}; remove /builds/key and try again"
    )


def test_a_driver_that_fails_is_named(standin: Path) -> None:
    standin.write_text("#!/bin/sh\necho no library >&2\nexit 1\n")
    with pytest.raises(UserError, match=f"{standin} --catalogue failed: .*no library"):
        own_catalogue()


def test_the_real_driver_lists_all_two_sided_protocols_and_sizes() -> None:
    catalogue = from_json(own_catalogue())
    assert {protocol.name for protocol in catalogue.protocols} >= {
        *("send_recv", "ssend_recv", "rsend_irecv", "isend_irecv"),
        *("isend_recv", "sendrecv", "persistent", "bsend_recv"),
    }
    for name in ("pingpong", "pingping"):
        workload = catalogue.workload(name)
        assert workload is not None
        sizes = workload.axis("bytes")
        assert sizes is not None
        assert sizes.default == (0, 1, *(2**power for power in range(2, 23)))
