"""Whatever is wrong with what the user gives: a line for each problem, with its remedy, exit 2."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bad_input import HEAD, Bad, file, reported_with_its_remedy
from conftest import Command

MOCK = ("--machine", "mock:1.5us")
SIZES = "allowed: a whole number of B, KiB, MiB or GiB, as in 8, 4KiB"
WRITE_BYTES = "write bytes as 8, 4KiB, 1..4MiB or 4..64+4"
TIMES = "allowed: a number with ns, us, ms, s, min or h, as in 170s, 2min"


def recorded(command: Command) -> None:
    words = "run pingpong bytes=8 protocol=send_recv --output done --launches 1"
    ended = command(*words.split(), *MOCK)
    assert ended.code == 0, ended.err


def garbled(command: Command) -> None:
    recorded(command)
    samples = Path("done/samples.jsonl")
    samples.write_bytes(samples.read_bytes() + b"no JSON\n")


def cut_in_the_middle(command: Command) -> None:
    recorded(command)
    samples = Path("done/samples.jsonl")
    first, *others = samples.read_bytes().splitlines(keepends=True)
    samples.write_bytes(first[:99] + b"\n" + b"".join(others))


def without_environment(command: Command) -> None:
    recorded(command)
    Path("done/environment.json").unlink()


def elsewhere(command: Command) -> None:
    recorded(command)
    environment = Path("done/environment.json")
    text = environment.read_text().replace('"host": "', '"host": "not-')
    environment.write_text(text)


def a_file(_: Command) -> None:
    Path("file").write_text("")


def latin(_: Command) -> None:
    Path("bad.toml").write_bytes(b"\xff\xfe")


def program(_: Command) -> None:
    Path("mpicxx").write_text("#!/bin/sh\nexit 1\n")
    Path("mpicxx").chmod(0o755)


BAD = {
    # Words
    "unknown command": Bad("surve", ("no such command 'surve'",)),
    "unknown option": Bad("run pingpong --rank 2", ("no such option: --rank",)),
    "unknown global option": Bad(
        "--verbose", ("no such option: --verbose (Possible options: --version); see",)
    ),
    "option without its value": Bad("run pingpong --budget", ("option '--budget' requires",)),
    "nothing to run": Bad("run", ("nothing to run; allowed: a workload, a FILE.toml or --resume",)),
    "unknown workload": Bad(
        "run pingpng",
        (
            "WORKLOAD: unknown workload 'pingpng'; allowed: pingpong, pingping; "
            "did you mean 'pingpong'?",
        ),
    ),
    "no workload between commas": Bad("run pingpong,", ("WORKLOAD: unknown workload ''; allowed",)),
    "workload twice": Bad(
        "run pingpong,pingpong",
        ("WORKLOAD: workload 'pingpong' is given twice; remove one of them",),
    ),
    "word that is no axis": Bad(
        "run pingpong 8",
        ("'8' is not of the form axis=value; write axis=value, as in bytes=8,4KiB or",),
    ),
    "axis without values": Bad("run pingpong bytes=", ("'bytes=' is not of the form axis=value",)),
    "axis twice": Bad(
        "run pingpong bytes=8 bytes=9",
        ("axis 'bytes' is given twice; write bytes= once, with all its values",),
    ),
    "unknown axis": Bad(
        "run pingpong byte=8",
        ("byte=8: pingpong has no axis 'byte'; allowed: protocol, bytes; did you mean 'bytes'?",),
    ),
    "unknown unit": Bad(
        "run pingpong bytes=4KB",
        (f"bytes=4KB: bytes '4KB' has the unknown unit 'KB'; {SIZES}; {WRITE_BYTES}",),
    ),
    "negative size": Bad(
        "run pingpong bytes=-8",
        (f"bytes=-8: bytes '-8' is not a size; {SIZES}; {WRITE_BYTES}",),
    ),
    "part of a byte": Bad("run pingpong bytes=1.5", ("bytes=1.5: bytes '1.5' is not a whole",)),
    "size out of range": Bad(
        "run pingpong bytes=2GiB",
        ("bytes=2GiB: bytes '2GiB' is out of range; allowed: 0 to 1073741824 B; choose another",),
    ),
    "range backwards": Bad(
        "run pingpong bytes=8..4", ("bytes=8..4: bytes '8..4' ends before it starts;",)
    ),
    "range that does not double": Bad(
        "run pingpong bytes=3..8", ("bytes=3..8: bytes '3..8' doubles from 3 without reaching 8;",)
    ),
    "size twice": Bad("run pingpong bytes=8,8B", ("bytes=8,8B: bytes '8B' is given twice;",)),
    "unknown protocol": Bad(
        "run pingpong protocol=send",
        ("protocol=send: unknown protocol 'send'; allowed: send_recv, ssend_recv, isendrecv; ",),
    ),
    "protocol that the library lacks": Bad(
        "run pingpong protocol=isendrecv --machine mock:1us",
        ("mpich does not support protocol 'isendrecv': it came with MPI 4; see `halocline list",),
    ),
    "zero ranks": Bad(
        "run pingpong --ranks 0",
        ("--ranks: ranks is 0; allowed: a whole number, 1 or more; write ranks 1 or more",),
    ),
    "hosts of an unknown user": Bad(
        "run pingpong layout=2N1P --hosts ~nosuchuser/hosts",
        ("the hostfile ~nosuchuser/hosts cannot be read: No such file",),
    ),
    "negative ranks": Bad("run pingpong --ranks -2", ("--ranks: ranks is -2; allowed: a whole",)),
    "too many ranks": Bad(
        "run pingpong --ranks 3", ("--ranks: 3 ranks for pingpong; allowed: 2 ranks; use 2 ranks",)
    ),
    "ranks that are no number": Bad(
        "run pingpong --ranks two", ("--ranks: 'two' is not a whole number",)
    ),
    "a half-width that is no number": Bad(
        "run pingpong --half-width wide", ("--half-width: 'wide' is not a number",)
    ),
    "unknown MPI": Bad(
        "run pingpong --mpi mpch",
        (
            "--mpi: unknown MPI 'mpch'; allowed: mpich, intel, openmpi, simgrid; "
            "did you mean 'mpich'?",
        ),
    ),
    "MPI that is not installed": Bad(
        "run pingpong --mpi intel",
        ("MPI library intel is not installed; fix it with: halocline mpi add intel",),
    ),
    "two MPIs that are not installed": Bad(
        "run pingpong --mpi intel --mpi openmpi",
        ("MPI library intel is not installed", "MPI library openmpi is not installed"),
    ),
    "unknown machine": Bad(
        "run pingpong --machine two-node",
        (
            "--machine: unknown machine 'two-node'; allowed: here, thousand-nodes, two-nodes, "
            "mock:1.5us; did you mean 'two-nodes'?",
        ),
    ),
    "real MPI on a simulated machine": Bad(
        "run pingpong --machine two-nodes --mpi mpich",
        ("--mpi: MPI mpich for the simulated machine 'two-nodes'; allowed: simgrid; leave mpi",),
    ),
    "simulator without a machine": Bad(
        "run pingpong --mpi simgrid",
        ("--mpi: MPI 'simgrid' without a simulated machine; choose a machine from `halocline",),
    ),
    "mock without a unit": Bad(
        "run pingpong --machine mock:1.5",
        (
            "--machine: machine 'mock:1.5' is not mock:TIME; allowed: a positive TIME in ns, "
            "us, ms or s; write it as mock:1.5us",
        ),
    ),
    "mock without a time": Bad("survey --machine mock:", ("--machine: machine 'mock:' is not",)),
    "mock that takes no time": Bad(
        "survey --machine mock:0s", ("--machine: machine 'mock:0s' is not mock:TIME; allowed: a",)
    ),
    "half width of nothing": Bad(
        "survey --half-width 0",
        (
            "--half-width: half_width is 0.0; allowed: 0.0001 or more and less than 1; "
            "write 0.01 for ±1 %",
        ),
    ),
    "half width below what a driver takes": Bad(
        "survey --half-width 0.00009", ("--half-width: half_width is 9e-05; allowed: 0.0001 or",)
    ),
    "launches beyond any number": Bad(
        "run pingpong --launches 99999999999",
        ("--launches: '99999999999' is not a number of launches; allowed: 1 to 1000000; write",),
    ),
    "launches beyond any number in a file": file(
        HEAD + "[measure]\nlaunches_minimum = 10000000000000000000000\n",
        "5: launches_minimum is 10000000000000000000000; allowed: 1 to 1000000; write fewer",
    ),
    "a library taking turns on a simulated machine": Bad(
        "selftest --machine two-nodes",
        ("machine two-nodes is simulated: its jobs cannot take turns; simulate each side with",),
    ),
    "a search on a simulated machine": Bad(
        "tune pingpong --machine two-nodes",
        ("machine two-nodes is simulated: its jobs cannot take turns; simulate each side with",),
    ),
    "launches from most to fewest": Bad(
        "compare mpich intel pingpong --launches 20..10",
        ("--launches 20..10; allowed: the fewest, then the most, as in 10..20; write 10..20",),
    ),
    "scaling with a run that is resumed": Bad(
        "run --resume done --scaling", ("'--scaling' together with --resume; leave it out",)
    ),
    "ranks with a comparison that is resumed": Bad(
        "compare --resume done --ranks 4", ("'--ranks' together with --resume; leave it out",)
    ),
    "half width of twice": Bad("survey --half-width 2", ("--half-width: half_width is 2.0;",)),
    "half width nan": Bad("survey --half-width nan", ("--half-width: half_width is nan;",)),
    "no launches": Bad(
        "run pingpong --launches 0",
        (
            "--launches: launches_minimum is 0; allowed: a whole number, 1 or more;",
            "--launches: launches_maximum is 0; allowed: a whole number, 1 or more;",
        ),
    ),
    "fewest launches above most": Bad(
        "run pingpong --launches 9..3",
        (
            "--launches: launches_minimum 9 is more than launches_maximum 3; allowed: 1 to 3; "
            "lower it, or raise launches_maximum",
        ),
    ),
    "launches that are no number": Bad(
        "run pingpong --launches many",
        ("--launches: 'many' is not a number of launches; allowed: 1 to 1000000; write 8 or",),
    ),
    "budget without a unit": Bad(
        "survey --budget 120",
        (
            f"--budget: budget '120' has no unit; {TIMES}; write budget with its unit, "
            'as in "170s"',
        ),
    ),
    "negative budget": Bad("survey --budget -3s", ("--budget: budget '-3s' is not a time;",)),
    "no budget": Bad("survey --budget 0s", ("--budget: budget is '0s'; allowed: more than 0 s;",)),
    "deadline without a unit": Bad(
        "run pingpong --deadline 60", (f"--deadline: deadline '60' has no unit; {TIMES};",)
    ),
    "deadline shorter than a case": Bad(
        "survey --deadline 10ms", ("--deadline: deadline is '10ms'; allowed: 1s to 12h; write",)
    ),
    "deadline of days": Bad(
        "survey --deadline 99h", ("--deadline: deadline is '99h'; allowed: 1s to 12h; write",)
    ),
    "several at once": Bad(
        "run pingpng bytes=4KB x --budget 3 --ranks 0",
        (
            "'x' is not of the form axis=value",
            "WORKLOAD: unknown workload 'pingpng'",
            "--ranks: ranks is 0",
            "bytes=4KB: bytes '4KB' has the unknown unit 'KB'",
            "--budget: budget '3' has no unit",
        ),
    ),
    # Files
    "file that is not there": Bad(
        "run bad.toml", ("bad.toml cannot be read: No such file or directory; name an experiment",)
    ),
    "words beside a file": Bad(
        "run bad.toml bytes=8",
        ("'bytes=8' cannot be combined with an experiment file; write it into [axes] of bad.toml",),
        file=HEAD,
    ),
    "empty file": Bad(
        "run bad.toml",
        ("bad.toml: no schema; write `schema = 1` as the first line", "bad.toml: no workloads;"),
        file="",
    ),
    "text that is not UTF-8": Bad(
        "run bad.toml",
        ("bad.toml is not UTF-8 text;",),
        place=latin,
    ),
    "folder instead of a file": Bad(
        "run bad.toml",
        ("bad.toml cannot be read: Is a directory;",),
        place=lambda _: Path("bad.toml").mkdir(),
    ),
    "value without quotes": file(
        HEAD + "title = me\n", "4: not TOML: Invalid value; correct this line; put text in"
    ),
    "list without its end": file(HEAD + "ranks = [2\n", "5: not TOML: Unclosed array; correct"),
    "key twice": file(HEAD + 'mpi = ["a"]\nmpi = ["b"]\n', "5: not TOML: Cannot overwrite a value"),
    "schema of the future": file(
        HEAD.replace("schema = 1", "schema = 2"), "1: schema is 2; allowed: 1; write `schema = 1`"
    ),
    "unknown table": file(
        HEAD + "[measures]\n",
        "4: unknown key 'measures'; allowed: schema, experiment, axes, configuration, measure, "
        "part; did you mean 'measure'?",
    ),
    "unknown key": file(
        HEAD + "rank = [2]\n",
        "4: unknown key 'rank' in [experiment]; allowed: title, workloads, mpi, machine, ranks, "
        "hosts, notes; did you mean 'ranks'?",
    ),
    "table that is a number": file(
        'schema = 1\nmeasure = 3\n[experiment]\nworkloads = ["pingpong"]\n',
        "2: measure is 3, not a table; write [measure]",
    ),
    "text instead of a list": file(
        'schema = 1\n[experiment]\nworkloads = "pingpong"\n',
        "3: workloads is 'pingpong', not a list; write workloads = [\"pingpong\"]",
    ),
    "empty list": file(
        "schema = 1\n[experiment]\nworkloads = []\n",
        '3: workloads is an empty list; write workloads = ["pingpong"] or leave it out',
    ),
    "number instead of a string": file(HEAD + "mpi = [3]\n", "4: MPI 3 is not a string; put it in"),
    "title of two lines": file(HEAD + 'title = "a\\nb"\n', "4: title is 'a\\nb', not one line of"),
    "truth instead of a number": file(
        HEAD + "[axes]\nbytes = [8,\n true]\n", f"6: bytes true is not a whole number; {SIZES};"
    ),
    "part of a rank": file(HEAD + "ranks = [2.5]\n", "4: ranks is 2.5; allowed: a whole number,"),
    "number instead of a time": file(
        HEAD + "[measure]\nbudget = 170\n", f"5: budget is 170; {TIMES}; write budget with its unit"
    ),
    "several in a file": file(
        'schema = 1\n[experiment]\nworkloads = ["pingpng"]\nranks = [0]\n[axes]\nbytes = ["x"]\n',
        "3: unknown workload 'pingpng'",
        "4: ranks is 0",
        "6: bytes 'x' is not a size",
    ),
    "option against a file": Bad(
        "run bad.toml --mpi mpch", ("--mpi: unknown MPI 'mpch'; allowed:",), file=HEAD
    ),
    # Folders
    "output that is taken": Bad(
        "run pingpong --machine mock:1us --output done",
        ("done is not empty; resume it with `halocline run --resume done`, or choose",),
        place=recorded,
    ),
    "output that is a file": Bad(
        "run pingpong --machine mock:1us --output file",
        ("file is a file; choose another folder with --output",),
        place=a_file,
    ),
    "output below a file": Bad(
        "run pingpong --machine mock:1us --output file/run",
        ("cannot write into file/run: Not a directory; choose another folder with --output",),
        place=a_file,
    ),
    "output that cannot be written": Bad(
        "run pingpong --machine mock:1us --output /proc/run",
        ("cannot write into /proc/run: No such file or directory; choose another folder",),
    ),
    "resuming nothing": Bad(
        "run --resume nothing",
        ("nothing does not exist; name a folder written by `halocline run`",),
    ),
    "resuming a file": Bad(
        "run --resume file", ("file is a file, not a run folder; name a folder",), place=a_file
    ),
    "resuming what is no run": Bad(
        "run --resume .", (". is not a run folder: it has no experiment.toml; name a folder",)
    ),
    "resuming without the environment": Bad(
        "run --resume done",
        ("done lacks environment.json; restore it: a run is read with",),
        place=without_environment,
    ),
    "resuming something else": Bad(
        "run pingpong --resume done",
        ("'pingpong' together with --resume; leave it out: a run resumes with its",),
    ),
    "resuming with an option": Bad(
        "run --resume done --mpi mpich", ("'--mpi' together with --resume; leave it out",)
    ),
    "resuming elsewhere": Bad("run --resume done", ("done: host was 'not-",), place=elsewhere),
    "resuming garbled samples": Bad(
        "run --resume done", ("done/samples.jsonl:4: malformed record: not JSON",), place=garbled
    ),
    "summary of garbled samples": Bad(
        "summary done", ("done/samples.jsonl:4: malformed record: not JSON",), place=garbled
    ),
    "report of samples cut in the middle": Bad(
        "report done", ("done/samples.jsonl:1: malformed record: not a",), place=cut_in_the_middle
    ),
    "report on nothing": Bad("report nothing", ("nothing does not exist; name a folder written",)),
    "report on no run": Bad("report .", (". is not a run folder: it has no experiment.toml",)),
    "report without a run": Bad(
        "report", ("missing argument 'runs'; see `halocline report --help`",)
    ),
    "summary of nothing": Bad(
        "summary nothing", ("nothing does not exist; name a folder written",)
    ),
    # Lists and libraries
    "unknown list": Bad(
        "list workload",
        ("invalid value for 'kind': 'workload' is not one of 'workloads', 'protocols', ",),
    ),
    "adopting nothing": Bad(
        "mpi adopt /nothing", ("/nothing does not exist; give the path of the MPI",)
    ),
    "adopting what is no wrapper": Bad(
        "mpi adopt mpicxx", ("mpicxx is not a working MPI C++ compiler wrapper",), place=program
    ),
    "adding an unknown library": Bad(
        "mpi add mvapich", ("'mvapich' is not an MPI library that Halocline can install; allowed:",)
    ),
    "removing an unknown library": Bad(
        "mpi remove mvapich", ("MPI library 'mvapich' was not added; allowed:",)
    ),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_bad_input(bad: Bad, command: Command) -> None:
    reported_with_its_remedy(bad, command)


@pytest.mark.launches
@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("run --resume nothing", "nothing does not exist; name a folder written"),
        ("report --output", "option '--output' requires an argument; see `halocline --help`"),
    ],
)
def test_bad_input_of_a_process_of_its_own(words: str, line: str, tmp_path: Path) -> None:
    program = "from halocline.cli.main import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", program, *words.split()],
        check=False,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.startswith(f"halocline: {line}")
    assert ended.stderr.count("\n") == 1
