"""What one fit of a regressor works on: the model as a forest, its nodes as candidate rules, and the samples."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Self

import attrs
from sklearn.base import BaseEstimator, is_regressor
from sklearn.model_selection import KFold
from sklearn.utils import _safe_indexing

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.columns import is_whole, neighbours
from rulekit.core.conditions import Conditions, drop_redundant, tidy
from rulekit.core.errors import UnsupportedEnsembleError
from rulekit.core.forest import Forest
from rulekit.core.interfaces import Adapter
from rulekit.core.set_intersections import merge_sets
from rulekit.core.tree_rules import LeafPaths, leaf_rules
from rulekit.core.validation import check_codes, reading_numbers
from rulekit.model import (
    as_numbers,
    check_belongs,
    check_one_kind_of_split,
    features_with_missing,
    is_fitted,
    known_names,
    library_errors,
    names_after,
    transformed,
    unfitted_copy,
    with_labels_of,
    without_steps,
)
from rulekit.plugin.manager import plugins
from rulekit.regression.pool import Pool

#: Nodes that cover fewer samples are no candidates.
MIN_SAMPLES = 3


@attrs.frozen(eq=False, slots=False)
class RegressionData:
    """The training data of a regressor.

    Attributes
    ----------
    ensemble : fitted model
        The one given, or a fitted clone of it.
    adapter : Adapter
    transformer : fitted transformer or None
        The steps of a pipeline before its ensemble.
    forest : Forest
        Without classes.
    X : ndarray of shape (n_samples, n_features)
        The samples as the forest's trees compare them.
    y : ndarray of shape (n_samples,)
        The target.
    conditions : Conditions
        Every distinct condition of the forest.
    paths : LeafPaths
    table : array or data frame of shape (n_samples, n_features_in)
        The samples as they were passed.
    """

    ensemble: Any
    adapter: Adapter
    transformer: Any
    forest: Forest
    X: FloatArray
    y: FloatArray
    conditions: Conditions
    paths: LeafPaths
    table: Any

    @classmethod
    def of(
        cls,
        ensemble: Any,
        adapter: Adapter,
        table: Any,
        numbers: FloatArray | None,
        y: FloatArray,
        names: Sequence[str] | None,
    ) -> Self:
        """Fit the ensemble if need be, read it, and bring the samples into the form that its trees compare.

        Parameters
        ----------
        ensemble : regressor or pipeline
        adapter : Adapter
            The adapter of the regressor, or of the pipeline's last step.
        table : array or data frame of shape (n_samples, n_features)
        numbers : ndarray of shape (n_samples, n_features) or None
            Its values as numbers, if they are validated already.
        y : ndarray of shape (n_samples,)
        names : sequence of str or None
            Names of the table's columns.
        """
        was_fitted = is_fitted(ensemble)
        if not was_fitted:
            ensemble = fitted_copy(ensemble, adapter, table, y)
        transformer, model = without_steps(ensemble)
        inner = transformed(transformer, table)
        inner_names = names_after(transformer, None if names is None else list(names), inner)
        if was_fitted:
            adapter.check_categories_of(model, inner)
        forest = adapter.with_categories_of(model, inner).regression_forest(model)
        forest = with_labels_of(forest, inner) if adapter.takes_categories(model) else forest
        check_belongs(forest, model, inner.shape[1], inner_names)
        check_one_kind_of_split(forest, model)
        X = as_numbers(forest, inner, model, numbers)
        feature_names = inner_names or known_names(model) or [f"x{column}" for column in range(X.shape[1])]
        check_codes(X, forest.code_features, feature_names)
        conditions, leaves = leaf_rules(forest, feature_names, features_with_missing(X, forest, model))
        return cls(ensemble, adapter, transformer, forest, X, y, conditions, leaves[0].paths, table)

    @cached_property
    def predicted(self) -> FloatArray:
        """What the ensemble predicts for each training sample, of shape (n_samples,)."""
        return self.forest.predict(self.X)

    @property
    def target(self) -> FloatArray:
        """What the search fits: the mean of the target and of what the ensemble predicts, of shape (n_samples,)."""
        return (self.y + self.predicted) / 2

    @cached_property
    def pool(self) -> Pool:
        """The nodes of all trees as candidate rules."""
        return Pool.of(self.forest, self.paths, self.X, MIN_SAMPLES)

    def antecedents(self, rules: Sequence[int]) -> list[IntArray]:
        """Ids of the conditions of some candidates, without redundant ones."""
        pad = len(self.conditions)
        paths = tidy(self.paths.to(self.pool.nodes[list(rules)]), pad)
        found = drop_redundant(merge_sets(paths, self.conditions), self.conditions)
        return [row[row != pad] for row in found]

    def neighbours(self, feature: int, cutoffs: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The largest value of a feature up to each cutoff, and the smallest one beyond it; see `neighbours`."""
        return neighbours(cutoffs, self.X[:, feature])

    def whole_features(self, features: Iterable[int]) -> frozenset[int]:
        """Those of some features whose values, missing ones aside, are whole numbers."""
        return frozenset(feature for feature in features if is_whole(self.X[:, feature]))

    def folds(self, n_folds: int, seed: int) -> Iterator[tuple[Self, FloatArray, IntArray]]:
        """For each fold: the data of a copy of the ensemble fitted on the other samples, and the samples of the fold.

        Parameters
        ----------
        n_folds : int
        seed : int
            Of the folds, and of copies that have no seed.

        Yields
        ------
        data : RegressionData
        X : ndarray of shape (n_held_out, n_features)
            The held-out samples, as the trees of the copy compare them.
        rows : ndarray of shape (n_held_out,)
            Their indices.
        """
        for seen, rows in KFold(n_folds, shuffle=True, random_state=seed).split(self.X):
            table = _safe_indexing(self.table, seen)
            copy = fitted_copy(self.ensemble, self.adapter, table, self.y[seen], seed)
            data = type(self).of(copy, self.adapter, table, None, self.y[seen], None)
            yield data, data.numbers_of(_safe_indexing(self.table, rows)), rows

    def numbers_of(self, table: Any) -> FloatArray:
        """Other samples as the forest's trees compare them, of shape (n_rows, n_features)."""
        transformer, model = without_steps(self.ensemble)
        return as_numbers(self.forest, transformed(transformer, table), model, None, checks_labels=False)


def fitted_copy(model: Any, adapter: Adapter, X: Any, y: FloatArray, seed: int | None = None) -> Any:
    """An unfitted copy of a model, fitted; with this seed if it has none of its own."""
    own = unfitted_copy(model, seed)
    transformer, ensemble = without_steps(own)
    if transformer is None:
        adapter.check_table(ensemble, X)
    with reading_numbers(), library_errors(own):
        return own.fit(X, y)


def can_be_copied(model: Any) -> bool:
    """Whether a copy of the model can be fitted on other samples; a library's own booster cannot."""
    return hasattr(model, "fit")


def find_regressor_adapter(model: Any, wanted: Adapter | None = None) -> Adapter:
    """The wanted adapter, or else the first registered one that reads the regressor; raise if there is none."""
    name = type(model).__name__
    if isinstance(model, type):
        raise UnsupportedEnsembleError(f"The ensemble must be an instance, got the class {model.__name__}.")
    if isinstance(model, BaseEstimator) and not is_regressor(model):
        raise UnsupportedEnsembleError(
            f"Not supported: {name} is a classifier, and these rules predict numbers. Pass a regressor, or use "
            "rulekit.build('rclist', classifier)."
        )
    registry = plugins().registry
    known = (
        [wanted]
        if wanted is not None
        else [registry.create("adapter", each.name) for each in registry.of_kind("adapter")]
    )
    for adapter in known:
        if adapter.accepts_regressor(model):
            return adapter
    if name == "AdaBoostRegressor":
        raise UnsupportedEnsembleError(
            "Not supported: an AdaBoostRegressor predicts a weighted median of its trees, which no sum of rules gives. "
            "Pass a GradientBoostingRegressor or a RandomForestRegressor instead."
        )
    raise UnsupportedEnsembleError(
        f"Not supported: {type(model).__module__}.{name} is not known to be a regressor made of trees. Pass a tree "
        "ensemble, such as a RandomForestRegressor, or register an adapter for this model."
    )


def _adapters() -> Iterator[Adapter]:
    """The registered adapters, in order."""
    registry = plugins().registry
    for component in registry.of_kind("adapter"):
        yield registry.create("adapter", component.name)
