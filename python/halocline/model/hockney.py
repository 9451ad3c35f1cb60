"""Hockney's model, a latency and a time for each byte, in pieces; fitted on relative errors."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

Vector = NDArray[np.float64]

SIZES_MINIMUM = 6
PIECE_SIZES_MINIMUM = 3
PIECES_MAXIMUM = 4
_NONE = 1e-6  # smaller errors count as zero


@dataclass(frozen=True)
class Piece:
    """Messages up to some size (B, infinite for the last piece): latency + size × per byte."""

    below: float
    latency_s: float
    per_byte_s: float

    def time_s(self, size: float) -> float:
        return self.latency_s + size * self.per_byte_s


@dataclass(frozen=True)
class Hockney:
    """Pieces by size, possibly discontinuous: one per protocol of the library."""

    pieces: tuple[Piece, ...]

    def piece(self, size: float) -> Piece:
        """The piece that a message of this size is in."""
        return next(piece for piece in self.pieces if size < piece.below)

    def time_s(self, size: float) -> float:
        return self.piece(size).time_s(size)


Chosen = tuple[tuple[int, ...], ...]  # the columns of each piece


@dataclass
class Fitter:
    """Fits pieces to times at ascending sizes; no piece spans sizes up to the first of `forced` and
    from its second up.

    Latency and time per byte are non-negative: least squares of 1 - fitted / measured under that
    constraint.
    """

    sizes: Sequence[int]
    times_s: Vector
    forced: tuple[float, float] | None = None
    _lines: dict[tuple[int, ...], tuple[float, float, float]] = field(default_factory=dict)

    def best(self, columns: Sequence[int]) -> dict[int, Chosen]:
        """For each number of pieces the cut with the least squares, if any."""
        # By number of pieces and number of columns covered: squares and cut.
        known: dict[tuple[int, int], tuple[float, Chosen]] = {(0, 0): (0.0, ())}
        for pieces in range(1, PIECES_MAXIMUM + 1):
            for end in range(pieces * PIECE_SIZES_MINIMUM, len(columns) + 1):
                cuts = [
                    (before[0] + self._line(piece)[2], (*before[1], piece))
                    for begin in range(end - PIECE_SIZES_MINIMUM + 1)
                    if (before := known.get((pieces - 1, begin)))
                    and self._together(piece := tuple(columns[begin:end]))
                ]
                if cuts:
                    known[pieces, end] = min(cuts)
        return {n: cut for (n, end), (_, cut) in known.items() if n and end == len(columns)}

    def model(self, chosen: Chosen) -> Hockney:
        """The pieces fitted to their columns."""
        ends = [self._between(one[-1], other[0]) for one, other in itertools.pairwise(chosen)] + [
            np.inf
        ]
        return Hockney(
            tuple(
                Piece(float(end), *self._line(columns)[:2])
                for end, columns in zip(ends, chosen, strict=True)
            )
        )

    def _between(self, low: int, high: int) -> float:
        below, above = float(self.sizes[low]), float(self.sizes[high])
        if self.forced is not None and below < self.forced[1] and above > self.forced[0]:
            below, above = max(below, self.forced[0]), min(above, self.forced[1])
        return float(np.sqrt(below * above))

    def _together(self, piece: Sequence[int]) -> bool:
        """Whether a piece does not span the forced split."""
        if self.forced is None:
            return True
        return self.sizes[piece[0]] > self.forced[0] or self.sizes[piece[-1]] < self.forced[1]

    def _line(self, columns: tuple[int, ...]) -> tuple[float, float, float]:
        if columns not in self._lines:
            at = list(columns)
            sizes = np.array(self.sizes, dtype=np.float64)[at]
            self._lines[columns] = line(sizes, self.times_s[at])
        return self._lines[columns]


def line(sizes: Vector, times_s: Vector) -> tuple[float, float, float]:
    """Latency, time per byte, and the remaining squares of relative errors."""
    largest, unit_s = max(float(sizes.max()), 1.0), float(times_s.min())
    rows = np.column_stack([unit_s / times_s, sizes / largest * unit_s / times_s])
    solution, rest = nnls(rows, np.ones(len(sizes)))
    return float(solution[0]) * unit_s, float(solution[1]) * unit_s / largest, float(rest) ** 2


def pieces_forced(
    sizes: Sequence[int], apart: tuple[float, float] | None
) -> tuple[float, float] | None:
    """The forced split, if enough sizes remain on both sides with one left out."""
    if apart is None:
        return None
    fewest = min(sum(size <= apart[0] for size in sizes), sum(size >= apart[1] for size in sizes))
    return apart if fewest > PIECE_SIZES_MINIMUM else None


@dataclass(frozen=True)
class Validated:
    """A cut, and the error of each size when left out."""

    chosen: Chosen
    errors: Vector  # relative, signed

    @property
    def mean(self) -> float:
        return float(np.mean(np.abs(self.errors)))


def validated(fitter: Fitter) -> list[Validated]:
    """Cuts, by ascending number of pieces, that predict held-out sizes as well as the best.

    The cut is repeated for each size left out. "As well" is within one standard error of the mean.
    """
    columns = range(len(fitter.sizes))
    errors: dict[int, list[float]] = defaultdict(list)
    for out in columns:
        for pieces, chosen in fitter.best([each for each in columns if each != out]).items():
            predicted_s = fitter.model(chosen).time_s(fitter.sizes[out])
            errors[pieces].append(predicted_s / fitter.times_s[out] - 1)
    tried = [
        Validated(chosen, np.array(errors[pieces]))
        for pieces, chosen in sorted(fitter.best(columns).items())
        if len(errors[pieces]) == len(columns)
    ]
    best = min(tried, key=lambda each: each.mean)
    spread = float(np.std(np.abs(best.errors), ddof=1) / np.sqrt(len(columns)))
    return [each for each in tried if each.mean <= best.mean + max(spread, _NONE)]
