"""Experiments from files and from words, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from halocline.base.errors import UserErrors
from halocline.specification.catalogue import from_json
from halocline.specification.experiment import Experiment
from halocline.specification.spec import Known, Option, from_words, load


@pytest.fixture
def known(driver_catalogue: dict[str, Any]) -> Known:
    return Known(from_json(driver_catalogue), ("mpich", "intel", "simgrid"), ("two-nodes",))


def problems(raised: pytest.ExceptionInfo[UserErrors]) -> list[str]:
    return [str(problem) for problem in raised.value.problems]


def test_defaults(known: Known) -> None:
    assert from_words("pingpong", (), known) == Experiment("pingpong", ("pingpong",))


def test_words(known: Known) -> None:
    found = from_words(
        "pingpong,pingping",
        ["bytes=8,1KiB..4KiB", "protocol=send_recv,ssend_recv"],
        known,
        [
            Option("experiment.mpi", "--mpi", ["intel", "mpich"]),
            Option("measure.budget", "--budget", "2min"),
            Option("measure.deadline", "--deadline", "90s"),
            Option("measure.launches_minimum", "--launches", 120),
            Option("experiment.machine", "--machine", None),
        ],
    )
    assert found == Experiment(
        title="pingpong and pingping",
        workloads=("pingpong", "pingping"),
        mpi=("intel", "mpich"),
        axes=(("bytes", (8, 1024, 2048, 4096)), ("protocol", ("send_recv", "ssend_recv"))),
        launches_minimum=120,
        launches_maximum=120,
        budget_s=120.0,
        deadline_s=90.0,
    )


def test_words_of_a_configuration(known: Known) -> None:
    found = from_words(
        "pingpong",
        ["layout=2N1P,1N2P", 'env.UCX_TLS="tcp,self",sm', "pages=base,huge", "bytes=8"],
        known,
        [
            Option("experiment.hosts", "--hosts", "a,b"),
            Option("configuration.placement", "--placement", ["wrap"]),
        ],
    )
    assert found.configuration == (
        ("env.UCX_TLS", ("tcp,self", "sm")),
        ("layout", ("2N1P", "1N2P")),
        ("pages", ("base", "huge")),
        ("placement", ("wrap",)),
    )
    assert (found.hosts, found.ranks, found.axes) == ("a,b", (2,), (("bytes", (8,)),))


def test_a_hostfile_is_found_from_another_folder_too(
    known: Known, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hosts.txt").write_text("a\nb\n")
    monkeypatch.chdir(tmp_path)
    hosts = Option("experiment.hosts", "--hosts", "hosts.txt")
    found = from_words("pingpong", ["layout=2N1P"], known, [hosts])
    assert found.hosts == str(tmp_path / "hosts.txt")
    many = ",".join(f"node{number:04}" for number in range(60))  # too long for a path
    (tmp_path / "made").write_text("a\nb\n")
    for word in ("made", many):
        hosts = Option("experiment.hosts", "--hosts", word)
        assert from_words("pingpong", ["layout=2N1P"], known, [hosts]).hosts == word


def test_a_placement_given_twice_is_refused(known: Known) -> None:
    words = ["layout=2N1P", "placement=file:order,file:order"]
    hosts = Option("experiment.hosts", "--hosts", "a,b")
    with pytest.raises(UserErrors, match="given twice"):
        from_words("pingpong", words, known, [hosts])


def test_the_path_between_nodes_may_be_recorded_only(known: Known, tmp_path: Path) -> None:
    file = tmp_path / "experiment.toml"
    head = 'schema = 1\n[experiment]\nworkloads = ["pingpong"]\n[measure]\n'
    file.write_text(f'{head}path = "recorded"\n')
    found = load(file, known)
    assert found.path == "recorded"
    file.write_text(found.toml())
    assert load(file, known) == found
    file.write_text(f'{head}path = "seen"\n')
    with pytest.raises(UserErrors, match="path 'seen'; allowed: proven or recorded; choose one"):
        load(file, known)


def test_a_mock_has_as_many_nodes_as_are_asked_for(known: Known) -> None:
    machine = Option("experiment.machine", "--machine", "mock:1us")
    found = from_words("pingpong", ["layout=2N1P"], known, [machine])
    assert (found.hosts, found.ranks) == ("", (2,))


def test_several_workloads_take_what_both_take(driver_catalogue: dict[str, Any]) -> None:
    for workload, low, high in zip(driver_catalogue["workloads"], (1, 0), (64, 32), strict=True):
        workload["axes"][1] |= {"low": low, "high": high}
        choices = ["flat", "tree", workload["name"]]
        workload["axes"].append(
            {"name": "shape", "kind": "choice", "choices": choices, "default": ["flat"]}
        )
    known = Known(from_json(driver_catalogue))
    found = from_words("pingpong,pingping", ["bytes=1,32", "shape=tree,flat"], known)
    assert dict(found.axes) == {"bytes": (1, 32), "shape": ("tree", "flat")}
    with pytest.raises(UserErrors) as raised:
        from_words("pingpong,pingping", ["bytes=0,33", "shape=pingpong"], known)
    assert problems(raised) == [
        "bytes=0,33: bytes '0' is out of range; allowed: 1 to 32 B; choose another value",
        "bytes=0,33: bytes '33' is out of range; allowed: 1 to 32 B; choose another value",
        "shape=pingpong: unknown shape 'pingpong'; allowed: flat, tree; choose another value",
    ]


def test_an_axis_may_have_single_numbers(driver_catalogue: dict[str, Any]) -> None:
    for workload, only in zip(driver_catalogue["workloads"], ([5, 10, 21], [10, 21]), strict=True):
        workload["axes"][1] |= {"low": 5, "high": 21, "only": only}
    known = Known(from_json(driver_catalogue))
    assert dict(from_words("pingpong", ["bytes=5,21"], known).axes) == {"bytes": (5, 21)}
    for workloads, word, allowed in (
        ("pingpong", "7", "5, 10, 21"),
        ("pingpong,pingping", "5", "10, 21"),
    ):
        with pytest.raises(UserErrors) as raised:
            from_words(workloads, [f"bytes={word}"], known)
        assert problems(raised) == [
            f"bytes={word}: bytes '{word}' is not available; allowed: {allowed} B; "
            "choose another value"
        ]


def test_files_are_named_by_whole_paths_and_have_to_be_there(
    driver_catalogue: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = {"name": "plan", "kind": "file", "made_by": "halocline write", "default": ["example"]}
    driver_catalogue["workloads"][0]["axes"].append(plan)
    known = Known(from_json(driver_catalogue), mpis=("mpich",))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("")
    found = from_words("pingpong", ["plan=example,a.txt"], known)
    assert dict(found.axes)["plan"] == ("example", str(tmp_path / "a.txt"))
    for word, problem in (
        ("b.txt", "'b.txt' is not a file; make one with `halocline write`"),
        ("a.txt,./a.txt", "'./a.txt' is given twice; remove one of them"),
    ):
        with pytest.raises(UserErrors) as raised:
            from_words("pingpong", [f"plan={word}"], known)
        assert problems(raised) == [f"plan={word}: plan {problem}"]
    # The record of a run is read where its files are no more.
    (tmp_path / "experiment.toml").write_text(found.toml(), encoding="utf-8")
    (tmp_path / "a.txt").unlink()
    assert load(tmp_path / "experiment.toml", Known(from_json(driver_catalogue))) == found


def test_simulated_machine_has_its_own_mpi(known: Known) -> None:
    machine = Option("experiment.machine", "--machine", "two-nodes")
    found = from_words("pingpong", (), known, [machine])
    assert found.mpi == ("simgrid",)
    assert found.simulated and not found.mocked


@pytest.mark.parametrize(
    "experiment",
    [
        Experiment("pingpong", ("pingpong",)),
        Experiment(
            title='quotes " and \\ and µ\x7f\t',
            workloads=("pingping", "pingpong"),
            mpi=("intel", "mpich"),
            machine="mock:1.5us",
            ranks=(2,),
            axes=(("bytes", (0, 2**30)), ("protocol", ("ssend_recv",))),
            half_width=0.0123,
            launches_minimum=1,
            launches_maximum=1,
            budget_s=0.1,
            deadline_s=2.5,
        ),
        Experiment(
            title="configured",
            workloads=("pingpong",),
            configuration=(
                ("env.UCX_TLS", ("unset", "tcp,self")),
                ("flags", ("-O2 -g",)),
                ("layout", ("1N2P", "2N1P")),
            ),
            hosts="a,b",
        ),
    ],
)
def test_toml_round_trip(known: Known, tmp_path: Path, experiment: Experiment) -> None:
    file = tmp_path / "experiment.toml"
    file.write_text(experiment.toml(), encoding="utf-8")
    assert load(file, known) == experiment


def test_options_replace_what_the_file_says(known: Known, tmp_path: Path) -> None:
    file = tmp_path / "experiment.toml"
    file.write_text(Experiment("t", ("pingpong",)).toml(), encoding="utf-8")
    mpi = Option("experiment.mpi", "--mpi", ["intel"])
    assert load(file, known, [mpi]).mpi == ("intel",)
    with pytest.raises(UserErrors) as raised:
        load(file, known, [Option("experiment.mpi", "--mpi", ["intl"])])
    assert problems(raised) == [
        "--mpi: unknown MPI 'intl'; allowed: mpich, intel, simgrid; did you mean 'intel'?"
    ]


def test_a_record_made_elsewhere_may_name_any_library_and_machine(
    driver_catalogue: dict[str, Any], tmp_path: Path
) -> None:
    experiment = Experiment("t", ("pingpong",), mpi=("site",), machine="here")
    file = tmp_path / "experiment.toml"
    file.write_text(experiment.toml(), encoding="utf-8")
    assert load(file, Known(from_json(driver_catalogue))) == experiment


def test_all_problems_of_a_file_are_reported_together_with_their_lines(
    known: Known, tmp_path: Path
) -> None:
    file = tmp_path / "e.toml"
    file.write_text(
        """schema = 1
[experiment]
workloads = ["pingpng",  # ],
  "pingping", "pingping"]
mpi = ["mpch"]
rank = [2]
ranks = [0]
machine = "mock:1.5"
[axes]
byte = [3]
bytes = [0, "4KB", -1,
  "2GiB", true, 8, "8B"]
protocol = "send_recv"
[measure]
half_width = 2
budget = "-3s"
launches_minimum = 9
launches_maximum = 3
""",
        encoding="utf-8",
    )
    with pytest.raises(UserErrors) as raised:
        load(file, known)
    lines = [problem.removeprefix(f"{file}:") for problem in problems(raised)]
    sizes = "allowed: a whole number of B, KiB, MiB or GiB, as in 8, 4KiB"
    write = "write bytes as 8, 4KiB, 1..4MiB or 4..64+4"
    assert lines == [
        "3: unknown workload 'pingpng'; allowed: pingpong, pingping; did you mean 'pingpong'?",
        "4: workload 'pingping' is given twice; remove one of them",
        "5: unknown MPI 'mpch'; allowed: mpich, intel, simgrid; did you mean 'mpich'?",
        "6: unknown key 'rank' in [experiment]; allowed: title, workloads, mpi, machine, ranks, "
        "hosts, notes; did you mean 'ranks'?",
        "7: ranks is 0; allowed: a whole number, 1 or more; write ranks 1 or more",
        "8: machine 'mock:1.5' is not mock:TIME; allowed: a positive TIME in ns, us, "
        "ms or s; write it as mock:1.5us",
        "10: pingping has no axis 'byte'; allowed: protocol, bytes; did you mean 'bytes'?",
        f"11: bytes '4KB' has the unknown unit 'KB'; {sizes}; {write}",
        "11: bytes -1 is out of range; allowed: 0 to 1073741824 B; choose another value",
        "12: bytes '2GiB' is out of range; allowed: 0 to 1073741824 B; choose another value",
        f"12: bytes true is not a whole number; {sizes}; {write}",
        "12: bytes '8B' is given twice; remove one of them",
        "13: protocol is 'send_recv', not a list; write protocol = [\"send_recv\"]",
        "15: half_width is 2; allowed: 0.0001 or more and less than 1; write 0.01 for ±1 %",
        "16: budget '-3s' is not a time; allowed: a number with ns, us, ms, s, min or h, as in "
        '170s, 2min; write budget with its unit, as in "170s"',
        "17: launches_minimum 9 is more than launches_maximum 3; allowed: 1 to 3; lower it, or "
        "raise launches_maximum",
    ]


def test_without_workloads_axes_are_not_refused_for_all_of_them(
    tmp_path: Path, known: Known
) -> None:
    file = tmp_path / "e.toml"
    file.write_text('schema = 1\n[axes]\nbyte = [8]\npages = ["huge"]\n', encoding="utf-8")
    with pytest.raises(UserErrors) as raised:
        load(file, known)
    lines = [problem.removeprefix(f"{file}:") for problem in problems(raised)]
    assert lines[0].startswith(" no workloads; allowed: ")
    assert lines[1:] == [
        "4: pages is a setting of configurations, not an axis; write it under [configuration]"
    ]
