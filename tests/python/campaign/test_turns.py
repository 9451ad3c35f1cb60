"""The policy of sides in turn: numbers of launches, and turns that were interrupted."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conftest import Command
from halocline.campaign.log import of_turns, read
from halocline.campaign.turns import Group, number_offsets
from halocline.launch.mock import mock_job
from mock_runs import MOCK, stop_at

SIDES = ("--a", "machine=mock:1us", "--b", "machine=mock:1.1us")
GROUPS = ("pingpong", "bytes=8", "protocol=send_recv", "env.GROUP=1,2", "--launches", "10..10")


def test_a_turn_that_was_interrupted_between_its_groups_counts_for_its_time_only(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_at(monkeypatch, 11)  # the second group of the third turn
    assert command("compare", *SIDES, *GROUPS, "--output", "both").code == 130
    turns = of_turns(read(Path("both")))
    assert [(turn.turn, turn.whole, turn.cases) for turn in turns] == [
        (1, True, 2),
        (2, True, 2),
        (3, False, 1),
    ]
    assert turns[2].took_s > 0
    monkeypatch.setattr(MOCK, mock_job)
    assert command("compare", "--resume", "both").code == 0
    turns = of_turns(read(Path("both")))
    assert [turn.turn for turn in turns if turn.whole] == [1, 2, *range(4, 12)]


def test_groups_with_the_same_label_have_numbers_of_their_own() -> None:
    """A label's launches on 2 and on 4 ranks are in one file."""

    def group(*labels: str) -> Group:
        queues: Any = tuple(SimpleNamespace(label=label) for label in labels)
        return Group(queues, {})

    groups = [group("a", "b"), group("a x=1", "b x=1"), group("a", "b"), group("c", "b")]
    assert number_offsets(groups) == [0, 0, 1, 2]
    crossed = [group("a", "b"), group("a", "c"), group("d", "c")]
    assert number_offsets(crossed) == [0, 1, 2]
