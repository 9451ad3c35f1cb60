"""An interval wider than its value is inconclusive: a point, which no scale follows."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import Command
from halocline.compare import folder
from halocline.report.axes import extent
from halocline.report.comparison import comparison
from halocline.report.entries import Ratio, points
from halocline.report.headlines import headlines
from halocline.report.html import page
from halocline.report.lines import lines
from halocline.report.rows import dot, rows
from halocline.report.run_tables import all_cases, troubles
from halocline.report.section import ratio_text
from halocline.report.tables import best_tables
from halocline.samples.left_out import NO_TIME
from halocline.summary.ratios import plus_minus
from halocline.summary.summary import CaseSummary
from report.instruments import kernels, measured, metric, ping_pong, summary, unmeasured

WIDE = replace(metric("time", 8e-3), low=1e-15, high=3.7e14)  # of two launches that differ


def test_it_is_said_in_words() -> None:
    assert plus_minus(WIDE.half_width_relative) == "(inconclusive)"
    assert plus_minus(0.5) == "± 50 %"
    assert ratio_text(Ratio(1.0, 0.4, 1.6)) == "1.00 (inconclusive)"
    assert ratio_text(Ratio(1.0, 0.6, 1.4)) == "1.00 (0.600 to 1.40)"


def test_no_scale_follows_it() -> None:
    case = measured("pingpong", 1e-6, protocol="send_recv", bytes=8)
    wide = measured("pingpong", 8e-3, protocol="send_recv", bytes=64)
    run = summary(case, replace(wide, metrics=(WIDE,)))
    sharp, blunt = rows(points([run]))
    assert "time_low" in sharp and "time_low" not in blunt
    low, high = extent([sharp, blunt], "time")
    assert low > 0.5e-6 and high < 16e-3
    figure = lines("f", "t", "d", [dot("p", "l", 8, WIDE)], "time")
    (drawn,) = figure.specification["datasets"].values()
    assert "time_low" not in drawn[0]
    cells = all_cases([run]).rows[1][1]
    assert (cells[0].spread, cells[-1].note.startswith("the 95 % interval is wider")) == (
        "(inconclusive)",
        True,
    )
    assert [each.status for each in troubles([run])] == ["inconclusive"]
    assert not re.search(r"\d{7} %", page([run]))


def test_no_ratio_is_claimed_from_it() -> None:
    wide = replace(metric("time", 5e-3), low=1e-3, high=1e-1)
    cases = [
        measured("pingpong", 9e-6, protocol="send_recv", bytes=8),
        replace(measured("pingpong", 5e-3, protocol="ssend_recv", bytes=8), metrics=(wide,)),
    ]
    slow = replace(cases[1], case=replace(cases[1].case, mpi="other", axes=cases[0].case.axes))
    of_libraries = summary(cases[0], slow)
    (claim, *_) = headlines([of_libraries], points([of_libraries]))
    assert claim.claim.endswith("; by how much is inconclusive"), claim
    of_protocols = summary(*cases)
    claims = [each.claim for each in headlines([of_protocols], points([of_protocols]))]
    assert not any("protocol matters" in each for each in claims)


def test_libraries_are_compared_by_protocols_that_each_had_time_for() -> None:
    def of(mpi: str, protocol: str, time_s: float) -> CaseSummary:
        found = measured("pingpong", time_s, protocol=protocol, bytes=8)
        return replace(found, case=replace(found.case, mpi=mpi))

    late = unmeasured(of("other", "put_flag", 1e-6), "skipped", f"{NO_TIME}: 'all' needs 1 s")
    lacks = replace(late, reason="this library has no windows")
    common = (
        of("mpich", "put_flag", 1e-6),
        *(of(m, "send_recv", 3e-6) for m in ("mpich", "other")),
    )
    for last, claim in (
        (late, "At 8 B MPICH 5.0.2, mpich against MPICH 5.0.2, other is inconclusive"),
        (lacks, "At 8 B MPICH 5.0.2, mpich is 3.0 times faster than MPICH 5.0.2, other"),
    ):
        drawn = points([summary(*common, last)])
        claims = [each.claim.replace("\u00a0", " ") for each in headlines((), drawn)]
        assert claims[0] == claim
        leads = [row["lead"] for row in rows(drawn) if "lead" in row]
        assert leads == ([1, 1] if last is late else [1, 3])
        assert ("that all had time for" in best_tables(drawn)[0].caption) == (last is late)


def test_a_library_that_had_no_time_at_a_size_takes_nothing_from_others() -> None:
    own = measured("pingpong", 1e-6, protocol="put_flag", bytes=8)
    other = replace(own, case=replace(own.case, mpi="other"))
    drawn = points([summary(own, unmeasured(other, "skipped", f"{NO_TIME}: 'all' needs 1 s"))])
    (claim, *_) = (each.claim.replace("\u00a0", " ") for each in headlines((), drawn))
    assert claim.startswith("A message of 8 B takes 1.000 µs")
    assert best_tables(drawn)[0].caption.startswith("pingpong: the fastest protocol, ")


def test_a_difference_that_rounds_to_none_is_no_headline() -> None:
    fast, slow = (
        replace(measured("pingpong", s, protocol=p, bytes=8), metrics=(metric("time", s, 1e-4),))
        for p, s in (("send_recv", 1e-6), ("isend_irecv", 1.004e-6))
    )
    run = summary(fast, slow)
    assert not any("matters" in each.claim for each in headlines([run], points([run])))


@pytest.mark.parametrize(
    ("ratio", "width", "end"),
    [
        (1.004, 1e-4, " differ by less than 1.0 %"),
        (1.0005, 1e-3, " differ by less than 1.0 %"),  # though not apart
        (1.009, 4e-3, " faster than MPICH 5.0.2, other"),
        (1.004, 4e-3, " is inconclusive"),
    ],
)
def test_libraries_are_alike_where_a_larger_difference_is_ruled_out(
    ratio: float, width: float, end: str
) -> None:
    fast, slow = (
        replace(
            measured("pingpong", time_s, protocol="send_recv", bytes=8),
            metrics=(metric("time", time_s, width),),
        )
        for time_s in (1e-6, ratio * 1e-6)
    )
    run = summary(fast, replace(slow, case=replace(fast.case, mpi="other")))
    (claim, *_) = (each.claim for each in headlines([run], points([run])))
    assert claim.endswith(end)


def test_a_comparison_draws_it_as_a_point(command: Command) -> None:
    sides = ("--a", "machine=mock:1us", "--b", "machine=mock:1.02us")
    words = ("pingpong", "bytes=8", "protocol=send_recv", "--output", "pair")
    assert command("compare", *sides, *words).code == 0
    (found,) = folder.read(Path("pair"))
    (row,) = found.rows
    wide = replace(found, rows=(replace(row, low=1e-9, high=1e9),))
    section = comparison(wide)
    (drawn,) = section.charts[0].specification["datasets"].values()
    assert drawn[0]["ratio"] == pytest.approx(1.02) and "low" not in drawn[0]
    assert section.tables[0].rows[0][1][2].note == "inconclusive"


def test_the_bandwidth_of_the_caches_is_called_so_next_to_that_of_memory() -> None:
    run = summary(*ping_pong(), *kernels())
    evidence_of = {
        each.claim.replace("\u00a0", " "): each.evidence for each in headlines([run], points([run]))
    }
    evidence = evidence_of["On node: 1 MiB moves at 9906 MB/s ± 1.0 % through the cores' caches"]
    assert evidence.endswith("; memory alone: one rank copies 64 MiB at 20.00 GB/s ± 1.0 %")
    small = replace(run, environment={"processor": {"caches": [{"size_bytes": 2**20}]}})
    invented = replace(run, machine="mock:1us")
    for other in (small, invented):
        assert not any("caches" in each.claim for each in headlines([other], points([other])))
    alone = summary(*ping_pong())
    evidences = [each.evidence for each in headlines([alone], points([alone]))]
    (evidence,) = (each for each in evidences if "memory" in each)
    assert evidence.endswith("; for memory alone: halocline run memory_copy bytes=64MiB")
    large = replace(run, environment={"processor": {"caches": [{"size_bytes": 504 * 2**20}]}})
    (evidence,) = (
        each.evidence for each in headlines([large], points([large])) if "memory" in each.evidence
    )
    assert evidence.endswith(
        "one rank copies 64 MiB at 20.00 GB/s ± 1.0 %, which may fit into the caches; "
        "for memory alone: halocline run memory_copy bytes=512MiB"
    )


def test_machines_of_2005_stand_in_surveys_only() -> None:
    run = summary(*ping_pong())
    assert "published 2005" not in page([run])
    assert "published 2005" in page([replace(run, title="Survey of here")])
