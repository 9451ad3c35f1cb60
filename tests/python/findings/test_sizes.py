"""H4 and H5: what curves along sizes show, and how sure it is."""

from __future__ import annotations

import numpy as np

from findings.made_up import OFF_NODE, measured, summary
from findings.scenarios import SCENARIOS
from halocline.detect.curves import Curve
from halocline.detect.eager import eager_limit
from halocline.detect.packets import Packets
from halocline.findings.rows import h4, h5
from halocline.findings.verdicts import RISK, RISK_OF_DIFFERS, answer
from halocline.summary.stats import Interval

SENDS = ("send_recv", "ssend_recv")


def test_a_ratio_that_only_decays_has_no_eager_limit() -> None:
    """Ssend costs the same more at every size, which large messages hide."""
    sends = [
        measured("pingpong", time_s, OFF_NODE, protocol=protocol, bytes=size)
        for exponent in range(3, 23)
        for size in [2**exponent]
        for protocol, more_s in zip(SENDS, (0, 40e-6), strict=True)
        for time_s in [max(40e-6, size / 110e6) + more_s]
    ]
    result = answer(h5.claim, {"messages": summary(*sends)})
    assert result.verdict == "cannot be answered"
    assert [part.status for part in result.parts] == ["holds", "holds", "open"]


def test_the_limit_has_its_own_bounds() -> None:
    found = SCENARIOS["H5"].summaries(True)["messages"]
    sends, ssends = (
        [
            (int(each.case.axis("bytes")), each)
            for each in found.cases
            if each.case.axis("protocol") == protocol
        ]
        for protocol in SENDS
    )
    (number,) = [
        each
        for each in answer(h5.claim, {"messages": found}).numbers
        if each.what == "Ssend meets Send off node"
    ]
    assert number.value == 131_072
    assert (number.low, number.high) == eager_limit(sends, ssends, []).between


def test_steps_refute_only_where_they_are_certain_enough() -> None:
    sizes = range(h4.SPACING, h4.LAST + 1, h4.SPACING)
    curve = Curve(tuple(sizes), np.ones((8, len(sizes))))

    def bounds(half_width_s: float, risk: float) -> tuple[float, float]:
        step_s = Interval(1.0, 1.0 - half_width_s, 1.0 + half_width_s)
        return h4.Steps(Packets(1448, 1448, 6, step_s), curve).bounds(risk)

    assert bounds(0.3, RISK) == (6, 6)
    assert bounds(0.3, RISK_OF_DIFFERS / 4) == (0, 6)
    assert bounds(0.1, RISK_OF_DIFFERS / 4) == (6, 6)
