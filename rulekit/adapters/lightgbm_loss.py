"""LightGBM: the losses whose scores are class probabilities."""

from typing import Any, Self

import attrs
import numpy as np
from scipy.special import expit, logit

from rulekit.adapters.lightgbm_model_string import StoredModel
from rulekit.core.arrays import FloatArray
from rulekit.core.errors import UnsupportedEnsembleError

#: Objectives whose scores are the predicted numbers. Those of Poisson, gamma and Tweedie losses are logarithms.
NUMBERS = ("regression", "regression_l1", "huber", "fair", "quantile", "mape")


@attrs.frozen
class Loss:
    """What the trees of one class depend on in a loss.

    Attributes
    ----------
    n_classes : int
    is_softmax : bool
        Whether there is one tree per class and round, rather than one for the second of two classes.
    sigmoid : float
        Factor of the scores in the logistic function; 1 for softmax.
    positive_weight : float
        `scale_pos_weight`: the weight of the second class; 1 for softmax.
    is_unbalance : bool
        Whether the rarer class is weighted so that both classes have the same total weight.
    """

    n_classes: int
    is_softmax: bool
    sigmoid: float = 1.0
    positive_weight: float = 1.0
    is_unbalance: bool = False

    @classmethod
    def of(cls, stored: StoredModel, booster: Any) -> Self:
        """The loss that a model was trained with, if its scores are log-odds of classes that exclude one another."""
        objective, *options = stored.header.get("objective", "").split(" ")
        if objective not in ("binary", "multiclass"):
            named = f"the objective {objective!r}" if objective else "a custom objective"
            raise UnsupportedEnsembleError(
                f"The LightGBM model was trained with {named}, whose scores do not turn into probabilities that sum to "
                "one over the classes. Train it with objective='binary' or objective='multiclass'."
            )
        option = dict(pair.split(":") for pair in options)
        if objective == "multiclass":
            return cls(int(option["num_class"]), is_softmax=True)
        return cls(
            2,
            is_softmax=False,
            sigmoid=_sigmoid(float(option["sigmoid"]), booster),
            positive_weight=stored.parameter("scale_pos_weight", 1),
            is_unbalance=bool(stored.parameter("is_unbalance", 0)),
        )

    @property
    def weighs_classes(self) -> bool:
        """Whether gradients are weighted by class; the score that boosting starts from is not."""
        return self.is_unbalance or self.positive_weight != 1

    def score(self, fractions: FloatArray) -> FloatArray:
        """The score that boosting starts from, given the fraction of the trees' class among the samples."""
        return np.log(fractions) if self.is_softmax else logit(fractions) / self.sigmoid

    def fraction(self, score: float) -> float:
        """The class fraction for which boosting starts from this score."""
        return float(np.exp(score) if self.is_softmax else expit(self.sigmoid * score))

    def curvature(self, fractions: FloatArray) -> FloatArray:
        """Second derivative of the loss of one sample of weight one, at the start."""
        factor = self.n_classes / (self.n_classes - 1) if self.is_softmax else self.sigmoid**2
        return factor * fractions * (1 - fractions)

    def weights(self, fractions: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Weights of a sample of the trees' class and of one of another."""
        ones = np.ones_like(fractions)
        if not self.is_unbalance:
            return self.positive_weight * ones, ones
        odds = fractions / (1 - fractions)
        return np.maximum(1 / odds, 1.0), np.maximum(odds, 1.0)


def _sigmoid(stored: float, booster: Any) -> float:
    """The parameter in full: the model string has six digits of it, a booster that can still be trained has all."""
    given = float(booster.params.get("sigmoid", stored))
    return given if getattr(booster, "train_set", None) is not None and f"{given:g}" == f"{stored:g}" else stored


def check_adds_up(stored: StoredModel) -> None:
    """Raise unless the scores of a model's trees add up to the numbers that it predicts."""
    objective, *options = stored.header.get("objective", "").split(" ")
    if objective not in NUMBERS or "sqrt" in options:
        named = f"the objective {' '.join([objective, *options])!r}" if objective else "a custom objective"
        raise UnsupportedEnsembleError(
            f"The LightGBM model was trained with {named}, whose trees do not add up to its predictions. Train it with "
            f"one of the objectives {', '.join(map(repr, NUMBERS))}, and without reg_sqrt."
        )
