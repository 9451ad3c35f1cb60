"""How large and how sure a disturbance of a smooth, noisy curve is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from halocline.detect.curves import Level, Matrix

# How fast and by how much the logarithm of a smooth curve may bend: octaves, and relative size.
# Their weights are learned from the curve itself.
LENGTHS = (0.7, 1.0, 1.5, 2.5, 4.0)
_BLOCK = 512  # candidates at a time: memory grows with them, bends and sizes
AMPLITUDES = (0.003, 0.01, 0.03, 0.1, 0.3)


@dataclass(frozen=True)
class Heights:
    """For each candidate disturbance: its height (logarithm), error, and probability."""

    height: Matrix
    error: Matrix
    probability: Matrix


class Background:
    """A smooth function of `octaves` with the level's noise: a straight line and a Gaussian process
    around it, averaged over its bends by their probability given the curve.
    """

    def __init__(
        self,
        octaves: Matrix,
        level: Level,
        lengths: Sequence[float] = LENGTHS,
        amplitudes: Sequence[float] = AMPLITUDES,
    ) -> None:
        self._straight = np.column_stack([np.ones_like(octaves), octaves - octaves.mean()])
        squares = (octaves[:, None] - octaves[None, :]) ** 2
        kernels = [
            amplitude**2 * np.exp(-squares / (2 * length**2))
            for length in lengths
            for amplitude in amplitudes
        ]
        self._mean = level.mean
        covariances = np.array(kernels) + np.diag(level.variance)
        roots = np.linalg.cholesky(covariances)
        self._whiten = np.linalg.inv(roots)
        self._log_determinants = 2 * np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)

    def heights(self, candidates: Matrix, known: Matrix) -> Heights:
        """Fit each candidate (column, disturbance of height 1) together with the known ones."""
        orthonormal, triangle = np.linalg.qr(
            self._whiten @ np.column_stack([self._straight, known])
        )
        fixed_log = 2 * np.log(np.abs(np.diagonal(triangle, axis1=1, axis2=2))).sum(axis=1)
        determinants = (self._log_determinants + fixed_log)[:, None]

        def rest(columns: Matrix) -> NDArray[np.float64]:
            """What is left of them, whitened, by background and known ones."""
            white = self._whiten @ columns
            return white - orthonormal @ (np.swapaxes(orthonormal, 1, 2) @ white)

        mean = rest(self._mean[:, None])[:, :, 0]
        squares = np.einsum("kn,kn->k", mean, mean)[:, None]

        def fitted(columns: Matrix) -> Matrix:
            """Height, variance and logarithm of the evidence of each."""
            shapes = rest(columns)
            norm = np.maximum(np.einsum("knc,knc->kc", shapes, shapes), 1e-12)
            overlap = np.einsum("knc,kn->kc", shapes, mean)
            height = overlap / norm
            evidence = -0.5 * (squares - overlap * height + np.log(norm) + determinants)
            weight = np.exp(evidence - logsumexp(evidence, axis=0))
            mixed = np.sum(weight * height, axis=0)
            variance = np.sum(weight * (1 / norm + (height - mixed) ** 2), axis=0)
            return np.array([mixed, variance, logsumexp(evidence, axis=0)])

        starts = range(0, candidates.shape[1], _BLOCK)
        blocks = [fitted(candidates[:, start : start + _BLOCK]) for start in starts]
        height, variance, total = np.concatenate(blocks, axis=1)
        return Heights(height, np.sqrt(variance), np.exp(total - logsumexp(total)))
