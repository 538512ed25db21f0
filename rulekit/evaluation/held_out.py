"""Every measure of a model on samples that it has not seen."""

from typing import Any

import numpy as np
import numpy.typing as npt

from rulekit.core.arrays import LabelArray
from rulekit.core.validation import Categories, reading_numbers
from rulekit.evaluation import measures, size
from rulekit.model import find_adapter
from rulekit.ruleset import RuleSet


def evaluate(model: Any, X: Any, y: npt.ArrayLike, ensemble: Any = None) -> dict[str, float]:
    """Measure a model on held-out samples.

    Parameters
    ----------
    model : RuleSet or fitted classifier
        Rules, an extractor, or any classifier with `predict_proba` and its labels in `classes_`.
    X : array-like or DataFrame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        True labels.
    ensemble : fitted classifier, optional
        What fidelity compares with. None means the ensemble that an extractor has its rules from.

    Returns
    -------
    measures : dict of str to float
        `log_loss`, `brier`, `confidence_ece`, `classwise_ece` and `macro_f1`; `fidelity` if there is an ensemble; if
        there are rules, `n_rules`, `n_conditions`, `n_distinct_conditions`, `conditions_per_rule` and `uniqueness`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import rulekit
    >>> from rulekit.evaluation import evaluate
    >>> X, y = load_iris(return_X_y=True)
    >>> model = rulekit.build("rcprob", random_state=0).fit(X[::2], y[::2])
    >>> sorted(evaluate(model, X[1::2], y[1::2]))[:3]
    ['brier', 'classwise_ece', 'conditions_per_rule']
    """
    classes = np.asarray(model.classes if isinstance(model, RuleSet) else model.classes_)
    stated = np.asarray(model.predict_proba(_as_trained(model, X)), dtype=np.float64)
    predicted = classes[stated.argmax(axis=1)]
    found = {
        "log_loss": measures.log_loss(y, stated, classes),
        "brier": measures.brier(y, stated, classes),
        "confidence_ece": measures.confidence_ece(y, stated, classes),
        "classwise_ece": measures.classwise_ece(y, stated, classes),
        "macro_f1": measures.macro_f1(y, predicted),
    }
    ensemble = getattr(model, "ensemble_", None) if ensemble is None else ensemble
    if ensemble is not None:
        found["fidelity"] = measures.fidelity(predicted, _ensemble_labels(ensemble, X, classes))
    ruleset = model if isinstance(model, RuleSet) else getattr(model, "ruleset_", None)
    return found | (_sizes(ruleset) if isinstance(ruleset, RuleSet) else {})


def _sizes(ruleset: RuleSet) -> dict[str, float]:
    return {
        "n_rules": float(size.n_rules(ruleset)),
        "n_conditions": float(size.n_conditions(ruleset)),
        "n_distinct_conditions": float(size.n_distinct_conditions(ruleset)),
        "conditions_per_rule": size.conditions_per_rule(ruleset),
        "uniqueness": size.uniqueness(ruleset),
    }


def _as_trained(model: Any, X: Any) -> Any:
    """Samples without column names for a model that was trained without them: scikit-learn would warn."""
    is_named = isinstance(model, RuleSet) or hasattr(model, "feature_names_in_")
    return X if is_named or not hasattr(X, "columns") else np.asarray(X)


def _ensemble_labels(ensemble: Any, X: Any, classes: LabelArray) -> LabelArray:
    """The ensemble's own decisions, of shape (n_samples,), among the labels of the rules."""
    if not hasattr(ensemble, "fit"):
        # A library's own booster wants its own kind of table, and answers in its own kind of numbers.
        forest = find_adapter(ensemble).forest(ensemble)
        numbers = Categories(forest.categories, forest.unknown_as_missing).encode(X)
        return classes[forest.predict_proba(numbers).argmax(axis=1)]
    # Some libraries return a column.
    with reading_numbers():
        predicted = np.asarray(ensemble.predict(_as_trained(ensemble, X))).ravel()
    own = np.asarray(getattr(ensemble, "classes_", classes))
    stands_for_positions = not np.array_equal(own, classes) and np.array_equal(own, np.arange(len(classes)))
    return classes[predicted.astype(np.int64)] if stands_for_positions else predicted
