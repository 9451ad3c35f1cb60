"""LogGP and the max-rate model: known parameters are recovered, others are named."""

from __future__ import annotations

import pytest

from halocline.detect.curves import Curve
from halocline.model.fit import fit
from halocline.model.messages import Probe
from halocline.model.parameters import NO_GAP, NO_PROBE, LogGP, MaxRate, loggp, max_rate
from model.machine import BOUNDS, EAGER, QUIET, RENDEZVOUS, SIZES, Noise, launched, times


def logp(probe: Probe | None) -> LogGP:
    found = loggp(fit(launched(times(), noise=QUIET), BOUNDS), probe)
    assert found is not None
    return found


def test_the_probe_bounds_overhead_and_latency() -> None:
    found = logp(Probe(BOUNDS, 0.6e-6))
    assert found.overhead_at_most_s == pytest.approx(0.3e-6)
    assert found.latency_at_least_s == pytest.approx(0.4e-6)
    per_byte = [each.value for each in found.gap_per_byte_s]
    assert per_byte == pytest.approx([EAGER[1], RENDEZVOUS[1]])
    assert found.cannot_tell == (NO_GAP,)


def test_overheads_are_never_more_than_a_message_takes() -> None:
    found = logp(Probe(BOUNDS, 3e-6))
    assert found.overhead_at_most_s == pytest.approx(EAGER[0] / 2)
    assert found.latency_at_least_s == pytest.approx(0)


def test_without_a_probe_the_undetermined_are_listed() -> None:
    found = logp(None)
    assert (found.overhead_at_most_s, found.latency_at_least_s) == (None, None)
    assert found.cannot_tell == (NO_PROBE, NO_GAP)


def test_a_rejected_curve_has_no_parameters() -> None:
    few = SIZES[:4]
    assert loggp(fit(launched(times(few), few), None), None) is None


def rates(slower: dict[int, float], noise: Noise = QUIET) -> MaxRate | None:
    curves: dict[int, Curve] = {
        k: launched(times(slower=each), seed=k, noise=noise) for k, each in slower.items()
    }
    return max_rate({k: fit(curve, BOUNDS) for k, curve in curves.items()}, curves)


def test_a_node_that_is_full_has_a_rate() -> None:
    """Three messages' worth: two go as fast as one, four take a third longer."""
    found = rates({1: 1, 2: 1, 4: 4 / 3})
    assert found is not None and found.node_rate is not None
    assert found.message_rate.value == pytest.approx(1 / RENDEZVOUS[1], rel=1e-3)
    assert found.node_rate.value == pytest.approx(3 / RENDEZVOUS[1], rel=1e-3)
    assert (found.at_once, found.rejected) == ((1, 2, 4), "")


def test_the_rates_are_in_their_intervals() -> None:
    found = rates({1: 1, 2: 2}, Noise(0.01, 0.01))
    assert found is not None and found.node_rate is not None
    for rate in (found.message_rate, found.node_rate):
        assert rate.low is not None and rate.high is not None
        assert rate.low <= 1 / RENDEZVOUS[1] <= rate.high


def test_a_node_that_is_not_full_has_none() -> None:
    found = rates({1: 1, 2: 1})
    assert found is not None
    assert found.node_rate is None


def test_messages_alone_say_nothing_about_contention() -> None:
    assert rates({1: 1}) is None


def test_what_is_no_max_rate_is_rejected() -> None:
    """Two are slower by far, four are faster than one."""
    found = rates({1: 1, 2: 3, 4: 0.3})
    assert found is not None
    assert found.rejected.startswith("the median error on held-out sizes is ")
