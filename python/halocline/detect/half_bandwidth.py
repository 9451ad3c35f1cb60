"""The size at which a curve reaches half its peak bandwidth: n½."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halocline.detect.curves import Curve, Matrix, NotFound, blocks, usable
from halocline.summary.stats import Interval, interval

CLOSE = 4  # largest ratio of neighbouring sizes that still bounds the limit


@dataclass(frozen=True)
class HalfBandwidth:
    """Half the peak bandwidth is reached at `size_bytes`."""

    size_bytes: Interval
    peak: Interval  # B/s
    peak_bytes: int  # the size that has it


def half_bandwidth(times: Curve) -> HalfBandwidth | NotFound:
    """n½ of a curve of times (s), interpolated between two measured sizes in each launch."""
    curve = max(blocks(usable(times)), key=lambda block: len(block.at), default=times)
    if len(curve.at) < 2:
        return NotFound("fewer than two sizes were measured")
    sizes = np.array(curve.at, dtype=np.float64)
    rates = sizes / curve.figures
    best = int(np.argmax(np.nanmedian(rates, axis=0)))
    launches = rates[np.isfinite(rates).all(axis=1)]
    if len(launches) < 2:
        return NotFound("fewer than two launches measured all sizes, so it would have no interval")
    crossings = [_crossing(sizes, launch, launch[best] / 2) for launch in launches]
    halves = [size for size in crossings if size is not None]
    if len(halves) < len(crossings):
        without = f"{len(crossings) - len(halves)} of {len(crossings)} launches"
        return NotFound(
            f"in {without} the smallest size already reaches it, or the measured sizes around it "
            f"are more than a factor of {CLOSE} apart"
        )
    return HalfBandwidth(interval(halves), interval(launches[:, best]), curve.at[best])


def _crossing(sizes: Matrix, rates: Matrix, wanted: float) -> float | None:
    above = int(np.argmax(rates >= wanted))
    if above == 0 or sizes[above] > CLOSE * sizes[above - 1]:
        return None
    known = np.log(rates[above - 1 : above + 1])
    share = (np.log(wanted) - known[0]) / (known[1] - known[0])
    between = np.log(sizes[above - 1 : above + 1])
    return float(np.exp(between[0] + share * (between[1] - between[0])))
