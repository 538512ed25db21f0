"""The scikit-learn classifier: from an ensemble to rules."""

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d, validate_data

from rulekit.assembly import assemble
from rulekit.components import KIND_OF_PARAMETER, fresh, instance, named_ensemble
from rulekit.core.arrays import FloatArray, LabelArray
from rulekit.core.categories import categorical_columns
from rulekit.core.checks import check_choice, check_jobs, check_number
from rulekit.core.context import SearchContext
from rulekit.core.engine import engine_name, is_loaded
from rulekit.core.errors import FewRulesWarning, InvalidParameterError, UnsupportedFitParameterError
from rulekit.core.history import SearchStep
from rulekit.core.index import TrainingIndex
from rulekit.core.interfaces import (
    Adapter,
    CombineStage,
    CoverStage,
    InferenceMode,
    PriorCombiner,
    ProbabilityEstimator,
    SimplifyStage,
)
from rulekit.core.order import RULE_ORDERS, RuleOrder
from rulekit.core.rules import Rules
from rulekit.ground import Ground
from rulekit.plugin.manager import plugins
from rulekit.reading import read, transformed
from rulekit.ruleset import Explanation
from rulekit.search.leaves import LeafRules, leaf_rules
from rulekit.search.loop import Search
from rulekit.source import allows_missing, find_adapter, unwrapped, without_steps
from rulekit.watching import announced


class RuleExtractor(ClassifierMixin, BaseEstimator):
    """A short ordered list of rules, extracted from a tree ensemble.

    `rulekit.build` makes one from a preset's name. Every component can be given by its registered name or as an
    instance; parameters of instances nest as usual (`probability__n0`).

    Parameters
    ----------
    ensemble : classifier, str or None, default=None
        A fitted tree ensemble is used as it is, an unfitted one is cloned and fitted. A name is that of a registered
        ensemble; None means a random forest of 100 trees of depth 5. `clone` forgets that an ensemble was fitted unless
        it comes in a `FrozenEstimator`, which `rulekit.build` sees to.
    adapter : Adapter, str or None, default=None
        What reads the ensemble; None chooses the first that accepts it.
    priors : PriorCombiner or str, default="product"
        How a conjunction inherits the local class distributions of its parts.
    evidence : ProbabilityEstimator or str, default="naive-bayes"
        What guides the search.
    probability : ProbabilityEstimator or str, default="hybrid"
        What the final rules state.
    combine, cover, simplify : stage, str or None
        The stages of the search; None leaves one out.
    inference : InferenceMode or str, default="decision-list"
        How the rules that match a record answer.
    min_precision : float, default=0.5
        A rule is kept only if a larger share of the records it covers is of its class.
    min_coverage : float, default=0.0
        A rule is kept only if it covers a larger share of the training records.
    confidence : float, default=0.25
        Level of the pessimistic error estimate that removes conditions; smaller removes more.
    rule_order : {"support", "coverage", "precision"}, default="support"
        Which statistic ranks rules first; the others break ties.
    keep_index : bool, default=False
        Keep the indexed training records as `index_`. Without it a fitted model carries no records.
    n_jobs : int or None, default=None
        Threads that look through the records, in scikit-learn's meaning; they are used where there are so many records
        that it pays, and the rules are the same for any number. The ensemble has its own.
    random_state : int or None, default=None
        Seed of the ensemble where that is given by name or not at all.

    Attributes
    ----------
    ruleset_ : RuleSet
    ensemble_ : fitted classifier
        The ensemble that the rules come from.
    transformer_ : fitted transformer or None
        The steps before it, if the ensemble is a pipeline: the rules speak of the columns that these make.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only when `X` has column names.
    history_ : list of SearchStep
        What happened to each tree.
    index_ : TrainingIndex
        Only with `keep_index=True`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import rulekit
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = rulekit.build("rcprob", random_state=0).fit(X, y)
    >>> model.predict(X.head(2)).tolist()
    [0, 0]
    """

    def __init__(
        self,
        ensemble: Any = None,
        *,
        adapter: Adapter | str | None = None,
        priors: PriorCombiner | str = "product",
        evidence: ProbabilityEstimator | str = "naive-bayes",
        probability: ProbabilityEstimator | str = "hybrid",
        combine: CombineStage | str | None = "combine",
        cover: CoverStage | str | None = "cover",
        simplify: SimplifyStage | str | None = "simplify",
        inference: InferenceMode | str = "decision-list",
        min_precision: float = 0.5,
        min_coverage: float = 0.0,
        confidence: float = 0.25,
        rule_order: RuleOrder = "support",
        keep_index: bool = False,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.ensemble = ensemble
        self.adapter = adapter
        self.priors = priors
        self.evidence = evidence
        self.probability = probability
        self.combine = combine
        self.cover = cover
        self.simplify = simplify
        self.inference = inference
        self.min_precision = min_precision
        self.min_coverage = min_coverage
        self.confidence = confidence
        self.rule_order = rule_order
        self.keep_index = keep_index
        self.n_jobs = n_jobs
        self.random_state = random_state

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
        """
        _refuse(unsupported)
        return self.fit_prepared(self.prepare(X, y))

    def prepare(self, X: Any, y: Any) -> Ground:
        """Fit the ensemble if need be, read it and index the records: the first part of `fit`.

        It depends on `ensemble`, `adapter`, `n_jobs` and `random_state` alone, so that extractors which differ in other
        parameters can share it; `fit_prepared` does the rest.
        """
        self._check_parameters()
        parts = self._parts()  # all of them: a wrong one should not wait for the ensemble to be trained
        ensemble = self.chosen_ensemble()
        adapter = find_adapter(without_steps(ensemble)[1], parts["adapter"])
        table, y = self._checked(ensemble, adapter, X, y)
        reading = read(ensemble, adapter, table, y, self._names())
        conditions, leaves = leaf_rules(reading.forest, reading.feature_names, reading.missing_features)
        if not is_loaded():
            plugins().hook.rulekit_engine_loading(engine=engine_name())
        n_classes = len(reading.forest.classes)
        index = TrainingIndex(reading.X, reading.positions, conditions, n_classes, n_jobs=self.n_jobs)
        return Ground(reading, leaves, index, self.n_features_in_, self._names())

    def fit_prepared(self, ground: Ground) -> Self:
        """Extract rules from what `prepare` returned, here or on an extractor with the same ensemble."""
        self._check_parameters()
        parts, index = self._parts(), ground.index
        classes = ground.reading.forest.classes
        probability = parts["probability"].fit(index)
        rules, history = self._search(ground.leaves, index, parts)
        ruleset = assemble(rules, index, probability, classes, parts["inference"])

        self.ruleset_, self.classes_, self.history_ = ruleset, classes, history
        self.ensemble_, self.transformer_ = ground.reading.ensemble, ground.reading.transformer
        self.n_features_in_ = ground.n_features
        self._set_or_forget("feature_names_in_", None if ground.names is None else np.array(ground.names, dtype=object))
        self._set_or_forget("index_", index if self.keep_index else None)
        return self

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
        conditions = self.ruleset_.conditions
        if self.transformer_ is not None or conditions.categories.by_feature:
            table = validate_data(self, X, reset=False, skip_check_array=True)
            return self.ruleset_.predict_proba(np.asarray(transformed(self.transformer_, table)))
        finite = "allow-nan" if conditions.missing_features else True
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite=finite, reset=False)
        return self.ruleset_.predict_proba(X)

    def predict(self, X: Any) -> LabelArray:
        """Most probable class of each record, of shape (n_records,)."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def explain(self, x: Any) -> Explanation:
        """Say which rule answers for one record, and why; see `RuleSet.explain`.

        Behind a pipeline, pass a frame of one row, such as `X.iloc[[0]]`: the rules speak of the transformed columns.
        """
        check_is_fitted(self)
        return self.ruleset_.explain(x if self.transformer_ is None else transformed(self.transformer_, x))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = allows_missing(without_steps(self.chosen_ensemble())[1])
        return tags

    def _check_parameters(self) -> None:
        check_number(self, "min_precision", 0, 1)
        check_number(self, "min_coverage", 0, 1)
        check_number(self, "confidence", 0, 1, above=True)
        check_choice(self, "rule_order", RULE_ORDERS)
        check_jobs(self)

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

    def chosen_ensemble(self) -> Any:
        """The ensemble that `fit` starts from: the one given, by name or as it is, or a random forest."""
        if self.ensemble is None or isinstance(self.ensemble, str):
            return named_ensemble(self.ensemble or "rf", self.random_state)
        return unwrapped(self.ensemble)

    def _checked(self, ensemble: Any, adapter: Adapter, X: Any, y: Any) -> tuple[Any, LabelArray]:
        """What to fit the ensemble on: a table as it is where its columns need the ensemble's own reading."""
        transformer, model = without_steps(ensemble)
        if transformer is None and not (adapter.reads_categories and categorical_columns(X)):
            finite = "allow-nan" if allows_missing(model) else True
            numbers, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite=finite)
            table = X if self._names() is not None else numbers
        else:
            table = validate_data(self, X, skip_check_array=True)
            y = column_or_1d(y)
            check_consistent_length(table, y)
        _check_classes(y)
        return table, y

    def _parts(self) -> dict[str, Any]:
        return {name: fresh(name, getattr(self, name)) for name in KIND_OF_PARAMETER}

    def _set_or_forget(self, attribute: str, value: Any) -> None:
        """Set an attribute that not every fit has; without a value, drop that of an earlier fit."""
        if value is not None:
            setattr(self, attribute, value)
        elif hasattr(self, attribute):
            delattr(self, attribute)

    def _names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else list(names)

    def _search(
        self, leaves: list[LeafRules], index: TrainingIndex, parts: dict[str, Any]
    ) -> tuple[Rules, list[SearchStep]]:
        context = SearchContext(
            index=index,
            priors=parts["priors"],
            evidence=parts["evidence"].fit(index),
            min_precision=self.min_precision,
            min_coverage=self.min_coverage,
            confidence=self.confidence,
            rule_order=self.rule_order,
        )
        with announced(self, len(leaves), context) as observer:
            search = Search(parts["combine"], parts["cover"], parts["simplify"], context, observer)
            rules, history = search.run(round_.on(index) for round_ in leaves)
        if not len(rules):
            warnings.warn(
                f"No rule of the first tree passed min_precision={self.min_precision} and "
                f"min_coverage={self.min_coverage}, so that only the default rule is left. Lower them.",
                FewRulesWarning,
                stacklevel=4,  # where `fit` was called
            )
        return rules, history


def _refuse(unsupported: dict[str, Any]) -> None:
    given = [name for name, value in unsupported.items() if value is not None]
    if "sample_weight" in given:
        raise UnsupportedFitParameterError(
            "RuleExtractor.fit does not take sample_weight: rules state counts of records, which weights distort. "
            "Fit the ensemble with weights and pass it fitted."
        )
    if given:
        raise UnsupportedFitParameterError(f"RuleExtractor.fit takes X and y only, got {', '.join(given)}.")


def _check_classes(y: LabelArray) -> None:
    types = {type(label).__name__ for label in y.tolist()} if y.dtype == object else set()
    if "NoneType" in types:
        raise ValueError("y has missing labels (None). Drop these records, or give them a label of their own.")
    if len(types) > 1:
        raise ValueError(f"y mixes labels of several types: {', '.join(sorted(types))}. Use one type for all of them.")
    check_classification_targets(y)
    labels = np.unique(y).tolist()
    if len(labels) < 2:
        raise ValueError(f"y has only one class, {labels[0]!r}; rules need records of at least two classes.")
