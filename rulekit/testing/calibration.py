"""What calibration maps promise."""

from typing import Any

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.interfaces import CalibrationMap
from rulekit.testing.comparison import Answer, expect_array, expect_close, expect_distributions
from rulekit.testing.conformance import expect, promise
from rulekit.testing.every_component import Usage, check_inputs_are_not_written_to, fresh
from rulekit.testing.seam import Seam, bind, shared_checks
from rulekit.testing.world import locked


@attrs.frozen(eq=False)
class Predictions:
    """A model's predicted probabilities for samples that it has not seen, and their classes.

    Attributes
    ----------
    name : str
        Its name in messages.
    probabilities : ndarray of shape (n_samples, n_classes)
    class_indices : ndarray of shape (n_samples,)
        The column of each sample's class.
    """

    name: str
    probabilities: FloatArray
    class_indices: IntArray

    def read_only(self) -> "Predictions":
        """The same in arrays that are read-only."""
        return Predictions(self.name, locked(self.probabilities), locked(self.class_indices))


def predictions() -> tuple[Predictions, ...]:
    """Two classes; three; and three with few distinct probabilities, 0 and 1 among them. Always the same."""
    return _drawn("two classes", 0, 2), _drawn("three classes", 1, 3), _like_rules()


def unseen(n_classes: int) -> FloatArray:
    """Probabilities that no map was fitted on, including 0 and 1; shape (n_samples, n_classes)."""
    drawn = np.random.default_rng(9).dirichlet(np.ones(n_classes), 20)
    return np.vstack([drawn, np.eye(n_classes), np.full((1, n_classes), 1 / n_classes)])


@promise
def check_fit_returns_self(calibration: Any) -> None:
    """`fit` returns the map itself."""
    for case in predictions():
        own = fresh(calibration)
        expect(own.fit(case.probabilities, case.class_indices) is own, f"{case.name}: another object.")


@promise
def check_shape(calibration: Any) -> None:
    """`transform` returns a float64 array of the shape of its input."""
    for case in predictions():
        calibrated = _fitted(calibration, case).transform(case.probabilities)
        expect_array(calibrated, case.probabilities.shape, case.name)


@promise
def check_rows_sum_to_one(calibration: Any) -> None:
    """Every row is a class distribution: from 0 to 1, with a sum of 1, also for probabilities of 0 and 1."""
    for case in predictions():
        n_classes = case.probabilities.shape[1]
        for what, given in (("its own samples", case.probabilities), ("other samples", unseen(n_classes))):
            calibrated = _fitted(calibration, case).transform(given)
            expect_distributions(calibrated, given.shape, f"{case.name}, {what}")
            lowest, highest = calibrated.min(), calibrated.max()
            expect(lowest >= 0 and highest <= 1, f"{case.name}, {what}: values from {lowest} to {highest}.")


@promise
def check_chunks_equal_the_whole(calibration: Any) -> None:
    """A sample's calibrated probabilities do not depend on the other samples in the same call."""
    for case in predictions():
        own, given = _fitted(calibration, case), unseen(case.probabilities.shape[1])
        one_by_one = np.vstack([own.transform(given[row : row + 1]) for row in range(len(given))])
        expect_close(one_by_one, own.transform(given), f"{case.name}, one sample at a time")


def _fitted(calibration: Any, case: Predictions) -> CalibrationMap:
    fitted: CalibrationMap = fresh(calibration).fit(case.probabilities, case.class_indices)
    return fitted


def _drawn(name: str, seed: int, n_classes: int, n_samples: int = 120) -> Predictions:
    """Predictions of an overconfident model."""
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.ones(n_classes), n_samples)
    class_indices = np.array([rng.choice(n_classes, p=row) for row in truth], dtype=np.int64)
    sharpened = truth**2
    return Predictions(name, sharpened / sharpened.sum(axis=1, keepdims=True), class_indices)


def _like_rules() -> Predictions:
    rng = np.random.default_rng(2)
    probabilities = np.array([[1.0, 0.0, 0.0], [0.1, 0.8, 0.1], [0.0, 0.25, 0.75], [0.3, 0.3, 0.4]])
    rules = rng.integers(len(probabilities), size=120)
    class_indices = np.array([rng.choice(3, p=0.8 * probabilities[rule] + 0.2 / 3) for rule in rules], dtype=np.int64)
    return Predictions("few values", probabilities[rules], class_indices)


def _answer(calibration: Any, case: Predictions) -> Answer:
    return _recall(calibration.fit(case.probabilities, case.class_indices), case)


def _recall(calibration: Any, case: Predictions) -> Answer:
    return {"probabilities": calibration.transform(case.probabilities)}


USAGE = Usage(predictions, _answer, _recall)
SEAM = Seam(
    kind="calibration map",
    interface=CalibrationMap,
    checks=(
        *shared_checks(USAGE),
        bind(check_inputs_are_not_written_to, USAGE),
        check_fit_returns_self,
        check_shape,
        check_rows_sum_to_one,
        check_chunks_equal_the_whole,
    ),
)
