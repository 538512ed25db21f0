"""The decision threshold of a model inside scikit-learn's classifiers that move it."""

from typing import Any, Self

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray, IntArray, LabelArray
from rulekit.core.errors import DecisionThresholdWarning, UnsupportedEnsembleError
from rulekit.core.messages import warn_caller


@attrs.frozen
class DecisionThreshold:
    """Where `predict` changes from one class to the other.

    Attributes
    ----------
    position : int
        Index of the positive class among two.
    probability : float
        `predict` answers the positive class from this probability on.
    """

    position: int
    probability: float

    @classmethod
    def of(cls, model: Any, classes: LabelArray) -> Self:
        """The threshold of a classifier that `threshold_classifier` has found.

        Parameters
        ----------
        model : fitted FixedThresholdClassifier or TunedThresholdClassifierCV
        classes : ndarray of shape (n_classes,)
        """
        if model.response_method == "decision_function":
            raise UnsupportedEnsembleError(
                f"Not supported: the threshold of the {type(model).__name__} is one of scores. Fit it with "
                "response_method='predict_proba', or pass its estimator_."
            )
        return cls(_position(model, classes), _threshold(model))

    def decide(self, probabilities: FloatArray) -> IntArray:
        """Index of the class that each sample gets, from probabilities of shape (n_samples, 2)."""
        return np.where(probabilities[:, self.position] >= self.probability, self.position, 1 - self.position)

    def warn(self, classes: LabelArray) -> None:
        """Tell the caller of `fit` where the threshold counts."""
        warn_caller(
            f"`predict` answers {classes.tolist()[self.position]!r} from a probability of {self.probability:.3g} on, "
            "as the given classifier does. The ruleset itself, what explains it, and its exports answer the "
            "most probable class: compare their probabilities with the threshold.",
            DecisionThresholdWarning,
        )


def _position(model: Any, classes: LabelArray) -> int:
    # scikit-learn's tuned classifier does not publish which class its scorer takes for the positive one.
    scorer = getattr(model, "_curve_scorer", None)
    label = model.pos_label if scorer is None else scorer._get_pos_label()
    return 1 if label is None else int(np.flatnonzero(classes == label)[0])


def _threshold(model: Any) -> float:
    given = model.best_threshold_ if hasattr(model, "best_threshold_") else model.get_params(deep=False)["threshold"]
    return 0.5 if given == "auto" else float(given)
