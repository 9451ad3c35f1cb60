"""Programs of others and of our own, whole: totals agree, output is unchanged, pages are drawn."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from halocline.mpi.build import abi_driver
from halocline.profile.profile import Profile
from halocline.profile.report.page import write_page
from halocline.profile.totals import Totals
from profiles.programs import Programs, library_of
from profiles.test_page import drawn
from report.browser import show

pytestmark = pytest.mark.launches

INPUTS = Path(__file__).parent / "inputs"
RANKS = (2, 4, 8)
OVERSUBSCRIBED = ("--oversubscribe",)  # more ranks than cores are refused otherwise
# The papers' rows C3 to C8.
PANELS = {
    *("call-mix", "share-against-ranks", "messages-by-size", "messages-by-call", "bytes-by-rank"),
    *("data-against-ranks", "files-over-time", "matrix", "waiting-by-rank"),
}
OWN = {
    "halo": "protocol=isend_irecv words=1024 width=1 grid_y=0",
    "redistribution": "protocol=isend_irecv grid=64x128x16 layouts=table1 fields=8 packing=rank "
    "bundle=whole memory=user near=messages",
}


def installed(name: str, package: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.fail(f"{name} is missing; install it: apt install {package}")
    return found


def agree(profile: Profile) -> None:
    """Every total is the same sum, and nothing was lost."""
    totals = Totals(profile)
    sizes = totals.sizes()
    assert totals.bytes == sum(size.bytes for size in sizes) > 0
    assert totals.messages == sum(size.messages for size in sizes) > 0
    assert totals.bytes == sum(each.bytes for each in totals.functions)
    assert totals.bytes == sum(each.bytes for each in totals.sites)
    assert totals.bytes == totals.rank_bytes_sent.sum()
    assert totals.bytes == totals.matrix().sum() + totals.rank_collective_bytes.sum()
    assert {rank.ended for rank in profile.ranks} == {"finalized"}
    assert {(rank.untracked, rank.merged_calls) for rank in profile.ranks} == {(0, 0)}


@pytest.fixture(scope="module")
def hpcc(programs: Programs, tmp_path_factory: pytest.TempPathFactory) -> list[Profile]:
    program = installed("hpcc", "hpcc")
    profiles = []
    for ranks in RANKS:
        place = tmp_path_factory.mktemp(f"hpcc-{ranks}")
        text = (INPUTS / "hpcc.txt").read_text(encoding="utf-8").replace("RANKS", f"{ranks}")
        (place / "hpccinf.txt").write_text(text, encoding="utf-8")
        words = (*OVERSUBSCRIBED, "--wdir", str(place), program)
        ended = programs.profile(
            "debian-openmpi", *words, ranks=ranks, folder=place / "p", limit_s=300
        )
        assert ended.code == 0, ended.err
        output = (place / "hpccoutf.txt").read_text(encoding="utf-8")
        assert "Success=1" in output and f"CommWorldProcs={ranks}" in output
        profiles.append(ended.profile)
    return profiles


def test_hpcc(hpcc: list[Profile]) -> None:
    for profile, ranks in zip(hpcc, RANKS, strict=True):
        assert len(profile.ranks) == ranks
        agree(profile)
    page_of(hpcc, PANELS)


def page_of(profiles: list[Profile], panels: set[str]) -> None:
    """One file of all runs, with these panels, that a browser draws."""
    page = write_page(profiles, profiles[0].folder.with_name("page.html"))
    assert page.stat().st_size < 3_000_000
    text = page.read_text(encoding="utf-8")
    found = drawn(text)
    assert {re.sub(r"-\d+$", "", name) for name in found} >= panels
    assert {f"matrix-{run}" for run in range(len(profiles))} <= set(found)
    shown = show(page, page.parent, width=1300, height=2000, dark=False)
    assert shown.console == ()
    assert 'data-charts="drawn"' in shown.dom


@pytest.mark.parametrize("workload", OWN)
def test_own_workloads_side_by_side(workload: str, programs: Programs, tmp_path: Path) -> None:
    (tmp_path / "cases.txt").write_text(f"case {workload} {OWN[workload]}\n", encoding="utf-8")
    profiles = []
    for ranks in RANKS:
        words = ["--cases", f"{tmp_path}/cases.txt", "--output", f"{tmp_path}/{ranks}.jsonl"]
        words += ["--label", "x", "--launch", "1", "--case-seconds", "0.02"]
        words += ["--path", "recorded", "--shared-cores"]
        ended = programs.profile(
            "mpich-abi", abi_driver(print), *words, ranks=ranks, folder=tmp_path / f"{ranks}"
        )
        assert ended.code == 0, ended.err
        agree(ended.profile)
        profiles.append(ended.profile)
    page_of(profiles, PANELS)


def test_lammps(programs: Programs, tmp_path: Path) -> None:
    program = installed("lmp", "lammps")
    words = (*OVERSUBSCRIBED, program, "-in", INPUTS / "melt.lammps", "-log", "none")
    ended = programs.profile("debian-openmpi", *words, ranks=4, folder=tmp_path / "p")
    assert ended.code == 0, ended.err
    agree(ended.profile)
    library = library_of("debian-openmpi")
    bare = subprocess.run(
        [library.launcher, "-n", "4", *map(str, words)],
        env=programs.environment("debian-openmpi"),
        check=True,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert energies(ended.out) == energies(bare.stdout) != []


def energies(output: str) -> list[str]:
    """What LAMMPS prints of each step; what it says of its own speed differs."""
    return re.findall(r"^ +\d+ .*$", output.partition("Loop time")[0], re.MULTILINE)
