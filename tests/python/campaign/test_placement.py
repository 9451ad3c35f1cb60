"""Placements, with the examples of the paper that compares the Cray XT3 and XT4."""

from __future__ import annotations

from pathlib import Path

import pytest

from halocline.base.errors import UserError
from halocline.campaign.queues import node_of_rank
from halocline.specification.configuration import Layout

FOUR_NODES = Layout(4, 2)  # the paper's: 8 processors on 4 nodes


def ranks_of_nodes(placement: str, layout: Layout) -> list[tuple[int, ...]]:
    placed = node_of_rank(placement, layout)
    return [
        tuple(rank for rank, at in enumerate(placed) if at == node) for node in range(layout.nodes)
    ]


def test_wrap_assigns_0_and_4_to_node_0_and_1_and_5_to_node_1() -> None:
    assert ranks_of_nodes("wrap", FOUR_NODES) == [(0, 4), (1, 5), (2, 6), (3, 7)]


def test_smp_style_assigns_0_and_1_to_node_0_and_2_and_3_to_node_1() -> None:
    assert ranks_of_nodes("smp", FOUR_NODES) == [(0, 1), (2, 3), (4, 5), (6, 7)]


def test_folded_assigns_0_and_7_to_node_0() -> None:
    # The paper goes on "processes 2 and 6 to node 1": its first pair and MPICH's rule make that
    # 1 and 6.
    assert ranks_of_nodes("folded", FOUR_NODES) == [(0, 7), (1, 6), (2, 5), (3, 4)]


def test_more_than_two_ranks_on_a_node() -> None:
    layout = Layout(3, 4)
    assert node_of_rank("smp", layout) == (0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2)
    assert node_of_rank("wrap", layout) == (0, 1, 2) * 4
    assert node_of_rank("folded", layout) == (0, 1, 2, 2, 1, 0) * 2


@pytest.mark.parametrize("placement", ["smp", "wrap", "folded"])
def test_one_rank_on_each_node_and_one_node_for_all(placement: str) -> None:
    assert node_of_rank(placement, Layout(3, 1)) == (0, 1, 2)
    assert node_of_rank(placement, Layout(1, 3)) == (0, 0, 0)


@pytest.mark.parametrize(
    "text",
    ["0,4,1,5,2,6,3,7", "0,4\n1,5\n2,6\n3,7\n", "# wrap\n0, 4, 1,5, 2 6 # two nodes\n\n3,7,"],
)
def test_a_list_of_ones_own(tmp_path: Path, text: str) -> None:
    file = tmp_path / "order.txt"
    file.write_text(text)
    assert node_of_rank(f"file:{file}", FOUR_NODES) == node_of_rank("wrap", FOUR_NODES)


def test_ranges_in_a_list(tmp_path: Path) -> None:
    file = tmp_path / "order.txt"
    file.write_text("6-7,0-5")
    assert ranks_of_nodes(f"file:{file}", FOUR_NODES) == [(6, 7), (0, 1), (2, 3), (4, 5)]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("0-3", ": rank 4 is missing; allowed: each of 0 to 7 once for layout 4N2P; list every"),
        ("0-7,3", ": rank 3 is listed twice; allowed: each of 0 to 7 once for layout 4N2P;"),
        ("0-8", ": there is no rank 8; allowed: each of 0 to 7 once for layout 4N2P;"),
        (
            "0-3\n4,x",
            ":2: 'x' is not a rank; allowed: ranks and ranges of them, as in 0,4,1-3; list",
        ),
    ],
)
def test_lists_that_place_otherwise(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "order.txt"
    file.write_text(text)
    with pytest.raises(UserError) as raised:
        node_of_rank(f"file:{file}", FOUR_NODES)
    assert str(raised.value).startswith(f"{file}{problem}")


def test_a_list_that_is_not_there() -> None:
    with pytest.raises(UserError, match="the placement /none cannot be read: No such file or"):
        node_of_rank("file:/none", FOUR_NODES)
