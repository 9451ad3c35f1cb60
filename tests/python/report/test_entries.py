"""Series, the best protocol, and the sentences, from summaries written by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from halocline.report.axes import powers_of_ten
from halocline.report.best import apart, best_protocols
from halocline.report.entries import library_name, points
from halocline.report.headlines import headlines
from halocline.report.rows import rows
from halocline.report.run_tables import troubles
from halocline.report.tables import specification
from halocline.specification.cases import Case
from halocline.summary.metrics import Metric
from halocline.summary.stats import Mode
from halocline.summary.summary import CaseSummary, Library, Summary

VERSIONS = {
    "mpich": "MPICH Version: 5.0.2",
    "intel": "Intel(R) MPI Library 2021.18 for Linux* OS",
    "openmpi": "Open MPI v5.0.11, package: Open MPI",
}
Times = Mapping[tuple[str, str, str, int], float]  # library, workload, protocol, bytes


def metric(name: str, median: float, width: float | None) -> Metric:
    low = None if width is None else median * (1 - width)
    high = None if width is None else median * (1 + width)
    return Metric(name, "", median, low, high, median, 8, 80, (Mode(median, 1.0),), 0.0, 0.0)


def summary(times: Times, width: float | None = 0.004, path: str = "run") -> Summary:
    cases = []
    for (mpi, workload, protocol, size), time_s in times.items():
        case = Case(workload, (("bytes", size), ("protocol", protocol)), mpi, "here", 2)
        moved = size * (2 if workload == "pingping" else 1)
        metrics = [metric("time", time_s, width)]
        metrics += [metric("bandwidth", moved / time_s, width)] if moved else []
        cases.append(CaseSummary(case, "measured", "", 0.0, tuple(metrics)))
    libraries = {
        name: Library(VERSIONS[name], "", "", "", "", "", "", 0.0, 1, (), (), 8, None)
        for name in dict.fromkeys(case.case.mpi for case in cases)
    }
    return Summary(
        *(Path("runs") / path, "Test", "here", "", 0.01, "", True, libraries, (), 0.0, {}),
        tuple(cases),
    )


TWO = {
    ("mpich", "pingpong", "send_recv", 8): 0.32e-6,
    ("mpich", "pingpong", "ssend_recv", 8): 0.64e-6,
    ("intel", "pingpong", "send_recv", 8): 0.1212e-6,
    ("mpich", "pingpong", "send_recv", 2**20): 50e-6,
    ("intel", "pingpong", "send_recv", 2**20): 100e-6,
    ("intel", "pingping", "send_recv", 2**20): 160e-6,
}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (VERSIONS["mpich"], "MPICH 5.0.2"),
        ("MPICH Version:\t4.0.2", "MPICH 4.0.2"),
        (VERSIONS["intel"], "Intel MPI 2021.18"),
        (VERSIONS["openmpi"], "Open MPI 5.0.11"),
        ("MVAPICH 4", "site"),
        ("", "site"),
    ],
)
def test_libraries_have_names(text: str, name: str) -> None:
    assert library_name("site", text) == name


def test_series_of_one_run_are_its_libraries() -> None:
    assert {p.series for p in points([summary(TWO)])} == {"MPICH 5.0.2", "Intel MPI 2021.18"}


def test_series_of_two_runs_name_the_run_only_where_needed() -> None:
    one = summary({key: t for key, t in TWO.items() if key[0] == "mpich"}, path="monday")
    both = summary(TWO, path="tuesday")
    assert {p.series for p in points([one, both])} == {
        "MPICH 5.0.2, monday",
        "MPICH 5.0.2, tuesday",
        "Intel MPI 2021.18",
    }


def test_best_names_those_that_may_be_as_fast() -> None:
    protocols = (("a", 1.0), ("b", 1.006), ("c", 1.01))
    times = {("mpich", "pingpong", name, 8): time_s for name, time_s in protocols}
    (best,) = best_protocols(points([summary(times)])).values()
    assert best.fastest.protocol == "a"
    assert [point.protocol for point in best.tied] == ["b"]


def test_without_intervals_all_is_inconclusive() -> None:
    assert not apart(metric("time", 1.0, None), metric("time", 9.0, 0.01))
    times = {("mpich", "pingpong", name, 8): t for name, t in [("a", 1.0), ("b", 9.0)]}
    (best,) = best_protocols(points([summary(times, width=None)])).values()
    assert [point.protocol for point in best.tied] == ["b"]


def claims(summaries: list[Summary]) -> dict[str, str]:
    found = headlines(summaries, points(summaries))
    return {
        headline.claim.replace("\u00a0", " "): headline.evidence.replace("\u00a0", " ")
        for headline in found
    }


def test_a_range_of_sizes_ends_where_no_library_is_surely_faster() -> None:
    fast_s, slow_s = 1e-6, 2e-6
    times_s = {8: (fast_s, slow_s), 64: (fast_s, fast_s), 512: (fast_s, slow_s)}
    times_s |= {4096: (slow_s, fast_s)}
    both = {
        (mpi, "pingpong", "send_recv", size): of_both[at]
        for size, of_both in times_s.items()
        for at, mpi in enumerate(("intel", "mpich"))
    }
    assert claims([summary(both)])["Which library is fastest depends on the size"] == (
        "Intel MPI 2021.18 at 8 B; Intel MPI 2021.18 at 512 B; MPICH 5.0.2 at 4 KiB"
    )


def test_headlines_of_two_libraries() -> None:
    assert claims([summary(TWO)]) == {
        "At 8 B Intel MPI 2021.18 is 2.6 times faster than MPICH 5.0.2": (
            "0.1212 µs ± 0.4 % against 0.3200 µs ± 0.4 % one way, each with its fastest protocol"
        ),
        "At 1 MiB MPICH 5.0.2 has 2.0 times the bandwidth of Intel MPI 2021.18": (
            "20970 MB/s ± 0.4 % against 10490 MB/s ± 0.4 %, one direction"
        ),
        "Which library is fastest depends on the size": (
            "Intel MPI 2021.18 at 8 B; MPICH 5.0.2 at 1 MiB"
        ),
        "Both directions at once carry 1.25 times as much as one, at 1 MiB": (
            "Intel MPI 2021.18 1.25 times, 13110 MB/s ± 0.4 %"
        ),
        "The protocol matters most at 8 B with MPICH 5.0.2: "
        "ssend_recv takes 2.0 times as long as send_recv": (
            "0.6400 µs ± 0.4 % against 0.3200 µs ± 0.4 %"
        ),
        "6 of 6 cases are known to ± 1 %": "half of them to ± 0.4 %",
    }


def test_headlines_of_one_library() -> None:
    one = {key: t for key, t in TWO.items() if key[0] == "intel" and key[1] == "pingpong"}
    assert claims([summary(one)]) == {
        "A message of 8 B takes 0.1212 µs ± 0.4 % one way": (
            "Intel MPI 2021.18, send_recv, half of a round trip"
        ),
        "1 MiB moves at 10490 MB/s ± 0.4 %": "Intel MPI 2021.18, one direction",
        "2 of 2 cases are known to ± 1 %": "half of them to ± 0.4 %",
    }


def test_headlines_do_not_claim_what_intervals_do_not_carry() -> None:
    times = {(mpi, "pingpong", "a", 8): t for mpi, t in [("mpich", 1e-6), ("intel", 1.005e-6)]}
    assert "At 8 B MPICH 5.0.2 against Intel MPI 2021.18 is inconclusive" in claims(
        [summary(times)]
    )


def test_headlines_of_uncertain_figures_give_no_digits_that_they_lack() -> None:
    found = claims([summary(TWO, width=0.2)])
    assert list(found)[:2] == [
        "At 8 B Intel MPI 2021.18 is about 3 times (± 20 %) faster than MPICH 5.0.2",
        "At 1 MiB MPICH 5.0.2 has about 2 times (± 20 %) the bandwidth of Intel MPI 2021.18",
    ]
    both = "Both directions at once carry about 1.2 times (± 20 %) as much as one, at 1 MiB"
    assert found[both] == "Intel MPI 2021.18 about 1.2 times (± 20 %), 13110 MB/s ± 20 %"


def test_nothing_measured_has_no_headlines() -> None:
    assert claims([summary({})]) == {}


def test_specification_stands_beside_the_published_machines() -> None:
    table = specification(points([summary(TWO)]))
    assert [(row.quantity, row.where) for row in table[:2]] == [
        ("8-byte latency, one way, µs", "on the node"),
        ("8-byte latency, one way, µs", "between nodes"),
    ]
    assert [[cell.value for cell in row.here] for row in table] == [
        ["0.3200", "0.1212"],
        ["–", "–"],
        ["20970", "10490"],
        ["–", "–"],
        ["–", "13110"],
        ["–", "–"],
    ]
    assert [row.published for row in table] == [
        ("7.3", "1.7", "–", "1.1", "3"),
        ("7.3", "1.7", "29", "1.1", "6"),
        ("9503", "1087", "–", "1595", "1580"),
        ("9364", "1342", "1111", "1397", "936"),
        ("17145", "1095", "–", "2286", "2402"),
        ("16936", "2173", "2150", "2561", "985"),
    ]


def test_specification_places_each_series_by_its_own_nodes() -> None:
    one = summary({key: t for key, t in TWO.items() if key[0] == "mpich"}, path="one")
    spread = {name: replace(library, nodes=2) for name, library in one.libraries.items()}
    two = replace(one, path=Path("runs/two"), libraries=spread)
    table = specification(points([one, two]))
    assert [[cell.value for cell in row.here] for row in table[:2]] == [
        ["0.3200", "–"],
        ["–", "0.3200"],
    ]


def test_rows_place_zero_bytes_left_of_the_smallest_size() -> None:
    times = {("mpich", "pingpong", "a", size): 1e-6 for size in (0, 8, 16)}
    made = rows(points([summary(times)]))
    assert [(row["bytes"], row["at"]) for row in made] == [(0, 2.0), (8, 8), (16, 16)]
    assert ["bandwidth" in row for row in made] == [False, True, True]


def test_troubles_group_cases_by_reason(survey_summary: Summary) -> None:
    assert [(t.library, t.status, t.count, t.cases) for t in troubles([survey_summary])] == [
        ("Open MPI 5.0.11", "failed", 1, "pingpong bsend_recv, 16 KiB"),
        ("Open MPI 5.0.11", "refused", 1, "pingping send_recv, 2 KiB"),
        ("Intel MPI 2021.18", "partial", 1, "pingpong persistent, 32 B"),
        ("MPICH 5.0.2", "two modes", 1, "pingpong ssend_recv, 256 B"),
        ("Intel MPI 2021.18", "skipped", 46, "pingpong and pingping: bsend_recv"),
    ]


@pytest.mark.parametrize(
    ("low", "high", "first", "last", "number"),
    [
        (1e-6, 1e-2, 1e-6, 1e-2, 5),
        (1.5e-6, 6e-5, 2e-6, 5e-5, 5),
        (2.8e-5, 3.6e-5, 2.8e-5, 3.6e-5, 9),
        (6e-6, 8.5e-6, 6e-6, 8e-6, 3),
        (3.01e-5, 3.04e-5, 3.01e-5, 3.04e-5, 4),
    ],
)
def test_an_axis_has_labels_however_little_it_spans(
    low: float, high: float, first: float, last: float, number: int
) -> None:
    ticks = powers_of_ten(low, high)
    assert (ticks[0], ticks[-1], len(ticks)) == (first, last, number)
