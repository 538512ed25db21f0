"""The ensemble that rules come from: recognised, fitted if need be, and checked against the data."""

import copy
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from rulekit.core.arrays import IntArray, LabelArray
from rulekit.core.errors import EnsembleMismatchError, UnsupportedEnsembleError
from rulekit.core.forest import Forest
from rulekit.core.forms import reading_numbers
from rulekit.core.interfaces import Adapter
from rulekit.plugin.manager import plugins


def unwrapped(ensemble: Any) -> Any:
    """The model itself, if it comes frozen."""
    return ensemble.estimator if isinstance(ensemble, FrozenEstimator) else ensemble


def without_steps(model: Any) -> tuple[Any, Any]:
    """The steps of a pipeline before its last one (None if there are none), and the ensemble at its end."""
    if not isinstance(model, Pipeline):
        return None, model
    return (model[:-1] if len(model.steps) > 1 else None), model[-1]


def is_fitted(model: Any) -> bool:
    """Whether this is a model and has been fitted; a library's own booster always is."""
    if isinstance(model, type) or not hasattr(model, "predict"):
        return False
    if not hasattr(model, "fit"):
        return True
    if callable(getattr(model, "is_fitted", None)):
        return bool(model.is_fitted())
    if not isinstance(model, BaseEstimator):
        return any(name.endswith("_") and not name.startswith("_") for name in vars(model))
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def find_adapter(model: Any, wanted: Adapter | None = None) -> Adapter:
    """The wanted adapter, or else the first registered one that reads the model; raise if it cannot be read."""
    name = type(model).__name__
    if isinstance(model, type):
        raise UnsupportedEnsembleError(f"The ensemble must be an instance, got the class {model.__name__}: call it.")
    if not hasattr(model, "predict"):
        raise UnsupportedEnsembleError(f"The ensemble must be a classifier made of trees, got {model!r}.")
    if isinstance(model, BaseEstimator) and is_regressor(model):
        raise UnsupportedEnsembleError(f"{name} is a regressor; rules with class probabilities need a classifier.")
    if wanted is not None:
        if not wanted.accepts(model):
            raise UnsupportedEnsembleError(
                f"The adapter {wanted!r} does not read a {name}. Leave adapter=None to choose one by the model."
            )
        return wanted
    adapters = [component.factory() for component in plugins().registry.of_kind("adapter")]  # type: ignore[operator]
    for adapter in adapters:
        if adapter.accepts(model):
            return adapter
    known = "; ".join(f"{component.name}: {component.summary}" for component in plugins().registry.of_kind("adapter"))
    raise UnsupportedEnsembleError(
        f"No adapter reads a {type(model).__module__}.{name}. There are: {known} "
        "To support another model, register an adapter for it."
    )


def allows_missing(model: Any) -> bool:
    """Whether a model may see missing values; one outside of scikit-learn is left to refuse them itself."""
    return not isinstance(model, BaseEstimator) or bool(get_tags(model).input_tags.allow_nan)


def fitted_clone(model: Any, adapter: Adapter, X: Any, y: LabelArray) -> Any:
    """A fitted clone of an unfitted model."""
    labels = np.unique(y, return_inverse=True)[1] if adapter.integer_labels else y
    # CatBoost changes its own parameters, which scikit-learn's clone takes for a mistake.
    own = clone(model) if isinstance(model, BaseEstimator) else copy.deepcopy(model)
    # Values that single precision cannot hold overflow on the way to the library's own error, which names them.
    with reading_numbers():
        return own.fit(X, labels)


def read_forest(model: Any, adapter: Adapter, table: Any, y: LabelArray, was_fitted: bool) -> Forest:
    """The model's forest; one that was fitted here on positions of labels gets the labels back."""
    forest = adapter.with_categories_of(model, table).forest(model)
    return attrs.evolve(forest, classes=np.unique(y)) if adapter.integer_labels and not was_fitted else forest


def check_belongs(forest: Forest, model: Any, n_features: int, feature_names: Sequence[str] | None) -> None:
    """Raise unless the model was trained on columns like these."""
    name = type(model).__name__
    if forest.n_features != n_features:
        raise EnsembleMismatchError(
            f"The {name} was trained on {forest.n_features} features, X has {n_features}. "
            "Pass the data it was trained on, or an unfitted ensemble."
        )
    trained_on = known_names(model)
    if trained_on is None or feature_names is None:
        return
    # LightGBM stores names with underscores for blanks.
    pairs = zip(trained_on, map(str, feature_names), strict=True)
    differing = [(own, other) for own, other in pairs if own.replace(" ", "_") != other.replace(" ", "_")]
    if differing:
        own, other = differing[0]
        raise EnsembleMismatchError(
            f"The {name} was trained on other columns: where it has {own!r}, X has {other!r}. "
            "Pass the columns it was trained on, in the same order, or an unfitted ensemble."
        )


def known_names(model: Any) -> list[str] | None:
    """Names of the columns that a model was trained on, if it knows them."""
    names = getattr(model, "feature_names_in_", None)
    if names is None and not hasattr(model, "fit"):
        names = getattr(model, "feature_names", None) or getattr(model, "feature_name", lambda: None)()
    return None if names is None else [str(name) for name in names]


def class_positions(forest: Forest, model: Any, y: LabelArray) -> IntArray:
    """Position of every label among the forest's classes, of shape (n_records,); raise for an unknown label."""
    positions = {label: position for position, label in enumerate(forest.classes.tolist())}
    labels, which = np.unique(y, return_inverse=True)
    unknown = [label for label in labels.tolist() if label not in positions]
    if unknown:
        raise EnsembleMismatchError(
            f"y has classes that the {type(model).__name__} was not trained on: {unknown[:5]!r}; it knows "
            f"{list(positions)[:10]!r}. Pass the labels it was trained with, or an unfitted ensemble."
        )
    return np.array([positions[label] for label in labels.tolist()], dtype=np.int64)[which]
