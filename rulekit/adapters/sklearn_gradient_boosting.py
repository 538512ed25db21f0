"""scikit-learn: gradient boosting over exact splits."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rulekit.adapters.boosting import BoostingAdapter, at_column
from rulekit.adapters.sklearn_trees import check_fitted, read_tree
from rulekit.core.arrays import FloatArray
from rulekit.core.errors import UnsupportedEnsembleError
from rulekit.core.forest import Forest, Link, Tree, to_probabilities
from rulekit.core.interfaces import derives_from


class SklearnGradientBoostingAdapter(BoostingAdapter):
    """Reads `GradientBoostingClassifier`, with two classes or more.

    Parameters
    ----------
    scores : {"raw", "shrunken"}, default="raw"
        Whether the rules' priors come from leaf scores before or after the learning rate is applied.
    """

    def accepts(self, model: Any) -> bool:
        """Whether the model is scikit-learn's `GradientBoostingClassifier` or inherits from it."""
        return derives_from(model, "sklearn", frozenset({"GradientBoostingClassifier"}))

    def forest(self, model: Any) -> Forest:
        """Describe the trees and the score that boosting starts from."""
        check_is_fitted(model)
        check_fitted(model, model.estimators_.ravel())
        # The exponential loss works with half the log-odds.
        unit = 2.0 if model.loss == "exponential" else 1.0
        n_values = model.estimators_.shape[1]
        link: Link = "logistic" if n_values == 1 else "softmax"
        initial = unit * _initial_scores(model)
        prior_scale = 1.0 if self._uses_raw_scores else model.learning_rate

        def read(estimator: Any, position: int, column: int) -> Tree:
            scores = unit * at_column(estimator.tree_.value[:, 0, 0], column, n_values)
            # The initial score belongs to the first trees only.
            start = initial if position == 0 else np.zeros(n_values)
            priors = to_probabilities(start + prior_scale * scores, link)
            return read_tree(estimator, model.learning_rate * scores, priors)

        rounds = tuple(
            tuple(read(estimator, position, column) for column, estimator in enumerate(estimators))
            for position, estimators in enumerate(model.estimators_)
        )
        return Forest(
            rounds=rounds,
            classes=model.classes_,
            n_features=model.n_features_in_,
            link=link,
            initial_scores=initial,
        )

    def accepts_regressor(self, model: Any) -> bool:
        """Whether the model is scikit-learn's `GradientBoostingRegressor` or inherits from it."""
        return derives_from(model, "sklearn", frozenset({"GradientBoostingRegressor"}))

    def regression_forest(self, model: Any) -> Forest:
        """Describe the trees and the number that boosting starts from."""
        check_is_fitted(model)
        check_fitted(model, model.estimators_.ravel())

        def read(estimator: Any) -> Tree:
            values = model.learning_rate * estimator.tree_.value[:, 0, :1]
            return read_tree(estimator, values, np.empty((len(values), 0)))

        return Forest(
            rounds=tuple((read(estimator),) for estimator in model.estimators_.ravel()),
            classes=np.empty(0),
            n_features=model.n_features_in_,
            link="identity",
            initial_scores=_initial_scores(model),
        )


def _initial_scores(model: Any) -> FloatArray:
    """The score that boosting starts from, of shape (n_values,); raise unless it is the same for every sample."""
    initial = model.init_
    is_constant = isinstance(initial, str) or (
        derives_from(initial, "sklearn", frozenset({"DummyClassifier", "DummyRegressor"}))
        and initial.strategy != "stratified"
    )
    if not is_constant:
        raise UnsupportedEnsembleError(
            f"The {type(model).__name__} starts from init={initial!r}, whose scores differ between samples, "
            "which rules cannot express. Fit it with init=None or init='zero'."
        )
    # Not public, but how scores close to certainty are clipped has changed between versions of scikit-learn.
    return np.asarray(model._raw_predict_init(np.zeros((1, model.n_features_in_)))[0])
