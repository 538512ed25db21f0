"""From a fitted scikit-learn ensemble to one ruleset per tree (section 2)."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, GradientBoostingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from .arithmetic import logistic, normalised, softmax
from .conditions import ABOVE, AT_MOST, Antecedent, Condition
from .rules import Rule, Ruleset

_NO_CHILD = -1
_EPSILON = float(np.finfo(np.float32).eps)

Prior = tuple[float, ...]


def read_rulesets(ensemble: Any) -> list[Ruleset]:
    """Read one ruleset per tree, or per round of multiclass boosting, in the ensemble's order."""
    if isinstance(ensemble, DecisionTreeClassifier):
        return [_distribution_rules(ensemble.tree_)]
    if isinstance(ensemble, RandomForestClassifier | ExtraTreesClassifier):
        return [_distribution_rules(member.tree_) for member in ensemble.estimators_]
    if isinstance(ensemble, GradientBoostingClassifier):
        return _boosted_rulesets(ensemble)
    raise TypeError(
        "The reference reads DecisionTreeClassifier, RandomForestClassifier, ExtraTreesClassifier and "
        f"GradientBoostingClassifier of scikit-learn; got {type(ensemble).__name__}."
    )


def _leaves(tree: Any, node: int = 0, path: Antecedent = frozenset()) -> Iterator[tuple[Antecedent, int]]:
    """Walk from left to right, yielding each leaf's path and node."""
    left, right = int(tree.children_left[node]), int(tree.children_right[node])
    if left == _NO_CHILD:
        yield path, node
        return
    feature, threshold = int(tree.feature[node]), float(tree.threshold[node])
    yield from _leaves(tree, left, path | {Condition(feature, AT_MOST, threshold)})
    yield from _leaves(tree, right, path | {Condition(feature, ABOVE, threshold)})


def _distribution_rules(tree: Any) -> Ruleset:
    return [Rule(path, tuple(normalised(tree.value[leaf, 0].tolist()))) for path, leaf in _leaves(tree)]


def _boosted_rulesets(ensemble: GradientBoostingClassifier) -> list[Ruleset]:
    """Add the initial scores in the first round only."""
    if ensemble.loss != "log_loss":
        raise ValueError(f"The reference reads boosting with loss 'log_loss' only; got {ensemble.loss!r}.")
    n_trees_per_round = ensemble.estimators_.shape[1]
    nothing = [0.0] * n_trees_per_round
    rulesets = []
    for i, members in enumerate(ensemble.estimators_):
        offsets = _initial_scores(ensemble) if i == 0 else nothing
        rulesets.append(_round_rules([member.tree_ for member in members], offsets))
    return rulesets


def _round_rules(trees: list[Any], offsets: list[float]) -> Ruleset:
    """Collect the leaves of class 0's tree, then of class 1's, and so on."""
    to_prior: Callable[[list[float]], Prior] = _binary_prior if len(trees) == 1 else _multiclass_prior
    rules = []
    for k, tree in enumerate(trees):
        for path, leaf in _leaves(tree):
            scores = list(offsets)
            # The leaf's score before the learning rate: the published case needs exactly this.
            scores[k] += float(tree.value[leaf, 0, 0])
            rules.append(Rule(path, to_prior(scores)))
    return rules


def _binary_prior(scores: list[float]) -> Prior:
    positive = logistic(scores[0])
    return (1.0 - positive, positive)


def _multiclass_prior(scores: list[float]) -> Prior:
    return tuple(softmax(scores))


def _initial_scores(ensemble: GradientBoostingClassifier) -> list[float]:
    """Raw scores before the first tree: one for two classes, else one per class."""
    n_trees_per_round = ensemble.estimators_.shape[1]
    if ensemble.init == "zero":
        return [0.0] * n_trees_per_round
    if ensemble.init is not None:
        raise ValueError(f"The reference reads boosting with init None or 'zero' only; got {ensemble.init!r}.")
    fractions = [min(max(float(fraction), _EPSILON), 1.0 - _EPSILON) for fraction in ensemble.init_.class_prior_]
    if n_trees_per_round == 1:
        return [math.log(fractions[1] / (1.0 - fractions[1]))]
    return [math.log(fraction) for fraction in fractions]
