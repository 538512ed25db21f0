"""LightGBM: leaf scores before the learning rate, and the score that boosting started from.

LightGBM adds the score that it starts from to the leaves of the first tree of each class (in a random forest to every
tree) and stores neither this score nor the learning rate of that tree. Both are recovered here.
"""

import math

import attrs
import numpy as np

from rulekit.adapters.lightgbm_class_fraction import FirstLeaves
from rulekit.adapters.lightgbm_loss import Loss
from rulekit.adapters.lightgbm_model_string import StoredModel, StoredTree
from rulekit.core.arrays import FloatArray

#: A number written with six digits is off by at most half a unit in the sixth; a quotient of two such, by twice that.
SIX_DIGITS = 1.1e-5


@attrs.frozen
class Start:
    """How the leaf values of a tree were made: `value = factor * (score + rate * v)`, `v` before the learning rate.

    Attributes
    ----------
    score : float
        The score that boosting started from; 0 for later trees.
    rate : float
        The learning rate.
    factor : float
        What the tree, including its start, was multiplied by later; only DART does that.
    """

    score: float = 0.0
    rate: float = 1.0
    factor: float = 1.0

    def raw(self, values: FloatArray) -> FloatArray:
        """Leaf scores before the learning rate, on top of the start."""
        return self.score + (values / self.factor - self.score) / self.rate

    @property
    def shrunken(self) -> float:
        """The start as it is included in the stored values."""
        return self.factor * self.score


def starts(model: StoredModel, loss: Loss) -> list[Start]:
    """The start of each tree of a model."""
    per_round = model.trees_per_round
    if model.is_averaged:
        scores = [_forest_score(model.trees[column::per_round], model, loss) for column in range(per_round)]
        return [Start(score) for score in scores] * (len(model.trees) // per_round)
    first = [_first_start(model.trees[column::per_round], model, loss) for column in range(per_round)]
    return first + [Start(rate=tree.shrinkage) for tree in model.trees[per_round:]]


def _forest_score(trees: tuple[StoredTree, ...], model: StoredModel, loss: Loss) -> float:
    """The score that every tree of one class starts from in a random forest, which has no learning rate."""
    if not model.parameter("boost_from_average", 1):
        return 0.0
    grown = [tree for tree in trees if tree.n_splits]
    return _initial_score(grown[0], Start(), model, loss) if grown else float(trees[0].values[0])


def _first_start(trees: tuple[StoredTree, ...], model: StoredModel, loss: Loss) -> Start:
    """The start of the first tree of one class."""
    tree = trees[0]
    if not tree.n_splits:
        return Start(float(tree.values[0]) / tree.shrinkage, factor=tree.shrinkage)
    rate = _first_rate(trees, model)
    # Adding a constant resets the stored shrinkage to 1, which shows whether one was added.
    if rate is None or not model.parameter("boost_from_average", 1):
        return Start(rate=tree.shrinkage)
    start = Start(rate=rate, factor=tree.shrinkage)
    return attrs.evolve(start, score=_initial_score(tree, start, model, loss))


def _first_rate(trees: tuple[StoredTree, ...], model: StoredModel) -> float | None:
    """Learning rate of the first tree if a constant was added to it, None otherwise.

    It is the parameter, or the rate of the next tree if training continued with another one; the gain of the first
    split, which does not depend on the rate, shows which. DART rescales trees later, so there only the gain shows
    whether a constant was added.
    """
    first = trees[0]
    parameter = model.parameter("learning_rate", 0.1)
    if model.parameters.get("boosting") == "dart":
        is_shifted = (
            parameter == 1 or _nearest([first.shrinkage, first.shrinkage * parameter], first) != first.shrinkage
        )
        return parameter if is_shifted else None
    if first.shrinkage != 1:
        return None
    later = [tree.shrinkage for tree in trees[1:] if tree.n_splits]
    return _nearest([parameter, *later[:1]], first)


def _nearest(rates: list[float], tree: StoredTree) -> float:
    """The rate that fits the gain of the first split best: without penalties, the gain is that of scores at rate 1."""
    (left_value, left_weight), (right_value, right_weight) = (
        (tree.split_values[child], tree.split_weights[child])
        if child >= 0
        else (tree.values[~child], tree.weights[~child])
        for child in (tree.left[0], tree.right[0])
    )
    spread = left_weight * right_weight / (left_weight + right_weight) * (left_value - right_value) ** 2
    if not (spread > 0 and tree.gains[0] > 0):
        return rates[0]
    seen = math.sqrt(spread / tree.gains[0])
    return min(rates, key=lambda rate: abs(math.log(abs(rate) / seen)))


def _initial_score(tree: StoredTree, start: Start, model: StoredModel, loss: Loss) -> float:
    """The score that boosting started from, recovered from the first tree that it grew.

    If the leaves do not determine it, the best constant for all of the tree's samples is used. It equals the start if
    the gradients sum to zero there: not if classes are weighted, and only approximately on a subset of the samples.
    """
    constant = float(tree.split_values[0]) / start.factor
    leaves = FirstLeaves(
        loss,
        values=tree.values / start.factor,
        second_derivatives=tree.weights,
        counts=tree.counts,
        rate=start.rate,
        absolute_penalty=model.parameter("lambda_l1", 0),
        quadratic_penalty=model.parameter("lambda_l2", 0),
    )
    fraction = leaves.fraction(constant)
    return _more_digits(constant, leaves) if fraction is None else float(loss.score(np.array(fraction)))


def _more_digits(constant: float, leaves: FirstLeaves) -> float:
    """The mean of the leaves if it agrees with a constant known to six digits, otherwise that constant."""
    weights = leaves.second_derivatives + leaves.quadratic_penalty
    mean = float(weights @ leaves.values / weights.sum())
    return mean if math.isclose(mean, constant, rel_tol=SIX_DIGITS) else constant
