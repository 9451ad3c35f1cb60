"""The sections: exact sentences and cells from summaries written by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from halocline.report.cells import Table
from halocline.report.entries import points
from halocline.report.headlines import headlines
from halocline.report.palette import DARK, LIGHT, part_colour
from halocline.report.run_tables import troubles
from halocline.report.section import Section
from halocline.report.sections import sections
from halocline.report.tables import specification
from halocline.samples.left_out import NO_TIME
from halocline.samples.records import Wire
from halocline.summary.effects import Effect
from halocline.summary.ratios import Ratio
from halocline.summary.summary import CaseSummary
from report.instruments import (
    TWO_NODES,
    collective_operations,
    contentions,
    distances,
    everything,
    halos,
    kernels,
    measured,
    metric,
    phase,
    ping_pong,
    put_and_get,
    redistributions,
    replays,
    simultaneous,
    steps,
    summary,
    unmeasured,
)


def only(*cases: CaseSummary) -> Section:
    (section,) = sections([summary(*cases)])
    return section


def cells(table: Table) -> dict[tuple[str, ...], list[str]]:
    return {keys: [cell.value for cell in row] for keys, row in table.rows}


def test_each_kind_has_its_section_and_none_without_data() -> None:
    assert [section.name for section in sections([everything()])] == [
        *("one-sided", "pairs", "distance", "contention", "halo"),
        *("redistribution", "redistribution-store", "replay", "collectives", "phases", "kernels"),
        "proof",
    ]
    assert sections([summary()]) == ()
    on_node = [case for case in ping_pong() if case.wire is None]
    assert sections([summary(*on_node)]) == ()


def test_every_sentence_ends_and_every_chart_has_its_own_name() -> None:
    found = sections([everything()])
    assert all(each.endswith(".") for section in found for each in section.sentences)
    assert all(section.sentences for section in found)
    names = [chart.name for section in found for chart in section.charts]
    assert len(names) == len(set(names)) == 14


def test_get_against_put_and_send() -> None:
    section, _ = sections([summary(*ping_pong(), *put_and_get())])
    assert section.sentences[0] == (
        "MPICH 5.0.2, on node, flush: at 8 B get takes 1.20 (1.18 to 1.22) times as long as put; "
        "at 1 MiB get and put are equal within errors, get / put 1.00 (0.980 to 1.02)."
    )
    row = cells(section.details[0])["MPICH 5.0.2, on node", "flush", "8 B"]
    assert row == ["0.5008", "0.6010", "1.20", "1.001", "0.500"]
    assert section.charts[0].panels == 4


def test_pairs_show_the_sum_the_slowest_and_each() -> None:
    section = only(*simultaneous())
    assert section.sentences == (
        "MPICH 5.0.2: 2 pairs of 1 MiB one way carry 12.00 GB/s ± 1.0 % with isend_irecv, the "
        "slowest pair 6.000 GB/s: 1.50 (1.47 to 1.53) times what 1 pair does.",
        "MPICH 5.0.2: 2 pairs of 1 MiB both ways carry 21.60 GB/s ± 1.0 % with isend_irecv, the "
        "slowest pair 10.80 GB/s: 1.50 (1.47 to 1.53) times what 1 pair does.",
        "Both directions, on node, carry 1.80 (1.76 to 1.84) (MPICH 5.0.2, 2 pairs, isend_irecv) "
        "to 1.80 (1.76 to 1.84) (MPICH 5.0.2, 1 pair, isend_irecv) times what one direction does, "
        "at 1 MiB.",
    )
    alone = [each for each in simultaneous() if len(each.pairs) == 1]
    assert only(*alone).sentences[0].startswith("MPICH 5.0.2: 1 pair of 1 MiB one way carries 8.0")
    each = cells(section.details[1])
    assert each["MPICH 5.0.2", "pingpong", "isend_irecv", "1 MiB", "1-3"][1:] == ["6600", "no"]


def test_distance_and_contention() -> None:
    assert only(*distances()).sentences == (
        "1 of 1 comparisons of the farthest partner and the nearest show a significant difference.",
        "The largest: MPICH 5.0.2, pingpong by sendrecv of 8 B at distance 3 takes 1.50 (1.47 to "
        "1.53) times as long as at distance 1.",
    )
    assert only(*contentions()).sentences == (
        "0 of 1 comparisons of the most pairs and the fewest show a significant difference.",
    )


def test_one_distance_alone_is_in_the_text_but_not_drawn() -> None:
    section = only(distances()[0])
    assert section.charts == ()
    assert section.sentences == (
        "Only one distance was measured (1), so its effect is unknown; the fastest "
        "case takes 1.000 µs ± 1.0 % (MPICH 5.0.2, sendrecv, 8 B).",
    )


def test_pairs_that_begin_at_other_ranks_are_other_lines() -> None:
    cases = [
        replace(case, case=replace(case.case, axes=(*case.case.axes, ("from", first))))
        for first in (0, 2)
        for case in distances()
    ]
    section = only(*cases)
    (drawn,) = section.charts[0].specification["datasets"].values()
    assert {row["series"] for row in drawn} == {"MPICH 5.0.2, from=0", "MPICH 5.0.2, from=2"}
    (table,) = section.details
    assert table.key_heads[-1] == "from" and len(cells(table)) == len(cases)
    assert section.sentences[1].startswith("The largest: MPICH 5.0.2, from=0, pingpong by")


def test_phases_name_the_longest_the_uneven_and_what_is_missing() -> None:
    section = only(*steps())
    assert section.sentences == (
        "grid=coarse: dynamics takes 50.0 % of the step of 1.000 ms ± 1.0 %; in dynamics the "
        "slowest rank takes 1.25 times the mean; dynamics reaches 60.0 % of the rate of "
        "stream_triad 64 MiB.",
        "grid=fine: dynamics takes 50.0 % of the step of 8.000 ms ± 1.0 %; in dynamics the "
        "slowest rank takes 1.25 times the mean; dynamics reaches 60.0 % of the rate of "
        "stream_triad 64 MiB.",
        "Unknown shares of the arithmetic; measure dgemm active=all on 4 ranks in the same run.",
    )
    assert cells(section.tables[0])["grid=coarse", "dynamics"] == [
        *("0.5000", "50.0 %", "1.25", "20.00", "–", "2000", "60.0 %", "–"),
    ]
    assert cells(section.tables[0])["grid=coarse", "halo"][3:] == ["–"] * 4 + ["0.03200"]


def test_phases_of_a_model_of_years_say_how_many_it_simulates_a_day() -> None:
    one = steps()[0]
    years = metric("simulated years a day", 98.63, unit="years/day")
    (sentence, *_) = only(replace(one, metrics=(*one.metrics, years))).sentences
    assert "the step of 1.000 ms ± 1.0 %, 98.63 simulated years a day;" in sentence


def test_shares_of_phases_are_stacked_to_the_step() -> None:
    shares, _, imbalance = only(*steps()).charts
    (drawn,) = (
        shares.specification["datasets"].values()
        if "datasets" in shares.specification
        else [shares.specification["data"]["values"]]
    )
    for case in ("grid=coarse", "grid=fine"):
        parts = {row["phase"]: row["share"] for row in drawn if row["case"] == case}
        assert parts == {"dynamics": 0.5, "halo": 0.3, "outside all phases": 0.2}
    assert imbalance.panels == 2
    alone = [replace(each, case=replace(each.case, ranks=1)) for each in steps()]
    assert [chart.name for chart in only(*alone).charts] == ["phases-shares", "phases-timeline"]


def test_each_workload_has_its_own_charts_of_phases() -> None:
    """The phases of two models together are more than there are colours."""
    many = tuple(phase(f"part {n}", 1e-4, 1e-3, 1.0, 0, 0, 0) for n in range(10))
    one = steps()[0]
    case = replace(one, case=replace(one.case, workload="other"), phases=many, usual_batch=None)
    section = only(*steps(), case)
    charts = {chart.name: chart for chart in section.charts}
    assert list(charts) == [
        *("phases-shares-model", "phases-shares-other", "phases-timeline-model"),
        *("phases-imbalance-model", "phases-imbalance-other"),
    ]
    for name, count in (("model", 2), ("other", 10)):
        scales = [
            layer["encoding"]["color"]["scale"]
            for layer in charts[f"phases-shares-{name}"].specification["layer"]
        ]
        assert len(set(scales[0]["range"])) == count + 1, "grey is what is in no phase"
    table = cells(section.details[0])
    assert table["model, grid=coarse: launch 1, batch 7, a step of 1.000 ms", "3"] == [
        *("0.6250", "0.3000"),
    ]


def test_a_timeline_has_the_time_of_every_rank_in_each_phase_of_one_batch() -> None:
    _, timeline, _ = only(*steps()).charts
    (drawn,) = timeline.specification["datasets"].values()
    case = "grid=fine: launch 1, batch 7, a step of 8.000 ms"
    fine = [row for row in drawn if row["case"] == case]
    ranks = [row["share"] for row in fine if row["phase"] == "dynamics"]
    assert ranks == pytest.approx([0.458333, 0.458333, 0.458333, 0.625])
    assert {row["time_text"] for row in fine if row["rank"] == "3"} == {"5.000 ms", "2.400 ms"}
    assert {row["rank"] for row in fine} == {"0", "1", "2", "3"}
    many = [replace(each, case=replace(each.case, ranks=65)) for each in steps()]
    assert [chart.name for chart in only(*many).charts] == ["phases-shares"]
    nine = [
        replace(each, case=replace(each.case, axes=(("n", n),)))
        for n in range(9)
        for each in steps()[:1]
    ]
    (timeline,) = (chart for chart in only(*nine).charts if chart.name == "phases-timeline")
    assert timeline.panels == 8 and "The first 8 of 9 cases." in timeline.description


def test_halo_names_the_best_protocol_of_each_width() -> None:
    section = only(*halos())
    assert section.sentences[0] == (
        "MPICH 5.0.2, on node: at 1 word per row persistent is fastest with 2.001 µs ± 1.0 %; at "
        "1,048,576 words per row persistent is fastest with 1.051 ms ± 1.0 % (2 others may be "
        "as fast)."
    )
    assert [chart.name for chart in section.charts] == ["halo-time", "halo-protocols-halo"]


def test_halos_of_other_shapes_stand_apart() -> None:
    wide = [measured("halo", 1e-6, protocol=name, words=1, width=2) for name in ("a", "b")]
    names = [chart.name for chart in only(*halos(), *wide).charts]
    assert names == ["halo-time", "halo-protocols-halo-width-1", "halo-protocols-halo-width-2"]


def test_collectives_report_lateness_levels_and_timings() -> None:
    section = only(*collective_operations())
    assert section.sentences == (
        "allreduce of 8 B takes 2.000 µs ± 1.0 % with MPICH 5.0.2.",
        "The last rank started at most 20.00 ns after the agreed time (median of a case; "
        "allreduce, MPICH 5.0.2); that is at most 2.0 % of any operation's time.",
        "Two levels against flat: of 2 cases 1 faster, 1 slower, 0 inconclusive; "
        "fastest: allreduce of 8 B, MPICH 5.0.2 with 0.500 (0.490 to 0.510) times the time; "
        "slowest: allreduce of 4 KiB, MPICH 5.0.2 with 2.00 (1.96 to 2.04) times the time.",
        "IMB's method reports 0.800 (0.784 to 0.816) times (allreduce of 8 B, MPICH 5.0.2) "
        "to 0.900 (0.882 to 0.918) times (allreduce of 4 KiB, MPICH 5.0.2) the synchronised time: "
        "its ranks wait for each other or run ahead unnoticed.",
    )
    assert section.details[0].heads == (
        *("synchronised", "lateness", "IMB's way", "IMB's way / synchronised"),
        *("synchronised, two levels", "two levels / flat"),
    )
    row = cells(section.details[0])["allreduce", "8 B", "MPICH 5.0.2"]
    assert row == ["2.000", "0.02000", "1.600", "0.800", "1.000", "0.500"]


def test_kernels_compare_one_rank_with_all() -> None:
    section = only(*kernels())
    assert section.sentences == (
        "MPICH 5.0.2: one rank multiplies matrices (n = 512) at 40.00 Gflop/s ± 1.0 %; with all "
        "at once each has 1.00 (0.980 to 1.02) times that, which is inconclusive.",
        "MPICH 5.0.2: one rank copies 64 MiB at 20.00 GB/s ± 1.0 %; with all at once each has "
        "0.500 (0.490 to 0.510) times that.",
    )
    assert cells(section.tables[0]) == {
        ("MPICH 5.0.2", "dgemm, n = 512"): ["40.00", "40.00", "1.00"]
    }


def test_kernels_of_each_place_and_length_have_a_row() -> None:
    rate = metric("rate", 40e9, unit="flop/s")
    sums = [
        measured("multiply_add", 1e-3, 0, rate, active="one", operations=count)
        for count in (1000, 2000)
    ]
    apart = [
        replace(case, case=replace(case.case, configuration=TWO_NODES))
        for case in kernels()
        if case.case.workload == "dgemm"
    ]
    rates, _ = only(*kernels(), *apart, *sums).tables
    assert [keys for keys, _ in rates.rows] == [
        ("MPICH 5.0.2, on node", "dgemm, n = 512"),
        ("MPICH 5.0.2, between nodes", "dgemm, n = 512"),
        ("MPICH 5.0.2, on node", "multiply-adds in registers, 1,000 operations"),
        ("MPICH 5.0.2, on node", "multiply-adds in registers, 2,000 operations"),
    ]


def effect(value: str, ratio: Ratio) -> Effect:
    return Effect("mpich", "env.KNOB", value, "default", ratio, (), 0)


def test_options_say_what_had_an_effect_and_what_had_none() -> None:
    found = (
        effect("1", Ratio("faster", 0.9, 0.88, 0.92, 8)),
        effect("2", Ratio("none", 1.0, 0.9905, 1.0095, 8)),
        effect("3", Ratio("unknown", 1.0, None, None, 1)),
    )
    (section,) = sections([replace(summary(), effects=found)])
    assert section.sentences == (
        "Had an effect, over all cases: env.KNOB=1 against default (mpich): faster by 10 % "
        "(-12 % to -8.0 %).",
        "Had none: env.KNOB=2 against default (mpich): no difference larger than 1.0 %.",
        "Inconclusive: env.KNOB=3 against default (mpich): too few launches, or too much spread.",
    )
    assert [row[0].value for _, row in section.tables[0].rows] == ["0.900", "1.00", "–"]


def test_the_path_is_proven_or_the_failure_is_reported() -> None:
    section = only(*ping_pong())
    assert section.sentences == (
        "3 cases of 3 with payload between nodes sent it through the interfaces: at least "
        "110 % of the payload was counted there, including headers.",
    )
    ((keys, row),) = section.tables[0].rows
    assert keys == ("MPICH 5.0.2, between nodes", "pingpong")
    assert [each.value for each in row][:2] == ["4", "1053"]
    case = ping_pong()[-1]
    reason = "5 of 100 payload bytes between 2 nodes crossed their interfaces: another way"
    wrong = only(*ping_pong()[:-1], unmeasured(case, "failed", reason))
    assert wrong.sentences[1] == (
        "1 case failed because the payload took another path: MPICH 5.0.2, between nodes, pingpong "
        f"send_recv, 1 MiB: {reason}."
    )
    assert wrong.tables[0].rows[0][1][-1].value == "1"


def test_a_path_that_was_only_recorded_is_not_called_proven() -> None:
    case = replace(ping_pong()[-1], wire=Wire(1000, 10))
    (sentence,) = only(case).sentences
    assert sentence == (
        "For 1 case the path is recorded but not proven: less than 95 % of the payload was counted."
    )


def test_a_simulated_network_proves_nothing() -> None:
    assert sections([summary(*ping_pong(), machine="two-nodes")]) == ()


def test_places_are_distinguished_and_compared_separately() -> None:
    run = summary(*ping_pong())
    drawn = points([run])
    assert {point.series for point in drawn} == {
        "MPICH 5.0.2, on node",
        "MPICH 5.0.2, between nodes",
    }
    claims = [each.claim.replace("\u00a0", " ") for each in headlines([run], drawn)]
    assert claims[:4] == [
        "On node: a message of 8 B takes 1.001 µs ± 1.0 % one way",
        "On node: 1 MiB moves at 9906 MB/s ± 1.0 % through the cores' caches",
        "Between nodes: a message of 8 B takes 10.01 µs ± 1.0 % one way",
        "Between nodes: 1 MiB moves at 990.6 MB/s ± 1.0 %",
    ]
    values = [[cell.value for cell in row.here] for row in specification(drawn)]
    assert values[:2] == [["1.001"], ["10.01"]]


def test_settings_that_vary_are_in_the_names() -> None:
    pages = [
        measured("pingpong", 1e-6, configuration=where, protocol="send_recv", bytes=8)
        for where in ((("pages", "huge"),), ())
    ]
    assert [point.series for point in points([summary(*pages)])] == [
        "MPICH 5.0.2, pages=huge",
        "MPICH 5.0.2, defaults",
    ]


@pytest.mark.parametrize(
    ("status", "reason", "shown"),
    [
        ("failed", lambda n: f"byte {n} of message 7: expected 0x5{n}, got 0x00", "failed"),
        ("skipped", lambda n: f"{NO_TIME}: 'halo' needs about {n} min more", "left out"),
    ],
)
def test_reasons_that_differ_in_numbers_only_are_one_line(
    status: str, reason: Callable[[int], str], shown: str
) -> None:
    cases = [
        unmeasured(case, "failed" if status == "failed" else "skipped", reason(number))
        for number, case in enumerate(ping_pong() * 40)
    ]
    (trouble,) = troubles([summary(*cases)])
    assert (trouble.status, trouble.count) == (shown, 320)
    assert trouble.reason == f"{reason(0)}; the numbers vary between these cases"


def test_a_case_is_named_by_the_axes_that_vary() -> None:
    cases = [replace(case, reason="partial: 3 of 8 launches") for case in steps()]
    (trouble,) = troubles([summary(*cases)])
    assert trouble.cases == "model coarse; model fine"
    (trouble,) = troubles([summary(cases[0])])
    assert trouble.cases == "model"


def test_parts_of_a_whole_have_colours_of_their_own() -> None:
    assert len({LIGHT[part_colour(n)[len("var(--") : -1]] for n in range(12)}) == 12
    assert len({DARK[part_colour(n)[len("var(--") : -1]] for n in range(12)}) == 12


def test_a_redistribution_compares_each_option_with_all_else_alike() -> None:
    section = only(*redistributions())
    what = "MPICH 5.0.2, 512x1024x16, 8 fields, table1"
    by = "messages, library"
    assert section.sentences == (
        f"{what}: the fastest way takes 33.00 ms ± 1.0 %, 8.134 GB/s (copied on the node, library "
        "memory).",
        "protocol=sendrecv takes 1.20 (1.18 to 1.22) times as long as protocol=isend_irecv "
        f"({what}; {by}, sendrecv, rank, whole).",
        "packing=box takes 1.01 (0.990 to 1.03) times as long as packing=rank, inconclusive "
        f"({what}; {by}, isend_irecv, box, whole).",
        "packing=run takes 3.00 (2.94 to 3.06) times as long as packing=rank "
        f"({what}; {by}, isend_irecv, run, whole).",
        "packing=type takes 1.50 (1.47 to 1.53) times as long as packing=rank "
        f"({what}; {by}, isend_irecv_type, type, whole).",
        "near=messages takes 3.03 (2.97 to 3.09) times as long as near=shared "
        f"({what}; {by}, isend_irecv, rank, whole).",
    )
    options = cells(section.details[1])
    assert options["packing=run", "rank", what] == ["3.00"]
    (drawn,) = section.charts[0].specification["datasets"].values()
    assert drawn[0]["way"] == "copied on the node, library memory"


def test_replays_of_one_plan_are_compared() -> None:
    section = only(*replays())
    assert section.sentences == (
        "MPICH 5.0.2, on node makes the calls of plan-a on 2 ranks in 2.000 ms ± 1.0 %; MPICH "
        "5.0.2, between nodes takes 2.00 (1.96 to 2.04) times as long.",
        "MPICH 5.0.2, on node makes the calls of plan-b on 2 ranks in 6.000 ms ± 1.0 %; MPICH "
        "5.0.2, between nodes may be as fast, 1.00 (0.983 to 1.02) times the time.",
    )
    (drawn,) = section.charts[0].specification["datasets"].values()
    assert [row["time"] for row in drawn] == pytest.approx([2e-3, 4e-3])
