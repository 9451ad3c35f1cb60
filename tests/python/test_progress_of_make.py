"""What `make build` says while it compiles."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "tools/with-progress.sh"
OBJECTS = "build a.o: cxx a\nbuild b.o: cxx b\nbuild all: phony a.o b.o\n"
# Until that was said twice, however busy the machine is.
COMPILES = """
printf '1\\t2\\t3\\ta.o\\tx\\n' >> .ninja_log
for _ in $(seq 600); do [ "$(grep -c compiled err)" -ge 2 ] && exit 3; sleep 0.1; done
"""


@pytest.mark.parametrize(("before", "said"), [("", "1 of 2"), ("1\t2\t3\tb.o\tx\n", "1")])
def test_it_says_how_many_files_are_compiled_and_keeps_the_exit_code(
    tmp_path: Path, before: str, said: str
) -> None:
    (tmp_path / "build.ninja").write_text(OBJECTS)
    (tmp_path / ".ninja_log").write_text(before)
    with (tmp_path / "err").open("w") as err:
        ended = subprocess.run(
            [SCRIPT, "Halocline", ".", "sh", "-c", COMPILES],
            cwd=tmp_path,
            env={**os.environ, "PROGRESS_EVERY_S": "0.1"},
            stdout=subprocess.PIPE,
            stderr=err,
            text=True,
            check=False,
        )
    first, *lines = (tmp_path / "err").read_text().splitlines()
    assert (ended.returncode, ended.stdout, first) == (3, "", "Halocline …")
    # The first may come before anything is compiled.
    pattern = rf"Halocline: 0 min \d+ s(, files compiled: {said})?"
    assert [line for line in lines if not re.fullmatch(pattern, line)] == []
    assert len([line for line in lines if "compiled" in line]) > 2
