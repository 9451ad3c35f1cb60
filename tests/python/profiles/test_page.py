"""The page of profiles: small, self-contained, drawn without complaint, quick for many ranks."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from halocline.base.errors import UserError
from halocline.profile.report.page import page, write_page
from halocline.profile.report.parts import names_of
from halocline.profile.totals import Totals
from profiles.made import made
from profiles.model import SECOND_NS, died, model, on_cores
from report.browser import show

PANELS = (
    *("share-of-time", "time-by-rank", "call-mix", "time-by-call", "messages-by-size"),
    *("bytes-by-size", "messages-by-call", "bytes-by-rank", "matrix", "share-against-ranks"),
    *("data-against-ranks", "time-against-ranks", "waiting-by-rank", "files-over-time"),
    "memory-over-time",
)


def drawn(text: str) -> dict[str, dict[str, object]]:
    """The page's chart specifications, by name."""
    found = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    data = json.loads(found[1])
    charts = {name: chart["specification"] for name, chart in data["charts"].items()}
    return {**charts, **data["matrices"]}


@pytest.fixture(scope="session")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("profiles")
    return write_page([model(2), model(4), died(8)], folder / "profile.html")


def test_it_has_every_panel_of_every_run(three: Path) -> None:
    found = drawn(three.read_text(encoding="utf-8"))
    assert {re.sub(r"-\d+$", "", name) for name in found} == set(PANELS)
    assert [f"matrix-{run}" in found for run in range(3)] == [True] * 3


@pytest.mark.launches
@pytest.mark.parametrize(("width", "dark"), [(1300, False), (420, True)])
def test_a_browser_draws_it(three: Path, tmp_path: Path, width: int, dark: bool) -> None:
    unfolded = tmp_path / "unfolded.html"
    unfolded.write_text(three.read_text("utf-8").replace("<details>", "<details open>"), "utf-8")
    shown = show(unfolded, tmp_path, width=width, height=2000, dark=dark)
    assert shown.console == ()
    assert 'data-charts="drawn"' in shown.dom
    holders = re.findall(r'id="figure-([a-z-]+\d)"[^>]*>(.{9})', shown.dom)
    assert len(holders) == len(drawn(three.read_text(encoding="utf-8")))
    assert {content[:4] for _, content in holders} <= {"<svg", "<div"}
    matrices = shown.dom.partition('class="plot"')[2]
    assert "sending rank" in matrices and "receiving rank" in matrices
    assert matrices.count('class="scale"') == 3 and matrices.count("<canvas") == 3


def test_a_legend_has_the_numbers_of_messages_of_each_colour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def scales() -> list[dict[str, object]]:
        found = drawn(page([model(2), model(4)]))
        return [
            found[f"messages-by-call-{run}"]["encoding"]["color"]["scale"]  # type: ignore[index]
            for run in range(2)
        ]

    first, second = scales()
    assert first == second, "one scale for all runs"
    assert first["domain"] == [
        *("1 to 5", "6 to 29", "30 to 161", "162 to 881"),
        "882 to 4\xa0800",
    ]
    assert "the first 3 of 5 functions" not in page([model(2)])
    monkeypatch.setattr("halocline.profile.report.messages._MOST_FUNCTIONS", 3)
    assert "2 ranks: the first 3 of 5 functions." in page([model(2)])


def test_it_fetches_nothing_and_is_the_same_each_time(three: Path) -> None:
    text = three.read_text(encoding="utf-8")
    assert text == page([model(2), model(4), died(8)])
    assert "default-src 'none'" in text
    links = re.findall(r'(?:src|href)="([^"]+)"', text.partition("<script")[0])
    assert links and all(link.startswith("#") for link in links)


def test_it_stays_small_with_many_ranks() -> None:
    runs = [replace(model(512), folder=Path(f"{name}.profile")) for name in "abc"]
    text = page(runs)
    assert len(text.encode()) < 3_000_000
    found = drawn(text)
    bars = found["bytes-by-rank-0"]["data"]["values"]  # type: ignore[index]
    assert len(bars) == 2 * 128
    matrix = found["matrix-2"]
    assert sum(matrix["bytes"]) == pytest.approx(Totals(runs[2]).matrix().sum(), rel=1e-4)  # type: ignore[call-overload]


def test_what_went_wrong_is_on_it(three: Path) -> None:
    text = three.read_text(encoding="utf-8")
    assert "rank 7 did not finish normally: signal 11" in text
    assert "None: all ranks finished normally" in page([made(2)])


def test_parts_without_data_are_left_out() -> None:
    text = page([made(2)])
    assert 'id="files"' not in text and 'id="scaling"' not in text


def test_a_run_that_only_looks_at_its_files_has_no_empty_figure() -> None:
    looking = model(2)
    columns = {"bytes": np.zeros_like(looking.io.bytes)}
    found = drawn(page([replace(looking, io=replace(looking.io, **columns)), model(4)]))
    assert [name for name in found if name.startswith("files-over-time")] == ["files-over-time-0"]
    (only,) = (found[name] for name in found if name.startswith("files-over-time"))
    assert only["data"]["values"]  # type: ignore[index]


def test_time_without_a_core_is_the_same_in_the_figure_and_the_text() -> None:
    """The same share of MPI as in words, in the same colour in both figures."""
    profile = model(4)
    begun = profile.functions.index("MPI_Init")
    slow = np.where(profile.calls.function == begun, SECOND_NS * 20, profile.calls.time_ns)
    inside = np.bincount(profile.calls.rank, slow).astype(int)
    ranks = [
        replace(each, host=0, mpi_ns=int(inside[each.rank]), wall_ns=int(inside[each.rank] * 1.02))
        for each in profile.ranks
    ]
    spin = replace(profile, calls=replace(profile.calls, time_ns=slow), ranks=tuple(ranks))
    busy = on_cores(spin, 2, 0.21, 0.785)
    totals = Totals(busy)
    run = totals.running
    assert run is not None and run.divides
    idle_share = (run.idle_low_ns + run.idle_high_ns) / 2 / totals.mpi_ns
    assert totals.rank_idle_ns.sum() / totals.rank_inside_ns.sum() == pytest.approx(
        idle_share, rel=0.01
    )
    found = drawn(page([busy]))
    hues = []
    for name in ("share-of-time-0", "time-by-rank-0"):
        scale = found[name]["encoding"]["color"]["scale"]  # type: ignore[index]
        hues.append(dict(zip(scale["domain"], scale["range"], strict=True)))
    for kind in ("outside MPI", "in MPI, not running"):
        assert hues[0][kind] == hues[1][kind]
    assert len(set(hues[0].values())) == len(hues[0])


def test_runs_have_names_of_their_own() -> None:
    a, b = (replace(made(4), folder=Path(name)) for name in ("x/a.profile", "x/b.profile"))
    other = replace(a, folder=Path("y/a.profile"))
    assert names_of([made(1), made(4)]) == ("1 rank", "4 ranks")
    assert names_of([a, b]) == ("a, 4 ranks", "b, 4 ranks")
    assert names_of([a, other]) == ("1: x/a.profile, 4 ranks", "2: y/a.profile, 4 ranks")


def test_a_file_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(UserError, match=r"cannot write .*taken/page.html: .*; choose another"):
        write_page([made(2)], tmp_path / "taken/page.html")
