"""Where adding pairs stops paying, on aggregates made of links of known bandwidth."""

from __future__ import annotations

import numpy as np
import pytest

from findings.made_up import measured, summary
from halocline.detect.curves import Curve, NotFound
from halocline.detect.in_summary import saturations
from halocline.detect.saturation import Saturation, saturation

PAIRS = (1, 2, 4, 8, 16, 32)


def aggregates(each: float, whole: float, noise: float = 0.01) -> Curve:
    """Pairs of `each` B/s that share `whole` B/s, in twelve launches."""
    random = np.random.default_rng(53)
    rates = np.minimum(each * np.array(PAIRS), whole)
    return Curve(PAIRS, rates * np.exp(random.normal(0, noise, (12, len(PAIRS)))))


def test_four_links_carry_four_pairs() -> None:
    """1.5 GB/s each; the node 6 GB/s: linear to 4, no more from there on."""
    found = saturation(aggregates(1.5e9, 6e9))
    assert isinstance(found, Saturation) and found.full is not None
    assert (found.linear_to, found.full_at) == (4, 4)
    assert found.full.median == pytest.approx(6e9, rel=0.01)
    assert dict(found.share)[8].median == pytest.approx(0.5, rel=0.01)


def test_a_bound_between_two_numbers_of_pairs() -> None:
    """8 GB/s are 5.3 pairs: 4 pairs are linear, 8 are full."""
    found = saturation(aggregates(1.5e9, 8e9))
    assert isinstance(found, Saturation)
    assert (found.linear_to, found.full_at) == (4, 8)


def test_what_grows_to_the_end_is_not_full() -> None:
    found = saturation(aggregates(1e9, 1e12))
    assert isinstance(found, Saturation)
    assert (found.linear_to, found.full_at, found.full) == (32, None, None)


def test_a_memory_that_one_pair_fills() -> None:
    found = saturation(aggregates(5e9, 5e9))
    assert isinstance(found, Saturation)
    assert (found.linear_to, found.full_at) == (1, 1)


def test_noise_is_not_taken_for_linear_growth() -> None:
    """So noisy that nothing is sure: neither linear past the first, nor full."""
    found = saturation(aggregates(1e9, 1e12, noise=0.4))
    assert isinstance(found, Saturation)
    assert (found.linear_to, found.full_at) == (1, None)


def test_one_number_of_pairs_says_nothing() -> None:
    assert saturation(aggregates(1e9, 1e12).kept([0])) == NotFound(
        "no two numbers of pairs were measured in the same launches"
    )


def test_pairs_that_share_no_launch_with_the_fewest_are_left_out() -> None:
    curve = aggregates(1e9, 1e12)
    curve.figures[:6, 2] = np.nan
    curve.figures[6:, 0] = np.nan
    found = saturation(curve)
    assert isinstance(found, Saturation)
    assert [count for count, _ in found.share] == [1, 2, 8, 16, 32]


@pytest.mark.parametrize(("ranks", "pairs", "counts"), [(2, (1, 0), None), (4, (0, 1, 2), [1, 2])])
def test_all_pairs_may_be_as_many_as_another_case_has(
    ranks: int, pairs: tuple[int, ...], counts: list[int] | None
) -> None:
    cases = [measured("pairs", 1e-6, ranks=ranks, bytes=8, pairs=count) for count in pairs]
    (found,) = saturations(summary(*cases)).values()
    shown = [at for at, _ in found.aggregate] if isinstance(found, Saturation) else None
    assert shown == counts
