"""What the doctor finds on whole hosts, and that each check answers to its own cause alone."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from halocline.cli import doctor as command
from halocline.doctor import Finding, Severity, diagnose
from halocline.environment import read_host

QUIET: dict[str, Any] = {
    "clock": {"source": "tsc", "available": ["tsc", "hpet"]},
    "fabric": [],
    "processor": {
        "cores": 2,
        "threads": 2,
        "core_threads": ["0", "1"],
        "numa_nodes": [{"node": 0, "cpus": "0-1", "memory_bytes": 2**33}],
        "governors": ["performance"],
        "turbo": False,
        "hypervisor": None,
    },
    "memory": {"swap_used_bytes": 0, "transparent_huge_pages": "madvise"},
    "scheduling": {"load": [0.1, 0.1, 0.1], "steal_share": 0.0, "autogroup": True, "nice": 0},
    "allotment": {
        "affinity": "0-1",
        "cpus": 2,
        "cpu_quota": None,
        "locked_memory_bytes": None,
    },
    "shared_memory": {"size_bytes": 2**30, "free_bytes": 2**30},
    "mpi_variables": {},
    "tools": {"c++": "/usr/bin/c++", "smpirun": "/usr/bin/smpirun"},
}


def changed(path: str, value: object) -> dict[str, Any]:
    """The quiet host with one entry, named as in `processor.turbo`, changed."""
    environment = copy.deepcopy(QUIET)
    *sections, key = path.split(".")
    place = environment
    for section in sections:
        place = place[section]
    place[key] = value
    return environment


def test_quiet_host_has_no_findings() -> None:
    assert diagnose(QUIET) == ()


@pytest.mark.parametrize(
    ("path", "value", "name", "severity", "number"),
    [
        ("scheduling.nice", 10, "priority", "warning", "nice 10"),
        ("processor.governors", ["powersave"], "governor", "warning", "powersave"),
        ("processor.turbo", True, "turbo", "note", "on"),
        ("processor.threads", 4, "siblings", "note", "4 hardware threads on 2 cores"),
        ("processor.hypervisor", "KVM", "virtual-machine", "note", "0.00%"),
        ("memory.transparent_huge_pages", "always", "huge-pages", "note", "always"),
        ("memory.swap_used_bytes", 3 * 2**20, "swap", "warning", "3 MiB"),
        ("clock.source", "hpet", "clock", "warning", "hpet"),
        ("allotment.cpu_quota", 1.5, "quota", "error", "1.5 CPUs"),
        ("allotment.cpu_quota", 4.0, "quota", "note", "4 CPUs"),
        ("allotment.cpu_quota", 128.0, "quota", "note", "128 CPUs"),
        ("shared_memory.free_bytes", 31 * 2**20, "shared-memory", "error", "31 MiB"),
        ("shared_memory", None, "shared-memory", "error", "does not exist"),
        ("mpi_variables", {"FI_PROVIDER": "tcp"}, "variables", "note", "FI_PROVIDER"),
        ("tools.smpirun", None, "tools", "note", "smpirun"),
    ],
)
def test_each_cause_gives_its_finding(
    path: str, value: object, name: str, severity: str, number: str
) -> None:
    environment = changed(path, value)
    environment["scheduling"]["autogroup"] = False
    (finding,) = diagnose(environment)
    assert (finding.name, finding.severity) == (name, severity)
    assert number in finding.found
    assert finding.harm
    assert finding.remedy


def test_load_brings_autogroup_up() -> None:
    names = [finding.name for finding in diagnose(changed("scheduling.load", [1.8, 1.0, 0.5]))]
    assert names == ["load", "autogroup"]


def test_idle_load_is_no_finding() -> None:
    assert diagnose(changed("scheduling.load", [0.5, 9.0, 9.0])) == ()


def test_stolen_time_makes_a_virtual_machine_a_warning() -> None:
    environment = changed("processor.hypervisor", "KVM")
    environment["scheduling"]["steal_share"] = 0.02
    (finding,) = diagnose(environment)
    assert finding.severity is Severity.WARNING
    assert "2.00%" in finding.found


def test_more_ranks_than_cpus_is_an_error() -> None:
    (finding,) = diagnose(QUIET, ranks=3)
    assert (finding.name, finding.severity) == ("cores", Severity.ERROR)
    assert finding.found == "2 cores with 2 CPUs for 3 ranks"


def test_ranks_that_share_a_core_are_a_warning() -> None:
    environment = changed("processor.core_threads", ["0-1"])
    (finding,) = diagnose(environment)
    assert (finding.name, finding.severity) == ("cores", Severity.WARNING)
    assert finding.found == "1 cores with 2 CPUs for 2 ranks"


def test_clock_that_cannot_be_switched_has_no_command() -> None:
    environment = changed("clock", {"source": "hpet", "available": ["hpet"]})
    (finding,) = diagnose(environment)
    assert finding.command is None


def test_locked_memory_matters_with_a_fabric_only() -> None:
    environment = changed("allotment.locked_memory_bytes", 65536)
    assert diagnose(environment) == ()
    environment["fabric"] = ["mlx5_0"]
    (finding,) = diagnose(environment)
    assert finding.name == "locked-memory"


def test_settings_of_two_libraries_are_mixed() -> None:
    variables = {"I_MPI_FABRICS": "shm", "OMPI_MCA_btl": "self"}
    (finding,) = diagnose(changed("mpi_variables", variables))
    assert finding.severity is Severity.WARNING
    assert "Intel MPI and Open MPI" in finding.harm
    assert finding.command == "env -u I_MPI_FABRICS -u OMPI_MCA_btl halocline survey"


def test_library_path_alone_is_no_finding() -> None:
    assert diagnose(changed("mpi_variables", {"LD_LIBRARY_PATH": "/opt/lib"})) == ()


def complete(host: dict[str, Any]) -> dict[str, Any]:
    return {**host, **{key: QUIET[key] for key in ("shared_memory", "mpi_variables", "tools")}}


def test_two_socket_host(recorded_host: Callable[[str], Path]) -> None:
    findings = diagnose(complete(read_host(recorded_host("two-sockets"))))
    assert [(finding.name, finding.severity.value) for finding in findings] == [
        ("load", "warning"),
        ("autogroup", "warning"),
        ("priority", "warning"),
        ("governor", "warning"),
        ("swap", "warning"),
        ("clock", "warning"),
        ("placement", "warning"),
        ("locked-memory", "warning"),
        ("turbo", "note"),
        ("siblings", "note"),
        ("huge-pages", "note"),
        ("quota", "note"),
    ]
    (placement,) = (finding for finding in findings if finding.name == "placement")
    # CPUs 0 and 1 are on different sockets, 0 and 4 on one core.
    assert placement.command == "taskset --cpu-list 0,2 halocline survey"


def test_only_numa_nodes_that_may_be_used_count() -> None:
    host = changed("processor.numa_nodes", [{"node": 0, "cpus": "0-3"}, {"node": 1, "cpus": "4-7"}])
    host["processor"]["core_threads"] = [str(cpu) for cpu in range(8)]
    host["allotment"] |= {"affinity": "0-3", "cpus": 4}
    (placement,) = (finding for finding in diagnose(host) if finding.name == "placement")
    assert (placement.severity, "1 NUMA node" in placement.found) == (Severity.NOTE, True)


def test_container_host(recorded_host: Callable[[str], Path]) -> None:
    findings = diagnose(complete(read_host(recorded_host("container"))))
    assert [(finding.name, finding.severity.value) for finding in findings] == [
        ("cores", "error"),
        ("quota", "error"),
    ]


def run(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, Any], *words: str
) -> tuple[int, str]:
    """Exit code and output of `halocline doctor` on a host."""
    monkeypatch.setattr(command, "collect", lambda toolchains: environment)
    app = typer.Typer()
    app.command()(command.doctor)
    done = CliRunner().invoke(app, list(words))
    return done.exit_code, done.stdout


def test_command_exits_1_for_an_error_only(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, QUIET)[0] == 0
    assert run(monkeypatch, changed("processor.governors", ["powersave"]))[0] == 0
    assert run(monkeypatch, QUIET, "--ranks", "3")[0] == 1


def test_command_says_that_nothing_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    _, output = run(monkeypatch, QUIET)
    assert output == "Nothing here would spoil a measurement of 2 ranks.\n"


def test_command_gives_json(monkeypatch: pytest.MonkeyPatch) -> None:
    _, output = run(monkeypatch, changed("memory.swap_used_bytes", 2**20), "--json")
    result = json.loads(output)
    assert (result["schema"], result["ranks"]) == (1, 2)
    assert result["findings"] == [
        {
            "name": "swap",
            "severity": "warning",
            "found": "1 MiB of swap in use",
            "harm": "a page read back from disk stalls a rank for milliseconds",
            "remedy": "free memory, then empty the swap",
            "command": "sudo swapoff -a && sudo swapon -a",
        }
    ]


def test_commands_are_never_broken_into_lines() -> None:
    line = "env " + "-u UCX_SOMETHING " * 10 + "halocline survey"
    finding = Finding("variables", Severity.NOTE, "found", "harm", "remedy", line)
    output = io.StringIO()
    command.show(Console(file=output, width=40), [finding], ranks=2)
    assert f"    {line}\n" in output.getvalue()
    assert output.getvalue().endswith("\n1 note\n")
