"""Predictions that did not see a sample: by the trees that did not draw it, or by a copy fitted without it."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from sklearn.utils import _safe_indexing

from rulekit.core.arrays import BoolArray, FloatArray
from rulekit.core.errors import RulekitError
from rulekit.core.forest import Forest
from rulekit.core.honest import NoHonestProbabilities
from rulekit.core.labels import indices_among
from rulekit.core.messages import cut
from rulekit.core.validation import UNKNOWN
from rulekit.model import ReadModel, fitted_clone, has_samplers, read_forest, with_samplers, without_steps

Predict = Callable[[FloatArray], FloatArray]


def unseen_samples(model: ReadModel, held_back: BoolArray | None) -> Iterator[BoolArray] | None:
    """Which samples each tree did not see in training, of shape (n_samples,) each; None if that is unknown.

    An ensemble that was fitted here has seen none of the samples that are held back.
    """
    if has_samplers(model.ensemble):
        return None
    everything = np.ones(len(model.y), dtype=bool)
    for seen in (everything,) if held_back is None else (everything, ~held_back):
        ensemble = without_steps(model.ensemble)[1]
        adapter = model.adapter.with_categories_of(ensemble, model.table)
        found = adapter.unseen_in(ensemble, model.ensemble_X[seen], model.y[seen])
        if found is not None:
            return (_spread(of_tree, seen) for of_tree in found)
    return None


def _spread(unseen: BoolArray, seen: BoolArray) -> BoolArray:
    """A mask of the samples that the ensemble was fitted on, as one of all samples: the others are unseen."""
    of_all = np.ones(len(seen), dtype=bool)
    of_all[seen] = unseen
    return of_all


def refit_without(model: ReadModel, seed: int, hidden: BoolArray) -> Predict:
    """Fit a copy of the ensemble without some samples; only for one that can be fitted again.

    The steps of a pipeline before the ensemble stay as they are, but for samplers. A copy that has no seed gets one.
    """
    try:
        return _predicts(_forest_without(model, seed, hidden), model.forest)
    except (ValueError, TypeError, RulekitError) as error:
        name = type(with_samplers(model.ensemble)).__name__
        raise NoHonestProbabilities(
            f"a copy of the {name} could not be fitted on some samples: {cut(str(error))}"
        ) from error


def _forest_without(model: ReadModel, seed: int, hidden: BoolArray) -> Forest:
    ensemble = with_samplers(model.ensemble)
    copy = fitted_clone(ensemble, model.adapter, model.table, model.labels, hidden, seed, model.weights)
    rows = np.flatnonzero(~hidden)
    table, labels = _safe_indexing(model.table, rows), model.labels[rows]
    forest = read_forest(without_steps(copy)[1], model.adapter, table, labels, was_fitted=False)
    return forest if model.restate is None else model.restate(forest)


def _predicts(copy: Forest, given: Forest) -> Predict:
    """How a copy predicts samples as the given forest compares them: its categories may have other codes."""
    recoded = {feature: _codes(feature, copy, given) for feature in given.categories.keys() & copy.categories.keys()}
    # Without a sample of a class, a copy does not know the class.
    columns = indices_among(copy.classes, given.classes)[0]

    def predict(X: FloatArray) -> FloatArray:
        probabilities = np.zeros((len(X), len(given.classes)))
        probabilities[:, columns] = copy.predict_proba(_recoded(X, recoded))
        return probabilities

    return predict


def _codes(feature: int, copy: Forest, given: Forest) -> FloatArray:
    """The copy's code of each category of the given forest, and of an unknown one at the end."""
    own = {label: float(code) for code, label in enumerate(copy.categories[feature])}
    unknown = np.nan if copy.unknown_as_missing else UNKNOWN
    return np.array([*(own.get(label, unknown) for label in given.categories[feature]), unknown])


def _recoded(X: FloatArray, codes: Mapping[int, FloatArray]) -> FloatArray:
    X = X.copy()
    for feature, new in codes.items():
        known = ~np.isnan(X[:, feature])
        old = X[known, feature].astype(np.int64)
        X[known, feature] = new[np.where((old >= 0) & (old < len(new) - 1), old, len(new) - 1)]
    return X
