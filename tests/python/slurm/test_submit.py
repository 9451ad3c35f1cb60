"""Batch jobs: started, warned that their time is up, requeued, resumed, refused."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from documents import CHECKOUT, tables_in
from slurm.cluster import Cluster
from slurm.conftest import HALOCLINE
from slurm.runs import EIGHT_CASES, THREE_LAUNCHES, records, wait_for

pytestmark = pytest.mark.launches

ASKED = ("--nodes", "2", "--time", "12min", "--output", "run")
SHORT = ("pingpong", "bytes=8", "protocol=send_recv", "layout=2N1P", "--launches", "2")


def submit(cluster: Cluster, folder: Path, *words: str) -> str:
    """Submit a run; the job's number."""
    done = cluster.run(HALOCLINE, "submit", *words, *ASKED, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    submitted = json.loads(done.stdout)
    assert submitted == {
        "schema": 1,
        "job": submitted["job"],
        "run": str(folder / "run"),
        "script": str(folder / "run/batch/job.sh"),
        "output": str(folder / f"run/batch/slurm-{submitted['job']}.out"),
        "note": "",
    }
    page = (CHECKOUT / "docs/reference/answers-json.md").read_text(encoding="utf-8")
    section = page.partition("\n## `halocline submit --json`\n")[2].partition("\n## ")[0]
    assert set(submitted) == set(tables_in(section)[""])
    return str(submitted["job"])


def wait_until_measuring(folder: Path) -> None:
    """Until a launch is complete and the next one has measured something."""
    wait_for(lambda: any(record["launch"] == 2 for record in records(folder / "run", "samples")))


def job(cluster: Cluster, number: str) -> dict[str, str]:
    """What Slurm knows of a job."""
    (line,) = cluster.ask("scontrol", "--oneliner", "show", "job", number)
    return dict(word.partition("=")[::2] for word in line.split())


def wait_for_state(cluster: Cluster, number: str, *states: str) -> dict[str, str]:
    wait_for(lambda: job(cluster, number)["JobState"] in states)
    return job(cluster, number)


def check_complete(folder: Path) -> None:
    """Each case was measured in each of the launches, whatever interrupted them."""
    measured = Counter(record["case"] for record in records(folder / "run", "samples"))
    assert list(measured.values()) == [3] * 8
    assert (folder / "run/report.html").is_file()


def said(folder: Path, number: str) -> list[str]:
    """The lines of a job's output."""
    return (folder / f"run/batch/slurm-{number}.out").read_text().splitlines()


def everything_said(folder: Path, number: str) -> str:
    """The job's output, then that of launches that failed: why a rank ended."""
    logs = sorted((folder / "run/jobs").glob("*.log"))
    return "\n".join([*said(folder, number), *(log.read_text() for log in logs)])


def refused(folder: Path) -> bool:
    """Whether other work spoilt every case of the last job: no fault of the job."""
    output = max((folder / "run/batch").glob("slurm-*.out"))
    return re.search(r"no figure for .*other work", output.read_text()) is not None


def test_a_job_from_its_submission_to_its_report(cluster: Cluster, tmp_path: Path) -> None:
    words = ("submit", *SHORT, "--budget", "1s", *ASKED, "--wait")
    done = cluster.run(HALOCLINE, *words, cwd=tmp_path)
    assert done.returncode == (1 if refused(tmp_path) else 0), done.stderr
    run = tmp_path / "run"
    (output,) = (run / "batch").glob("slurm-*.out")
    number = output.stem.removeprefix("slurm-")
    assert done.stdout.splitlines() == [
        f"job {number}: 2 nodes for 12 min 0 s",
        f"run:    {run}",
        f"watch:  squeue --jobs {number}; tail -F {output}",
        f"resume: sbatch {run}/batch/job.sh",
    ]
    if done.returncode == 0:
        assert said(tmp_path, number)[-1] == f"report: {run}/report.html"
    assert (run / "report.html").is_file()
    for start in records(run, "start"):
        assert start["label"] == "mpich launcher=srun layout=2N1P"
        assert (start["nodes"], start["hosts"]) == (2, ["host1", "host2"])


def test_a_job_whose_time_is_up_is_submitted_again(cluster: Cluster, tmp_path: Path) -> None:
    """SIGTERM to the script alone, as its --signal asks for."""
    number = submit(cluster, tmp_path, *EIGHT_CASES, *THREE_LAUNCHES)
    wait_until_measuring(tmp_path)
    cluster.ask("scancel", "--batch", "--signal=TERM", number)
    assert wait_for_state(cluster, number, "FAILED")["ExitCode"] == "143:0"
    run = tmp_path / "run"
    assert said(tmp_path, number)[-1] == (
        f"halocline: terminated; what was measured is saved in {run}; "
        f"resume with `halocline run --resume {run}`"
    )
    done = cluster.run("sbatch", "--wait", str(run / "batch/job.sh"))
    assert done.returncode == (1 if refused(tmp_path) else 0), done.stderr
    check_complete(tmp_path)


def test_a_job_that_is_requeued_goes_on(cluster: Cluster, tmp_path: Path) -> None:
    number = submit(cluster, tmp_path, *EIGHT_CASES, *THREE_LAUNCHES)
    wait_until_measuring(tmp_path)
    cluster.ask("scontrol", "requeue", number)
    begin_now(cluster, number)
    assert wait_for_state(cluster, number, "COMPLETED", "FAILED")["Restarts"] == "1"
    state = "FAILED" if refused(tmp_path) else "COMPLETED"
    assert job(cluster, number)["JobState"] == state, everything_said(tmp_path, number)
    check_complete(tmp_path)


def begin_now(cluster: Cluster, number: str) -> None:
    """Slurm lets requeued jobs wait for two minutes.

    Not in the second in which it ended them, or nodes take the new credential for the old one,
    which is revoked: "Job already killed, do not launch batch job".
    """
    wait_for_state(cluster, number, "PENDING")
    cluster.ask("scontrol", "update", f"jobid={number}", "starttime=now+3")


def test_a_job_that_fails(cluster: Cluster, tmp_path: Path) -> None:
    """--wait reports it, and where to look."""
    words = ("submit", *SHORT, *ASKED, "--wait", "--sbatch-option=--export=ALL,SLURM_MPI_TYPE=none")
    done = cluster.run(HALOCLINE, *words, cwd=tmp_path)
    assert done.returncode == 1
    run = tmp_path / "run"
    (output,) = (run / "batch").glob("slurm-*.out")
    number = output.stem.removeprefix("slurm-")
    assert done.stderr.splitlines()[-1] == (
        f"halocline: job {number} ended with exit code 1; what was measured is saved in {run}; "
        f"see {output}, fix the cause, resume with `sbatch {run}/batch/job.sh`"
    )


def test_a_job_that_slurm_refuses_leaves_nothing(cluster: Cluster, tmp_path: Path) -> None:
    words = ("submit", *SHORT, *ASKED, "--partition", "nowhere")
    done = cluster.run(HALOCLINE, *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].startswith("halocline: Slurm rejected the job: ")
    assert done.stderr.splitlines()[-1].endswith("; change the options of halocline submit")
    assert list(tmp_path.iterdir()) == []
