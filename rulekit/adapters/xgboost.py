"""XGBoost: boosted trees, dart, and random forests."""

from typing import Any, ClassVar, Literal

import numpy as np

from rulekit.adapters.boosting import BoostingAdapter, at_column
from rulekit.adapters.xgboost_categories import are_identified_by, truncated_labels
from rulekit.adapters.xgboost_document import (
    NUMBERS,
    StoredEnsemble,
    StoredTree,
    model_document,
    read_document,
    stored_trees,
)
from rulekit.adapters.xgboost_rate import learning_rate
from rulekit.adapters.xgboost_trees import leaf_scores, read_tree
from rulekit.core.arrays import LabelArray
from rulekit.core.column_types import check_column_types
from rulekit.core.errors import EnsembleMismatchError, UnsupportedEnsembleError
from rulekit.core.forest import Forest, Tree, to_probabilities
from rulekit.core.interfaces import derives_from
from rulekit.core.messages import short
from rulekit.core.validation import labels_of_frame


class XGBoostAdapter(BoostingAdapter):
    """Reads XGBoost's `XGBClassifier`, `XGBRFClassifier` and `Booster`, with two classes or more.

    Parameters
    ----------
    scores : {"raw", "shrunken"}, default="raw"
        Whether the rules' priors come from leaf scores before or after the learning rate is applied.
    missing : float, default=nan
        The number that stands for a missing value besides NaN: `missing` of the `DMatrix` that a `Booster` was trained
        on, which it does not store. The fitted rules treat this number as a missing value too; their JSON document and
        exports do not hold it and expect NaN.

    Notes
    -----
    After early stopping, a classifier is read up to its best iteration and a `Booster` with all of its trees, as
    their own `predict` does. The classes of a `Booster` are 0, 1, and so on.

    XGBoost stores leaf scores after the learning rate is applied. Raw scores undo the learning rate and, where several
    trees grow in parallel, the division by their number; the weights that dart gives to whole trees are left out. The
    rate is taken from the classifier's parameters, otherwise from the booster's configuration. A model *file* has
    neither, but the rate can be recovered from its trees, to five digits, unless their weights were penalised
    (`reg_alpha`), limited (`max_delta_step`) or constrained. For such a model set the rate with
    `classifier.set_params(learning_rate=0.1)` or `booster.set_param("learning_rate", 0.1)`: otherwise 0.3 is used, with
    a `LearningRateWarning`. One or two splits agree with any rate and give no warning. Training that continues from an
    earlier model must have kept the rate.

    XGBoost rejects labels of categories that training did not have, or takes one for the known label that follows it
    (versions 3.1 and 3.2). Rules treat such a label as one that is in no set, as XGBoost treats unseen codes.

    `binary:logitraw` scores are log-odds: the forest's probabilities are their logistic function, which
    `XGBClassifier.predict_proba` does not apply.
    """

    integer_labels: ClassVar[bool] = True
    reads_categories: ClassVar[bool] = True

    def __init__(self, scores: Literal["raw", "shrunken"] = "raw", missing: float = np.nan) -> None:
        super().__init__(scores)
        self.missing = missing

    def accepts(self, model: Any) -> bool:
        """Whether the model is one of XGBoost's classifiers or a `Booster` or inherits from one."""
        return derives_from(model, "xgboost", frozenset({"XGBClassifier", "Booster"}))

    def check_categories_of(self, model: Any, table: Any) -> None:
        """Raise if the labels of a table may have had another order in training.

        XGBoost 3.1 and 3.2 truncate labels with characters beyond ASCII. They are taken from the table, provided that
        what is stored of them identifies their order.
        """
        given = labels_of_frame(table)
        truncated = truncated_labels(stored_trees(model_document(model))) if given else {}
        for feature, labels in given.items():
            if feature in truncated and not are_identified_by(labels, truncated[feature]):
                raise EnsembleMismatchError(
                    f"The categories of column {feature + 1} of X, {short(list(labels))}, may not come in the order in "
                    f"which the {type(model).__name__} was trained on them: XGBoost stores labels with characters "
                    "beyond ASCII incompletely. Pass them in the order of training, train it on ASCII labels, or pass "
                    "an unfitted ensemble."
                )

    def absent_is_missing(self, model: Any) -> bool:
        """XGBoost takes what a sparse matrix does not store for a missing value."""
        return True

    def check_table(self, model: Any, X: Any) -> None:
        """Raise for columns that are neither numbers nor categories."""
        advice = "Convert decimals to floats, and strings to categories."
        check_column_types(X, "XGBoost", ("number", "category"), advice)

    def forest(self, model: Any) -> Forest:
        """Describe the trees and the score that boosting starts from."""
        _check_missing(model, self.missing)
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
            missing_value=None if np.isnan(self.missing) else float(self.missing),
        )

    def accepts_regressor(self, model: Any) -> bool:
        """Whether the model is one of XGBoost's regressors or a `Booster` or inherits from one."""
        return derives_from(model, "xgboost", frozenset({"XGBRegressor", "Booster"}))

    def regression_forest(self, model: Any) -> Forest:
        """Describe the trees and the number that boosting starts from."""
        _check_missing(model, self.missing)
        ensemble = read_document(model, NUMBERS)

        def read(tree: StoredTree) -> Tree:
            values = at_column(leaf_scores(tree.nodes) * tree.weight, tree.column, 1)
            return read_tree(tree.nodes, values, np.empty((len(values), 0)))

        return Forest(
            rounds=tuple(tuple(map(read, trees)) for iteration in ensemble.iterations for trees in iteration),
            classes=np.empty(0),
            n_features=ensemble.n_features,
            link=ensemble.link,
            initial_scores=ensemble.initial_scores,
            handles_missing=True,
            categories=ensemble.categories,
            missing_value=None if np.isnan(self.missing) else float(self.missing),
        )


def _read(tree: StoredTree, ensemble: StoredEnsemble, n_parallel: int, rate: float | None, *, is_first: bool) -> Tree:
    """One tree; `rate` is None if the priors come from the scores as they are stored."""
    n_values = len(ensemble.initial_scores)
    leaves = leaf_scores(tree.nodes)
    values = at_column(leaves * tree.weight, tree.column, n_values)
    # Each of n parallel trees was multiplied by one n-th of the learning rate.
    scores = values if rate is None else at_column(leaves * n_parallel / rate, tree.column, n_values)
    # The initial score belongs to the first trees only.
    start = ensemble.initial_scores if is_first else np.zeros(n_values)
    return read_tree(tree.nodes, values, to_probabilities(start + scores, ensemble.link))


def _check_missing(model: Any, missing: float) -> None:
    """Raise if a classifier treats another number as a missing value than the adapter does."""
    own = getattr(model, "missing", missing)
    if own is None or not np.array_equal(own, missing, equal_nan=True):
        raise UnsupportedEnsembleError(
            f"The {type(model).__name__} has missing={own!r}, but the rules would treat {missing!r} as a missing "
            f"value. Use XGBoostAdapter(missing={own!r}), or NaN in the data and fit with missing=nan."
        )


def _class_labels(model: Any, n_classes: int) -> LabelArray:
    """Labels in the order of the columns of `predict_proba`; class indices for a `Booster`, which has no labels."""
    classes = np.asarray(getattr(model, "classes_", np.arange(n_classes)))
    if len(classes) != n_classes:
        raise UnsupportedEnsembleError(
            f"The {type(model).__name__} scores {n_classes} classes but was trained on the labels {classes.tolist()}. "
            "Train it on samples of every class, and do not set num_class."
        )
    return classes
