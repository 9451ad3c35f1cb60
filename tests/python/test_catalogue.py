"""The catalogue, from stand-in drivers and from the real one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from halocline.catalogue import Axis, from_json, told_by
from halocline.errors import UserError
from halocline.mpi.build import abi_driver
from halocline.mpi.registry import quiet


def driver(folder: Path, script: str) -> Path:
    path = folder / "halocline-driver"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_a_catalogue_is_what_the_driver_tells(standin: Path, told: dict[str, Any]) -> None:
    assert told_by(standin, {}) == told
    catalogue = from_json(told)
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


def test_the_driver_gets_the_variables(tmp_path: Path) -> None:
    script = 'echo "no $WHERE" >&2; exit 1'
    with pytest.raises(UserError, match="can measure: no library in /opt; see"):
        told_by(driver(tmp_path, script), {"WHERE": "library in /opt"})


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("exit 1", "it failed silently"),
        ("echo hello", "its answer is no catalogue: Expecting value"),
        ("echo '{}'", "its answer is no catalogue: 'schema'"),
        ("echo '{\"schema\":2}'", "its answer is no catalogue: schema 2 instead of 1"),
    ],
)
def test_an_unusable_driver_is_named_with_the_reason(tmp_path: Path, script: str, why: str) -> None:
    with pytest.raises(UserError) as raised:
        told_by(driver(tmp_path, script), {})
    assert str(raised.value).startswith(
        f"{tmp_path}/halocline-driver does not tell what it can measure: {why}"
    )


def test_a_driver_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="can measure: No such file or directory; see"):
        told_by(tmp_path / "nothing", {})


def test_the_real_driver_tells_all_two_sided_protocols_and_sizes() -> None:
    catalogue = from_json(told_by(abi_driver(quiet), {}))
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
