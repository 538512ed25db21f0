"""Temperature scaling: one number that makes all probabilities more or less extreme."""

from typing import Self

from scipy.special import softmax

from rulekit.calibration.maps.checks import checked_input, checked_samples
from rulekit.calibration.maps.logarithms import CLIP, clipped_log
from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.checks import check_number
from rulekit.core.interfaces import CalibrationMap
from rulekit.core.temperature import best_temperature


class Temperature(CalibrationMap):
    """`softmax(log p / T)`, with the temperature T of the smallest log-loss.

    The order of the classes never changes, so neither does the predicted class. T > 1 makes a model less confident,
    T < 1 more confident; T = 1 changes nothing.

    Parameters
    ----------
    l2 : float, default=1e-6
        Weight of `(1/T - 1)²`, added to the mean log-loss. Negligible unless the log-loss alone has no minimum:
        if every sample is classified correctly, it decreases without end as T goes to 0.
    clip : float, default=1e-6
        Smaller probabilities are replaced by this value.

    Attributes
    ----------
    temperature_ : float
    n_classes_ : int

    References
    ----------
    Guo, Pleiss, Sun, Weinberger (2017). On calibration of modern neural networks. ICML.

    Examples
    --------
    >>> predicted = [[0.99, 0.01]] * 10
    >>> Temperature().fit(predicted, [0] * 8 + [1] * 2).transform(predicted)[0].round(3).tolist()
    [0.8, 0.2]
    """

    def __init__(self, l2: float = 1e-6, clip: float = CLIP) -> None:
        self.l2 = l2
        self.clip = clip

    def fit(self, probabilities: FloatArray, class_indices: IntArray) -> Self:
        """Find the temperature; see `CalibrationMap.fit`."""
        check_number(self, "l2", 0)
        check_number(self, "clip", 0, 0.1, above=True)
        predicted, truth = checked_samples(probabilities, class_indices)
        logs = clipped_log(predicted, self.clip)
        self.temperature_ = best_temperature(logs, truth, self.l2)
        self.n_classes_ = predicted.shape[1]
        return self

    def transform(self, probabilities: FloatArray) -> FloatArray:
        """Calibrated probabilities, of shape (n_samples, n_classes)."""
        predicted = checked_input(self, probabilities)
        return softmax(clipped_log(predicted, self.clip) / self.temperature_, axis=1)
