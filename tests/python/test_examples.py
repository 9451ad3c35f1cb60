"""Every example is run, with a small budget."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from documents import CHECKOUT
from halocline.launch.launchers import SLEEPS

EXAMPLES = CHECKOUT / "examples"
# Example → how many cases it has.
CASES = {
    "both-ways.toml": 40,
    "commtest.toml": 72,
    "contention.toml": 18,
    "distance.toml": 18,
    "halo.toml": 30,
    "large-range.toml": 42,
    "latency.toml": 96,
    "options.toml": 16,
    "send-against-ssend.toml": 42,
    "simulated.toml": 2,
    "small-range.toml": 36,
    "two-libraries.toml": 42,
}
SCRIPTS = ("fastest-protocol.sh",)
# Have more ranks than cores here, whose figures are refused.
WITHOUT_CORES = {"commtest.toml", "contention.toml", "distance.toml", "halo.toml"}
GATES = ("gate-github.yml", "gate-gitlab.yml")
REFRAME = "gate_reframe.py"
CHEAP = ("--launches", "1", "--budget", "1s")
LIMIT_S = 600


@pytest.fixture(scope="module")
def variables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The shell that an example runs in: `halocline` is a command, the user's home is not used."""
    home = os.environ.get("HALOCLINE_HOME") or str(tmp_path_factory.mktemp("home"))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "HALOCLINE_HOME": home}


def run(command: list[str | Path], folder: Path, variables: dict[str, str]) -> str:
    done = subprocess.run(
        command,
        check=False,
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    # Other work may leave a run without a figure: no fault of the example.
    without = done.returncode == 1 and "no figure for" in done.stderr
    assert done.returncode == 0 or without, done.stdout + done.stderr
    return done.stdout


def test_each_example_is_known_here() -> None:
    assert {path.name for path in EXAMPLES.iterdir() if path.is_file()} == {
        *CASES,
        *SCRIPTS,
        *GATES,
        REFRAME,
    }


@pytest.mark.launches
@pytest.mark.parametrize("name", CASES)
def test_experiment(name: str, tmp_path: Path, variables: dict[str, str]) -> None:
    if name == "two-libraries.toml":
        run(["halocline", "mpi", "add", "intel"], tmp_path, variables)
    example, cheap = EXAMPLES / name, CHEAP
    if name == "options.toml":
        cheap = ("--launches", "1", "--budget", "10min")  # else parts are left out
        # The flags of all other builds, whose objects are in the compiler cache.
        example = tmp_path / name
        text = (EXAMPLES / name).read_text(encoding="utf-8")
        example.write_text(text.replace('"-O2"', '"-O3"'), encoding="utf-8")
    printed = run(
        ["halocline", "run", example, *cheap, "--output", "run", "--json"],
        tmp_path,
        {**variables, **SLEEPS} if name in WITHOUT_CORES else variables,
    )
    summary: dict[str, Any] = json.loads(printed)
    assert len(summary["cases"]) == CASES[name]
    # A case is refused where other work preempts too much of it: no fault of the example.
    assert {case["status"] for case in summary["cases"]} <= {"measured", "refused", "skipped"}
    skipped = {case["axes"]["protocol"] for case in summary["cases"] if case["status"] == "skipped"}
    assert skipped <= {"shmem_put"}  # MPICH has no OpenSHMEM
    assert (tmp_path / "run/report.html").is_file()
    if name == "options.toml":
        swept = [(effect["key"], effect["value"]) for effect in summary["effects"]]
        algorithm = "env.MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM"
        assert sorted(swept) == [
            ("binding", "none"),
            (algorithm, "recursive_doubling"),
            (algorithm, "ring"),
            ("flags", "-O3"),
            ("pages", "huge"),
        ]
        assert '<h2 id="options">' in (tmp_path / "run/report.html").read_text(encoding="utf-8")
    if name == "simulated.toml":
        times = {case["axes"]["bytes"]: case["metrics"][0]["median"] for case in summary["cases"]}
        # Latency, and 16 bytes more than the payload at the bandwidth of machines/two-nodes.toml.
        exact = {size: 2e-6 + (size + 16) / 12.5e9 for size in (8, 1048576)}
        assert times == pytest.approx(exact, rel=1e-3)


@pytest.mark.launches
def test_fastest_protocol(tmp_path: Path, variables: dict[str, str]) -> None:
    script = EXAMPLES / "fastest-protocol.sh"
    printed = run([script, "8", "--machine", "mock:1.5us"], tmp_path, variables)
    assert printed == "send_recv: 1.5 µs\n"
    done = subprocess.run(
        [script, "8", *CHEAP],
        check=False,
        cwd=tmp_path,
        env=variables,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    if done.returncode == 0:
        assert re.fullmatch(r"\w+: \S+ µs\n", done.stdout)
    else:  # on a busy machine
        assert re.search(r"^nothing was measured: .*other work", done.stderr, re.MULTILINE)


@pytest.mark.launches
@pytest.mark.parametrize("name", GATES)
def test_the_gate_of_a_ci_service(name: str, tmp_path: Path, variables: dict[str, str]) -> None:
    """Its commands as they stand, but on a machine whose times are known."""
    steps = re.findall(
        r"^ +(?:- )?(.*\.venv/bin/halocline .*)$", (EXAMPLES / name).read_text(), re.M
    )
    assert len(steps) == 2
    measure, gate = (step.replace(".venv/bin/", "") for step in steps)
    measure = measure.replace("halocline run", "halocline run --machine mock:1us")
    here = {**variables, "HOME": str(tmp_path), "GITHUB_SHA": "abc", "CI_COMMIT_SHA": "abc"}
    run(["bash", "-euc", measure], tmp_path, here)
    assert "Gate passed: none of 2 cases" in run(["bash", "-euc", gate], tmp_path, here)
    assert (tmp_path / "gate.xml").is_file()
    assert (tmp_path / "halocline-history/index.html").is_file()


@pytest.mark.launches
def test_the_gate_as_a_test_of_reframe(tmp_path: Path, variables: dict[str, str]) -> None:
    words = ("bytes=8", "protocol=send_recv", "--machine", "mock:1us", "--output", "baseline")
    run(["halocline", "run", "pingpong", *words], tmp_path, variables)
    here = {**variables, "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}  # its logs
    baseline = f"baseline={tmp_path / 'baseline'}"
    output = run(["reframe", "-c", EXAMPLES / REFRAME, "-S", baseline, "-r"], tmp_path, here)
    assert "P: compared: 1 cases" in output
    assert "Ran 1/1 test case(s) from 1 check(s) (0 failure(s)" in output
