"""Distance matrices to test statistics on."""

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

FloatArray = npt.NDArray[np.float64]

STEPS = 64
"""Distances are multiples of 1/64, so that sums of them compare exactly."""


def symmetric(upper: list[int], runs: int) -> FloatArray:
    matrix = np.zeros((runs, runs))
    matrix[np.triu_indices(runs, 1)] = np.array(upper, dtype=float) / STEPS
    return matrix + matrix.T


def matrices(runs: int, most: int = STEPS) -> st.SearchStrategy[FloatArray]:
    pairs = runs * (runs - 1) // 2
    return st.lists(st.integers(0, most), min_size=pairs, max_size=pairs).map(
        lambda upper: symmetric(upper, runs)
    )


def on_a_line(positions: FloatArray) -> FloatArray:
    """Runs that are points between 0 and 1."""
    return np.abs(positions[:, None] - positions[None, :])
