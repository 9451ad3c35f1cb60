"""A search with real launches: what is slower by a known share loses, what fails is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from halocline.cli.main import main

pytestmark = pytest.mark.launches

# In this order: the default, one that waits for its receiver, one that every library has.
WAYS = "protocol=isend_irecv,ssend_recv,persistent"


def test_a_halo_is_tuned_and_what_fails_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    # The library does not start with this one: it is out, and the others are measured.
    broken = "env.MPIR_CVAR_CH4_NETMOD=nonsense"
    words = ("tune", "halo", "words=64", WAYS, "--settings", "none", "--try", broken)
    with pytest.raises(SystemExit) as ended:
        main([*words, "--budget", "30s", "--output", "tuned", "--json"])
    out, err = capsys.readouterr()
    if ended.value.code == 1:  # on a busy machine
        assert "no candidate could be measured: other work took the cores" in err
        return
    assert ended.value.code == 0, err
    told = json.loads(out)
    assert told["outcome"] in ("better", "as_good", "unknown")
    assert told["measured"] == 2
    assert len(told["left_out"]) == len(WAYS.split(","))
    for name, reason in told["left_out"].items():
        assert broken in name
        assert reason.startswith("failed: ")
    for each in told["candidates"]:
        assert len(each["logs"]) > 0
    assert {int(each["against_default"]["launches"]) for each in told["finalists"]} <= set(
        range(21)
    )
