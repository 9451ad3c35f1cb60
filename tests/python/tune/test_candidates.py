"""What is searched for a workload: ways and configurations, and which is the default."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from halocline.base.errors import UserError
from halocline.base.toolchain import Family
from halocline.specification import spec
from halocline.specification.catalogue import Axis
from halocline.specification.expand import expand
from halocline.tune.candidates import experiment_of, space_of
from halocline.tune.settings import FILE, Setting, from_words, of_family, read
from tune.drawn import LACKING, PROTOCOLS, SETTINGS, asked, catalogue, space

WAYS = 2 * len(PROTOCOLS)
CONFIGURATIONS = 4  # the default, two values of one variable, one of another


def test_every_way_is_tried_under_every_setting_alone() -> None:
    found = space()
    assert len(found.candidates) == WAYS * CONFIGURATIONS - 1
    assert found.unavailable == {LACKING: "there is no OpenSHMEM"}
    assert found.default.settings == {"protocol": "isend_irecv", "packing": "rank"}
    assert {each.configuration for each in found.candidates} == {
        (),
        (("env.A", "1"),),
        (("env.A", "2"),),
        (("env.B", "0"),),
    }


def test_what_is_measured_is_never_chosen_for_anyone_but_told() -> None:
    found = space()
    assert found.problems == 1
    assert {dict(case.axes)["words"] for each in found.candidates for case in each.cases} == {256}
    two = space(asked(axes=(("words", (1, 16)),)))
    assert [dict(case.axes)["words"] for case in two.default.cases] == [1, 16]


def test_words_choose_the_ways_and_the_first_is_the_default() -> None:
    found = space(asked(axes=(("protocol", ("persistent", "send_recv")),)))
    assert dict(found.default.ways)["protocol"] == "persistent"
    assert len(found.candidates) == 2 * 2 * CONFIGURATIONS - 1


def test_protocols_inside_the_dynamics_are_tried_where_they_are_named() -> None:
    known = catalogue()
    inside = Axis("dynamics_protocol", "choice", default=("same",), choices=("same", *PROTOCOLS))
    (exchange,) = known.workloads
    known = replace(known, workloads=(replace(exchange, axes=(*exchange.axes, inside)),))

    def tried(*values: str) -> set[object]:
        axes = (("dynamics_protocol", values),) if values else ()
        found = space_of(*experiment_of(asked(axes=axes), known, SETTINGS, {}), known)
        return {each.settings["dynamics_protocol"] for each in found.candidates}

    assert tried() == {"same"}
    assert tried("same", "persistent") == {"same", "persistent"}


def test_the_default_may_be_another_one() -> None:
    found = space(protocol="send_recv", packing="box")
    assert found.default.settings == {"protocol": "send_recv", "packing": "box"}
    assert len(found.candidates) == WAYS * CONFIGURATIONS - 1


def test_a_candidate_is_named_by_what_it_changes() -> None:
    found = space()
    names = {each.name(found.default) for each in found.candidates}
    assert {"protocol=persistent", "env.A=2", "packing=box protocol=send_recv env.B=0"} <= names
    assert len(names) == len(found.candidates)
    assert found.default.name(found.default) == "the default"


def test_placements_are_tried_where_several_nodes_have_several_ranks() -> None:
    hosted = asked(configuration=(("layout", ("2N2P",)),), hosts="a,b")
    placed = {dict(each.configuration).get("placement") for each in space(hosted).candidates}
    assert placed == {None, "wrap", "folded"}
    single = asked(configuration=(("layout", ("2N1P",)),), hosts="a,b")
    assert {dict(each.configuration).get("placement") for each in space(single).candidates} == {
        None
    }


def test_the_experiment_has_the_candidates_as_its_cases_and_is_read_again(tmp_path: Path) -> None:
    whole, default = experiment_of(asked(), catalogue(), SETTINGS, {})
    found = space_of(whole, default, catalogue())
    file = tmp_path / "experiment.toml"
    file.write_text(whole.toml(), encoding="utf-8")
    again = space_of(spec.load(file, spec.Known(catalogue())), default, catalogue())
    assert again == found
    cases = {case.id for case in expand(whole, catalogue())}
    assert {case.id for each in found.candidates for case in each.cases} < cases


def test_a_protocol_that_is_not_there_is_no_default() -> None:
    with pytest.raises(UserError, match=r"there is no OpenSHMEM; choose another with --default"):
        space(protocol=LACKING)


@pytest.mark.parametrize(
    ("changes", "usual", "said"),
    [
        ({"mpi": ("mpich", "intel")}, {}, "2 MPI libraries to tune"),
        ({"workloads": ("exchange", "exchange")}, {}, "2 workloads to tune"),
        ({"ranks": (2, 4)}, {}, "2 numbers of ranks to tune"),
        ({}, {"words": "1"}, "--default words=1"),
        ({}, {"packing": "air"}, "--default packing=air; allowed: rank, box"),
    ],
)
def test_what_cannot_be_tuned_is_refused(
    changes: dict[str, object], usual: dict[str, str], said: str
) -> None:
    with pytest.raises(UserError, match=said):
        experiment_of(asked(**changes), catalogue(), SETTINGS, usual)


def test_only_what_is_tried_by_name_differs_from_a_value_that_is_fixed() -> None:
    fixed = {"configuration": (("env.A", ("1",)),)}
    built_in, tried = Setting("env.A", ("2",)), Setting("env.A", ("3",), tried=True)
    whole, _ = experiment_of(asked(**fixed), catalogue(), (built_in, tried), {})
    assert [dict(part.configuration)["env.A"] for part in whole.parts] == [("1",), ("3",)]


def test_every_setting_of_the_catalogue_has_its_source() -> None:
    found = read(FILE)
    assert all(each.source.startswith("https://") and each.about for each in found)
    families = {family for each in found for family in each.families}
    assert families == {Family.MPICH, Family.INTEL, Family.OPENMPI}
    assert all(of_family(found, family) for family in families)
    assert len({each.key for each in found}) == len(found)


def test_settings_come_from_files_and_words(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('[[setting]]\nvariable = "UCX_TLS"\nvalues = ["sm", 1]\n', encoding="utf-8")
    (own,) = read(file)
    assert own == Setting("env.UCX_TLS", ("sm", "1"))
    assert of_family((own, replace(own, families=("intel",))), "mpich") == (own,)
    assert from_words(['env.A=1,"2,3"']) == (Setting("env.A", ("1", "2,3"), tried=True),)


@pytest.mark.parametrize(
    "text",
    [
        "setting = 1",
        "[[setting]]\nvalues = [1]",
        '[[setting]]\nvariable = "A"\nvalues = []',
        '[[setting]]\nvariable = "a b"\nvalues = [1]',
        "no toml",
    ],
)
def test_a_file_that_is_no_list_of_settings_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match="invalid list of settings"):
        read(file)
