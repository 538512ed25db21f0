"""Measures of a model on samples that it has not seen."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rulekit.core.arrays import LabelArray
from rulekit.core.errors import InvalidParameterError
from rulekit.core.evaluated import Evaluated
from rulekit.core.interfaces import Measure
from rulekit.core.validation import Categories, as_doubles, categorical_columns, reading_numbers
from rulekit.evaluation.labels import class_indices
from rulekit.evaluation.measures import aligned
from rulekit.model import check_readable, find_adapter, known_names, library_errors
from rulekit.plugin.catalogue import list_components
from rulekit.plugin.manager import plugins
from rulekit.ruleset import RuleSet


def evaluate(
    model: Any, X: Any, y: npt.ArrayLike, ensemble: Any = None, measures: Sequence[str | Measure] | None = None
) -> dict[str, float]:
    """Measure a model on held-out samples.

    Parameters
    ----------
    model : RuleSet or fitted classifier
        Rules, an extractor, or any classifier with `predict_proba` and its labels in `classes_`.
    X : array-like or DataFrame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        True labels.
    ensemble : fitted classifier, optional
        The ensemble that fidelity compares with. None means the one that an extractor took its rules from.
    measures : sequence of str or Measure, optional
        Registered names, or instances. None means every registered measure that applies: those of the rules if there
        are rules, fidelity if there is an ensemble.

    Returns
    -------
    values : dict of str to float
        By the name of the measure, or of its class if it is not registered; NaN where a measure is undefined.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import rulekit
    >>> from rulekit.evaluation import evaluate
    >>> X, y = load_iris(return_X_y=True)
    >>> model = rulekit.build("rcprob", random_state=0).fit(X[::2], y[::2])
    >>> sorted(evaluate(model, X[1::2], y[1::2], measures=["log_loss", "n_rules"]))
    ['log_loss', 'n_rules']
    """
    chosen = None if measures is None else named_measures(measures)
    # A method that grows a tree of its own has no ensemble to be faithful to.
    own = getattr(model, "ensemble_", None) if getattr(model, "needs_ensemble", True) else None
    ensemble = own if ensemble is None else ensemble
    return measured(evaluated(model, X, y, ensemble), chosen)


def registered_measures() -> dict[str, Measure]:
    """Every registered measure with its default parameters, by name, in the order of registration."""
    return {component.name: component.factory() for component in list_components("measure")}  # type: ignore[operator]


def named_measures(given: Sequence[str | Measure]) -> dict[str, Measure]:
    """The given measures by name."""
    if isinstance(given, str):
        raise InvalidParameterError(f"measures must be a list of names or measures, got {given!r}: pass [{given!r}].")
    registry = plugins().registry
    found: dict[str, Measure] = {}
    for each in given:
        measure = registry.resolve("measure", each, "measures")
        name = each if isinstance(each, str) else registry.name_of("measure", each) or type(each).__name__
        if name in found:
            raise InvalidParameterError(f"measures: {name!r} is given twice. Call evaluate once for each of them.")
        found[name] = measure
    return found


def evaluated(
    model: Any, X: Any, y: npt.ArrayLike, ensemble: Any = None, classes: npt.ArrayLike | None = None
) -> Evaluated:
    """The predictions that measures are computed from.

    Parameters
    ----------
    model, X, y
        As for `evaluate`.
    ensemble : fitted classifier, optional
        None means none, for an extractor too.
    classes : array-like of shape (n_classes,), optional
        The model's own classes, and others, which get probability 0. None means the model's own.
    """
    own = np.asarray(model.classes if isinstance(model, RuleSet) else model.classes_)
    with library_errors(model):
        probabilities = np.asarray(model.predict_proba(_as_trained(model, X)), dtype=np.float64)
    known = own if classes is None else np.asarray(classes)
    if classes is not None:
        columns, own_columns = np.zeros((len(probabilities), len(known))), class_indices(own, known)
        columns[:, own_columns] = probabilities
        probabilities = columns
    truth, probabilities = aligned(y, probabilities, known)
    ruleset = model if isinstance(model, RuleSet) else getattr(model, "ruleset_", None)
    return Evaluated(
        truth,
        probabilities,
        known,
        ruleset if isinstance(ruleset, RuleSet) else None,
        None if ensemble is None else _ensemble_labels(ensemble, X, own, ruleset),
        getattr(model, "decision_threshold_", None) if np.array_equal(own, known) else None,
    )


def measured(evaluated: Evaluated, measures: Mapping[str, Measure] | None = None) -> dict[str, float]:
    """The values of measures.

    Parameters
    ----------
    evaluated : Evaluated
    measures : mapping of str to Measure, optional
        None means every registered measure that applies.
    """
    if measures is None:
        measures = {name: each for name, each in registered_measures().items() if each.applies_to(evaluated)}
    for name, measure in measures.items():
        if not measure.applies_to(evaluated):
            missing = {"rules": "rules, and the model has none", "ensemble": "an ensemble: pass it as `ensemble`"}
            raise InvalidParameterError(f"The measure {name!r} needs {missing[measure.needs]}.")
    return {name: float(measure.measure(evaluated)) for name, measure in measures.items()}


def _as_trained(model: Any, X: Any) -> Any:
    """Samples as the model takes them: without column names if it was trained without them; raise if it cannot."""
    if not isinstance(model, RuleSet) and known_names(model) is None and hasattr(X, "columns"):
        X = np.asarray(X) if categorical_columns(X) else as_doubles(np.asarray(X))
    check_readable(model, X)
    return X


def _ensemble_labels(ensemble: Any, X: Any, classes: LabelArray, ruleset: Any) -> LabelArray:
    """The classes that the ensemble predicts, of shape (n_samples,), as labels of the rules."""
    if not hasattr(ensemble, "fit"):
        # A library's own booster takes and returns types of its own.
        forest = find_adapter(ensemble).with_categories_of(ensemble, X).forest(ensemble)
        # Only the adapter that the rules were read with knows which number a booster treats as a missing value.
        missing_value = ruleset.conditions.categories.missing_value if isinstance(ruleset, RuleSet) else None
        categories = Categories(forest.categories, forest.unknown_as_missing, missing_value, forest.input_dtype)
        numbers = categories.mark_missing(categories.encode(X))
        return classes[forest.predict_proba(numbers).argmax(axis=1)]
    # Some libraries return a column.
    with reading_numbers(), library_errors(ensemble):
        predicted = np.asarray(ensemble.predict(_as_trained(ensemble, X))).ravel()
    own = np.asarray(getattr(ensemble, "classes_", classes))
    stands_for_positions = not np.array_equal(own, classes) and np.array_equal(own, np.arange(len(classes)))
    return classes[predicted.astype(np.int64)] if stands_for_positions else predicted
