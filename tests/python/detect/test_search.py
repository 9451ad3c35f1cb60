"""Where a search measures next."""

from __future__ import annotations

from halocline.detect.search import between, closer, octaves


def test_octaves_have_both_ends() -> None:
    assert octaves(1, 16) == (1, 2, 4, 8, 16)
    assert octaves(3, 20) == (3, 4, 8, 16, 20)


def test_between_leaves_out_the_ends_and_is_even() -> None:
    assert between(0, 100, 3) == (25, 50, 75)
    assert between(10, 14, 5) == (11, 12, 13)
    assert between(7, 8, 5) == ()


def test_closer_has_neighbours_as_far_apart() -> None:
    assert closer(100, 200, 3, ()) == (50, 75, 100, 125, 150, 175, 200, 225, 250)
    assert closer(0, 100, 3, {25, 100}) == (50, 75, 125, 150, 175)


def test_closer_has_neighbours_that_are_new() -> None:
    assert closer(8192, 8194, 9, {8190, 8191, 8192, 8194}) == (
        *(8187, 8188, 8189),
        8193,
        *(8195, 8196, 8197),
    )
    assert closer(2, 4, 9, {1, 2}) == (3, 4, 5, 6)


def test_a_search_ends_at_neighbouring_numbers() -> None:
    """Wherever the limit lies, every round leaves a narrower range that holds it."""
    for limit in (1, 5000, 8191):
        low, high = 0, 8192
        for _ in range(4):
            tried = (low, *between(low, high, 24), high)
            low = max(n for n in tried if n <= limit)
            high = min(n for n in tried if n > limit)
        assert (low, high) == (limit, limit + 1)
