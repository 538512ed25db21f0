"""LightGBM: gradient boosting, DART and random forests, with missing values and categories."""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from rulekit.adapters.boosting import BoostingAdapter, at_column
from rulekit.adapters.lightgbm_categories import read_categories
from rulekit.adapters.lightgbm_loss import Loss, check_adds_up
from rulekit.adapters.lightgbm_model_string import StoredModel, StoredTree
from rulekit.adapters.lightgbm_start import Start, starts
from rulekit.adapters.lightgbm_tree import read_tree
from rulekit.core.arrays import FloatArray, LabelArray
from rulekit.core.column_types import Kind, check_column_types, column_types, library_of, reject_columns
from rulekit.core.errors import UnfittedEnsembleError, UnsupportedEnsembleError
from rulekit.core.forest import Forest, Link, Tree, to_probabilities
from rulekit.core.interfaces import derives_from
from rulekit.core.validation import labels_of_frame


class LightGBMAdapter(BoostingAdapter):
    """Reads LightGBM's `LGBMClassifier` and `Booster` with the objectives "binary" and "multiclass".

    Predictions are exact for floating-point samples: values are compared in double precision, values close to zero
    (up to 1e-35) count as zero, and missing values go where LightGBM sends them. (LightGBM itself rounds integer arrays
    to single precision and truncates the decimals of category codes; neither is done here.)

    The priors need the score that boosting starts from and the learning rate of the first tree, which LightGBM does
    not store. They are recovered from that tree:

    - exactly, if all samples weigh the same and the first tree saw all of them, also with `scale_pos_weight` or
      `is_unbalance`;
    - to six digits or more on a sample of such samples (`bagging_fraction`, random forests), fewer if the fraction
      of a class is close to one half;
    - to six digits or more with sample weights, if the first tree saw all samples;
    - only approximately with sample weights on a subset of the samples: the error is the difference between the class
      fractions of the subset and of all samples;
    - not at all if class weights are combined with sample weights, `path_smooth`, `max_delta_step`, or a `lambda_l1`
      that sets most leaves to zero: the best constant after one step is used instead.

    If the learning rate changed during training, the rate of the second tree or of the last one is used for the first.
    A model that was trained on given initial scores with learning rate 1 is treated as if it started from a constant.

    Parameters
    ----------
    scores : {"raw", "shrunken"}, default="raw"
        Whether the rules' priors come from leaf scores before or after the learning rate is applied.
    category_columns : sequence of int, optional
        Positions of the columns that had pandas' type `category` in training: LightGBM stores their labels, but not
        where they belong. `with_categories_of` takes them from a table. By default they are inferred from the model;
        if a numeric column may be an ordered category as well, that is not possible, and samples must hold codes.
    """

    reads_categories: ClassVar[bool] = True

    def __init__(
        self, scores: Literal["raw", "shrunken"] = "raw", category_columns: Sequence[int] | None = None
    ) -> None:
        super().__init__(scores)
        self.category_columns = category_columns

    def accepts(self, model: Any) -> bool:
        """Whether the model is LightGBM's `LGBMClassifier` or `Booster` or inherits from one."""
        return derives_from(model, "lightgbm", frozenset({"LGBMClassifier", "Booster"}))

    def check_table(self, model: Any, X: Any) -> None:
        """Raise for columns that LightGBM does not read; it ends the process if they are in polars or Arrow tables."""
        is_pandas = library_of(X) == "pandas"
        kinds: tuple[Kind, ...] = ("number", "category") if is_pandas else ("number",)
        advice = (
            "Convert decimals to floats and strings to categories. It reads categories from pandas frames only: pass "
            "X.to_pandas()."
        )
        check_column_types(X, "LightGBM", kinds, advice)
        backed = [each for each in column_types(X) if is_pandas and each.spelled.endswith("[pyarrow]")]
        reject_columns(backed, X, "LightGBM", "Convert them to NumPy's types first, such as by astype('float64').")

    def with_categories_of(self, model: Any, table: Any) -> Self:
        """A copy of this adapter that assigns the model's labels to the categorical columns of a pandas frame.

        LightGBM does the same when it predicts. In any other table it expects numbers, and this adapter is returned.

        Parameters
        ----------
        model : fitted LGBMClassifier or Booster
        table : DataFrame or array of shape (n_samples, n_features)
        """
        if not hasattr(table, "iloc"):
            return self
        return clone(self).set_params(category_columns=list(labels_of_frame(table)))

    def forest(self, model: Any) -> Forest:
        """Describe the trees that the model predicts with: after early stopping, those up to the best iteration.

        In boosting, the initial score belongs to the first trees only. The trees of a random forest are averaged, not
        added, and each of them starts from it: it belongs to all of them.
        """
        booster = _booster(model)
        stored = StoredModel.of(booster)
        _check_trees(stored, model)
        loss = Loss.of(stored, booster)
        classes = _classes(model, loss)
        per_round = stored.trees_per_round
        # LightGBM divides the sum over the trees; here each leaf is divided.
        unit = loss.sigmoid * per_round / len(stored.trees) if stored.is_averaged else loss.sigmoid
        link: Link = "softmax" if loss.is_softmax else "logistic"
        categories = read_categories(stored, booster, self.category_columns)
        n_labels = {feature: len(labels) for feature, labels in categories.items()}
        begun = starts(stored, loss)
        trees = []
        for position, tree in enumerate(stored.trees):
            column = position % per_round
            of_round = begun[position - column :][:per_round]
            priors = to_probabilities(loss.sigmoid * self._scores(tree.values, of_round, column), link)
            trees.append(read_tree(tree, unit * at_column(tree.values, column, per_round), priors, position, n_labels))
        return Forest(
            rounds=tuple(tuple(trees[start : start + per_round]) for start in range(0, len(trees), per_round)),
            classes=classes,
            n_features=stored.n_features,
            link=link,
            # LightGBM has no separate initial score: its first trees include it.
            initial_scores=np.zeros(per_round),
            input_dtype=np.float64,
            handles_missing=True,
            categories=categories,
            # LightGBM turns a label that it has not seen into NaN. That matters only where codes are compared: neither
            # NaN nor an unseen code is in a set.
            unknown_as_missing=stored.compares(categories),
        )

    def accepts_regressor(self, model: Any) -> bool:
        """Whether the model is LightGBM's `LGBMRegressor` or `Booster` or inherits from one."""
        return derives_from(model, "lightgbm", frozenset({"LGBMRegressor", "Booster"}))

    def regression_forest(self, model: Any) -> Forest:
        """Describe the trees that the model predicts with, which include the number that boosting starts from."""
        booster = _booster(model)
        stored = StoredModel.of(booster)
        _check_trees(stored, model)
        check_adds_up(stored)
        unit = 1 / len(stored.trees) if stored.is_averaged else 1.0
        categories = read_categories(stored, booster, self.category_columns)
        n_labels = {feature: len(labels) for feature, labels in categories.items()}

        def read(tree: StoredTree, position: int) -> Tree:
            return read_tree(tree, unit * tree.values[:, None], np.empty((len(tree.values), 0)), position, n_labels)

        return Forest(
            rounds=tuple((read(tree, position),) for position, tree in enumerate(stored.trees)),
            classes=np.empty(0),
            n_features=stored.n_features,
            link="identity",
            initial_scores=np.zeros(1),
            input_dtype=np.float64,
            handles_missing=True,
            categories=categories,
            unknown_as_missing=stored.compares(categories),
        )

    def _scores(self, values: FloatArray, begun: list[Start], column: int) -> FloatArray:
        """Scores of the leaves of one class's tree, with the starts of its round; of shape (n_leaves, n_values)."""
        is_raw = self._uses_raw_scores
        scores = np.tile([start.score if is_raw else start.shrunken for start in begun], (len(values), 1))
        scores[:, column] = begun[column].raw(values) if is_raw else values
        return scores


def _booster(model: Any) -> Any:
    """The trained booster of a model."""
    if derives_from(model, "lightgbm", frozenset({"Booster"})):
        return model
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise UnfittedEnsembleError(
            f"The {type(model).__name__} is not fitted. Fit it before extracting rules from it."
        ) from None
    if model.get_params().get("pred_early_stop"):
        raise UnsupportedEnsembleError(
            f"The {type(model).__name__} has pred_early_stop=True, so it skips different trees for different samples, "
            "which rules cannot express. Call set_params(pred_early_stop=False); the trees stay the same."
        )
    return model.booster_


def _check_trees(stored: StoredModel, model: Any) -> None:
    """Raise for a booster without trees."""
    if not stored.trees:
        raise UnfittedEnsembleError(f"The {type(model).__name__} has no trees. Train it for at least one round.")


def _classes(model: Any, loss: Loss) -> LabelArray:
    """Labels of a classifier; class indices for a booster, which has no labels."""
    classes = np.asarray(getattr(model, "classes_", np.arange(loss.n_classes)))
    if len(classes) != loss.n_classes:
        raise UnsupportedEnsembleError(
            f"The {type(model).__name__} predicts probabilities of {loss.n_classes} classes but was fitted on only "
            f"{len(classes)} of them: {classes.tolist()!r}. Fit it on data with all of them."
        )
    return classes
