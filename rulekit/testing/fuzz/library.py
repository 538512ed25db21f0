"""What a library itself answers: class probabilities, and the leaf that each sample reaches in each tree."""

import copy
import warnings
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import expit, softmax
from sklearn.utils import check_array

from rulekit.adapters.xgboost_categories import are_identified_by, category_labels, truncated_labels
from rulekit.adapters.xgboost_document import model_document, stored_trees
from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.interfaces import derives_from
from rulekit.core.validation import labels_of_frame

#: The number that stands for a missing value: a booster of XGBoost does not store it.
Missing = float


def library_probabilities(model: Any, X: Any, missing: Missing = np.nan) -> FloatArray:
    """The class probabilities of a fitted model, of shape (n_samples, n_classes).

    Boosters return one probability for two classes, and `binary:logitraw` of XGBoost log-odds: both are converted.
    """
    if derives_from(model, "xgboost", frozenset({"Booster", "XGBClassifier"})):
        _check_labels_are_known(model, X)
    if derives_from(model, "xgboost", frozenset({"Booster"})):
        return _from_margins(model.predict(_matrix(X, missing), output_margin=True))
    if derives_from(model, "xgboost", frozenset({"XGBClassifier"})) and model.objective == "binary:logitraw":
        return _from_margins(model.predict(X, output_margin=True))
    if derives_from(model, "lightgbm", frozenset({"Booster"})):
        predicted = np.asarray(model.predict(X))
        return np.column_stack([1 - predicted, predicted]) if predicted.ndim == 1 else predicted
    with warnings.catch_warnings():
        # LightGBM names the columns of an array and then misses the names.
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return np.asarray(model.predict_proba(X), dtype=np.float64)


def _check_labels_are_known(model: Any, X: Any) -> None:
    """Raise for labels of categories that XGBoost has not seen in training, as it should do itself.

    XGBoost 3.1 and 3.2 raise only if the label follows all known ones in their order; any other is taken for the known
    label that follows it. Labels with characters beyond ASCII are truncated: in another order they become others.
    """
    given = labels_of_frame(X)
    trees = stored_trees(model_document(model)) if given else {}
    known, truncated = category_labels(trees), truncated_labels(trees)
    for feature, labels in given.items():
        unseen = [label for label in labels if feature in known and label not in known[feature]]
        if unseen:
            raise ValueError(f"XGBoost has not seen the label {unseen[0]!r} of column {feature + 1} in training.")
        if feature in truncated and not are_identified_by(labels, truncated[feature]):
            raise ValueError(f"XGBoost mistakes labels of column {feature + 1} beyond ASCII for others.")


def library_leaves(model: Any, X: Any, missing: Missing = np.nan) -> list[IntArray] | None:
    """A number for the leaf that each sample reaches, of shape (n_samples,), for each tree in the forest's order.

    None for a model that does not say. Any model with scikit-learn's `apply` does.
    """
    for (package, name), leaves in LEAVES.items():
        if derives_from(model, package, frozenset({name})):
            return leaves(model, X, missing)
    if not hasattr(model, "apply"):
        return None
    reached = np.asarray(model.apply(X))
    return list(reached.reshape(len(reached), -1).T.astype(np.int64))


def _from_margins(margins: Any) -> FloatArray:
    scores = np.asarray(margins, dtype=np.float64)
    return np.asarray(softmax(scores, axis=1)) if scores.ndim == 2 else np.column_stack([expit(-scores), expit(scores)])


def _matrix(X: Any, missing: Missing) -> Any:
    from xgboost import DMatrix  # type: ignore[import-not-found, import-untyped, unused-ignore]

    return DMatrix(X, missing=missing, enable_categorical=True)


def _xgboost_leaves(model: Any, X: Any, missing: Missing) -> list[IntArray]:
    is_booster = not hasattr(model, "get_booster")
    leaves = model.predict(_matrix(X, missing), pred_leaf=True) if is_booster else model.apply(X)
    leaves = np.asarray(leaves).reshape(len(leaves), -1).T.astype(np.int64)
    order = xgboost_order(model)
    return [leaves[position] for position in order if position < len(leaves)]


def xgboost_order(model: Any) -> list[int]:
    """Positions of the trees of a classifier or booster in the order of the forest.

    XGBoost lists parallel trees by class first, a forest by parallel tree first.
    """
    stored = stored_trees(model_document(model))
    classes, order = np.array(stored["tree_info"]), []
    for start, stop in pairwise(stored["iteration_indptr"]):
        n_parallel = np.count_nonzero(classes[start:stop] == 0)
        order += np.arange(start, stop).reshape(-1, n_parallel).T.ravel().tolist()
    return order


def _lightgbm_leaves(model: Any, X: Any, _: Missing) -> list[IntArray]:
    booster = getattr(model, "booster_", model)
    return list(np.asarray(booster.predict(X, pred_leaf=True)).reshape(len(X), -1).T.astype(np.int64))


def _catboost_leaves(model: Any, X: Any, _: Missing) -> list[IntArray]:
    return list(np.asarray(model.calc_leaf_indexes(X)).T.astype(np.int64))


def _numbers(X: Any) -> FloatArray:
    """The array that scikit-learn passes to the trees of an ensemble; it recognises pandas' missing values."""
    return np.asarray(check_array(X, dtype=np.float64, ensure_all_finite=False))


def _bagging_leaves(model: Any, X: Any, _: Missing) -> list[IntArray]:
    array = _numbers(X)
    pairs = zip(model.estimators_, model.estimators_features_, strict=True)
    return [tree.apply(array[:, columns]) for tree, columns in pairs]


def _adaboost_leaves(model: Any, X: Any, _: Missing) -> list[IntArray]:
    return [tree.apply(_numbers(X)) for tree in model.estimators_]


def hist_gradient_boosting_leaves(model: Any, X: Any, _: Missing = np.nan) -> list[IntArray]:
    """The node that each sample ends in, for each tree: each node's score is replaced by its number."""
    prepared = model._preprocess_X(X, reset=False)
    known, positions = model._bin_mapper.make_known_categories_bitsets()
    reached = []
    for predictor in (predictor for predictors in model._predictors for predictor in predictors):
        numbered = copy.deepcopy(predictor)
        numbered.nodes["value"] = np.arange(len(numbered.nodes))
        reached.append(numbered.predict(prepared, known, positions, n_threads=1).astype(np.int64))
    return reached


#: How models are asked for their leaves, by package and class.
LEAVES = {
    ("sklearn", "HistGradientBoostingClassifier"): hist_gradient_boosting_leaves,
    ("sklearn", "BaggingClassifier"): _bagging_leaves,
    ("sklearn", "AdaBoostClassifier"): _adaboost_leaves,
    ("xgboost", "XGBClassifier"): _xgboost_leaves,
    ("xgboost", "Booster"): _xgboost_leaves,
    ("lightgbm", "LGBMClassifier"): _lightgbm_leaves,
    ("lightgbm", "Booster"): _lightgbm_leaves,
    ("catboost", "CatBoostClassifier"): _catboost_leaves,
}
