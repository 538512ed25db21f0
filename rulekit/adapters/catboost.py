"""CatBoost: gradient boosting over symmetric trees, with missing values and categories."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import clone

from rulekit.adapters.boosting import BoostingAdapter
from rulekit.adapters.catboost_categories import labels_in, named_categories
from rulekit.adapters.catboost_document import CatBoostDocument, read_document
from rulekit.adapters.catboost_trees import Node, grow, leaf_scores, neutral_tree, roots
from rulekit.core.arrays import LabelArray
from rulekit.core.column_types import column_types, library_of, reject_columns
from rulekit.core.errors import UnsupportedDataError, UnsupportedEnsembleError
from rulekit.core.forest import Forest, Link, Tree, to_probabilities
from rulekit.core.interfaces import derives_from

#: Losses whose scores become `predict_proba` by the logistic function or by softmax. One-vs-all is not among them: its
#: probabilities do not sum to one.
LINKS: Mapping[str, Link] = {
    "Logloss": "logistic",
    "CrossEntropy": "logistic",
    "Focal": "logistic",
    "MultiClass": "softmax",
}
#: Losses whose scores are the predicted numbers. Those of Poisson and Tweedie losses are logarithms.
NUMBERS = ("RMSE", "MAE", "Quantile", "MAPE", "Huber", "Expectile", "LogCosh", "Lq")


class CatBoostAdapter(BoostingAdapter):
    """Reads `CatBoostClassifier`; `catboost.to_classifier` makes one of a bare `CatBoost`.

    A symmetric tree uses the same splits on every path, even where the outcome is already known. Such splits are left
    out, and so are leaves that no sample can reach.

    Parameters
    ----------
    scores : {"raw", "shrunken"}, default="raw"
        Whether the rules' priors come from leaf scores before or after the learning rate is applied. Trees from
        an `init_model` are assumed to have had the same learning rate as the others.
    categories : mapping of str or int to sequence, optional
        The labels of categorical columns, by a column's name or position: CatBoost keeps only hashes of them.
        `with_categories_of` takes them from a table.
    """

    reads_categories: ClassVar[bool] = True

    def __init__(
        self,
        scores: Literal["raw", "shrunken"] = "raw",
        categories: Mapping[str | int, Sequence[Any]] | None = None,
    ) -> None:
        super().__init__(scores)
        self.categories = categories

    def accepts(self, model: Any) -> bool:
        """Whether the model is a `CatBoostClassifier` or inherits from it."""
        return derives_from(model, "catboost", frozenset({"CatBoostClassifier"}))

    def check_table(self, model: Any, X: Any) -> None:
        """Raise for an Arrow table, and for columns that CatBoost would read as numbers, or that end the process."""
        if library_of(X) == "pyarrow":
            raise UnsupportedDataError("CatBoost does not read pyarrow tables. Pass X.to_pandas().")
        categorical = _categorical_columns(model)
        plain = [each for each in column_types(X) if categorical.isdisjoint((each.position, each.name))]
        advice = "Convert decimals to floats; name columns of categories in cat_features."
        reject_columns([each for each in plain if each.kind != "number"], X, "CatBoost", advice)
        if library_of(X) == "polars":
            # CatBoost reads categories of polars if they are an Enum; a Categorical ends the process.
            read = [each for each in column_types(X) if each.kind == "category" and each.spelled.startswith("Enum")]
            others = [each for each in column_types(X) if each.kind not in ("number", "string") and each not in read]
            reject_columns(others, X, "CatBoost", "Convert them to strings.")

    def check_classes(self, model: Any, classes: LabelArray) -> None:
        """Raise for labels that CatBoost takes for missing ones, cannot encode, or rounds to single precision."""
        for label in classes.tolist():
            problem = _problem(label)
            if problem:
                raise UnsupportedDataError(
                    f"y has the label {label!r}, which CatBoost {problem}. Use other labels, such as non-empty strings."
                )

    def with_categories_of(self, model: Any, table: Any) -> Self:
        """A copy of this adapter that knows the labels in the categorical columns of a table.

        Parameters
        ----------
        model : fitted CatBoostClassifier
        table : DataFrame or array of shape (n_samples, n_features)
            It must contain every category that the model splits on, as the model's training data does.
        """
        columns = read_document(model).categorical_names
        return clone(self).set_params(categories={column: labels_in(table, column) for column in columns})

    def forest(self, model: Any) -> Forest:
        """Describe the trees, the score that boosting starts from, and the categories by their codes."""
        document = read_document(model)
        link, classes, initial = _link(document), np.asarray(model.classes_), document.bias
        _check_classes(document, link, classes)
        categories = named_categories(document, model, self.categories)
        shrinkage = document.learning_rate if self._uses_raw_scores else 1.0

        def read(root: Node, position: int) -> Tree:
            nodes = grow(root)
            scores = document.scale * leaf_scores(nodes, len(initial))
            # The initial score belongs to the first tree only.
            start = initial if position == 0 else np.zeros_like(initial)
            return neutral_tree(nodes, scores, to_probabilities(start + scores / shrinkage, link), categories.codes)

        return Forest(
            rounds=tuple((read(root, position),) for position, root in enumerate(roots(document))),
            classes=classes,
            n_features=document.n_features,
            link=link,
            initial_scores=initial,
            # Features that were never missing in training handle missing values too: they lie below all others.
            handles_missing=True,
            categories=categories.labels,
        )

    def accepts_regressor(self, model: Any) -> bool:
        """Whether the model is a `CatBoostRegressor` or inherits from it."""
        return derives_from(model, "catboost", frozenset({"CatBoostRegressor"}))

    def regression_forest(self, model: Any) -> Forest:
        """Describe the trees, the number that boosting starts from, and the categories by their codes."""
        document = read_document(model)
        if document.loss not in NUMBERS:
            raise UnsupportedEnsembleError(
                f"The {document.owner} was fitted with the loss {document.loss}, whose trees do not add up to its "
                f"predictions. Fit it with one of the losses {', '.join(NUMBERS)}."
            )
        categories = named_categories(document, model, self.categories)

        def read(root: Node) -> Tree:
            nodes = grow(root)
            values = document.scale * leaf_scores(nodes, 1)
            return neutral_tree(nodes, values, np.empty((len(values), 0)), categories.codes)

        return Forest(
            rounds=tuple((read(root),) for root in roots(document)),
            classes=np.empty(0),
            n_features=document.n_features,
            link="identity",
            initial_scores=document.bias,
            handles_missing=True,
            categories=categories.labels,
        )


def _categorical_columns(model: Any) -> set[Any]:
    """Names and positions of the columns that a model, fitted or not, treats as categories."""
    given = model.get_param("cat_features")
    fitted = model.get_cat_feature_indices() if model.is_fitted() else ()
    return {*(given if isinstance(given, list | tuple) else ()), *fitted}


def _problem(label: Any) -> str | None:
    """What CatBoost does with a label that it cannot predict again; None if it can."""
    if isinstance(label, str):
        is_encodable = label.encode(errors="ignore").decode() == label
        return ("treats as missing" if not label else None) if is_encodable else "cannot encode"
    if not isinstance(label, int | float):
        return "converts to a string"
    with np.errstate(over="ignore"):
        return None if float(np.float32(label)) == label else "rounds to single precision"


def _link(document: CatBoostDocument) -> Link:
    if document.loss not in LINKS:
        raise UnsupportedEnsembleError(
            f"The {document.owner} was fitted with the loss {document.loss}, whose scores do not give class "
            f"probabilities that sum to one. Fit it with one of the losses {', '.join(LINKS)}."
        )
    return LINKS[document.loss]


def _check_classes(document: CatBoostDocument, link: Link, classes: LabelArray) -> None:
    """Raise unless every class has a label and a score."""
    n_scored = 2 if link == "logistic" else len(document.bias)
    if len(classes) != n_scored:
        raise UnsupportedEnsembleError(
            f"The {document.owner} names {len(classes)} classes, {classes.tolist()!r}, but was fitted with scores for "
            f"{n_scored}. Fit it on samples of all the classes that it names, at least two."
        )
