"""What every rule classifier shares: an ensemble to start from, records to check, rules to answer with."""

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import attrs
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils.validation import (
    _check_feature_names_in,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from rulekit.all_or_nothing import all_or_nothing
from rulekit.components import KIND_OF_PARAMETER, fresh, instance, named_ensemble
from rulekit.core.arrays import BoolArray, FloatArray, IntArray, LabelArray
from rulekit.core.categories import as_array, categorical_columns, check_categories, labels_of_frame
from rulekit.core.checks import check_jobs
from rulekit.core.conditions import Conditions
from rulekit.core.engine import engine_name, is_loaded
from rulekit.core.errors import InvalidParameterError, RulekitError
from rulekit.core.forms import check_no_dates, check_whole, column_names, reading_numbers
from rulekit.core.index import MAX_CACHE_BYTES, TrainingIndex
from rulekit.core.interfaces import Adapter
from rulekit.explain import Counterfactual, Explanation, Explanations
from rulekit.explain.ensemble import ensemble_says
from rulekit.explain.explanations import explain
from rulekit.fit_checks import check_labels, check_present, refuse
from rulekit.ground import Ground
from rulekit.plugin.manager import plugins
from rulekit.reading import Reading, read, transformed
from rulekit.ruleset import RuleSet
from rulekit.ruleset.blocks import in_blocks
from rulekit.search.leaves import LeafRules, leaf_rules
from rulekit.source import allows_missing, find_adapter, unwrapped, without_steps


class RuleClassifier(ClassifierMixin, TransformerMixin, BaseEstimator):
    """A scikit-learn classifier whose answers are rules from a tree ensemble; the base of every method.

    As a step of a pipeline before the last, it hands on which rules each record satisfies.

    A method of your own derives from it, has the four parameters below beside its own, and says in `extract` how the
    ensemble's leaves become a ruleset. Reading the ensemble, checking records, predicting and explaining are done here.

    Parameters
    ----------
    ensemble : classifier, str or None, default=None
        A fitted tree ensemble is used as it is, an unfitted one is cloned and fitted. A name is that of a registered
        ensemble; None means a random forest of 100 trees of depth 5. `clone` forgets that an ensemble was fitted unless
        it comes in a `FrozenEstimator`, which `rulekit.build` sees to.
    adapter : Adapter, str or None, default=None
        What reads the ensemble; None chooses the first that accepts it.
    n_jobs : int or None, default=None
        Threads that look through the records, in scikit-learn's meaning; they are used where there are so many records
        that it pays, and the rules are the same for any number. The ensemble has its own.
    random_state : int or None, default=None
        Seed of what is random, and of the ensemble where that is given by name or not at all.

    Attributes
    ----------
    ruleset_ : RuleSet
    ensemble_ : fitted classifier
        The ensemble that the rules come from.
    transformer_ : fitted transformer or None
        The steps before it, if the ensemble is a pipeline: the rules speak of the columns that these make.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_scales_ : ndarray of shape (n_columns,)
        Standard deviations of the columns that the rules speak of, 1 for others: what a change is measured in.
    feature_names_in_ : ndarray of shape (n_features,)
        Only when `X` has column names.
    """

    def __init__(
        self,
        ensemble: Any = None,
        *,
        adapter: Adapter | str | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.ensemble = ensemble
        self.adapter = adapter
        self.n_jobs = n_jobs
        self.random_state = random_state

    @abstractmethod
    def extract(self, ground: Ground) -> RuleSet:
        """The rules, from the ensemble's leaves and the indexed training records; may set attributes ending in `_`."""

    def check_parameters(self) -> None:
        """Raise if a parameter has a value that it cannot have; called before any work."""
        check_jobs(self)

    @all_or_nothing
    def fit(self, X: Any, y: Any, **unsupported: Any) -> Self:
        """Extract rules.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_records, n_features)
            Numbers, none of them infinite; missing values and categories where the ensemble takes them, anything at all
            where it is a pipeline that does. Column names appear in the rules.
        y : array-like of shape (n_records,)
            Class labels of any type.
        **unsupported
            Anything else is refused: `sample_weight` in particular, because rules state counts of records.

        Returns
        -------
        self
            If `fit` fails or is interrupted, the classifier is as it was before.
        """
        refuse(type(self).__name__, unsupported)
        return self.fit_prepared(self.prepare(X, y))

    @all_or_nothing
    def prepare(self, X: Any, y: Any) -> Ground:
        """Fit the ensemble if need be, read it and index the records: the first part of `fit`.

        It depends on `ensemble`, `adapter`, `n_jobs` and `random_state` alone, and on what `held_back` says, so that
        classifiers which differ in other parameters can share it; `fit_prepared` does the rest. `cache_bytes` decides
        about the index's memory, and about no rule.
        """
        self.check_parameters()
        ensemble = self.chosen_ensemble()
        adapter = find_adapter(without_steps(ensemble)[1], fresh("adapter", self.adapter))
        table, y = self._checked(ensemble, adapter, X, y)
        reading = read(ensemble, adapter, table, y, self._names(), self.held_back)
        conditions, leaves = leaf_rules(reading.forest, reading.feature_names, reading.missing_features)
        if not is_loaded():
            plugins().hook.rulekit_engine_loading(engine=engine_name())
        n_classes = len(reading.forest.classes)
        index = TrainingIndex(
            reading.X,
            reading.positions,
            conditions,
            n_classes,
            max_cache_bytes=self.cache_bytes(reading, conditions, leaves),
            n_jobs=self.n_jobs,
            leaves=[of_round.antecedents for of_round in leaves],
        )
        return Ground(reading, leaves, index, self.n_features_in_, self._names())

    @all_or_nothing
    def fit_prepared(self, ground: Ground) -> Self:
        """Extract rules from what `prepare` returned, here or on a classifier with the same ensemble."""
        self.check_parameters()
        ruleset = self.extract(ground)
        self.ruleset_, self.classes_ = ruleset, ground.reading.forest.classes
        self.ensemble_, self.transformer_ = ground.reading.ensemble, ground.reading.transformer
        self.feature_scales_ = ground.scales(ruleset.conditions.features)
        self.n_features_in_ = ground.n_features
        self._set_or_forget("feature_names_in_", None if ground.names is None else np.array(ground.names, dtype=object))
        return self

    def cache_bytes(self, reading: Reading, conditions: Conditions, leaves: Sequence[LeafRules]) -> int:
        """Memory for the bits of conditions in the index that `prepare` is about to make."""
        return MAX_CACHE_BYTES

    def held_back(self, y: IntArray) -> BoolArray | None:
        """Which training records an ensemble that is fitted here must not see; None for none.

        Parameters
        ----------
        y : ndarray of shape (n_records,)
            Classes, as positions among the labels.
        """
        return None

    def set_params(self, **params: Any) -> Self:
        """Set parameters, those of components as `probability__n0`.

        A component given by name is made first, so that its parameters can be set.
        """
        nested = {key: params.pop(key) for key in list(params) if "__" in key}
        super().set_params(**params)
        for owner in {key.partition("__")[0] for key in nested}:
            setattr(self, owner, self._with_parameters(owner))
        return super().set_params(**nested)

    def predict_proba(self, X: Any) -> FloatArray:
        """Class probabilities, of shape (n_records, n_classes), as the rules state them."""
        check_is_fitted(self)

        def answer(some: Any) -> FloatArray:
            return self.ruleset_.predict_proba(self._as_rules_take(some))

        # The steps of a pipeline may look at all records together.
        return answer(X) if self.transformer_ is not None else in_blocks(X, answer, len(self.classes_))

    def predict(self, X: Any) -> LabelArray:
        """Most probable class of each record, of shape (n_records,)."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def explain(self, X: Any) -> Explanation | Explanations:
        """Say which rule answers for one record or several, and why; see `RuleSet.explain`.

        The ensemble is asked too, where it states probabilities and the records come in a form that it takes: numbers
        in any form, categories in a data frame.

        Behind a pipeline, pass a frame, such as `X.iloc[[0]]`: the rules speak of the transformed columns.
        """
        check_is_fitted(self)
        explained = explain(self.ruleset_, transformed(self.transformer_, X))
        explained = attrs.evolve(explained, ensemble=ensemble_says(self, X))
        return explained[0] if len(explained) == 1 else explained

    def counterfactual(
        self, x: Any, target: Any = None, *, immutable: Sequence[str] = (), max_boxes: int = 10_000
    ) -> Counterfactual:
        """The smallest change of a record that gets another answer; see `RuleSet.counterfactual`.

        Changes of numbers are measured in standard deviations of the training records. Behind a pipeline, they are
        those of the transformed columns.
        """
        check_is_fitted(self)
        return self.ruleset_.counterfactual(
            transformed(self.transformer_, x),
            target,
            immutable=immutable,
            scales=self.feature_scales_,
            max_boxes=max_boxes,
        )

    def report(self, path: str | Path, X: Any, y: Any, **options: Any) -> None:
        """Write a page about the rules: one HTML file that needs no network, and holds no records unless asked to.

        Parameters
        ----------
        path : str or Path
            The file; one that is there already is replaced.
        X : array-like or DataFrame of shape (n_records, n_features)
            Held-out records, as `predict` takes them.
        y : array-like of shape (n_records,)
            Their labels.
        **options
            Of `rulekit.report.write`: `compare`, `name`, `title` and `n_examples`.
        """
        from rulekit.report import write

        check_is_fitted(self)
        write(path, self, X, y, **options)

    def transform(self, X: Any) -> FloatArray:
        """Which rules each record satisfies: 1 or 0, of shape (n_records, n_rules - 1), without the default rule."""
        check_is_fitted(self)
        return self.ruleset_.matches(self._as_rules_take(X)).T.astype(np.float64)

    def get_feature_names_out(self, input_features: Any = None) -> LabelArray:
        """Names of what `transform` returns: `rule_1`, `rule_2`, …; shape (n_rules - 1,)."""
        check_is_fitted(self)
        _check_feature_names_in(self, input_features)
        return np.array([f"rule_{place}" for place in range(1, len(self.ruleset_))], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Asked for by `predict` too: an ensemble that there is not is told by `fit`, and no matter for what is fitted.
        with suppress(RulekitError):
            tags.input_tags.allow_nan = allows_missing(without_steps(self.chosen_ensemble())[1])
        return tags

    def chosen_ensemble(self) -> Any:
        """The ensemble that `fit` starts from: the one given, by name or as it is, or a random forest."""
        if self.ensemble is None or isinstance(self.ensemble, str):
            return named_ensemble(self.ensemble or "rf", self.random_state)
        return unwrapped(self.ensemble)

    def _with_parameters(self, owner: str) -> Any:
        """The value of a parameter as something that has parameters itself."""
        if owner == "ensemble":
            is_named = self.ensemble is None or isinstance(self.ensemble, str)
            return self.chosen_ensemble() if is_named else self.ensemble
        if owner not in KIND_OF_PARAMETER:
            return getattr(self, owner, None)
        component = instance(owner, getattr(self, owner))
        if component is None:
            raise InvalidParameterError(f"{owner} is None, so that none of its parameters can be set.")
        return component

    def _checked(self, ensemble: Any, adapter: Adapter, X: Any, y: Any) -> tuple[Any, LabelArray]:
        """What to fit the ensemble on: a table as it is where its columns need the ensemble's own reading."""
        transformer, model = without_steps(ensemble)
        check_whole(X)
        check_present(y)
        if transformer is None:
            check_no_dates(X)
            check_categories(labels_of_frame(X), column_names(X))
        if transformer is None and not (adapter.reads_categories and categorical_columns(X)):
            finite = "allow-nan" if allows_missing(model) else True
            with reading_numbers():
                numbers, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite=finite)
            table = X if self._names() is not None else numbers
        else:
            table = validate_data(self, X, skip_check_array=True)
            y = column_or_1d(y, warn=True)
            check_consistent_length(table, y)
        check_labels(y)
        return table, y

    def _as_rules_take(self, X: Any) -> np.ndarray[Any, Any]:
        """Records after the steps before the ensemble, checked; shape (n_records, n_columns)."""
        check_whole(X)
        if self.transformer_ is None:
            check_no_dates(X)
        conditions = self.ruleset_.conditions
        if self.transformer_ is not None or conditions.categories.by_feature:
            table = validate_data(self, X, reset=False, skip_check_array=True)
            return as_array(transformed(self.transformer_, table))
        finite = "allow-nan" if conditions.missing_features else True
        with reading_numbers():
            return np.asarray(validate_data(self, X, dtype=np.float64, ensure_all_finite=finite, reset=False))

    def _set_or_forget(self, attribute: str, value: Any) -> None:
        """Set an attribute that not every fit has; without a value, drop that of an earlier fit."""
        if value is not None:
            setattr(self, attribute, value)
        elif hasattr(self, attribute):
            delattr(self, attribute)

    def _names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else list(names)
