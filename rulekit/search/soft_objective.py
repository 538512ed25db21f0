"""What a list of rules is worth where honest probabilities stand beside the labels."""

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray
from rulekit.core.honest import HonestSamples
from rulekit.core.statistics import row_sums
from rulekit.core.training_data import TrainingData

# Honest mass is counted in this unit, so that sums are exact in any order, and equal on every machine.
UNIT = 2.0**-30


@attrs.frozen(eq=False)
class SoftObjective:
    """The objective J of a list, from what its parts hold: labels, and honest mass of real and virtual samples.

    With `n_c` labels and the honest mass `e_c` of class c in a part, w the honest weight and s = 1 / (1 + w), the part
    has S_c = s n_c + (1 - s) e_c, and it is worth the sum over classes of (1 - s) e_c log q_c + s n_c log q'_c:
    q_c = (S_c + prior_strength * pi_c + smoothing) / (sum of the same over the classes), and q' the same without the
    label that it predicts, or, with class weights, without a sample of its class.

    Attributes
    ----------
    priors : ndarray of shape (n_classes,)
        What is added to each class: prior_strength * pi_c + smoothing.
    honest_weight : float
    of_one : ndarray of shape (n_classes,)
        What a sample of each class counts as.
    unit : float
        What the labels count in.
    """

    priors: FloatArray
    honest_weight: float
    of_one: FloatArray = attrs.field(default=attrs.Factory(lambda self: np.ones_like(self.priors), takes_self=True))
    unit: float = 1.0

    def value(self, parts: FloatArray) -> FloatArray:
        """The worth of parts, from (..., 2 * n_classes), as `masses` are summed, to (...,)."""
        n_classes, own = len(self.priors), 1 / (1 + self.honest_weight)
        honest, labels = (1 - own) * UNIT * parts[..., :n_classes], own * (self.unit * parts[..., n_classes:])
        mass = honest + labels + self.priors
        total = row_sums(mass)[..., None]
        # Without labels of a class, none is left out.
        left_out = np.minimum(labels, own * self.of_one)
        others = np.where(labels > 0, mass - left_out, 1.0)
        worth = honest * (np.log(mass) - np.log(total))
        # A part that holds nothing but one label may have nothing else, where nothing is added to it.
        worth += labels * (np.log(others) - np.log(np.where(labels > 0, total - left_out, 1.0)))
        return row_sums(worth)


def masses(data: TrainingData, honest: HonestSamples, n_each: int) -> FloatArray:
    """What each real and virtual sample adds to the part that answers it, of shape (n_samples, 2 * n_classes).

    Honest mass comes first, in units of `UNIT`; a training sample and its `n_each` virtual samples have 1 together, or
    the weight of the sample. Labels come then, in the unit of weights: virtual samples have none. All are whole.
    """
    probabilities = np.where(honest.known[:, None], honest.probabilities, 0.0)
    labels = np.zeros(probabilities.shape)
    weights = data.index.weights_of(data.y)
    labels[np.arange(data.n_samples), data.y] = weights / data.index.engine.blocks.unit
    return np.hstack([np.rint(honest.weights[:, None] * probabilities / ((1 + n_each) * UNIT)), labels])
