"""scikit-learn: gradient boosting over histograms, with missing values and categories."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rulekit.adapters.boosting import BoostingAdapter
from rulekit.core.arrays import FloatArray, IntArray, LabelArray
from rulekit.core.column_types import check_column_types
from rulekit.core.errors import EnsembleMismatchError, UnsupportedDataError, UnsupportedEnsembleError
from rulekit.core.forest import CategorySplit, Forest, Link, Tree, to_probabilities
from rulekit.core.interfaces import derives_from
from rulekit.core.validation import column_names, column_of, is_missing, labels_of_frame

Categories = dict[int, tuple[Any, ...]]


class SklearnHistGradientBoostingAdapter(BoostingAdapter):
    """Reads `HistGradientBoostingClassifier`, with two classes or more, missing values and categorical features.

    Parameters
    ----------
    scores : {"raw", "shrunken"}, default="raw"
        Whether the rules' priors come from leaf scores before or after the learning rate is applied.
    """

    reads_categories: ClassVar[bool] = True

    def accepts(self, model: Any) -> bool:
        """Whether the model is scikit-learn's `HistGradientBoostingClassifier` or inherits from it."""
        return derives_from(model, "sklearn", frozenset({"HistGradientBoostingClassifier"}))

    def check_table(self, model: Any, X: Any) -> None:
        """Raise for columns without values, and for columns that the model reads neither as numbers nor categories."""
        if getattr(model, "categorical_features", None) in (None, "from_dtype"):
            advice = "Convert decimals to floats, and strings to categories."
            check_column_types(X, type(model).__name__, ("number", "category"), advice)
        is_fitted = hasattr(model, "n_features_in_")  # a fitted model knows what to do with them
        empty = [column for column in range(np.shape(X)[1]) if not is_fitted and _is_empty(column_of(X, column))]
        if empty:
            names = column_names(X)
            name = repr(str(names[empty[0]])) if names else empty[0] + 1
            raise UnsupportedDataError(
                f"Column {name} of X has no values, which {type(model).__name__} does not support. Drop it."
            )

    def with_categories_of(self, model: Any, table: Any) -> Self:
        """Return the adapter itself, as models store labels; raise for categories that the model treats as numbers."""
        own = _categories(model)
        others = [str(column_names(table)[position]) for position in labels_of_frame(table) if position not in own]
        if others:
            raise EnsembleMismatchError(
                f"The {type(model).__name__} treats the categories in {', '.join(map(repr, others))} as numbers. "
                "Pass numbers (in pandas: astype(float)), or fit it with categorical_features='from_dtype'."
            )
        return self

    def forest(self, model: Any) -> Forest:
        """Describe the trees, the score that boosting starts from, and the categories by their codes.

        scikit-learn has no public access to these trees.
        """
        check_is_fitted(model)
        _check_supported(model)
        columns, categories = _user_columns(model), _categories(model)
        initial = np.array(model._baseline_prediction[0], dtype=np.float64)
        # The stored scores have been multiplied by the learning rate.
        shrinkage = model.learning_rate if self._uses_raw_scores else 1.0

        def read(predictor: Any, position: int, class_index: int) -> Tree:
            scores = predictor.nodes["value"][:, None] * np.eye(len(initial))[class_index]
            # The initial score belongs to the first trees only.
            start = initial if position == 0 else np.zeros_like(initial)
            priors = to_probabilities(start + scores / shrinkage, _link(initial))
            return _read_tree(predictor, scores, priors, columns, categories)

        return Forest(
            rounds=tuple(
                tuple(read(predictor, position, class_index) for class_index, predictor in enumerate(predictors))
                for position, predictors in enumerate(model._predictors)
            ),
            classes=model.classes_,
            n_features=model.n_features_in_,
            link=_link(initial),
            initial_scores=initial,
            input_dtype=np.float64,
            handles_missing=True,
            categories=categories,
            unknown_as_missing=True,
        )

    def accepts_regressor(self, model: Any) -> bool:
        """Whether the model is scikit-learn's `HistGradientBoostingRegressor` or inherits from it."""
        return derives_from(model, "sklearn", frozenset({"HistGradientBoostingRegressor"}))

    def regression_forest(self, model: Any) -> Forest:
        """Describe the trees, the number that boosting starts from, and the categories by their codes."""
        check_is_fitted(model)
        loss = type(model._loss.link).__name__
        if loss != "IdentityLink":
            raise UnsupportedEnsembleError(
                f"Not supported: the {type(model).__name__} was fitted with loss={model.loss!r}, whose trees add up to "
                "the logarithm of the prediction. Fit it with loss='squared_error', 'absolute_error' or 'quantile'."
            )
        columns, categories = _user_columns(model), _categories(model)

        def read(predictor: Any) -> Tree:
            values = predictor.nodes["value"][:, None].astype(np.float64)
            return _read_tree(predictor, values, np.empty((len(values), 0)), columns, categories)

        return Forest(
            rounds=tuple((read(predictor),) for (predictor,) in model._predictors),
            classes=np.empty(0),
            n_features=model.n_features_in_,
            link="identity",
            initial_scores=np.array(model._baseline_prediction, dtype=np.float64).reshape(1),
            input_dtype=np.float64,
            handles_missing=True,
            categories=categories,
            unknown_as_missing=True,
        )


def _is_empty(column: Any) -> bool:
    """Whether all values of a column are missing."""
    return all(map(is_missing, np.asarray(column).tolist()))


def _link(initial: FloatArray) -> Link:
    return "logistic" if len(initial) == 1 else "softmax"


def _user_columns(model: Any) -> IntArray:
    """The user's column behind each column that the trees see: categorical features are moved to the front."""
    if model.is_categorical_ is None:
        return np.arange(model.n_features_in_)
    return np.argsort(~np.asarray(model.is_categorical_, dtype=bool), kind="stable")


def _categories(model: Any) -> Categories:
    """Values of each categorical column by code; scikit-learn encodes every such column, numeric ones included."""
    if model.is_categorical_ is None:
        return {}
    encoder = model._preprocessor.named_transformers_["encoder"]
    columns = np.flatnonzero(model.is_categorical_).tolist()
    return {column: _labels(known) for column, known in zip(columns, encoder.categories_, strict=True)}


def _labels(known: LabelArray) -> tuple[Any, ...]:
    """Categories as Python objects, as a column of a data frame returns them; this includes dates."""
    import pandas as pd

    labels = pd.Index(known, dtype=object).tolist()
    # The encoder lists a missing value as its last category; to the trees it is not a category.
    return tuple(label for label in labels if not (isinstance(label, float) and np.isnan(label)))


def _read_tree(
    predictor: Any, values: FloatArray, priors: FloatArray, columns: IntArray, categories: Categories
) -> Tree:
    nodes = predictor.nodes
    is_leaf = nodes["is_leaf"].astype(bool)
    is_categorical = nodes["is_categorical"].astype(bool)
    features = np.where(is_leaf, -1, columns[np.where(is_leaf, 0, nodes["feature_idx"])])
    split = np.flatnonzero(is_categorical)
    n_categories = [len(categories[feature]) for feature in features[split].tolist()]
    return Tree(
        features=features,
        # A split that only separates missing from present values has an infinite threshold, also on a feature with one
        # category.
        thresholds=np.where(is_leaf | is_categorical, 0.0, nodes["num_threshold"]),
        left=nodes["left"].astype(np.int64),
        right=nodes["right"].astype(np.int64),
        values=values,
        priors=priors,
        missing_left=nodes["missing_go_to_left"].astype(bool),
        category_splits=_category_splits(predictor, split, n_categories),
    )


def _category_splits(predictor: Any, split: IntArray, n_categories: list[int]) -> dict[int, CategorySplit]:
    """The codes that go left at each node that looks them up, from bitsets of eight 32-bit words."""
    words = predictor.raw_left_cat_bitsets[predictor.nodes["bitset_idx"][split]]
    bits = np.unpackbits(words.astype("<u4").view(np.uint8), axis=1, bitorder="little")
    # A node that only separates missing values has no bitset of its own and refers to the tree's first, which may
    # contain more codes than this feature has.
    return {
        node: CategorySplit(frozenset(np.flatnonzero(row[:most]).tolist()))
        for node, row, most in zip(split.tolist(), bits, n_categories, strict=True)
    }


def _check_supported(model: Any) -> None:
    """Raise for a model whose scores are not log-odds, or that has fewer labels than probabilities."""
    if len(model.classes_) == 1:
        raise UnsupportedEnsembleError(
            f"The HistGradientBoostingClassifier was fitted on one class only, {model.classes_.tolist()[0]!r}, "
            "but predicts probabilities of two. Fit it on data with at least two classes."
        )
    loss = type(model._loss).__name__
    if loss not in ("HalfBinomialLoss", "HalfMultinomialLoss"):
        raise UnsupportedEnsembleError(
            f"The HistGradientBoostingClassifier was fitted with the loss {loss}, whose scores cannot be turned into "
            "the priors of rules. Fit it with loss='log_loss'."
        )
