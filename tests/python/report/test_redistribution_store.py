"""Store in the report: its sentences and cells from summaries written by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from halocline.report.cells import Table
from halocline.report.section import Section
from halocline.report.sections import sections
from halocline.summary.summary import Summary
from report.instruments import metric, stores, summary, whole_stores


def only(*summaries: Summary) -> Section:
    (section,) = sections(summaries)
    return section


def cells(table: Table) -> dict[tuple[str, ...], list[str]]:
    return {keys: [cell.value for cell in row] for keys, row in table.rows}


def test_store_reports_its_growth_and_compares_with_both_tables() -> None:
    section = only(summary(*stores()))
    assert section.sentences == (
        "Each rank computes its route on its own, from the layouts alone, in 1.000 µs ± 1.0 % at "
        "32 and 8.000 µs ± 1.0 % at 2,048 ranks (512x1024x16, mpich).",
        "Its time grows as n^0.50 (0.49 to 0.51) with the number n of ranks, 32 to 2,048; ESMF's "
        "grew 420-fold from 32 to 2,048; past 128 by its text as n², by its column as n^1.73.",
        "At 2,048 ranks no rank stores more than 20,480 B and 4 boxes for it.",
        "Table 1: the routes of all ranks move as many bytes as in the paper for 2 of 3 totals, "
        "to the byte.",
    )
    times, totals = (cells(table) for table in section.details)
    assert times["512x1024x16", "128"] == ["2.000", "2.0", "458.2", "3.5", "230", "1,280", "4"]
    assert totals["32",] == ["503316481", "503316480", "no"]
    assert totals["2,048",] == ["528482304", "528482304", "yes"]
    (drawn,) = section.charts[0].specification["datasets"].values()
    ratios = {(row["series"], row["at"]): row["ratio"] for row in drawn}
    assert ratios["Halocline", 128] == pytest.approx(2.0)
    assert ratios["O(n²)", 2048] == 64**2
    assert ratios["ESMF 2007, Table 2", 2048] == pytest.approx(418.937, rel=1e-4)


def test_the_whole_of_store_is_shown_with_both_columns_of_the_paper() -> None:
    section = only(summary(*whole_stores()))
    assert section.sentences == (
        "All that a program does once, route and redistribution with their collectives, takes "
        "1.000 ms on 32 and 8.000 ms on 2,048 ranks (64x128x16, mpich, here), growing as n^0.50 "
        "(0.49 to 0.51).",
    )
    (chart,) = section.charts
    (drawn,) = chart.specification["datasets"].values()
    assert {row["at"]: row["time"] for row in drawn} == {32: 1e-3, 128: 2e-3, 2048: 8e-3}
    (whole,) = (cells(table) for table in section.details)
    assert whole["mpich", "here", "64x128x16", "128"] == ["2000", "2.0", "458.2", "3.5"]
    assert whole["mpich", "here", "64x128x16", "2,048"] == ["8000", "8.0", "55330", "420"]


def test_store_grows_from_the_first_ranks_that_were_measured() -> None:
    doubled = []
    for each in stores():
        ranks = 2 * int(each.case.axis("planned_ranks"))
        axes = {**dict(each.case.axes), "planned_ranks": ranks}
        doubled.append(replace(each, case=replace(each.case, axes=tuple(sorted(axes.items())))))
    assert "with the number n of ranks, 64 to 4,096; " in only(summary(*doubled)).sentences[1]


def test_store_is_compared_with_itself_on_each_machine() -> None:
    slow = [
        replace(each, case=replace(each.case, machine="slow"), metrics=(metric("time", 1e-2),))
        for each in whole_stores()
    ]
    section = only(summary(*whole_stores()), summary(*slow))
    (whole,) = (cells(table) for table in section.details)
    assert whole["mpich", "here", "64x128x16", "128"][:2] == ["2000", "2.0"]
    assert whole["mpich", "slow", "64x128x16", "128"][:2] == ["10000", "1.00"]
    assert "(64x128x16, mpich, here), growing as" in section.sentences[0]


def test_two_systems_stand_side_by_side_over_their_numbers_of_ranks() -> None:
    """Figures 4 to 7 of the paper: here every other machine takes 1.5 to 3 times as long."""
    exchanges = [
        replace(
            each,
            case=replace(each.case, workload="redistribution", ranks=ranks, machine=machine),
            metrics=(metric("time", time_s),),
        )
        for each in whole_stores()[:1]
        for machine, ranks, time_s in (
            *(("here", 32, 4e-3), ("here", 64, 2e-3), ("here", 64, 9e-3)),
            *(("slow", 32, 6e-3), ("slow", 64, 6e-3), ("slow", 128, 1e-3)),
        )
    ]
    ways, section = sections([summary(*exchanges)])
    assert (ways.name, section.name) == ("redistribution", "redistribution-store")
    assert section.sentences == (
        "Redist, 64x128x16: slow takes 1.50 (1.47 to 1.53) to 3.00 (2.94 to 3.06) times "
        "as long as here, on 32 to 64 ranks.",
    )
    (chart,) = section.charts
    (drawn,) = chart.specification["datasets"].values()
    assert {(row["series"], row["at"]): row["time"] for row in drawn} == {
        ("here", 32): 4e-3,
        ("here", 64): 2e-3,
        ("slow", 32): 6e-3,
        ("slow", 64): 6e-3,
        ("slow", 128): 1e-3,
    }


def test_store_of_several_libraries_and_runs_says_which() -> None:
    run = summary(*stores())
    others = [
        replace(each, case=replace(each.case, mpi="intel"), metrics=(metric("time", 1e-6),))
        for each in stores()
    ]
    section = only(run, replace(summary(*others), path=Path("runs/other")))
    assert [table.key_heads for table in section.details] == [
        ("MPI", "run", "grid", "ranks"),
        ("MPI", "run", "ranks"),
    ]
    times, totals = (cells(table) for table in section.details)
    assert times["mpich", "hand", "512x1024x16", "128"][:2] == ["2.000", "2.0"]
    assert times["intel", "other", "512x1024x16", "128"][:2] == ["1.000", "1.00"]
    assert totals["mpich", "hand", "32"][2] == "no"
    assert "(512x1024x16, intel, other)." in section.sentences[0]


def test_store_of_few_ranks_alone_has_no_growth() -> None:
    section = only(summary(*stores()[:1]))
    assert not section.charts
    assert "grows" not in " ".join(section.sentences)
