"""The scikit-learn classifier: a model and the maps that calibrate it."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import assert_all_finite, get_tags, indexable
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from rulekit.calibration.calibrated_ruleset import CalibratedRuleSet
from rulekit.calibration.folds import check_cv, folds, out_of_fold
from rulekit.calibration.maps.checks import check_every_class
from rulekit.core.arrays import FloatArray, IntArray, LabelArray
from rulekit.core.errors import CalibrationDataError, InvalidParameterError, SeenSamplesWarning
from rulekit.core.interfaces import CalibrationMap
from rulekit.core.labels import indices_among, plain_labels
from rulekit.core.messages import warn_caller
from rulekit.explain import Explanation, Explanations
from rulekit.model import is_fitted, unwrapped, without_steps
from rulekit.plugin.code_components import CarriesCodeComponents
from rulekit.plugin.manager import plugins
from rulekit.ruleset import RuleSet


class CalibratedRules(CarriesCodeComponents, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier, and a map that calibrates its predicted probabilities.

    If the classifier has rules, `ruleset_` has the same rules with calibrated probabilities.

    Parameters
    ----------
    model : classifier
        Any classifier with `predict_proba`: in particular one made by `rulekit.build`.
    method : str or CalibrationMap, default="temperature"
        The map, by its registered name or as an instance; `rulekit.list_components("calibration")` lists the names.
    prefit : bool, default=False
        Whether the model is already fitted; `fit` then takes samples that it was not fitted on, and
        learns the map only. `clone` returns an unfitted model, except for one in a `FrozenEstimator`, which counts as
        `prefit=True`. Otherwise `fit` fits the model on all samples, and the map learns from out-of-fold probabilities.
    cv : int or splitter, default=3
        The folds. An int means stratified folds. Ignored if `prefit` and not `average`.
    average : bool, default=False
        False learns one map from all samples. True learns one map for each fold, from the samples of the other folds,
        and averages their probabilities.
    random_state : int or None, default=None
        Seed of the shuffling of samples before they are split into folds; None does not shuffle.

    Attributes
    ----------
    model_ : fitted classifier
    maps_ : list of CalibrationMap
    ruleset_ : CalibratedRuleSet
        Only if the model has rules of which the first that matches answers (`InferenceMode.combination`).
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
        Only if the model has it.
    feature_names_in_ : ndarray of shape (n_features,)
        Only if the model has it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import rulekit
    >>> X, y = load_iris(return_X_y=True)
    >>> model = rulekit.build("rc+", random_state=0).fit(X[::2], y[::2])
    >>> CalibratedRules(model, prefit=True).fit(X[1::2], y[1::2]).predict_proba(X[:1]).shape
    (1, 3)
    """

    def __init__(
        self,
        model: Any,
        method: CalibrationMap | str = "temperature",
        *,
        prefit: bool = False,
        cv: Any = 3,
        average: bool = False,
        random_state: int | None = None,
    ) -> None:
        self.model = model
        self.method = method
        self.prefit = prefit
        self.cv = cv
        self.average = average
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the map, and fit the model unless it is fitted already.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Samples as the model takes them.
        y : array-like of shape (n_samples,)
            Class labels, of each class of the model.

        Returns
        -------
        self
        """
        prototype = clone(self._map())
        check_cv(self.cv)
        _check_model(self.model)
        X, y = _checked(X, y)
        is_prefit = self.prefit or isinstance(self.model, FrozenEstimator)
        model = _fitted(self.model) if is_prefit else clone(self.model).fit(X, y)

        classes = np.asarray(model.classes_)
        class_indices = _class_indices(y, classes, model)
        parts = folds(self.cv, X, class_indices, classes, self.random_state) if self.average or not is_prefit else []
        if is_prefit:
            predicted = model.predict_proba(X)
        else:
            _warn_of_seen_samples(self.model)
            predicted = out_of_fold(self.model, X, y, classes, parts)
        learn_from = [train for train, _ in parts] if self.average else [np.arange(len(y))]
        maps = [_learned(prototype, predicted[rows], class_indices[rows], classes) for rows in learn_from]

        self.model_, self.maps_, self.classes_ = model, maps, classes
        self._take_over("n_features_in_", "feature_names_in_")
        return self

    def set_params(self, **params: Any) -> Self:
        """Set parameters, those of the model and the map as `model__min_precision` and `method__l2`.

        A map given by name is first replaced by an instance, whose parameters can be set.
        """
        nested = {key: params.pop(key) for key in list(params) if "__" in key}
        super().set_params(**params)
        if any(key.startswith("method__") for key in nested):
            self.method = self._map()
        return super().set_params(**nested)

    def calibrate(self, probabilities: FloatArray) -> FloatArray:
        """Calibrate probabilities: the mean over the maps, of shape (n_samples, n_classes)."""
        check_is_fitted(self)
        return np.mean([each.transform(probabilities) for each in self.maps_], axis=0)

    def predict_proba(self, X: Any) -> FloatArray:
        """Calibrated class probabilities, of shape (n_samples, n_classes)."""
        check_is_fitted(self)
        return self.calibrate(self.model_.predict_proba(X))

    def predict(self, X: Any) -> LabelArray:
        """Most probable class of each sample after calibration, of shape (n_samples,)."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    @property
    def ruleset_(self) -> CalibratedRuleSet:
        """The rules, each with its own probabilities calibrated."""
        if not hasattr(self, "model_"):
            raise AttributeError("CalibratedRules has no rules yet: call fit first.")
        ruleset = getattr(_last_step(self.model_), "ruleset_", None)
        if not isinstance(ruleset, RuleSet):
            raise AttributeError(f"A {type(_last_step(self.model_)).__name__} has no rules.")
        if ruleset.inference.combination != "first":
            raise AttributeError(
                f"With {type(ruleset.inference).__name__} inference several rules answer together, or another than "
                "the first that matches: the answer is calibrated, and no rule has a calibrated probability of its "
                "own. The rules are model_.ruleset_."
            )
        return CalibratedRuleSet.of(ruleset, self.calibrate(ruleset.probabilities))

    def explain(self, X: Any) -> Explanation | Explanations:
        """Explain which rule answers one sample or several, and why.

        The answer is calibrated; the rules are shown with their own, uncalibrated probabilities.

        Parameters
        ----------
        X
            Samples, as the model's own `explain` takes them.
        """
        check_is_fitted(self)
        model = unwrapped(self.model_)
        if not hasattr(model, "explain"):
            raise AttributeError(
                f"A {type(model).__name__} has no method explain; use a rule extractor as model instead."
            )
        predicted = model.explain(X)
        return predicted.answering(
            self.calibrate(np.atleast_2d(predicted.probabilities)).reshape(predicted.probabilities.shape)
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if isinstance(self.model, BaseEstimator):
            tags.input_tags = get_tags(self.model).input_tags
        return tags

    def _map(self) -> CalibrationMap:
        """The map as an instance: the user's own, or a new one of the name given."""
        made: CalibrationMap = plugins().registry.resolve("calibration", self.method, "CalibratedRules: method")
        return made

    def _take_over(self, *names: str) -> None:
        """Copy attributes of the fitted model, and delete those of an earlier fit."""
        for name in names:
            if hasattr(self.model_, name):
                setattr(self, name, getattr(self.model_, name))
            elif hasattr(self, name):
                delattr(self, name)


def _check_model(model: Any) -> None:
    if isinstance(model, type):
        raise InvalidParameterError(
            f"CalibratedRules: model must be an instance, got the class {model.__name__}: call it."
        )
    if not hasattr(model, "predict_proba"):
        raise InvalidParameterError(
            f"CalibratedRules: model must be a classifier with predict_proba, got {model!r}. Only "
            "predicted probabilities can be calibrated."
        )


def _checked(X: Any, y: Any) -> tuple[Any, LabelArray]:
    """Samples, which the model validates itself, and checked labels."""
    if y is None:
        raise ValueError("CalibratedRules requires y to be passed, but the target y is None.")
    X, y = indexable(X, column_or_1d(plain_labels(y), warn=True))
    assert_all_finite(y, estimator_name="CalibratedRules", input_name="y")
    check_classification_targets(y)
    return X, y


def _fitted(model: Any) -> Any:
    if not is_fitted(unwrapped(model)):
        raise InvalidParameterError(
            f"CalibratedRules: with prefit=True the model must be fitted, but this {type(model).__name__} is not. Fit "
            "it on other samples first. If it was cloned after fitting, as in a grid search, pass it as "
            "FrozenEstimator(model)."
        )
    return model


def _class_indices(y: LabelArray, classes: LabelArray, model: Any) -> IntArray:
    """Column of each sample's class, of shape (n_samples,); raise unless model and samples have the same classes."""
    class_indices, unknown = indices_among(y, classes)
    if unknown:
        raise CalibrationDataError(
            f"y has classes that the {type(unwrapped(model)).__name__} does not know: {sorted(unknown)[:5]!r}; it "
            f"knows {classes.tolist()[:10]!r}."
        )
    check_every_class(class_indices, classes.tolist())
    return class_indices


def _learned(
    prototype: CalibrationMap, predicted: FloatArray, class_indices: IntArray, classes: LabelArray
) -> CalibrationMap:
    check_every_class(class_indices, classes.tolist())
    return clone(prototype).fit(predicted, class_indices)


def _last_step(model: Any) -> Any:
    """The model itself, without FrozenEstimator and without the pipeline's other steps."""
    return without_steps(unwrapped(model))[1]


def _warn_of_seen_samples(model: Any) -> None:
    ensemble = getattr(_last_step(model), "ensemble", None)
    if ensemble is not None and is_fitted(unwrapped(ensemble)):
        warn_caller(
            "The ensemble inside the model is already fitted. If it was fitted on these samples, the rules of a fold "
            "come from trees that have seen the fold, and the map learns from probabilities that are too optimistic. "
            "Pass an unfitted ensemble, or a fitted model with prefit=True and samples that it has not seen.",
            SeenSamplesWarning,
        )
