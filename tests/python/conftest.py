"""Fixtures that several test files share."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from documents import CHECKOUT
from halocline.cli.main import main
from launch.jobs import make_job, toolchain_of
from mock_runs import begun, environment
from tiers import (
    pytest_collection_modifyitems,
    pytest_runtest_call,
    pytest_runtest_protocol,
    pytest_runtest_setup,
    pytest_xdist_make_scheduler,
)

__all__ = [
    "begun",
    "environment",
    "make_job",
    "pytest_collection_modifyitems",
    "pytest_runtest_call",
    "pytest_runtest_protocol",
    "pytest_runtest_setup",
    "pytest_xdist_make_scheduler",
    "toolchain_of",
]

HOSTS = Path(__file__).parents[1] / "data/hosts"

# What only benchmarks compare with is absent in every test, so that none needs it unnoticed.
_PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
for _requirement in _PROJECT["optional-dependencies"]["bench"]:
    sys.modules[re.split(r"[<>=]", _requirement)[0]] = None  # type: ignore[assignment]


@pytest.fixture
def recorded_host(tmp_path: Path) -> Callable[[str], Path]:
    """Unpacks a recording of tests/data/hosts; gives the root below which its files lie."""

    def unpack(name: str) -> Path:
        contents: dict[str, list[str]] = {}
        for line in (HOSTS / f"{name}.txt").read_text(encoding="utf-8").splitlines():
            path, _, content = line.partition(":")
            contents.setdefault(path, []).append(content)
        root = tmp_path / name
        for path, lines in contents.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return root

    return unpack


# The catalogue of the stand-in driver: small, and with a protocol that its library lacks.
_CATALOGUE: dict[str, Any] = {
    "schema": 1,
    "version": "0.1.0",
    "mpi_standard": "5.0",
    "simulated": False,
    "workloads": [
        {
            "name": name,
            "summary": summary,
            "ranks_minimum": 2,
            "ranks_maximum": 2,
            "axes": [
                {"name": "protocol", "kind": "protocol"},
                {
                    "name": "bytes",
                    "kind": "integer",
                    "unit": "B",
                    "low": 0,
                    "high": 2**30,
                    "default": [0, 8, 2**20],
                },
            ],
        }
        for name, summary in (("pingpong", "one way at a time"), ("pingping", "both ways at once"))
    ],
    "protocols": [
        {
            "name": name,
            "summary": summary,
            "requires": ["two-sided"],
            "available": not reason,
            "reason": reason,
        }
        for name, summary, reason in (
            ("send_recv", "blocking", ""),
            ("ssend_recv", "synchronous", ""),
            ("isendrecv", "one call", "it came with MPI 4"),
        )
    ],
}


# And a survey of its workloads.
_SURVEY = """schema = 1
[configuration]
layout = ["1N2P", "2N1P"]
[measure]
budget = "20ms"
[[part]]
title = "both"
workloads = ["pingpong", "pingping"]
[[part]]
title = "far too much"
workloads = ["pingpong"]
axes.bytes = ["16..64KiB"]
"""


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


Command = Callable[..., Ended]


@pytest.fixture
def driver_catalogue() -> dict[str, Any]:
    """The catalogue of the stand-in driver, as JSON."""
    return deepcopy(_CATALOGUE)


@pytest.fixture
def standin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, driver_catalogue: dict[str, Any]
) -> Path:
    """A driver that only prints its catalogue, in place of Halocline's own; no MPI library is here.

    The current folder is empty, and outside of the checkout.
    """
    driver = tmp_path / "bin/halocline-driver"
    driver.parent.mkdir()
    driver.write_text(
        f"#!/bin/sh\ncat <<'END'\n{json.dumps(driver_catalogue)}\nEND\n", encoding="utf-8"
    )
    driver.chmod(0o755)
    monkeypatch.setattr("halocline.mpi.build.bundled_driver", lambda: driver)
    monkeypatch.setenv("HALOCLINE_HOME", str(tmp_path / "home"))
    definition = tmp_path / "survey.toml"
    definition.write_text(_SURVEY, encoding="utf-8")
    monkeypatch.setattr("halocline.specification.survey.FILE", definition)
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    return driver


@pytest.fixture
def command(standin: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs `halocline WORD…` in this process, with the stand-in driver.

    What the tool calls an unexpected error fails the test, but for the one that tests raise.
    """
    unexpected = "unexpected error: RuntimeError: surprise"

    def run(*words: str | Path) -> Ended:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in words])
        out, err = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        assert unexpected in err or "unexpected error" not in err, err
        return Ended(ended.value.code, out, err)

    return run
