from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import halocline
from halocline.base.errors import UserError, UserErrors
from halocline.launch.launchers import SIMULATION
from halocline.launch.machine import machine, machines, read, simulation

CHECKOUT = Path(__file__).parents[2]

DESCRIPTION = """
name = "small"
summary = "one node"
source = "this test"
[nodes]
count = 1
cores = 2
core_speed_flop_per_s = 1e9
[network]
latency_s = 3e-6
bandwidth_bytes_per_s = 1e9
[on_node]
latency_s = 0.5e-6
bandwidth_bytes_per_s = 4e9
"""

PING_PONG = r"""
#include <cstdio>
#include <mpi.h>
#include <vector>
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<char> buffer(1 << 20);
  for (int bytes : {8, 1 << 20}) {
    double begin = 0;
    int const rounds = 4;
    for (int round = -1; round < rounds; ++round) {
      if (round == 0) begin = MPI_Wtime();  // the first round brings the ranks into step
      for (int sender : {0, 1}) {
        if (rank == sender) MPI_Send(buffer.data(), bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD);
        else MPI_Recv(buffer.data(), bytes, MPI_BYTE, sender, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
    }
    if (rank == 0) std::printf("%d %.17g\n", bytes, (MPI_Wtime() - begin) / (2 * rounds));
  }
  MPI_Finalize();
}
"""


@pytest.fixture(scope="module")
def ping_pong(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("smpicxx") is None:
        pytest.fail("smpicxx is missing; install it: apt install libsimgrid-dev")
    folder = tmp_path_factory.mktemp("ping_pong")
    (folder / "ping_pong.cpp").write_text(PING_PONG, encoding="utf-8")
    subprocess.run(["smpicxx", "ping_pong.cpp", "-o", "ping_pong"], cwd=folder, check=True)
    return folder / "ping_pong"


@pytest.mark.launches
def test_between_nodes_a_message_costs_latency_and_bandwidth(
    ping_pong: Path, tmp_path: Path
) -> None:
    """2 µs and 12.5 GB/s, and 16 bytes of SMPI's envelope."""
    times = _simulated(ping_pong, simulation_of("two-nodes", tmp_path))
    assert times == pytest.approx({8: 2.00192e-6, 1048576: 85.88736e-6}, abs=1e-15)


@pytest.mark.launches
def test_on_a_node_a_message_costs_the_nodes_own(ping_pong: Path, tmp_path: Path) -> None:
    """0.5 µs and 4 GB/s, and 16 bytes of SMPI's envelope."""
    file = tmp_path / "small.toml"
    file.write_text(DESCRIPTION, encoding="utf-8")
    where = simulation(read(file), 2, tmp_path)
    times = _simulated(ping_pong, (where.platform, where.hostfile))
    assert times == pytest.approx({8: 0.506e-6, 1048576: 262.648e-6}, abs=1e-15)


def test_ranks_are_dealt_to_the_nodes_in_turn(tmp_path: Path) -> None:
    where = simulation(machine("two-nodes"), 4, tmp_path)
    assert where.hostfile.read_text(encoding="utf-8") == "node-0\nnode-1\nnode-0\nnode-1\n"


def test_too_many_ranks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no room for 5 ranks .* 1 to 4 \(2 nodes × 2 cores\)"):
        simulation(machine("two-nodes"), 5, tmp_path)


def test_every_machine_of_ours_is_valid() -> None:
    files = sorted((CHECKOUT / "machines").glob("*.toml"))
    assert [found.name for found in machines()] == [file.stem for file in files]


def test_an_unknown_machine_names_those_there_are() -> None:
    with pytest.raises(UserError, match="is called 'xt5'; allowed: thousand-nodes, two-nodes"):
        machine("xt5")


def test_all_problems_of_a_file_are_reported_together(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    broken = (
        DESCRIPTION.replace('"small"', '"large"')
        .replace("count = 1", "count = 0")
        .replace("cores = 2", "cores = true")
        .replace("latency_s = 3e-6", "latency_s = inf")
        .replace("4e9", '"4 GB/s"')
        .replace('source = "this test"', "torus = 3")
    )
    file.write_text(broken, encoding="utf-8")
    with pytest.raises(UserErrors) as caught:
        read(file)
    assert str(caught.value).splitlines() == [
        f"{file}: name is 'large'; allowed: \"small\", as the file is called; change it",
        f"{file}: source is missing; allowed: a string in quotes; add it",
        f"{file}: nodes.count is 0; allowed: a whole number, 1 or more; change it",
        f"{file}: nodes.cores is True; allowed: a whole number, 1 or more; change it",
        f"{file}: network.latency_s is inf; allowed: a number above 0; change it",
        f"{file}: on_node.bandwidth_bytes_per_s is '4 GB/s'; allowed: a number above 0; change it",
        f"{file}: unknown key torus; allowed: name, summary, source, nodes.count, nodes.cores, "
        "nodes.core_speed_flop_per_s, network.latency_s, network.bandwidth_bytes_per_s, "
        "on_node.latency_s, on_node.bandwidth_bytes_per_s; remove it",
    ]


def test_malformed_toml_names_its_line(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text("name = \n", encoding="utf-8")
    with pytest.raises(UserErrors, match=r"small.toml: .*line 1"):
        read(file)


def test_a_new_machine_is_one_new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "halocline"
    folder = package / "_machines"
    shutil.copytree(CHECKOUT / "machines", folder)
    (folder / "small.toml").write_text(DESCRIPTION, encoding="utf-8")
    monkeypatch.setattr(halocline, "__path__", [str(package)])
    assert machine("small").nodes == 1
    assert "small" in [found.name for found in machines()]


def simulation_of(name: str, folder: Path) -> tuple[Path, Path]:
    where = simulation(machine(name), 2, folder)
    return where.platform, where.hostfile


def _simulated(program: Path, where: tuple[Path, Path]) -> dict[int, float]:
    """Seconds of one traversal by bytes; reading the simulated clock costs nothing here."""
    platform, hostfile = where
    command: list[str | Path] = ["smpirun", "-n", "2", "-platform", platform, "-hostfile", hostfile]
    settings = {**SIMULATION, "smpi/wtime": "0"}
    command += [f"--cfg={name}:{value}" for name, value in settings.items()]
    done = subprocess.run(
        [*command, program], check=True, capture_output=True, text=True, timeout=60
    )
    pairs = (line.split() for line in done.stdout.splitlines())
    return {int(size): float(seconds) for size, seconds in pairs}
