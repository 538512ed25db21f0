"""Honest probabilities: what the ensemble predicts for samples that it did not learn from."""

from typing import Literal

import attrs

from rulekit.core.arrays import FloatArray

#: Where honest probabilities come from.
HonestSource = Literal["out-of-bag", "cross-fit"]


@attrs.frozen(eq=False)
class HonestSamples:
    """Samples with class probabilities of models that did not see their labels.

    Attributes
    ----------
    X : ndarray of shape (n_samples + n_virtual, n_features)
        The training samples in their order, then the virtual ones.
    probabilities : ndarray of shape (n_samples + n_virtual, n_classes)
        Honest probabilities, tempered.
    n_virtual : int
        Number of virtual samples; 0 for none.
    source : {"out-of-bag", "cross-fit"}
    temperature : float
        What the logarithms of the probabilities were divided by.
    """

    X: FloatArray
    probabilities: FloatArray
    n_virtual: int
    source: HonestSource
    temperature: float
