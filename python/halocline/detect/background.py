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
        fixed = np.column_stack([self._straight, known])
        count = fixed.shape[1]
        white = self._whiten @ np.column_stack([fixed, candidates, self._mean])
        orthonormal, triangle = np.linalg.qr(white[:, :, :count])
        rest = white[:, :, count:]
        rest = rest - orthonormal @ (np.swapaxes(orthonormal, 1, 2) @ rest)
        shapes, mean = rest[:, :, :-1], rest[:, :, -1]
        norm = np.maximum(np.einsum("knc,knc->kc", shapes, shapes), 1e-12)
        overlap = np.einsum("knc,kn->kc", shapes, mean)
        height = overlap / norm
        misfit = np.einsum("kn,kn->k", mean, mean)[:, None] - overlap * height
        fixed_log = 2 * np.log(np.abs(np.diagonal(triangle, axis1=1, axis2=2))).sum(axis=1)
        evidence = -0.5 * (misfit + np.log(norm) + (self._log_determinants + fixed_log)[:, None])
        weight = np.exp(evidence - logsumexp(evidence, axis=0))
        mixed = np.sum(weight * height, axis=0)
        variance = np.sum(weight * (1 / norm + (height - mixed) ** 2), axis=0)
        total: NDArray[np.float64] = logsumexp(evidence, axis=0)
        return Heights(mixed, np.sqrt(variance), np.exp(total - logsumexp(total)))
