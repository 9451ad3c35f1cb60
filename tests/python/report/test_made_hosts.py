"""A link between hosts made here is no network: it is called so, and no limit is drawn from it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from findings.made_up import summary as made_up
from halocline.compare.made import made_notes
from halocline.detect.in_summary import half_bandwidths
from halocline.findings.evidence import OFF_NODE, ON_NODE, where_of
from halocline.hosts import MADE_HOSTS, RATE, Hosts
from halocline.hosts.reachable import BETWEEN_NODES, UP, between
from halocline.model.messages import place_of
from halocline.model.model import Messages, Model
from halocline.report.entries import points
from halocline.report.html import page
from halocline.report.model_words import link_lines
from halocline.report.tables import specification
from halocline.samples.run_folder import RunFolder
from halocline.specification.configuration import Configuration
from halocline.specification.experiment import MADE, Experiment
from halocline.summary.effects import Effect
from halocline.summary.ratios import Ratio
from halocline.summary.summary import Summary, made_rate
from report.instruments import ONE_NODE, TWO_NODES, measured, ping_pong, put_and_get, summary

WORDS = "between made hosts (a rate of 1 Gbit/s set here; not a network)"


@pytest.mark.parametrize(
    ("rate", "words"),
    [
        (None, "between nodes"),
        (RATE, WORDS),
        ("2.5mbit", "between made hosts (a rate of 2.5 Mbit/s set here; not a network)"),
        ("", "between made hosts (a rate set here; not a network)"),
    ],
)
def test_what_lies_between_nodes_in_words(rate: str | None, words: str) -> None:
    assert between(rate) == words


def test_the_rate_is_recorded_and_older_runs_are_known_by_their_hosts() -> None:
    made = Hosts(("a", "b"), entry=("enter", "login"), rate="2gbit")
    assert made_rate(Experiment(title="", workloads=()), made.recorded()) == "2gbit"
    assert Hosts(("a", "b")).recorded() == {}
    for hosts, rate in ((MADE, RATE), (UP, ""), ("a,b", None), ("", None)):
        experiment = Experiment(title="", workloads=(), hosts=hosts)
        assert made_rate(experiment, {}) == rate
    assert made_rate(Experiment(title="", workloads=()), {MADE_HOSTS: "damaged"}) is None


def test_a_page_says_so_wherever_such_a_number_stands() -> None:
    real = summary(*ping_pong(), *put_and_get())
    text = page([replace(real, made_rate=RATE, title="Survey of here")])
    assert text.count(WORDS) > 10
    shown = text.replace("Payload between nodes", "")
    for claim in ("Between nodes: ", "MPICH 5.0.2, between nodes"):
        assert claim not in shown
        assert claim in page([real])


def test_published_figures_between_nodes_do_not_stand_next_to_made_hosts() -> None:
    table = specification(points([replace(summary(*ping_pong()), made_rate=RATE)]))
    rows = {row.where: row for row in table if "latency" in row.quantity}
    assert [cell.value for cell in rows[WORDS].here] == ["10.01"]
    assert set(rows[WORDS].published) == {"–"}
    assert [cell.value for cell in rows["between nodes"].here] == ["–"]
    assert "29" in rows["between nodes"].published


def with_launches(configuration: Configuration) -> Summary:
    """Half of the highest bandwidth is reached between 1 KiB and 2 KiB."""
    sizes = {1024: 1e-6, 2048: 1e-6, 4096: 1e-6}
    cases = [
        measured("pingpong", s, size, configuration=configuration, protocol="send_recv", bytes=size)
        for size, s in sizes.items()
    ]
    figures = {n: 1e-6 for n in range(8)}
    return summary(*(replace(case, figures_s=figures) for case in cases))


def test_no_limit_is_drawn_from_the_bursts_of_a_set_rate() -> None:
    assert half_bandwidths(with_launches(TWO_NODES))
    assert not half_bandwidths(replace(with_launches(TWO_NODES), made_rate=RATE))
    assert half_bandwidths(replace(with_launches(ONE_NODE), made_rate=RATE))


def test_an_effect_of_the_layout_names_made_hosts() -> None:
    slower = Effect("mpich", "layout", "2N1P", "1N2P", Ratio("slower", 21.7, 21.3, 22.1, 8), (), 0)
    real = replace(summary(), effects=(slower,))
    assert WORDS not in page([real])
    assert f"Layouts of several nodes ran {WORDS}." in page([replace(real, made_rate=RATE)])


def test_a_comparison_names_made_hosts() -> None:
    def notes(where: Configuration, hosts: str) -> tuple[str, ...]:
        cases = [case.case for case in ping_pong() if case.case.configuration == where]
        experiment = Experiment(title="", workloads=(), hosts=hosts)
        run = cast(RunFolder, SimpleNamespace(experiment=experiment, environment={}))
        return made_notes((run, run), (cases, cases))

    assert notes(TWO_NODES, MADE) == (f"Cases on several nodes ran {WORDS}.",)
    assert notes(ONE_NODE, MADE) == notes(TWO_NODES, "a,b") == ()


def test_models_and_findings_say_so() -> None:
    real = made_up()
    made = replace(real, made_rate=RATE)
    assert where_of(made, OFF_NODE) == WORDS
    assert (where_of(made, ON_NODE), where_of(real, OFF_NODE)) == ("on node", "off node")
    run = summary(*ping_pong())
    place = place_of(run.cases[-1], replace(run, made_rate=RATE))
    assert place is not None and place.name == f"mpich, {WORDS}"
    assert place_of(run.cases[-1], run) != place
    for where, lines in ((place, 1), (replace(place, between=BETWEEN_NODES), 0)):
        messages = Messages(where, "send_recv", {}, None, None)
        assert len([*link_lines(Model((messages,), {}, (), (), {}))]) == lines
