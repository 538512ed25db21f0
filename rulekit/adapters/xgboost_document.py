"""Reading the JSON document in which XGBoost stores a model."""

import json
from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, TypeAlias

import attrs
import numpy as np

from rulekit.adapters.xgboost_categories import category_labels
from rulekit.core.arrays import FloatArray
from rulekit.core.errors import UnfittedEnsembleError, UnsupportedEnsembleError
from rulekit.core.forest import Link

Document: TypeAlias = Mapping[str, Any]

LINKS: Mapping[str, Link] = {
    "binary:logistic": "logistic",
    "binary:logitraw": "logistic",
    "multi:softprob": "softmax",
    "multi:softmax": "softmax",
}
#: Objectives whose scores are the predicted numbers. Those of counts and of gamma and Tweedie losses are logarithms.
NUMBERS: Mapping[str, Link] = {
    "reg:squarederror": "identity",
    "reg:absoluteerror": "identity",
    "reg:pseudohubererror": "identity",
    "reg:quantileerror": "identity",
}


@attrs.frozen(eq=False)
class StoredTree:
    """A tree as XGBoost stores it.

    Attributes
    ----------
    nodes : mapping
        The JSON of the tree: lists over its nodes, by name.
    column : int
        The score that the tree adds to: its class, or 0 if there are two classes only.
    weight : float
        Factor of the leaves: dart scales whole trees.
    """

    nodes: Document
    column: int
    weight: float


@attrs.frozen(eq=False)
class StoredEnsemble:
    """The ensemble that the document describes.

    Attributes
    ----------
    link : {"logistic", "softmax", "identity"}
    n_classes : int
        0 if the scores are the predicted numbers.
    n_features : int
    initial_scores : ndarray of shape (n_values,)
    iterations : tuple of tuples of tuples of StoredTree
        By iteration, then by parallel tree, then by class.
    categories : mapping of int to tuple
        Labels of the categories by code, for the features whose labels are stored.
    """

    link: Link
    n_classes: int
    n_features: int
    initial_scores: FloatArray
    iterations: tuple[tuple[tuple[StoredTree, ...], ...], ...]
    categories: Mapping[int, tuple[Any, ...]]


def read_document(model: Any, links: Mapping[str, Link] = LINKS) -> StoredEnsemble:
    """The ensemble that `predict` of a fitted model or `Booster` uses.

    Parameters
    ----------
    model : fitted model
    links : mapping of str to str
        The objectives that are supported, and what turns their scores into predictions.
    """
    document = model_document(model)
    learner = document["learner"]
    name = type(model).__name__
    _check_supported(learner, name, links)
    boosting, trees = learner["gradient_booster"], stored_trees(document)
    # From version 3.4 on, dart is not a separate booster: its weights are stored next to the trees.
    weights = boosting.get("weight_drop") or trees.get("weight_drop") or [1.0] * len(trees["trees"])
    _check_trees(trees, name)
    ends = trees["iteration_indptr"]
    if hasattr(model, "get_booster"):
        # Only the classifiers stop predicting at the best iteration; a Booster uses all trees.
        ends = ends[: int(learner["attributes"].get("best_iteration", len(ends))) + 2]
    link = links[learner["objective"]["name"]]
    n_classes = {"logistic": 2, "identity": 0}.get(link, int(learner["learner_model_param"]["num_class"]))
    return StoredEnsemble(
        link=link,
        n_classes=n_classes,
        n_features=int(learner["learner_model_param"]["num_feature"]),
        initial_scores=_initial_scores(document, n_classes if link == "softmax" else 1),
        iterations=tuple(_by_parallel_tree(trees, weights, range(start, stop)) for start, stop in pairwise(ends)),
        categories=category_labels(trees),
    )


def stored_trees(document: Document) -> Document:
    """The part of a document that holds the trees, and the labels of categories."""
    boosting: Document = document["learner"]["gradient_booster"]
    trees: Document = boosting["gbtree"]["model"] if boosting["name"] == "dart" else boosting["model"]
    return trees


def model_document(model: Any) -> Document:
    """The JSON of the model; raise if it has none."""
    try:
        booster = model.get_booster() if hasattr(model, "get_booster") else model
        document: Document = json.loads(booster.save_raw("json"))
    except ValueError as error:  # scikit-learn's NotFittedError and XGBoost's own are both of this kind
        raise UnfittedEnsembleError(
            f"The {type(model).__name__} is not fitted. Fit it, or load a model into it, before extracting rules."
        ) from error
    return document


def _by_parallel_tree(trees: Document, weights: list[float], positions: range) -> tuple[tuple[StoredTree, ...], ...]:
    """The trees of one iteration: one tuple, with a tree per class, for each that grew in parallel."""
    by_class: dict[int, list[StoredTree]] = defaultdict(list)
    for position in positions:
        column = trees["tree_info"][position]
        by_class[column].append(StoredTree(trees["trees"][position], column, weights[position]))
    return tuple(zip(*by_class.values(), strict=True))


def _initial_scores(document: Document, n_values: int) -> FloatArray:
    """The score that boosting starts from, of shape (n_values,), computed in float32 as XGBoost does."""
    learner = document["learner"]
    # A number up to version 3.0, a list of one or of all scores from 3.1.
    stored = np.array(json.loads(learner["learner_model_param"]["base_score"]), dtype=np.float32)
    if learner["objective"]["name"] == "binary:logistic":
        # The only objective whose initial score is stored as a probability; since 3.2 it is clipped.
        if document["version"][:2] >= [3, 2]:
            nearest = np.float32(1e-6)
            stored = np.clip(stored, nearest, 1 - nearest)
        stored = -np.log(1 / stored - 1)
    return np.broadcast_to(stored, n_values).astype(np.float64)


def _check_supported(learner: Document, name: str, links: Mapping[str, Link]) -> None:
    """Raise unless the model is made of trees whose scores give what is asked for."""
    objective = learner["objective"]["name"]
    if objective not in links:
        known = ", ".join(repr(known) for known in links)
        wanted = "give class probabilities" if links is LINKS else "add up to its predictions"
        raise UnsupportedEnsembleError(
            f"The {name} was trained with objective={objective!r}, which does not {wanted}. "
            f"Train it with one of the supported objectives: {known}."
        )
    if learner["gradient_booster"]["name"] == "gblinear":
        raise UnsupportedEnsembleError(
            f"The {name} was trained with booster='gblinear', a linear model that has no trees. "
            "Train it with booster='gbtree' or booster='dart'."
        )
    n_targets = int(learner["learner_model_param"]["num_target"])
    if n_targets > 1:
        raise UnsupportedEnsembleError(
            f"The {name} predicts {n_targets} targets at once. "
            "Fit one ensemble for each target and extract rules from each."
        )


def _check_trees(trees: Document, name: str) -> None:
    """Raise unless there are trees with one score per leaf."""
    if not trees["trees"]:
        raise UnfittedEnsembleError(f"The {name} has no trees. Train it for at least one round.")
    if any(int(tree["tree_param"]["size_leaf_vector"]) > 1 for tree in trees["trees"]):
        raise UnsupportedEnsembleError(
            f"The {name} was trained with multi_strategy='multi_output_tree': its leaves have scores for all classes, "
            "but a rule's score belongs to one class. Train it with multi_strategy='one_output_per_tree'."
        )
