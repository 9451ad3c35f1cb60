"""What is recommended, and what is written for it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from halocline.specification import spec
from halocline.tune import files
from halocline.tune.candidates import Candidate
from halocline.tune.verdict import Verdict, judged, sentence
from tune.drawn import catalogue, space

SPACE = space()
BY_NAME = {each.name(SPACE.default): each for each in SPACE.candidates}
PLAIN, SET = BY_NAME["protocol=persistent"], BY_NAME["protocol=persistent env.A=1"]
LAUNCHES = 10


def launches(log: float, noise: float = 0.003, seed: int = 1) -> NDArray[np.float64]:
    """Around exactly this logarithm, in an order of their own."""
    apart = np.random.default_rng(seed).permutation(np.linspace(-1.5, 1.5, LAUNCHES))
    return log + noise * apart.reshape(-1, 1)


def of(*tables: tuple[Candidate, NDArray[np.float64]]) -> Verdict:
    return judged(SPACE.default, [each for each, _ in tables], [table for _, table in tables])


def test_the_best_is_recommended() -> None:
    found = of((PLAIN, launches(-0.1)), (SET, launches(-0.2, seed=2)))
    assert found.outcome == "better"
    assert found.recommended == 1
    assert found.against_best[0] is not None
    assert found.against_best[0].verdict == "slower"
    text = sentence(found, 30, 2)
    assert text.startswith("Use protocol=persistent env.A=1: faster by 18 % (")
    assert text.endswith("30 candidates were measured, 2 could not be.")


def test_a_setting_that_changes_nothing_is_not_recommended() -> None:
    found = of((SET, launches(-0.201)), (PLAIN, launches(-0.2, seed=2)))
    assert found.recommended == 1


def test_the_default_is_as_good_where_nothing_is_faster() -> None:
    same = of((PLAIN, launches(0.0)), (SET, launches(0.05, seed=2)))
    assert (same.outcome, same.recommended) == ("as_good", None)
    assert sentence(same, 30, 0).startswith(
        "Keep the default (packing=rank protocol=isend_irecv): the best of the others, "
        "protocol=persistent, is faster by "
    )
    slower = of((PLAIN, launches(0.1)))
    assert "is slower by 1" in sentence(slower, 30, 0)


def test_launches_that_are_exactly_alike_are_as_good() -> None:
    same = of((PLAIN, np.zeros((LAUNCHES, 2))))
    assert same.outcome == "as_good"
    assert "protocol=persistent, is no faster; 30 candidates" in sentence(same, 30, 0)


def test_it_says_where_it_cannot_tell() -> None:
    found = of((PLAIN, launches(-0.02, noise=0.2)))
    assert found.outcome == "unknown"
    assert "end other work on this node" in sentence(found, 30, 0)
    # Another that may be faster is not hidden by a shorter time that surely is not.
    beside = of((PLAIN, launches(-0.0005)), (SET, launches(0.0, noise=0.2, seed=2)))
    assert beside.outcome == "unknown"
    assert "Whether protocol=persistent env.A=1 beats" in sentence(beside, 30, 0)
    few_launches = launches(-0.2, seed=2)
    few_launches[5:] = np.nan
    missed = of((PLAIN, launches(-0.0005)), (SET, few_launches))
    assert missed.outcome == "unknown"
    few = of((PLAIN, launches(-0.2)[:5]))
    assert few.outcome == "unknown"
    assert sentence(of(), 0, 3).startswith("No candidate could be compared with the default")


def test_a_launch_that_was_disturbed_does_not_hide_the_best() -> None:
    best = launches(-0.1)
    best[3] += np.log(4)
    found = of((PLAIN, best), (SET, launches(-0.04, seed=2)))
    assert found.recommended == 0
    assert found.against_best[0] is None
    assert found.against_best[1] is not None
    assert found.against_best[1].verdict == "slower"


def test_the_best_is_one_of_those_with_enough_launches() -> None:
    few = launches(-0.12, seed=2)
    few[5:] = np.nan
    found = of((PLAIN, launches(-0.1)), (SET, few))
    assert (found.outcome, found.recommended) == ("better", 0)
    assert found.against_best[0] is None


def test_launches_in_which_a_problem_has_no_figure_do_not_count() -> None:
    table = np.hstack([launches(-0.2), launches(-0.1, seed=2)])
    table[0, 1] = np.nan
    found = of((PLAIN, table))
    assert found.against_default[0].launches == LAUNCHES - 1
    assert found.against_default[0].ratio == pytest.approx(np.exp(-0.15), rel=0.01)


def test_the_files_set_what_was_found(tmp_path: Path) -> None:
    written = files.write(tmp_path, SPACE.experiment, SPACE.default, SET, "Use it.")
    shell = f'. {written["exports"]} && printf %s "$A"'
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=True)
    assert done.stdout == "1"
    module = written["module"].read_text(encoding="utf-8")
    assert module.startswith("#%Module1.0\n# Use it.\n# protocol=persistent: how the program")
    assert 'setenv A "1"\n' in module
    again = spec.load(written["repeat"], spec.Known(catalogue()))
    assert [part.title for part in again.parts] == ["protocol=persistent env.A=1", "the default"]
    assert [dict(part.axes)["protocol"] for part in again.parts] == [
        ("persistent",),
        ("isend_irecv",),
    ]


@pytest.mark.parametrize(
    ("inherited", "line"), [("sm,self", "export A=sm,self\n"), (None, "unset A\n")]
)
def test_a_default_is_what_the_shell_had(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, inherited: str | None, line: str
) -> None:
    monkeypatch.delenv("A", raising=False)
    if inherited:
        monkeypatch.setenv("A", inherited)
    written = files.write(tmp_path, SPACE.experiment, SET, SPACE.default, "Use the default.")
    assert line in written["exports"].read_text(encoding="utf-8")


def test_where_the_default_is_as_good_there_is_nothing_to_set(tmp_path: Path) -> None:
    written = files.write(tmp_path, SPACE.experiment, SPACE.default, SPACE.default, "Keep it.")
    text = written["exports"].read_text(encoding="utf-8")
    assert text == "# Keep it.\n# nothing to set\n"
    assert len(spec.load(written["repeat"], spec.Known(catalogue())).parts) == 1


def test_values_are_quoted_for_the_shell_and_for_tcl() -> None:
    changes = {"env.A": "a b'$c", "env.B": "unset", "placement": "wrap"}
    shell = files.exports(changes, "Use it.")
    assert "export A='a b'\"'\"'$c'\nunset B\n" in shell
    assert "# placement=wrap: how the program is started or built" in shell
    assert 'setenv A "a b\'\\$c"\nunsetenv B\n' in files.module(changes, "Use it.")
