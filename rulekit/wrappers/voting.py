"""scikit-learn: ensembles that vote by their probabilities, one-vs-rest, and bagging over ensembles."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.errors import UnsupportedEnsembleError
from rulekit.core.forest import Forest, Part
from rulekit.core.interfaces import derives_from
from rulekit.model import find_adapter
from rulekit.wrappers.averaging import averaged, on_features
from rulekit.wrappers.wrapper import WrapperAdapter


class VotingAdapter(WrapperAdapter):
    """Reads `VotingClassifier(voting="soft")` over tree ensembles, with its weights."""

    def accepts(self, model: Any) -> bool:
        """Whether the model is scikit-learn's `VotingClassifier`."""
        return derives_from(model, "sklearn", frozenset({"VotingClassifier"}))

    def parts(self, model: Any) -> Sequence[Any]:
        """The voters that are not dropped."""
        if model.voting != "soft":
            raise UnsupportedEnsembleError(
                "Not supported: a VotingClassifier with voting='hard' has no probabilities to average. Call "
                "set_params(voting='soft'), which a fitted one allows too, or pass one of its ensembles, such as "
                "vote.estimators_[0]."
            )
        fitted = getattr(model, "estimators_", None)
        return [voter for _, voter in model.estimators if voter != "drop"] if fitted is None else fitted

    def joined(self, model: Any, forests: Sequence[Forest]) -> Forest:
        """The weighted mean of the voters."""
        weights = [1.0] * len(forests)
        if model.weights is not None:
            given = zip(model.weights, model.estimators, strict=True)
            weights = [float(weight) for weight, (_, voter) in given if voter != "drop"]
        # The voters were fitted on class indices.
        parts = [
            Part(forest, forest.classes.astype(np.int64), weight)
            for forest, weight in zip(forests, weights, strict=True)
        ]
        return averaged(model, parts, model.classes_, forests[0].n_features)

    def unseen_in(self, model: Any, X: FloatArray, y: IntArray) -> Iterator[BoolArray] | None:
        """Which samples each tree of each voter did not see; None if some voter does not know."""
        if model.weights is not None and not all(model.weights):
            return None
        found = [find_adapter(voter).unseen_in(voter, X, y) for voter in self._models(model)]
        known = [of_voter for of_voter in found if of_voter is not None]
        return chain.from_iterable(known) if len(known) == len(found) else None


class OneVsRestAdapter(WrapperAdapter):
    """Reads `OneVsRestClassifier` over a tree ensemble.

    Where a leaf's class distribution is about one class and the rest, a rule's prior shares the rest equally.
    """

    def accepts(self, model: Any) -> bool:
        """Whether the model is scikit-learn's `OneVsRestClassifier`."""
        return derives_from(model, "sklearn", frozenset({"OneVsRestClassifier"}))

    def parts(self, model: Any) -> Sequence[Any]:
        """One ensemble for each class; one in all if there are two classes."""
        return getattr(model, "estimators_", [model.estimator])

    def joined(self, model: Any, forests: Sequence[Forest]) -> Forest:
        """The probabilities of the classes, brought to a sum of one."""
        if getattr(model, "multilabel_", False):
            raise UnsupportedEnsembleError(
                "Not supported: a OneVsRestClassifier of several labels at once. Pass the ensemble of one label, such "
                "as ovr.estimators_[0], with the labels that it was trained on."
            )
        columns = [np.array([-1, position]) for position in range(len(forests))]
        if len(forests) == 1:
            columns = [np.array([0, 1])]
        parts = [Part(forest, own) for forest, own in zip(forests, columns, strict=True)]
        return averaged(model, parts, model.classes_, forests[0].n_features)


class BaggedEnsemblesAdapter(WrapperAdapter):
    """Reads bagging over tree ensembles, with EasyEnsemble and balanced bagging of imbalanced-learn.

    Samplers before an ensemble act in training only.
    """

    def accepts(self, model: Any) -> bool:
        """Whether the model is a `BaggingClassifier`, of scikit-learn or derived from it."""
        return derives_from(model, "sklearn", frozenset({"BaggingClassifier"}))

    def parts(self, model: Any) -> Sequence[Any]:
        """The bagged ensembles, without their samplers."""
        own = [model.estimator] if model.estimator is not None else []
        return [_after_samplers(model, part) for part in getattr(model, "estimators_", own)]

    def joined(self, model: Any, forests: Sequence[Forest]) -> Forest:
        """The mean of the ensembles, each on the columns that it was trained on."""
        parts = [
            # The ensembles were fitted on class indices, and perhaps on samples that lack a class.
            Part(on_features(forest, features, model.n_features_in_), forest.classes.astype(np.int64))
            for forest, features in zip(forests, model.estimators_features_, strict=True)
        ]
        return averaged(model, parts, model.classes_, model.n_features_in_)


def _after_samplers(model: Any, part: Any) -> Any:
    """The last step of a pipeline whose other steps only draw samples."""
    if not isinstance(part, Pipeline):
        return part
    if not all(hasattr(step, "fit_resample") for _, step in part.steps[:-1]):
        raise UnsupportedEnsembleError(
            f"Not supported: each ensemble in the {type(model).__name__} has preprocessing of its own. Put the "
            f"preprocessing before it, as in make_pipeline(preprocessing, {type(model).__name__}(…))."
        )
    return part.steps[-1][1]
