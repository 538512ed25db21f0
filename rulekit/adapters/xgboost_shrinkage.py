"""Recovering the learning rate from XGBoost's trees."""

from collections.abc import Iterable, Mapping
from typing import Any

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray

#: Weights are float32 numbers: true equations are satisfied to about 1e-7 of their terms.
CLOSE = 1e-5
#: People choose round rates: the roundest of those that fit is taken.
MOST_DIGITS = 5
STEPS = 5
LARGEST_RATE = float(np.finfo(np.float32).max)


@attrs.frozen(eq=False)
class Splits:
    """Equations, one per split, for the factor s by which leaves were divided.

    An inner node keeps the weight w = -G / (H + lambda) that it would have had as a leaf; a leaf keeps its weight times
    the learning rate. Hessians H are stored, and the gradients G of two children add up to that of their parent. So for
    every split, with s = 1 / rate for children that are leaves and s = 1 for others,

        sum over children of s * w * (H + lambda) = w * (H + lambda) of the parent,

    unless weights were penalised by their size, limited or constrained.

    Attributes
    ----------
    factors : ndarray of shape (n_splits, 3)
        Coefficients of s, lambda and s * lambda, divided by the size of the terms of their equation.
    sums : ndarray of shape (n_splits,)
        Right-hand sides, divided by the same.
    """

    factors: FloatArray
    sums: FloatArray

    @classmethod
    def of(cls, trees: Iterable[Mapping[str, Any]]) -> "Splits":
        """From the JSON of trees."""
        rows = np.concatenate([_equations(tree) for tree in trees])
        rows = rows[rows[:, 4] > 0]
        rows[:, :4] /= rows[:, 4:]
        return cls(rows[:, :3], rows[:, 3])

    def fit(self, s: float) -> bool:
        """Whether all equations are satisfied by this s and some lambda."""
        gaps, slopes = self.factors[:, 0] * s - self.sums, self.factors[:, 1] + self.factors[:, 2] * s
        steepness = slopes @ slopes
        penalty = -(slopes @ gaps) / steepness if steepness > 0 else 0.0
        # Leaves count in the size of the terms as they are stored, before they are multiplied by s.
        return bool(np.abs(gaps + penalty * slopes).max(initial=0.0) <= CLOSE * max(s, 1.0))

    def solve(self) -> float:
        """The s that satisfies the equations best."""
        s, penalty, _ = np.linalg.lstsq(self.factors, self.sums, rcond=None)[0]
        for _ in range(STEPS):  # Gauss-Newton, as the third unknown is the product of the other two
            gaps = self.factors @ [s, penalty, s * penalty] - self.sums
            slopes = self.factors[:, :2] + np.outer(self.factors[:, 2], [penalty, s])
            change = np.linalg.lstsq(slopes, gaps, rcond=None)[0]
            s, penalty = s - change[0], penalty - change[1]
        return float(s)


def shrinkage(trees: Iterable[Mapping[str, Any]], assumed: float, n_parallel: int) -> float | None:
    """The learning rate of trees: the assumed one if it fits them, else another that does; None if none fits.

    Parameters
    ----------
    trees : iterable of mappings
        The JSON of the trees.
    assumed : float
        The learning rate from the model's parameters.
    n_parallel : int
        Number of trees that grow in parallel and divide the rate among them.
    """
    splits = Splits.of(trees)
    if splits.fit(n_parallel / assumed):
        return assumed
    s = splits.solve()
    # XGBoost stores rates as float32 numbers, so a larger one cannot be a rate.
    if not n_parallel / LARGEST_RATE < s < np.inf:
        return None
    rates = (float(f"{n_parallel / s:.{digits}g}") for digits in range(1, MOST_DIGITS + 1))
    return next((rate for rate in rates if splits.fit(n_parallel / rate)), None)


def _equations(nodes: Mapping[str, Any]) -> FloatArray:
    """Coefficients, right-hand side and size of the terms of each split's equation, of shape (n_splits, 5)."""
    left, right = np.array(nodes["left_children"]), np.array(nodes["right_children"])
    is_leaf, parents = left < 0, np.flatnonzero(left >= 0)
    hessians = np.array(nodes["sum_hessian"], dtype=np.float64)
    stored = np.where(is_leaf, nodes["split_conditions"], nodes["base_weights"]).astype(np.float64)
    of_leaves, of_inner = np.where(is_leaf, stored, 0.0), np.where(is_leaf, 0.0, stored)

    def of_children(values: FloatArray) -> FloatArray:
        return values[left[parents]] + values[right[parents]]

    return np.column_stack(
        [
            of_children(of_leaves * hessians),
            of_children(of_inner) - stored[parents],
            of_children(of_leaves),
            (stored * hessians)[parents] - of_children(of_inner * hessians),
            of_children(np.abs(stored * hessians)) + np.abs(stored * hessians)[parents],
        ]
    )
