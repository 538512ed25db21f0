"""XGBoost: boosted trees, dart, and random forests."""

from typing import Any, ClassVar

import numpy as np

from rulekit.adapters.boosting import BoostingAdapter, at_column
from rulekit.adapters.xgboost_document import StoredEnsemble, StoredTree, read_document
from rulekit.adapters.xgboost_rate import learning_rate
from rulekit.adapters.xgboost_trees import leaf_scores, read_tree
from rulekit.core.arrays import LabelArray
from rulekit.core.errors import UnsupportedEnsembleError
from rulekit.core.forest import Forest, Tree, to_probabilities
from rulekit.core.interfaces import derives_from


class XGBoostAdapter(BoostingAdapter):
    """Reads XGBoost's `XGBClassifier`, `XGBRFClassifier` and `Booster`, with two classes or more.

    Parameters
    ----------
    scores : {"raw", "shrunken"}, default="raw"
        Whether the rules' priors come from leaf scores before or after the learning rate is applied.

    Notes
    -----
    After early stopping, a classifier is read up to its best iteration and a `Booster` with all of its trees, as
    their own `predict` does. The classes of a `Booster` are 0, 1, and so on.

    XGBoost stores leaf scores as it adds them up. Raw scores undo the learning rate and, where several trees grow in
    parallel, the division by their number; the weights that dart gives to whole trees are left out. The rate is what
    the classifier's parameters say, else what the booster's configuration says. A model *file* holds neither, but its
    trees tell the rate, to five digits, unless their weights were penalised (`reg_alpha`), limited (`max_delta_step`)
    or constrained. Tell such a model its rate, by `classifier.set_params(learning_rate=0.1)` or
    `booster.set_param("learning_rate", 0.1)`: otherwise 0.3 is taken, with a `LearningRateWarning`. One or two splits
    agree with any rate, and give no warning. Training that goes on from an earlier model must have kept the rate.

    `binary:logitraw` scores are log-odds: the forest's probabilities are their logistic function, which
    `XGBClassifier.predict_proba` does not apply.
    """

    integer_labels: ClassVar[bool] = True
    reads_categories: ClassVar[bool] = True

    def accepts(self, model: Any) -> bool:
        """Whether the model is one of XGBoost's classifiers or a `Booster`, or inherits from one."""
        return derives_from(model, "xgboost", frozenset({"XGBClassifier", "Booster"}))

    def forest(self, model: Any) -> Forest:
        """Describe the trees and the score that boosting starts from."""
        _check_missing(model)
        ensemble = read_document(model)
        rate = learning_rate(model, ensemble) if self._uses_raw_scores else None
        rounds = tuple(
            tuple(_read(tree, ensemble, len(iteration), rate, is_first=position == 0) for tree in trees)
            for position, iteration in enumerate(ensemble.iterations)
            for trees in iteration
        )
        return Forest(
            rounds=rounds,
            classes=_class_labels(model, ensemble.n_classes),
            n_features=ensemble.n_features,
            link=ensemble.link,
            initial_scores=ensemble.initial_scores,
            handles_missing=True,
            categories=ensemble.categories,
        )


def _read(tree: StoredTree, ensemble: StoredEnsemble, n_parallel: int, rate: float | None, *, is_first: bool) -> Tree:
    """One tree; `rate` is None if the priors come from the scores as they are added up."""
    n_values = len(ensemble.initial_scores)
    leaves = leaf_scores(tree.nodes)
    values = at_column(leaves * tree.weight, tree.column, n_values)
    # Each of n parallel trees was shrunk to its share of the learning rate.
    scores = values if rate is None else at_column(leaves * n_parallel / rate, tree.column, n_values)
    # The initial score is part of what the first trees say, and of no later ones.
    start = ensemble.initial_scores if is_first else np.zeros(n_values)
    return read_tree(tree.nodes, values, to_probabilities(start + scores, ensemble.link))


def _check_missing(model: Any) -> None:
    """Raise if the model takes a number for a missing value."""
    missing = getattr(model, "missing", np.nan)
    if missing is None or not np.isnan(missing):
        raise UnsupportedEnsembleError(
            f"The {type(model).__name__} takes missing={missing!r} for a missing value, rules know NaN only. "
            "Put NaN into the data instead and fit with missing=nan."
        )


def _class_labels(model: Any, n_classes: int) -> LabelArray:
    """Labels in the order of the columns of `predict_proba`; a `Booster` knows numbers only."""
    classes = np.asarray(getattr(model, "classes_", np.arange(n_classes)))
    if len(classes) != n_classes:
        raise UnsupportedEnsembleError(
            f"The {type(model).__name__} scores {n_classes} classes but was trained on the labels {classes.tolist()}. "
            "Train it on samples of every class, and leave num_class to XGBoost."
        )
    return classes
