"""Pages of several runs and of many series: whose each figure is, and that no two look alike."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from halocline.report.axes import hue_and_shape
from halocline.report.bounds import bounds
from halocline.report.detected import detected_table
from halocline.report.entries import points
from halocline.report.figures import Figure, figures
from halocline.report.pictures import pictures
from halocline.report.run_tables import libraries
from halocline.report.sections import sections
from halocline.summary.effects import Effect
from halocline.summary.ratios import Ratio
from halocline.summary.summary import CaseSummary, Summary
from report.instruments import FOUR, kernels, measured, ping_pong, summary
from report.pictured import sphere


def two(*cases: CaseSummary, **changes: Any) -> list[Summary]:
    run = summary(*cases)
    return [run, replace(run, path=Path("runs/other"), **changes)]


def test_limits_and_effects_name_their_run() -> None:
    figures_s = {n: 1e-6 for n in range(8)}
    cases = [
        replace(
            measured("pingpong", 1e-6, size, protocol="send_recv", bytes=size), figures_s=figures_s
        )
        for size in (1024, 2048, 4096)
    ]
    found = (Effect("mpich", "pages", "huge", "4KiB", Ratio("faster", 0.9, 0.8, 0.95, 8), (), 0),)
    runs = two(*cases)
    table = detected_table(runs)
    assert table
    assert {keys[1].partition(":")[0] for keys, _ in table.rows} == {"hand", "other"}
    alone = detected_table(runs[:1])
    assert alone and all(keys[1].startswith("mpich ") for keys, _ in alone.rows)
    (section,) = sections([replace(summary(), effects=found) for _ in "ab"])
    assert "(mpich, hand): faster by" in section.sentences[0]
    assert [keys[0] for keys, _ in section.tables[0].rows] == ["mpich, hand"] * 2


def test_a_run_folder_that_is_called_by_a_dot_has_its_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "monday" / "deep"
    place.mkdir(parents=True)
    monkeypatch.chdir(place)
    names = [replace(summary(), path=Path(path)).name for path in (".", "..", "latest")]
    assert names == ["deep", "monday", "latest"]


def test_no_two_series_look_alike() -> None:
    rows = [{"series": f"library {number}"} for number in range(36)]
    channels: list[Any] = [channel.to_dict() for channel in hue_and_shape(rows)]
    hue, shape = (channel["scale"]["range"] for channel in channels)
    assert len(set(zip(hue, shape, strict=True))) == 36


def scale_of(figure: Figure) -> tuple[list[str], list[str]]:
    """The series of a figure's legend, and their colours."""
    specification = figure.specification
    for layer in specification.get("spec", specification)["layer"]:
        if scale := layer.get("encoding", {}).get("color", {}).get("scale"):
            return scale["domain"], scale["range"]
    raise AssertionError(figure.name)


def test_a_library_has_one_colour_in_all_figures() -> None:
    """Even where a figure lacks the first of them: the page's swatches number all."""

    def of(mpi: str, protocol: str, size: int, time_s: float) -> CaseSummary:
        case = measured("pingpong", time_s, size, protocol=protocol, bytes=size)
        return replace(case, case=replace(case.case, mpi=mpi))

    # Of the first, only a message without bytes was measured.
    cases = [of("zero", "send_recv", 0, 1e-6)]
    cases += [of(mpi, p, 8, 2e-6) for mpi in ("b", "c") for p in ("send_recv", "ssend_recv")]
    hues = {
        figure.name: dict(zip(*scale_of(figure), strict=True))
        for figure in figures(points([summary(*cases)]))
        if figure.name != "protocols"
    }
    assert set(hues) == {"latency", "bandwidth", "libraries"}
    for of_figure in hues.values():
        assert of_figure.items() <= hues["latency"].items()


def test_memory_bounds_are_those_of_the_machine_and_ranks_of_the_curves() -> None:
    here = summary(*ping_pong(), *kernels())
    assert {row["bound"] for row in bounds([here, here])} == {
        *("copy, one rank", "copy, all at once", "triad, one rank", "triad, all at once"),
    }
    assert bounds([here, replace(here, environment={"host": "elsewhere"})]) == []
    many = [replace(case, case=replace(case.case, ranks=4)) for case in kernels()]
    names = {row["bound"] for row in bounds([summary(*ping_pong(), *many)])}
    assert names == {
        *("copy, one rank", "copy, all 4 at once", "triad, one rank", "triad, all 4 at once"),
    }
    slower = [replace(case, metrics=case.metrics[:1]) for case in many]
    both = bounds([summary(*ping_pong(), *slower, *many, *kernels())])
    assert "copy, all at once" in {row["bound"] for row in both}
    assert "copy, all 4 at once" not in {row["bound"] for row in both}


def test_pictures_of_each_run_are_drawn(tmp_path: Path) -> None:
    case = measured("shallow_water", 0.01, configuration=FOUR, ranks=2, case="5")
    runs = two(case, pictures={case.case.id: sphere(tmp_path, "b")})
    runs[0] = replace(runs[0], pictures={case.case.id: sphere(tmp_path, "a")})
    section = pictures(runs)
    assert section
    assert [chart.title for chart in section.charts] == [
        "Height of the surface: hand, shallow_water",
        "Height of the surface: other, shallow_water",
    ]


def test_shares_of_a_library_are_over_the_cases_that_were_timed() -> None:
    case = replace(measured("pingpong", 1e-6, bytes=8), preempted_share=0.3, displaced_share=0.2)
    refused = replace(case, status="refused", metrics=(), preempted_share=0.9)
    never = replace(case, status="skipped", metrics=(), preempted_share=0.0, displaced_share=0.0)
    (of_library,) = libraries([summary(case, refused, *[never] * 8)])
    facts = dict(of_library.facts)
    assert facts["batches preempted"] == "60.0 %, at most 90 %"
    assert facts["launches on other cores"] == "20.0 %, left out"
