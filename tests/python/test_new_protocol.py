"""A protocol is one file and one line: the one of CONTRIBUTING.md, and one that spoils its data."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from documents import CHECKOUT, blocks
from halocline.base.parts import program
from halocline.cli.here import catalogue_in
from halocline.launch.job import Job
from halocline.launch.run_job import run_job
from halocline.mpi.registry import toolchain
from halocline.samples.records import Samples, read
from halocline.specification.catalogue import from_json

pytestmark = pytest.mark.launches

CATALOGUE = Path("src/halocline/protocol/catalogue.inc")
SIZES_BYTES = (0, 1, 8, 65536, 1048576)
BUILD_LIMIT_S = 600
MISSING = "{} is missing; install it: pip install {}"


def documented() -> tuple[Path, str, str]:
    """The file that CONTRIBUTING.md has one write, its content, and the line for the catalogue."""
    file, line = blocks(CHECKOUT / "CONTRIBUTING.md", "cpp")
    found = re.search(r"const Protocol (\w+) = define", file.text)
    assert found is not None
    path = Path(f"src/halocline/protocol/{found[1]}.cpp")
    assert f"`{path}`" in (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return path, file.text, line.text


def add(checkout: Path, file: Path, text: str, line: str) -> None:
    assert not (checkout / file).exists()
    (checkout / file).write_text(text, encoding="utf-8")
    with (checkout / CATALOGUE).open("a", encoding="utf-8") as catalogue:
        catalogue.write(line)


def build(checkout: Path) -> Path:
    """The driver of a checkout.

    Its sources are mounted over this checkout's, for these commands alone: the compiler cache
    then recognises what is not changed.
    """
    tools = {name: program(name) for name in ("cmake", "ninja", "mpicxx_abi")}
    for name, tool in tools.items():
        assert tool is not None, MISSING.format(name, name.replace("mpicxx_abi", "mpich"))
    folder = checkout / "build"
    mounted = 'mount --bind "$1/src" "$2/src"; shift 2; exec "$@"'
    as_root = ["--map-root-user"] * bool(os.geteuid())
    for command in (
        [
            *(tools["cmake"], "-S", CHECKOUT, "-B", folder, "-G", "Ninja"),
            f"-DCMAKE_MAKE_PROGRAM={tools['ninja']}",
            f"-DCMAKE_CXX_COMPILER={tools['mpicxx_abi']}",
        ],
        [tools["cmake"], "--build", folder, "--target", "halocline-driver"],
    ):
        within = ["unshare", "--mount", *as_root, "sh", "-ec", mounted, "sh", checkout, CHECKOUT]
        words = [str(word) for word in [*within, *command]]
        done = subprocess.run(
            words, check=False, capture_output=True, text=True, timeout=BUILD_LIMIT_S
        )
        assert done.returncode == 0, done.stdout + done.stderr
    return folder / "halocline-driver"


def measured(driver: Path, protocol: str, samples: Path) -> dict[str, Samples]:
    """What one launch on two ranks says of both workloads, by `WORKLOAD-BYTES`."""
    tool = replace(toolchain("mpich"), driver=driver)
    cases = tuple(
        f"{workload}-{size} {workload} protocol={protocol} bytes={size}"
        for workload in ("pingpong", "pingping")
        for size in SIZES_BYTES
    )
    outcome = run_job(Job(tool, 2, 1, cases, samples, case_s=0.01), lambda progress: None)
    assert outcome.ok, outcome.reason
    records, cut_off = read(samples, samples.read_bytes())
    assert cut_off == 0
    found = {record.case: record for record in records if isinstance(record, Samples)}
    assert list(found) == [case.split()[0] for case in cases]
    return found


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the C++ sources with the protocol of CONTRIBUTING.md, built."""
    copy = tmp_path_factory.mktemp("checkout")
    shutil.copytree(CHECKOUT / "src", copy / "src")
    add(copy, *documented())
    build(copy)
    return copy


def test_the_documented_protocol_is_one_file_and_one_line(checkout: Path) -> None:
    file, _, line = documented()
    here, there = (
        {path.relative_to(root): path.read_text(encoding="utf-8") for path in files}
        for root in (CHECKOUT, checkout)
        for files in [[*(root / "src").rglob("*.*pp"), *(root / "src").rglob("*.inc")]]
    )
    assert there.keys() - here.keys() == {file}
    changed = [path for path in here if there[path] != here[path]]
    assert changed == [CATALOGUE]
    assert there[CATALOGUE].splitlines() == [*here[CATALOGUE].splitlines(), line.rstrip("\n")]
    assert line.count("\n") == 1


def test_the_documented_protocol_carries_both_workloads(checkout: Path, tmp_path: Path) -> None:
    driver, name = checkout / "build/halocline-driver", documented()[0].stem
    catalogue = from_json(catalogue_in(driver))
    assert catalogue.protocols[-1].name == name
    assert catalogue.protocols[-1].available
    found = measured(driver, name, tmp_path / "samples.jsonl")
    assert {case: (r.status, r.reason) for case, r in found.items()} == dict.fromkeys(
        found, ("measured", "")
    )
    moved = {case: record.moved_bytes for case, record in found.items()}
    assert moved == {f"pingpong-{size}": size for size in SIZES_BYTES} | {
        f"pingping-{size}": 2 * size for size in SIZES_BYTES
    }


def test_a_protocol_that_spoils_a_byte_fails_and_names_it(checkout: Path, tmp_path: Path) -> None:
    text = (CHECKOUT / "tests/protocols/corrupting.cpp").read_text(encoding="utf-8")
    file = Path("src/halocline/protocol/corrupting.cpp")
    add(checkout, file, text, "HALOCLINE_PROTOCOL(corrupting)\n")
    found = measured(build(checkout), "corrupting", tmp_path / "samples.jsonl")
    one = r"rank (\d) received byte (\d+) of (\d+) from rank (\d) as (\d+), expected (\d+)"
    for case, record in found.items():
        size = int(case.split("-")[1])
        if size == 0:
            assert (record.status, record.reason) == ("measured", "")  # there is no byte to spoil
            continue
        assert record.status == "failed"
        assert record.elapsed_s.size == 0
        complaints = re.fullmatch(f"{one}; {one}", record.reason)
        assert complaints is not None, record.reason
        numbers = [int(number) for number in complaints.groups()]
        for rank, (ranked, byte, of, sender, seen, expected) in enumerate(
            (numbers[:6], numbers[6:])
        ):
            assert (ranked, byte, of, sender) == (rank, size // 3, size, 1 - rank)
            assert seen == expected ^ 1
