"""The model that rules come from: find its adapter, fit it if need be, read it as a forest, match it with the data."""

import copy
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import attrs
import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.validation import _get_feature_names, check_array, check_is_fitted, has_fit_parameter

from rulekit.core.arrays import BoolArray, FloatArray, IntArray, LabelArray
from rulekit.core.errors import (
    EnsembleMismatchError,
    RulekitError,
    UnfittedEnsembleError,
    UnsupportedDataError,
    UnsupportedEnsembleError,
    WeightsNotSupportedError,
)
from rulekit.core.forest import Forest
from rulekit.core.interfaces import Adapter, derives_from
from rulekit.core.labels import indices_among
from rulekit.core.messages import short
from rulekit.core.validation import (
    Categories,
    categorical_columns,
    check_categories,
    check_codes,
    check_no_dates,
    check_whole,
    column_names,
    column_of,
    is_missing,
    labels_of_frame,
    reading_numbers,
)
from rulekit.pipelines.sparse import AbsentAsMissing
from rulekit.plugin.manager import plugins

#: Models of scikit-learn that fit others to find out which of them to use.
SEARCHES = frozenset({"BaseSearchCV"})
#: Models of scikit-learn that decide at another probability than a half.
THRESHOLD_CLASSIFIERS = frozenset({"FixedThresholdClassifier", "TunedThresholdClassifierCV"})
#: Where libraries have their models that are trained on a Dask cluster.
DASK_MODELS = frozenset({"lightgbm.dask", "xgboost.dask"})


@attrs.frozen(eq=False)
class ReadModel:
    """A fitted model in neutral form, and the training samples as its trees compare them.

    Attributes
    ----------
    ensemble : fitted model
        The one given, or a fitted clone of it.
    transformer : fitted transformer or None
        What samples go through before the rules see them: the steps of a pipeline before its ensemble, or, where rules
        are about the columns of the table, what chooses these; None if that is nothing.
    adapter : Adapter
        The adapter that has read the ensemble.
    forest : Forest
    X : ndarray of shape (n_samples, n_features)
        The samples as the forest's trees compare them.
    ensemble_X : ndarray of shape (n_samples, n_ensemble_features)
        The samples as the ensemble's own trees compare them.
    y : ndarray of shape (n_samples,)
        Class indices, in the order of the forest's classes.
    feature_names : list of str
    missing_features : frozenset of int
        Features that have, or may come to have, missing values.
    table : array or data frame of shape (n_samples, n_features)
        The samples as the ensemble is fitted on them.
    labels : ndarray of shape (n_samples,)
    training_seconds : float
        Time that fitting the ensemble took; 0 if it was fitted already.
    weights : ndarray of shape (n_samples,) or None
        What each sample counts as where an ensemble is fitted; None if each counts as one.
    restate : callable or None
        Turns a forest of a copy of the ensemble into one on the features of `X`, if these are others.
    """

    ensemble: Any
    transformer: Any
    adapter: Adapter
    forest: Forest
    X: FloatArray
    ensemble_X: FloatArray
    y: IntArray
    feature_names: list[str]
    missing_features: frozenset[int]
    table: Any
    labels: LabelArray
    training_seconds: float = 0.0
    weights: FloatArray | None = None
    restate: Callable[[Forest], Forest] | None = None


def read_model(
    ensemble: Any,
    adapter: Adapter,
    table: Any,
    numbers: FloatArray | None,
    y: LabelArray,
    names: list[str] | None,
    held_back: BoolArray | None = None,
    weights: FloatArray | None = None,
) -> ReadModel:
    """Fit the ensemble if need be, read it, and bring the samples into the form that its trees compare.

    Parameters
    ----------
    ensemble : model or pipeline
    adapter : Adapter
        The adapter of the model, or of the pipeline's last step.
    table : array or data frame of shape (n_samples, n_features)
    numbers : ndarray of shape (n_samples, n_features) or None
        Its values as numbers, if they are validated already.
    y : ndarray of shape (n_samples,)
        Labels.
    names : list of str or None
        Names of the table's columns.
    held_back : ndarray of shape (n_samples,), optional
        Samples that an ensemble fitted here must not see.
    weights : ndarray of shape (n_samples,), optional
        What each sample counts as where an ensemble is fitted.
    """
    was_fitted, start = is_fitted(ensemble), perf_counter()
    if not was_fitted:
        ensemble = fitted_clone(ensemble, adapter, table, y, held_back, weights=weights)
    training_seconds = 0.0 if was_fitted else perf_counter() - start
    transformer, model = without_steps(ensemble)
    transformer, table = dense(transformer, table, absent_is_missing=adapter.absent_is_missing(model))
    names = names_after(transformer, names, table)
    forest = read_forest(model, adapter, table, y, was_fitted)
    check_belongs(forest, model, table.shape[1], names)
    check_one_kind_of_split(forest, model)
    classes = class_indices(forest, model, y)
    X = as_numbers(forest, table, model, numbers)
    feature_names = names or known_names(model) or [f"x{column}" for column in range(X.shape[1])]
    check_codes(X, forest.code_features, feature_names)
    missing = features_with_missing(X, forest, model)
    return ReadModel(
        ensemble,
        transformer,
        adapter,
        forest,
        X=X,
        ensemble_X=X,
        y=classes,
        feature_names=feature_names,
        missing_features=missing,
        table=table,
        labels=y,
        training_seconds=training_seconds,
        weights=weights,
    )


def named_ensemble(name: str, random_state: int | None) -> Any:
    """An unfitted ensemble by its registered name, seeded if it takes a seed."""
    registry = plugins().registry
    takes_seed = "random_state" in registry.get("ensemble", name).parameters
    return registry.create("ensemble", name, **({"random_state": random_state} if takes_seed else {}))


def thawed(ensemble: Any) -> Any:
    """The model inside a `FrozenEstimator`; any other model itself."""
    return ensemble.estimator if isinstance(ensemble, FrozenEstimator) else ensemble


def unwrapped(ensemble: Any) -> Any:
    """The model that predicts inside models that only choose it: a frozen one, a search, a decision threshold.

    A model that was trained on a Dask cluster becomes the one that its library makes of it for one process.
    """
    while True:
        inner = inside(ensemble)
        if inner is ensemble:
            return ensemble
        ensemble = inner


def inside(ensemble: Any) -> Any:
    """The model one level inside; the model itself if it is none of these."""
    if isinstance(ensemble, FrozenEstimator):
        return ensemble.estimator
    if derives_from(ensemble, "sklearn", SEARCHES):
        if hasattr(ensemble, "best_estimator_"):
            return ensemble.best_estimator_
        name = type(ensemble).__name__
        fitted = "was fitted with refit=False" if hasattr(ensemble, "cv_results_") else "is not fitted"
        raise UnfittedEnsembleError(
            f"The {name} {fitted}, so that it has no best_estimator_. Fit it with refit=True first, or pass the "
            "ensemble that it searches with, search.estimator."
        )
    if type(ensemble).__module__ in DASK_MODELS:
        if not is_fitted(ensemble):
            raise UnfittedEnsembleError(
                f"The {type(ensemble).__name__} is not fitted. Train it on its cluster first, or pass the model of the "
                "same library that needs no cluster."
            )
        # XGBoost has no other way to predict without a cluster.
        return ensemble.to_local() if hasattr(ensemble, "to_local") else ensemble.get_booster()
    if derives_from(ensemble, "sklearn", THRESHOLD_CLASSIFIERS):
        is_tuned = type(ensemble).__name__ == "TunedThresholdClassifierCV"
        if is_tuned and not hasattr(ensemble, "estimator_"):
            raise UnfittedEnsembleError(
                "The TunedThresholdClassifierCV is not fitted, so that it has no threshold. Fit it first, or pass its "
                "estimator."
            )
        return getattr(ensemble, "estimator_", ensemble.estimator)
    return ensemble


def without_steps(model: Any) -> tuple[Any, Any]:
    """The steps of a pipeline before its last one (None if there are none), and the ensemble at its end.

    Samplers, which act in training only, are left out.
    """
    steps: list[tuple[str, Any]] = []
    while isinstance(model, Pipeline):
        steps += [(f"{len(steps) + at}", step) for at, (_, step) in enumerate(model.steps[:-1]) if not is_sampler(step)]
        model = unwrapped(model.steps[-1][1])
    return (Pipeline(steps) if steps else None), model


def has_samplers(model: Any) -> bool:
    """Whether a pipeline draws samples anew before it trains its ensemble."""
    return isinstance(with_samplers(model), Pipeline)


def with_samplers(model: Any) -> Any:
    """What a pipeline trains on transformed samples: its ensemble, in a pipeline after its samplers if it has some."""
    samplers: list[tuple[str, Any]] = []
    kind: Any = Pipeline
    while isinstance(model, Pipeline):
        own = [step for _, step in model.steps[:-1] if is_sampler(step)]
        samplers += [(f"{len(samplers) + at}", step) for at, step in enumerate(own)]
        kind = type(model) if own else kind
        model = unwrapped(model.steps[-1][1])
    return kind([*samplers, ("ensemble", model)]) if samplers else model


def can_be_fitted_again(model: Any) -> bool:
    """Whether copies can be fitted: a library's own booster has no `fit`, and a frozen part keeps what it has seen."""
    ensemble = with_samplers(model)
    parameters = ensemble.get_params().values() if isinstance(ensemble, BaseEstimator) else ()
    return hasattr(ensemble, "fit") and not any(isinstance(value, FrozenEstimator) for value in parameters)


def threshold_classifier(model: Any) -> Any:
    """The classifier that moves the decision threshold of a fitted model; None if there is none.

    Parameters
    ----------
    model : model or pipeline
        It may be frozen, and the classifier may be inside a search or at the end of a pipeline.
    """
    while not derives_from(model, "sklearn", THRESHOLD_CLASSIFIERS):
        last = model.steps[-1][1] if isinstance(model, Pipeline) else inside(model)
        if last is model:
            return None
        model = last
    return model


def is_sampler(step: Any) -> bool:
    """Whether a step of a pipeline draws samples, as those of imbalanced-learn do in training."""
    return hasattr(step, "fit_resample")


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
    """The wanted adapter, or else the first registered one that accepts the model; raise if there is none."""
    name = type(model).__name__
    if isinstance(model, type):
        raise UnsupportedEnsembleError(
            f"The ensemble must be an instance, got the class {model.__name__}. Pass {model.__name__}()."
        )
    if not hasattr(model, "predict"):
        raise UnsupportedEnsembleError(f"The ensemble must be a classifier made of trees, got {model!r}.")
    if isinstance(model, BaseEstimator) and is_regressor(model):
        raise UnsupportedEnsembleError(f"Not supported: {name} is a regressor. Pass a classifier instead.")
    if wanted is not None:
        if not wanted.accepts(model):
            raise UnsupportedEnsembleError(
                f"The adapter {wanted!r} does not read a {name}. Use adapter=None to choose one automatically."
            )
        return wanted
    for adapter in _adapters():
        if adapter.accepts(model):
            return adapter
    raise UnsupportedEnsembleError(_unreadable(model))


def is_read(model: Any) -> bool:
    """Whether a registered adapter accepts the model."""
    return any(adapter.accepts(model) for adapter in _adapters())


def _unreadable(model: Any) -> str:
    """Why a model is not supported, and what to pass instead: one of the ensembles in it, if there is one."""
    kind = type(model)
    for attribute in ("best_estimator_", "estimator_", "estimators_", "estimator"):
        inner = getattr(model, attribute, None)
        if isinstance(inner, list) and inner:
            inner, attribute = inner[0], f"{attribute}[0]"
        if hasattr(inner, "predict") and is_read(unwrapped(inner)):
            return (
                f"Not supported: a {kind.__name__}, whose answer is no average of trees. Pass an ensemble in it, such "
                f"as its {attribute}."
            )
    return (
        f"Not supported: {kind.__module__}.{kind.__name__} is not known to be made of trees. Pass a tree ensemble, "
        "such as a RandomForestClassifier, or register an adapter for this model."
    )


def _adapters() -> Iterator[Adapter]:
    """The registered adapters, in order."""
    registry = plugins().registry
    for component in registry.of_kind("adapter"):
        yield registry.create("adapter", component.name)


def allows_missing(model: Any) -> bool:
    """Whether a model accepts missing values; models outside scikit-learn are expected to reject them themselves."""
    return not isinstance(model, BaseEstimator) or bool(get_tags(model).input_tags.allow_nan)


def fitted_clone(
    model: Any,
    adapter: Adapter,
    X: Any,
    y: LabelArray,
    held_back: BoolArray | None = None,
    seed: int | None = None,
    weights: FloatArray | None = None,
) -> Any:
    """A clone of a model, fitted on the samples that are not held back; with this seed if it has none of its own.

    `weights` are passed to the `fit` of the model, or of the last step of a pipeline, as `sample_weight`.
    """
    fit_parameters = {} if weights is None else {_weight_parameter(model): weights}
    if held_back is not None:
        rows = np.flatnonzero(~held_back)
        X, y = _safe_indexing(X, rows), y[rows]
        fit_parameters = {name: values[rows] for name, values in fit_parameters.items()}
    labels = np.unique(y, return_inverse=True)[1] if adapter.integer_labels else y
    own = unfitted_copy(model, seed)
    transformer, ensemble = without_steps(own)
    if transformer is None:
        adapter.check_table(ensemble, X)
    if not adapter.integer_labels:
        adapter.check_classes(ensemble, np.unique(y))
    # Values too large for float32 overflow before the library raises its own error, which names them.
    with reading_numbers(), library_errors(own):
        return own.fit(X, labels, **fit_parameters)


def _weight_parameter(model: Any) -> str:
    """The parameter by which the `fit` of a model takes sample weights; raise if there is none."""
    if has_samplers(model):
        raise WeightsNotSupportedError(
            "Not supported: weights with an unfitted pipeline that has samplers, because these draw other samples. Fit "
            "it first, and pass it fitted: the weights then act on the rules alone."
        )
    step, last = (f"{model.steps[-1][0]}__", model[-1]) if isinstance(model, Pipeline) else ("", model)
    inner = getattr(last, "estimator", None)
    # A `CalibratedClassifierCV` would calibrate with weights what a pipeline has learnt without.
    passes_on = not isinstance(inner, Pipeline) or get_config()["enable_metadata_routing"]
    if not passes_on or not has_fit_parameter(unwrapped(last), "sample_weight"):
        of_what = "" if passes_on else " for the pipeline in it"
        raise WeightsNotSupportedError(
            f"Not supported: weights with an unfitted {type(unwrapped(last)).__name__}, whose fit takes no "
            f"sample_weight{of_what}. Fit it first, and pass it fitted: the weights then act on the rules alone."
        )
    return f"{step}sample_weight"


def unfitted_copy(model: Any, seed: int | None = None) -> Any:
    """A copy of a model that can be fitted anew; with this seed if it has none of its own."""
    # CatBoost changes its own parameters, which scikit-learn's clone treats as an error.
    own = clone(model) if isinstance(model, BaseEstimator) else copy.deepcopy(model)
    if seed is not None and isinstance(own, BaseEstimator) and own.get_params().get("random_state", seed) is None:
        own.set_params(random_state=seed)
    return own


@contextmanager
def library_errors(model: Any) -> Iterator[None]:
    """Raise the errors of a library that are of its own class, or no `ValueError`, as an `UnsupportedDataError`."""
    try:
        yield
    except (MemoryError, RulekitError):
        raise
    except Exception as error:
        # XGBoost's own class is a `ValueError`, and its messages end with a stack trace.
        if isinstance(error, ValueError | TypeError) and type(error).__name__ != "XGBoostError":
            raise
        message = str(error).partition("\nStack trace")[0]
        raise UnsupportedDataError(
            f"The {type(model).__name__} rejects these samples: {type(error).__name__}: {message}. Check the types of "
            "columns and labels, and the parameters of the ensemble."
        ) from error


def check_readable(model: Any, X: Any) -> None:
    """Raise if the library of a model cannot read a table; some libraries end the process instead of raising.

    Nothing is checked for a pipeline, whose first step reads the table, and for a model that no adapter reads.
    """
    transformer, ensemble = without_steps(unwrapped(model))
    if transformer is None:
        adapter = next((each for each in _adapters() if each.accepts(ensemble)), None)
        if adapter is not None:
            adapter.check_table(ensemble, X)


def read_forest(model: Any, adapter: Adapter, table: Any, y: LabelArray, was_fitted: bool) -> Forest:
    """The model's forest, with labels of classes and categories that the model itself does not store."""
    if was_fitted:
        adapter.check_categories_of(model, table)
    forest = adapter.with_categories_of(model, table).forest(model)
    if adapter.integer_labels and not was_fitted:
        # It was fitted on class indices.
        forest = attrs.evolve(forest, classes=np.unique(y))
    # CatBoost orders the labels "9" and "10" as numbers; scikit-learn's metrics expect them sorted as strings.
    forest = forest.with_sorted_classes()
    # Any other model treats category labels as numbers, or rejects them.
    return with_labels_of(forest, table) if adapter.takes_categories(model) else forest


def transformed(transformer: Any, table: Any) -> Any:
    """A table transformed by the steps of a pipeline before its ensemble; the table itself if there are none."""
    if transformer is None:
        return table
    check_whole(table)
    with reading_numbers():
        result = transformer.transform(table)
    return result.toarray() if hasattr(result, "toarray") else result


def dense(steps: Any, table: Any, *, absent_is_missing: bool) -> tuple[Any, Any]:
    """Steps of a pipeline that return no sparse matrix, and a table transformed by them; (None, table) without steps.

    Parameters
    ----------
    steps : fitted Pipeline or None
    table : array or data frame of shape (n_samples, n_features)
    absent_is_missing : bool
        Whether the ensemble after them takes what a sparse matrix does not store for a missing value.
    """
    if steps is None or not absent_is_missing:
        return steps, transformed(steps, table)
    check_whole(table)
    with reading_numbers():
        found = steps.transform(table)
    if not hasattr(found, "toarray"):
        return steps, found
    step = AbsentAsMissing()
    return Pipeline([*steps.steps, ("absent-as-missing", step)]), step.transform(found)


def names_after(transformer: Any, names: list[str] | None, table: Any) -> list[str] | None:
    """Names of the columns that the ensemble gets, after the steps of a pipeline, as far as they are known."""
    if transformer is None:
        return names
    try:
        found = transformer.get_feature_names_out(names)
    except (AttributeError, ValueError):  # a step that does not name its columns
        found = _get_feature_names(table)
    # Steps that do nothing return the names that they get, which may be None.
    return [f"x{column}" for column in range(table.shape[1])] if found is None else [str(name) for name in found]


def with_labels_of(forest: Forest, table: Any) -> Forest:
    """The forest with category labels of a table's columns where the model itself does not store them."""
    return attrs.evolve(forest, categories={**labels_of_frame(table), **forest.categories})


def check_belongs(forest: Forest, model: Any, n_features: int, feature_names: Sequence[str] | None) -> None:
    """Raise unless the model was trained on the same columns."""
    name = type(model).__name__
    if forest.n_features != n_features:
        raise EnsembleMismatchError(
            f"The {name} was trained on {forest.n_features} features, but X has {n_features}. "
            "Pass the data it was trained on, or an unfitted ensemble."
        )
    trained_on = known_names(model)
    if trained_on is None or feature_names is None:
        return
    # LightGBM replaces blanks in names by underscores.
    pairs = zip(trained_on, map(str, feature_names), strict=True)
    differing = [(own, other) for own, other in pairs if own.replace(" ", "_") != other.replace(" ", "_")]
    if differing:
        own, other = differing[0]
        raise EnsembleMismatchError(
            f"The {name} was trained on different columns: it expects {own!r} where X has {other!r}. "
            "Pass the columns it was trained on, in the same order, or an unfitted ensemble."
        )


def check_one_kind_of_split(forest: Forest, model: Any) -> None:
    """Raise if a feature is compared with thresholds in some nodes and looked up in sets of categories in others."""
    mixed = sorted(forest.set_features & forest.threshold_features)
    if mixed:
        raise UnsupportedEnsembleError(
            f"Not supported: the {type(model).__name__} treats column {mixed[0] + 1} as categories in some trees and "
            "as numbers in others, as after training that continued with other categorical columns. Train all trees "
            "with the same categorical columns instead."
        )


def known_names(model: Any) -> list[str] | None:
    """Names of the columns that a model was trained on, if it stores them."""
    names = getattr(model, "feature_names_in_", None)
    if names is None and hasattr(model, "get_cat_feature_indices"):  # CatBoost, which numbers the columns of arrays
        own = getattr(model, "feature_names_", None)
        names = None if own == [str(position) for position in range(len(own or ()))] else own
    elif names is None and not hasattr(model, "fit"):
        names = getattr(model, "feature_names", None) or getattr(model, "feature_name", lambda: None)()
    return None if names is None else [str(name) for name in names]


def class_indices(forest: Forest, model: Any, y: LabelArray) -> IntArray:
    """Index of every label among the forest's classes, of shape (n_samples,); raise for an unknown label."""
    indices, unknown = indices_among(y, forest.classes)
    if unknown:
        raise EnsembleMismatchError(
            f"y has classes that the {type(model).__name__} was not trained on: {sorted(unknown)[:5]!r}; it knows "
            f"{forest.classes.tolist()[:10]!r}. Pass the labels it was trained with, or an unfitted ensemble."
        )
    return indices


def as_numbers(
    forest: Forest, table: Any, model: Any, numbers: FloatArray | None, *, checks_labels: bool = True
) -> FloatArray:
    """The samples as the forest's trees compare them, of shape (n_samples, n_features).

    `numbers` are the values of the table if they are validated already; only categories need to be encoded then.
    `checks_labels` is False for some rows of a larger table, which need not have any category that the model knows.
    """
    names = column_names(table)
    check_encoded(model, table, forest.categories)
    unclear = [feature for feature, labels in forest.categories.items() if any(map(is_missing, labels))]
    if unclear:
        column = names[unclear[0]] if names else unclear[0] + 1
        raise EnsembleMismatchError(
            f"The {type(model).__name__} treats None in the column {column!r} as a category, but rules treat it as a "
            "missing value. Replace it by a string, or by NaN, which both treat as a missing value."
        )
    if forest.categories and forest.missing_value is not None and forest.missing_value >= 0:
        raise EnsembleMismatchError(
            f"Not supported: {forest.missing_value:g} as a missing value beside columns of category labels, because "
            f"the {type(model).__name__} compares their codes with it. Use NaN in the data and train with missing=nan "
            "instead."
        )
    check_categories(forest.categories, names)
    categories = Categories(forest.categories, forest.unknown_as_missing, forest.missing_value, forest.input_dtype)
    if numbers is None or forest.categories:
        check_no_dates(table)
        encoded = categories.encode(table) if forest.categories else table
        if checks_labels:
            _check_known(forest, table, encoded, model)
        numbers = np.asarray(check_array(encoded, dtype=np.float64, ensure_all_finite="allow-nan"))
    return categories.mark_missing(numbers)


def check_encoded(model: Any, table: Any, encoded: Container[int]) -> None:
    """Raise if a table has columns that are neither numeric nor among those that the model encodes."""
    names = column_names(table)
    unread = [repr(names[column]) for column in categorical_columns(table) if column not in encoded]
    if unread:
        raise EnsembleMismatchError(
            f"The columns {', '.join(unread)} are not numeric, and the {type(model).__name__} does not define "
            "how to encode them. Encode them as numbers, or use an ensemble that supports categories."
        )


def recognised_features(forest: Forest, table: Any, codes: FloatArray) -> tuple[frozenset[int], frozenset[int]]:
    """Categorical features with a value that is a category of the model, and those with values, none of which is one.

    Parameters
    ----------
    forest : Forest
    table : array or data frame of shape (n_samples, n_features)
    codes : ndarray of shape (n_samples, n_features)
        The same samples, categories as codes.
    """
    named = [feature for feature, labels in forest.categories.items() if labels]
    recognised = {feature for feature in named if (codes[:, feature] >= 0).any()}
    others = [feature for feature in named if feature not in recognised]
    return frozenset(recognised), frozenset(feature for feature in others if len(_present(table, feature)))


def _present(table: Any, feature: int) -> list[Any]:
    """The values of a column that are not missing."""
    return [value for value in np.asarray(column_of(table, feature)).tolist() if not is_missing(value)]


def _check_known(forest: Forest, table: Any, encoded: Any, model: Any) -> None:
    """Raise if no value of a categorical column is a known label, as if codes were passed instead of labels."""
    _, unrecognised = recognised_features(forest, table, encoded)
    for feature in sorted(unrecognised):
        raise EnsembleMismatchError(
            f"No value of column {feature + 1} is a category of the {type(model).__name__}: it knows "
            f"{short(list(forest.categories[feature]))}, but X has {short(_present(table, feature)[0])}. Pass the "
            "labels that it was trained on."
        )


def features_with_missing(X: FloatArray, forest: Forest, model: Any) -> frozenset[int]:
    """Features that have, or may come to have, missing values; raise if the trees do not define where these go."""
    missing = np.flatnonzero(np.isnan(X).any(axis=0)).tolist()
    if missing and not forest.handles_missing:
        raise ValueError(
            f"X has missing values, but the {type(model).__name__} does not define where they go. Impute them, or use "
            "an ensemble that supports missing values."
        )
    # A library that treats unseen categories as missing values defines where these go even if none was missing.
    unseen = forest.categories if forest.unknown_as_missing else ()
    return frozenset([*missing, *unseen])
