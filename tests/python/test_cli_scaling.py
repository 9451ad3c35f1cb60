"""`halocline run redistribution --scaling` on a machine whose times are known."""

from __future__ import annotations

from typing import Any

import pytest

from conftest import Command


@pytest.fixture
def driver_catalogue(driver_catalogue: dict[str, Any]) -> dict[str, Any]:
    """The stand-in driver with the workload that is measured."""
    driver_catalogue["workloads"].append(
        {
            "name": "redistribution_store",
            "summary": "the route",
            "ranks_minimum": 1,
            "ranks_maximum": 2**20,
            "axes": [
                _choice("grid", "512x1024x16", "2048x4096x16", "64x128x16"),
                _choice("layouts", "table1", "cyclic"),
                _choice("store", "route", "whole"),
                {
                    "name": "planned_ranks",
                    "kind": "integer",
                    "unit": "ranks",
                    "low": 0,
                    "high": 2**20,
                    "default": [0],
                },
            ],
        }
    )
    return driver_catalogue


def _choice(name: str, *choices: str) -> dict[str, Any]:
    return {"name": name, "kind": "choice", "choices": list(choices), "default": [choices[0]]}


def test_scaling_shows_store_beside_the_paper(command: Command) -> None:
    ended = command(
        *("run", "redistribution", "--scaling", "--machine", "mock:2us"),
        *("--launches", "2", "--output", "here"),
    )
    assert ended.code == 0, ended.err
    assert "1,048,576" in ended.out
    assert "55330" in ended.out
    assert ended.out.endswith("report: here/report.html\n")


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (("halo", "--scaling"), "--scaling with halo; allowed: redistribution"),
        (("redistribution", "fields=2", "--scaling"), "'fields=2' together with --scaling"),
        (("--resume", "a", "--scaling"), "together with --resume"),
    ],
)
def test_scaling_is_of_the_redistribution_alone(
    command: Command, words: tuple[str, ...], wrong: str
) -> None:
    ended = command("run", *words)
    assert ended.code == 2
    assert wrong in ended.err
