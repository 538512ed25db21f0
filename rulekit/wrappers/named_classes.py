"""A fitted classifier whose classes get other labels, such as names instead of 0 and 1."""

from collections.abc import Iterator, Sequence
from typing import Any, Self

import attrs
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.frozen import FrozenEstimator

from rulekit.core.arrays import BoolArray, FloatArray, IntArray, LabelArray
from rulekit.core.errors import EnsembleMismatchError, UnfittedEnsembleError
from rulekit.core.forest import Forest
from rulekit.core.labels import indices_among
from rulekit.model import allows_missing, as_numbers, find_adapter, is_fitted, library_errors, unwrapped
from rulekit.wrappers.wrapper import WrapperAdapter


class NamedClasses(ClassifierMixin, BaseEstimator):
    """A classifier with other labels for its classes.

    Models that were trained on 0 and 1, and models from a library's own file, then give rules that name the classes.

    Parameters
    ----------
    model : fitted classifier
        A tree ensemble, or a library's own booster. Inside a `FrozenEstimator` it is never fitted again, not even for
        honest probabilities.
    classes : sequence
        The new labels, in the order of the model's own: for a model of 0 and 1 that of 0 first.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from rulekit.wrappers.named_classes import NamedClasses
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
    >>> NamedClasses(forest, ["malignant", "benign"]).predict(X[:2]).tolist()
    ['malignant', 'malignant']
    """

    def __init__(self, model: Any, classes: Sequence[Any]) -> None:
        self.model = model
        self.classes = classes

    def fit(self, X: Any, y: Any, **parameters: Any) -> Self:
        """Fit a clone of the model to the positions of the labels."""
        if isinstance(self.model, FrozenEstimator) or not hasattr(self.model, "fit"):
            raise UnfittedEnsembleError(f"The {type(unwrapped(self.model)).__name__} cannot be fitted again.")
        self.model_ = clone(self.model).fit(X, indices_among(np.asarray(y), np.asarray(self.classes))[0], **parameters)
        return self

    @property
    def classes_(self) -> LabelArray:
        """The new labels, sorted."""
        return np.sort(np.asarray(self.classes))

    @property
    def feature_names_in_(self) -> LabelArray:
        """Names of the columns that the model was trained on, if it knows them."""
        return self.fitted.feature_names_in_

    @property
    def fitted(self) -> Any:
        """The model that predicts."""
        return unwrapped(getattr(self, "model_", self.model))

    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of the classes, in the order of `classes_`, of shape (n_samples, n_classes)."""
        order = np.argsort(np.asarray(self.classes))
        if hasattr(self.fitted, "predict_proba"):
            with library_errors(self.fitted):
                return np.asarray(self.fitted.predict_proba(X), dtype=np.float64)[:, order]
        adapter = find_adapter(self.fitted)
        forest = adapter.with_categories_of(self.fitted, X).forest(self.fitted)
        return forest.predict_proba(as_numbers(forest, X, self.fitted, None, checks_labels=False))[:, order]

    def predict(self, X: Any) -> LabelArray:
        """The most probable class of each sample, of shape (n_samples,)."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def __sklearn_is_fitted__(self) -> bool:
        return is_fitted(self.fitted)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = allows_missing(self.fitted)
        return tags


class NamedClassesAdapter(WrapperAdapter):
    """Reads `NamedClasses`: the forest of its model, with the labels that it gives to the classes."""

    def accepts(self, model: Any) -> bool:
        """Whether the model is a `NamedClasses`."""
        return isinstance(model, NamedClasses)

    def parts(self, model: Any) -> Sequence[Any]:
        """The model whose classes get other labels."""
        return [model.fitted]

    def joined(self, model: Any, forests: Sequence[Forest]) -> Forest:
        """The only forest, with the new labels."""
        (forest,), names = forests, np.asarray(model.classes)
        if hasattr(model, "model_"):
            # It was fitted on positions, and perhaps on samples that lack a class.
            names = names[forest.classes.astype(np.int64)]
        if len(names) != len(forest.classes):
            raise EnsembleMismatchError(
                f"The {type(model.fitted).__name__} predicts {len(forest.classes)} classes, "
                f"{forest.classes.tolist()[:10]!r}, but there are names for {len(names)}: {names.tolist()[:10]!r}. "
                "Give one name for each class, in this order."
            )
        return attrs.evolve(forest, classes=names)

    def unseen_in(self, model: Any, X: FloatArray, y: IntArray) -> Iterator[BoolArray] | None:
        """Which samples each tree did not see, as far as the model inside knows."""
        positions = np.argsort(np.asarray(model.classes))
        return find_adapter(model.fitted).unseen_in(model.fitted, X, positions[y])
