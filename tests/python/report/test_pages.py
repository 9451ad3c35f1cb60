"""Every kind of page in a browser: no complaint, no blank figure, answer first, not too long."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import Command
from halocline.compare import folder
from halocline.compare.history import Entry
from halocline.profile.report.page import page as profile_page
from halocline.report import history, programs
from halocline.report.html import page, write_report
from profiles.model import died, model
from report.browser import look
from report.instruments import everything, halos, replays, summary
from report.pictured import pictured
from report.synthetic import make_run

FIRST_SCREEN_PX = 900
LONGEST_PX = {1280: 6000, 400: 7500}  # by width: a telephone wraps every sentence
FEWEST_MARKS = 6  # of a figure that shows something: axes alone have fewer
SIZES = (0, *(8 << n for n in range(0, 18, 2)))
TWO = ("mpich", "intel")
MOCKS = ("--a", "machine=mock:1us", "--b", "machine=mock:1.02us")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """The pages that need no command, by their kind."""
    where = tmp_path_factory.mktemp("pages")
    gate = [
        Entry("2026-11-20T10:00:00Z", "first", "send_recv, 8 B", 1e-6, 1.0, 0.99, 1.01, False),
        Entry("2026-11-21T10:00:00Z", "other", "send_recv, 8 B", 1.2e-6, 1.2, 1.19, 1.21, True),
    ]
    texts = {
        "sections": page([everything()]),
        "pictures": page([pictured(where)]),
        "run": page([summary(*halos())]),
        "replay": page([summary(*replays()[:2])]),
        "history": history.page(gate),
        "profile": profile_page([model(2), model(4), died(8)]),
        "profiles": profile_page([model(2, Path(f"coupled-{name}-2r.profile")) for name in TWO]),
    }
    pages = {}
    for name, text in texts.items():
        pages[name] = where / f"{name}.html"
        pages[name].write_text(text, encoding="utf-8")
    return {
        "survey": write_report([make_run(where / "survey", libraries=TWO, sizes=SIZES)]),
        **pages,
    }


@pytest.fixture
def every(made: Mapping[str, Path], command: Command) -> Mapping[str, Path]:
    """With those that commands make in the folder that they are run in."""
    sizes = ("pingpong", "bytes=8,64KiB", "protocol=send_recv,ssend_recv")
    assert command("compare", *MOCKS, *sizes, "--output", "pair").code == 0
    words = ("bytes=8", "--machine", "mock:1us", "--budget", "60s", "--output", "search")
    assert command("tune", "pingpong", *words).code == 0
    run = make_run(Path("fitted"), libraries=("mpich",), sizes=SIZES)
    assert command("model", run).code == 0
    (found,) = folder.read(Path("pair"))
    one = Path("programs.html")
    first, *_ = found.rows
    seconds = ({1: 1.0, 2: 1.1}, {1: 1.2, 2: 1.3})
    one.write_text(programs.page(replace(found, rows=(first,)), seconds, everything().environment))
    ours = {
        "comparison": Path("pair/report.html"),
        "tune": Path("search/final/report.html"),
        "model": Path("fitted/model.html"),
        "programs": one,
    }
    return {**made, **{name: path.absolute() for name, path in ours.items()}}


@pytest.mark.launches
def test_every_kind_of_page_is_drawn_whole_and_begins_with_its_answer(
    every: Mapping[str, Path], tmp_path: Path
) -> None:
    for width, dark in ((1280, False), (400, True)):
        looked, console = look([*every.values()], tmp_path, width=width, dark=dark)
        assert console == ()
        for kind, shown in zip(every, looked, strict=True):
            assert shown.marks, kind
            blank = [name for name, marks in shown.marks.items() if marks < FEWEST_MARKS]
            assert not blank, (kind, width, shown.marks)
            assert not shown.cut, (kind, width)
            assert not shown.alike, (kind, width)
            assert shown.answer_px <= FIRST_SCREEN_PX, (kind, width)
            assert shown.height_px <= LONGEST_PX[width], (kind, width)
    check_search_and_sides(every)
    fitted = every["model"].read_text(encoding="utf-8")
    assert '<td class="text">LogGP: ' in fitted, "a sentence in a cell would push the others out"


def check_search_and_sides(every: Mapping[str, Path]) -> None:
    """A search begins with its recommendation; sides are called what they are."""
    text = re.sub(r"<script.*?</script>", "", every["tune"].read_text("utf-8"), flags=re.DOTALL)
    main = text.partition("<main>")[2]
    claim = main.partition('<p class="claim">')[2]
    assert claim.startswith("Keep the default (protocol=send_recv): the best of the others")
    assert main.index('class="claim"') < main.index(">Results<")
    for kind, side in (("tune", "the default"), ("comparison", "machine=mock:1us")):
        shown = every[kind].read_text(encoding="utf-8")
        assert f"mpich, {side}</small>" in shown or f"<small>mpich, {side}" in shown, kind
        assert "<small>mpich, a" not in shown, kind
        assert "Nothing was measured" not in shown, kind
        assert "published 2005" not in shown, kind


@pytest.mark.launches
def test_a_figure_that_fails_says_so_and_the_others_are_drawn(
    made: Mapping[str, Path], tmp_path: Path
) -> None:
    text = made["sections"].read_text(encoding="utf-8")
    data = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)
    assert data
    broken = json.loads(data[1])
    broken["charts"]["halo-time"]["specification"] = {"spec": {}}
    broken["figures"]["latency"] = {"spec": {}}
    path = tmp_path / "broken.html"
    path.write_text(text.replace(data[1], json.dumps(broken).replace("<", "\\u003c")), "utf-8")
    (shown,), console = look([path], tmp_path, width=1280)
    failed = {"figure-halo-time", "figure-latency"}
    assert {name for name, marks in shown.marks.items() if marks < FEWEST_MARKS} == failed
    assert {name for name in failed if any(name in line for line in console)} == failed
