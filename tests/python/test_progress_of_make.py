"""What `make build` says while it compiles."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "tools/with-progress.sh"
OBJECTS = "build a.o: cxx a\nbuild b.o: cxx b\nbuild all: phony a.o b.o\n"
COMPILES = "printf '1\\t2\\t3\\ta.o\\tx\\n' >> .ninja_log; sleep 0.4; exit 3"


@pytest.mark.parametrize(("before", "said"), [("", "1 of 2"), ("1\t2\t3\tb.o\tx\n", "1")])
def test_it_says_how_many_files_are_compiled_and_keeps_the_exit_code(
    tmp_path: Path, before: str, said: str
) -> None:
    (tmp_path / "build.ninja").write_text(OBJECTS)
    (tmp_path / ".ninja_log").write_text(before)
    ended = subprocess.run(
        [SCRIPT, "Halocline", ".", "sh", "-c", COMPILES],
        cwd=tmp_path,
        env={**os.environ, "PROGRESS_EVERY_S": "0.1"},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = ended.stderr.splitlines()
    assert (ended.returncode, ended.stdout) == (3, "")
    assert lines[0] == "Halocline …"
    assert len(lines) > 2
    assert set(lines[1:]) <= {
        f"Halocline: 0 min {s} s, files compiled: {said}" for s in (0, 1, 2, 3)
    }
