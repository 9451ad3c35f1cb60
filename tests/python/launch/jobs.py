"""Jobs of the misbehaving driver, on every MPI library."""

from __future__ import annotations

import subprocess
import uuid
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from halocline.base.toolchain import Toolchain
from halocline.launch.job import Deadlines, Job, Simulation
from halocline.launch.run_job import run_job
from launch.libraries import LIBRARIES
from launch.trace import CASES, MARK, MakeJob, records

SOURCE = Path(__file__).with_name("misbehaving_driver.cpp")
# What runs as it should reaches none of these, however busy the machine is.
DEADLINES = Deadlines(start_s=60.0, progress_s=60.0, total_s=300.0)
# For faults that only the lack of progress ends.
SOON = replace(DEADLINES, progress_s=2.0)
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>
<link id="l" bandwidth="1GBps" latency="5us" sharing_policy="SPLITDUPLEX"/>
<route src="a" dst="b"><link_ctn id="l" direction="UP"/></route></zone></platform>
"""


@pytest.fixture(scope="session")
def toolchain_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Toolchain]:
    """The misbehaving driver, built for an MPI library that is called by its name."""
    folder = tmp_path_factory.mktemp("drivers")

    @cache
    def build(name: str) -> Toolchain:
        library = LIBRARIES[name]()
        wrapper, launcher = library.wrapper, library.launcher
        if not (wrapper and launcher and wrapper.is_file() and launcher.is_file()):
            pytest.fail(f"the MPI library {name} is missing; run: {library.installed_by}")
        driver = folder / name
        options = ["-std=c++20", "-O1", "-DOMPI_SKIP_MPICXX"]
        subprocess.run([wrapper, *options, SOURCE, "-o", driver], check=True)
        return Toolchain(name, library.family, "", launcher, driver, library.settings)

    @cache
    def named(name: str) -> Toolchain:
        return with_library(build(name), folder / f"{name}.jsonl", folder)

    return named


def with_library(unknown: Toolchain, samples: Path, folder: Path) -> Toolchain:
    """The toolchain with what its library calls itself."""
    job = Job(unknown, 2, 1, CASES[:1], samples, simulation=simulation(folder))
    outcome = run_job(job, lambda progress: None)
    start = records(job)[0]
    assert start["type"] == "start", outcome
    return Toolchain(
        unknown.name,
        unknown.family,
        start["mpi"]["library_version"],
        unknown.launcher,
        unknown.driver,
        unknown.environment,
    )


def simulation(folder: Path) -> Simulation:
    """Two hosts and the link between them."""
    platform, hostfile = folder / "platform.xml", folder / "hostfile"
    platform.write_text(PLATFORM)
    hostfile.write_text("a\nb\n")
    return Simulation(platform, hostfile)


@pytest.fixture
def make_job(toolchain_of: Callable[[str], Toolchain], tmp_path: Path) -> MakeJob:
    """A job of the misbehaving driver."""
    return job_maker(toolchain_of, tmp_path)


def job_maker(toolchain_of: Callable[[str], Toolchain], tmp_path: Path) -> MakeJob:
    """Makes jobs of the misbehaving driver: `faults` as its source names them, at the fourth case.

    Its files are in `tmp_path`.
    """

    def make(name: str = "mpich", faults: str = "", **changes: Any) -> Job:
        settings = {
            MARK: uuid.uuid4().hex,
            "HALOCLINE_TEST_FAULT": faults,
            "HALOCLINE_TEST_CASE": "4",
            "HALOCLINE_TEST_CASE_US": "30000",
        }
        fields: dict[str, Any] = {
            "toolchain": toolchain_of(name),
            "ranks": 2,
            "launch": 1,
            "cases": CASES,
            "samples": tmp_path / "samples.jsonl",
            "deadlines": DEADLINES,
            "environment": settings,
            "simulation": simulation(tmp_path),
        }
        return Job(**{**fields, **changes})

    return make
