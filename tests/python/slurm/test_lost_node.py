"""A node loses its power while a job runs on it: what was measured stays, and the run goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from slurm.cluster import Cluster
from slurm.runs import EIGHT_CASES, THREE_LAUNCHES, records
from slurm.test_submit import (
    begin_now,
    check_complete,
    job,
    refused,
    said,
    submit,
    wait_for_state,
    wait_until_measuring,
)

pytestmark = pytest.mark.launches


def test_the_job_ends_by_itself_and_is_submitted_again(frail: Cluster, tmp_path: Path) -> None:
    """Slurm, which has not noticed yet, would let the ranks wait. Those of another node cannot be
    seen, so the deadline ends it.
    """
    number = submit(frail, tmp_path, *EIGHT_CASES, *THREE_LAUNCHES)
    wait_until_measuring(tmp_path)
    kept = (tmp_path / "run/samples.jsonl").read_bytes()
    frail.lose("host2")
    # Slurm calls it failed when its last node has answered: a lost one never does.
    assert wait_for_state(frail, number, "COMPLETING", "FAILED")["ExitCode"] == "1:0"
    run, last = tmp_path / "run", said(tmp_path, number)[-1]
    assert last.startswith(
        "halocline: mpich launcher=srun layout=2N1P: no progress for 60 s at case "
    )
    assert f"; these hosts do not answer: host2; what was measured is saved in {run}; " in last
    assert last.endswith(f"resume with `halocline run --resume {run}`")
    assert (run / "samples.jsonl").read_bytes().startswith(kept)
    assert [record["launch"] for record in records(run, "complete")] == [1]
    again = frail.run("sbatch", "--wait", "--exclude=host2", str(run / "batch/job.sh"))
    assert again.returncode == (1 if refused(tmp_path) else 0)
    check_complete(tmp_path)
    assert records(run, "start")[-1]["hosts"] == ["host1", "host3"]


def test_slurm_finds_the_node_down_and_requeues_the_job(frail: Cluster, tmp_path: Path) -> None:
    number = submit(frail, tmp_path, *EIGHT_CASES, *THREE_LAUNCHES)
    wait_until_measuring(tmp_path)
    frail.lose("host2")
    frail.ask("scontrol", "update", "nodename=host2", "state=down", "reason=lost")
    begin_now(frail, number)
    assert wait_for_state(frail, number, "COMPLETED", "FAILED")["Restarts"] == "1"
    state = "FAILED" if refused(tmp_path) else "COMPLETED"
    assert job(frail, number)["JobState"] == state, "\n".join(said(tmp_path, number))
    check_complete(tmp_path)
    assert records(tmp_path / "run", "start")[-1]["hosts"] == ["host1", "host3"]
