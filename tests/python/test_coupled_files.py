"""The files of a coupled model are NetCDF to those who read it, and say where its values lie."""

from __future__ import annotations

import json
import struct
import subprocess
import zlib
from pathlib import Path

import pytest
import xarray
from numpy.testing import assert_allclose

from halocline.mpi.build import abi_driver
from profiles.programs import library_of

SMALL = (
    "truncation=5 atmosphere_levels=2 grid=x4 ocean_levels=2 iterations=2 days=1 "
    "couplings_per_day=8 history=written near=messages protocol=isend_irecv "
    "atmosphere_ranks=0 ocean_ranks=0 land_ranks=0 ice_ranks=0"
)
SALT_FREEZES = -1.8


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a model on two ranks writes, and one that continues from its checkpoint on one."""
    folder: Path = tmp_path_factory.mktemp("coupled")
    checkpoint = folder / "files" / "through" / "checkpoint.nc"
    run(folder, 2, f"through coupled {SMALL} arrangement=mixed restart=none")
    run(folder, 1, f"continued coupled {SMALL} arrangement=sequential restart={checkpoint}")
    return folder


def run(folder: Path, ranks: int, case: str) -> None:
    name = case.split(maxsplit=1)[0]
    cases, output = folder / f"{name}.txt", folder / f"{name}.jsonl"
    cases.write_text(case + "\n", encoding="utf-8")
    words = ["--cases", cases, "--output", output, "--label", "x", "--launch", "1"]
    words += ["--case-seconds", "0.02", "--path", "recorded", "--shared-cores"]
    launcher = [library_of("mpich-abi").launcher, "-n", ranks, abi_driver(print)]
    subprocess.run([str(word) for word in (*launcher, *words)], check=True, timeout=100)


def opened(folder: Path, name: str) -> xarray.Dataset:
    with xarray.open_dataset(folder / "files" / name, engine="scipy") as file:
        return file.load()


def checksum(folder: Path, name: str) -> float:
    text = (folder / f"{name}.jsonl").read_text(encoding="utf-8")
    (case,) = (line for line in map(json.loads, text.splitlines()) if line["type"] == "samples")
    (sum_of_bits,) = (fact["value"] for fact in case["facts"] if fact["name"] == "checksum")
    return float(sum_of_bits)


@pytest.mark.launches
@pytest.mark.waits
class TestFiles:
    @pytest.mark.parametrize(("name", "day"), [("beginning", 0.0), ("middle", 0.5), ("end", 1.0)])
    def test_history_is_read_by_xarray(self, folder: Path, name: str, day: float) -> None:
        history = opened(folder, f"through/{name}.nc")
        assert float(history.day) == day
        assert history.air_temperature.sizes == {"latitude": 8, "longitude": 16}
        assert history.sea_temperature.sizes == {"row": 96, "column": 80}
        assert history.sea_temperature.attrs["units"] == "degree_Celsius"
        assert set(history.sea_temperature.coords) == {"sea_latitude", "sea_longitude"}
        assert float(history.sea_temperature.min()) >= SALT_FREEZES
        assert 10 < float(history.sea_temperature.max()) < 30
        assert not history.air_temperature.isnull().any()
        # Land has no sea, and where the sea is there is no soil.
        assert 0.3 < float(history.sea_temperature.isnull().mean()) < 0.6
        assert history.soil_water.isnull().any()
        assert_allclose(history.ice_thickness.isnull(), history.sea_temperature.isnull())

    def test_ice_lies_about_the_poles(self, folder: Path) -> None:
        history = opened(folder, "through/beginning.nc")
        far = abs(history.sea_latitude) > 75
        assert float(history.ice_thickness.where(far).mean()) > 1
        assert float(history.ice_thickness.where(abs(history.sea_latitude) < 60).max()) == 0

    def test_a_model_that_continues_ends_with_the_same_bits(self, folder: Path) -> None:
        through, continued = (opened(folder, f"{run}/end.nc") for run in ("through", "continued"))
        xarray.testing.assert_identical(through, continued)
        assert checksum(folder, "through") == checksum(folder, "continued")

    def test_a_checkpoint_has_every_component(self, folder: Path) -> None:
        checkpoint = opened(folder, "through/checkpoint.nc")
        assert float(checkpoint.intervals) == 4
        components = {"atmosphere_columns", "atmosphere_spectrum", "ocean", "land", "ice"}
        assert {f"{name}_0" for name in components} < set(checkpoint.data_vars)
        assert checkpoint.attrs["barotropic_iterations"] == "2"

    @pytest.mark.parametrize("intervals", [0.5, -1.0, 1e300])
    def test_a_damaged_checkpoint_is_refused(self, folder: Path, intervals: float) -> None:
        file = folder / "files/through/checkpoint.nc"
        whole = bytearray(file.read_bytes())
        sums = opened(folder, "through/checkpoint.nc").crc32
        assert sums[0] == zlib.crc32(struct.pack(">d", 4.0))
        instead = struct.pack(">d", intervals)
        sums_at = len(whole) - 8 * len(sums)  # the last of all values
        at = whole.index(struct.pack(">d", 4.0), whole.index(b"intervals"))  # the first
        whole[at : at + 8] = instead
        whole[sums_at : sums_at + 8] = struct.pack(">d", zlib.crc32(instead))
        damaged = folder / "damaged.nc"
        damaged.write_bytes(whole)
        name = f"refused-{intervals}"
        run(folder, 2, f"{name} coupled {SMALL} arrangement=mixed restart={damaged}")
        text = (folder / f"{name}.jsonl").read_text(encoding="utf-8")
        (case,) = (line for line in map(json.loads, text.splitlines()) if line["type"] == "samples")
        assert case["status"] == "skipped"
        assert f"{damaged} is damaged: it claims to end interval" in case["reason"]
