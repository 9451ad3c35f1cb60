"""The eager limit, looked for in three ways: a probe, Send against Ssend, a step of Send."""

from __future__ import annotations

import numpy as np
import pytest

from detect.cases import Sized, case, sized
from detect.noise import SIZES, launched, plain, stepped
from halocline.detect.curves import Curve, Matrix
from halocline.detect.eager import eager_limit, probed

CURVES = 60
PATIENCE = 2000
LATE_S, SOON_S = 2.1e-3, 0.9e-6  # for sizes below 10 kB


def probe(returns: dict[int, list[float]], **changes: float) -> Sized:
    """Waiting times (s) in each launch, by size."""
    return [
        (size, case("eager_probe", {"bytes": size, "patience": PATIENCE}, waits, **changes))
        for size, waits in returns.items()
    ]


def test_the_probe_gives_the_limit_to_the_byte() -> None:
    found = probed(probe({8111: [SOON_S] * 3, 8112: [SOON_S] * 3, 8113: [LATE_S] * 3}))
    assert found is not None
    assert (found.below, found.above) == (8112, 8113)
    assert found.confidence == 1 - 0.5**120


def test_one_send_that_returned_is_proof_among_any_number_of_late_ones() -> None:
    often_late = probe({4096: [LATE_S] * 3}, minimum=SOON_S)
    found = probed([*often_late, *probe({8192: [LATE_S] * 3})])
    assert found is not None
    assert (found.below, found.above) == (4096, 8192)
    # Most sends were late even where they could return: so lateness says nothing.
    assert found.confidence == 0.0


def test_nothing_waits_or_everything_does() -> None:
    free = probed(probe({1: [SOON_S], 1024: [SOON_S]}))
    assert free is not None
    assert (free.below, free.above, free.confidence) == (1024, None, 1.0)
    bound = probed(probe({1: [LATE_S], 1024: [LATE_S]}))
    assert bound is not None
    assert (bound.below, bound.above) == (None, 1)
    assert bound.confidence == 0.0  # no size shows that the ranks were on time


def test_a_size_that_only_seemed_to_wait_is_below_one_that_returns() -> None:
    found = probed(probe({1: [SOON_S], 64: [LATE_S], 128: [SOON_S], 256: [LATE_S]}))
    assert found is not None
    assert (found.below, found.above) == (128, 256)


def test_patience_grows_with_what_is_on_its_way() -> None:
    """At 1 Gbit/s a mebibyte takes 8.4 ms, and nobody waited for a receive."""
    found = probed(probe({2**20: [2e-3 + 0.0104], 2**20 + 1: [2e-3 + 0.0106]}))
    assert found is not None
    assert (found.below, found.above) == (2**20, 2**20 + 1)


def test_what_was_not_probed_says_nothing() -> None:
    assert probed([]) is None
    assert probed(probe({8: []})) is None


def send_and_ssend(
    random: np.random.Generator, limit: int, rendezvous: float
) -> tuple[Sized, Sized]:
    """Ssend takes `rendezvous` times a latency more; so does Send past the limit."""
    send = plain(random)
    handshake_s = (rendezvous - 1) * send[0]
    ssend = send + handshake_s
    send = np.where(np.array(SIZES) > limit, ssend, send)
    both = launched(random, np.concatenate([send, ssend]), at=tuple(range(1, 2 * len(SIZES) + 1)))
    columns = len(SIZES)
    return (
        sized(Curve(SIZES, both.figures[:, :columns]), "send_recv"),
        sized(Curve(SIZES, both.figures[:, columns:]), "ssend_recv"),
    )


def test_send_and_ssend_are_equal_past_the_limit() -> None:
    random = np.random.default_rng(21)
    agree = 0
    for _ in range(CURVES):
        place = int(random.integers(5, 12))
        send, ssend = send_and_ssend(random, SIZES[place], rendezvous=2.5)
        found = eager_limit(send, ssend, []).synchronous
        agree += found is not None and found.surely_above <= SIZES[place] < found.surely_below
    assert agree >= 0.95 * CURVES


def test_without_a_limit_there_is_no_step_to_equality() -> None:
    random = np.random.default_rng(22)
    alarms = 0
    for _ in range(CURVES):
        send, ssend = send_and_ssend(random, limit=2**30, rendezvous=2.5)
        alarms += eager_limit(send, ssend, []).between != (None, None)
    assert alarms <= 0.05 * CURVES


def test_a_send_that_always_synchronises_has_no_limit() -> None:
    random = np.random.default_rng(23)
    alarms = longer = equal = 0
    for _ in range(CURVES):
        send, ssend = send_and_ssend(random, limit=0, rendezvous=2.5)
        found = eager_limit(send, ssend, [])
        assert found.compared
        alarms += found.synchronous is not None
        longer += found.ssend_takes == "longer"
        equal += found.ssend_takes == "equal"
    assert alarms <= 0.05 * CURVES
    assert longer <= 0.05 * CURVES
    assert equal > 0.2 * CURVES  # elsewhere the interval of a size is too wide


def test_ssend_that_falls_but_stays_above_send_is_no_limit() -> None:
    random = np.random.default_rng(24)
    send = plain(random)
    ssend = stepped(send * 2.0, 10, -0.3)
    found = eager_limit(
        sized(launched(random, send), "send_recv"), sized(launched(random, ssend), "ssend_recv"), []
    )
    assert found.synchronous is None
    assert found.ssend_takes == "longer"
    few = eager_limit(
        sized(launched(random, send, launches=3), "send_recv"),
        sized(launched(random, ssend, launches=3), "ssend_recv"),
        [],
    )
    assert (few.compared, few.ssend_takes) == (True, "unknown")


def test_the_probe_goes_before_the_curves() -> None:
    random = np.random.default_rng(25)
    times: Matrix = stepped(plain(random), 9, 0.5)
    found = eager_limit(
        sized(launched(random, times), "send_recv"),
        [],
        probe({512: [SOON_S], 1024: [LATE_S]}),
    )
    assert found.between == (512, 1024)
    assert not found.compared
    assert [step.below for step in found.steps] == [SIZES[9]]


def test_nothing_measured_finds_nothing() -> None:
    found = eager_limit([], [], [])
    assert (found.probed, found.synchronous, found.compared, found.steps) == (None, None, False, ())
    assert found.between == (None, None)


@pytest.mark.parametrize("protocol", ["send_recv", "ssend_recv"])
def test_one_protocol_alone_compares_nothing(protocol: str) -> None:
    random = np.random.default_rng(26)
    one = sized(launched(random, plain(random)), protocol)
    found = eager_limit(*((one, []) if protocol == "send_recv" else ([], one)), [])
    assert not found.compared
