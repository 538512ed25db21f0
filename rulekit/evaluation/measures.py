"""How good predictions are: plain functions of labels and probabilities."""

from collections.abc import Callable
from numbers import Integral

import numpy as np
import numpy.typing as npt
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    brier_score_loss,
    f1_score,
    recall_score,
    roc_auc_score,
    roc_curve,
)

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.errors import InvalidParameterError
from rulekit.core.labels import label_array
from rulekit.evaluation.labels import class_indices

#: A rule may predict a probability of 0: without a floor, one such error would make the whole log-loss infinite.
PROBABILITY_FLOOR = 1e-12
N_BINS = 10
#: The fraction of the samples among which lift is measured.
TOP_FRACTION = 0.1


def log_loss(
    y: npt.ArrayLike, probabilities: npt.ArrayLike, classes: npt.ArrayLike, *, floor: float = PROBABILITY_FLOOR
) -> float:
    """Mean negative logarithm of the true class's probability.

    scikit-learn's function clips at the machine epsilon, which gives other values for rules that predict 0 or 1.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        True labels.
    probabilities : array-like of shape (n_samples, n_classes)
    classes : array-like of shape (n_classes,)
        The label of each column of `probabilities`.
    floor : float, default=1e-12
        Smaller probabilities of the true class are raised to this value.

    Returns
    -------
    loss : float
        From 0, which is best, to `-log(floor)`.

    Examples
    --------
    >>> round(log_loss(["no", "yes"], [[1.0, 0.0], [0.5, 0.5]], ["no", "yes"]), 4)
    0.3466
    """
    indices, predicted = aligned(y, probabilities, classes)
    of_truth = predicted[np.arange(len(predicted)), indices]
    return float(-np.log(np.maximum(of_truth, floor)).mean()) + 0.0  # never -0.0


def brier(y: npt.ArrayLike, probabilities: npt.ArrayLike, classes: npt.ArrayLike) -> float:
    """Mean squared distance between predicted probabilities and the truth, summed over the classes.

    Parameters
    ----------
    y, probabilities, classes
        As for `log_loss`.

    Returns
    -------
    score : float
        From 0, which is best, to 2.
    """
    indices, predicted = aligned(y, probabilities, classes)
    labels = np.arange(predicted.shape[1])
    return float(brier_score_loss(indices, predicted, labels=labels, scale_by_half=False))


def confidence_ece(
    y: npt.ArrayLike, probabilities: npt.ArrayLike, classes: npt.ArrayLike, *, n_bins: int = N_BINS
) -> float:
    """Expected calibration error of the top probability.

    Samples are put in bins of equal width by the probability of their most probable class; in each bin the mean of that
    probability is compared with the fraction of samples that are of that class. Of several equally probable classes the
    first counts.

    Parameters
    ----------
    y, probabilities, classes
        As for `log_loss`.
    n_bins : int, default=10
        Bin k, from 1, has probabilities above (k - 1) / n_bins and up to k / n_bins, the upper edge included; the
        first bin includes 0.

    Returns
    -------
    error : float
        Mean over the samples of the gap in their bin: from 0, which is best, to 1.
    """
    indices, predicted = aligned(y, probabilities, classes)
    return _binned_gap(predicted.max(axis=1), predicted.argmax(axis=1) == indices, n_bins)


def classwise_ece(
    y: npt.ArrayLike, probabilities: npt.ArrayLike, classes: npt.ArrayLike, *, n_bins: int = N_BINS
) -> float:
    """Expected calibration error of each class's probability, averaged over the classes.

    For each class, all samples are put in bins by the probability of that class; in each bin the mean of that
    probability is compared with the fraction of samples that are of that class.

    Parameters
    ----------
    y, probabilities, classes
        As for `log_loss`.
    n_bins : int, default=10
        Bins as for `confidence_ece`.

    Returns
    -------
    error : float
        From 0, which is best, to 1.
    """
    indices, predicted = aligned(y, probabilities, classes)
    gaps = [_binned_gap(column, indices == index, n_bins) for index, column in enumerate(predicted.T)]
    return float(np.mean(gaps))


def roc_auc(y: npt.ArrayLike, probabilities: npt.ArrayLike, classes: npt.ArrayLike) -> float:
    """Area under the ROC curve; with more than two classes the mean over the classes, each against the rest.

    Parameters
    ----------
    y, probabilities, classes
        As for `log_loss`.

    Returns
    -------
    area : float
        From 0 to 1, which is best; NaN if a class has no sample.
    """
    return _one_against_the_rest(roc_auc_score, y, probabilities, classes)


def average_precision(y: npt.ArrayLike, probabilities: npt.ArrayLike, classes: npt.ArrayLike) -> float:
    """Area under the curve of precision and recall, as a sum of steps.

    With two classes it is that of the rarer one among the true labels, the second if they are equally frequent; with
    more, the mean over the classes, each against the rest.

    Parameters
    ----------
    y, probabilities, classes
        As for `log_loss`.

    Returns
    -------
    area : float
        From 0 to 1, which is best; NaN if a class has no sample.
    """
    return _one_against_the_rest(average_precision_score, y, probabilities, classes)


def ks(y: npt.ArrayLike, probabilities: npt.ArrayLike, classes: npt.ArrayLike) -> float:
    """Kolmogorov-Smirnov statistic: how far a class's probability separates its samples from the others.

    It is the largest absolute difference, over all thresholds, between the fraction of the class's samples that reach
    the threshold and that of the others. With more than two classes it is the mean over the classes, each against the
    rest.

    Parameters
    ----------
    y, probabilities, classes
        As for `log_loss`.

    Returns
    -------
    statistic : float
        From 0 to 1, which is best; NaN if a class has no sample.
    """
    return _one_against_the_rest(_largest_difference, y, probabilities, classes)


def lift(
    y: npt.ArrayLike, probabilities: npt.ArrayLike, classes: npt.ArrayLike, *, fraction: float = TOP_FRACTION
) -> float:
    """How much more frequent the rarest class is among the samples with its largest probabilities than among all.

    Of samples with equal probabilities at the border, of which only some belong to the top, each counts in part: the
    result is the mean over all orders of these samples.

    Parameters
    ----------
    y, probabilities, classes
        As for `log_loss`. The rarest class is the one with the fewest true labels, the last of equally frequent ones.
    fraction : float, default=0.1
        The fraction of the samples that is the top.

    Returns
    -------
    ratio : float
        1 by chance; at most `1 / fraction`, and at most one over the class's frequency. NaN if a class has no sample.

    Examples
    --------
    >>> lift(["rare", "usual", "usual", "usual"], [[0.9, 0.1], [0.2, 0.8], [0.1, 0.9], [0.1, 0.9]], ["rare", "usual"],
    ...      fraction=0.25)
    4.0
    """
    if not 0 < fraction <= 1:
        raise InvalidParameterError(f"fraction must be a number above 0 and at most 1, got {fraction!r}.")
    indices, predicted = aligned(y, probabilities, classes)
    rarest = rarest_class(indices, predicted.shape[1])
    if rarest is None:
        return float("nan")
    scores, is_rare = predicted[:, rarest], indices == rarest
    order = np.argsort(-scores, kind="stable")
    n_top = fraction * len(scores)
    border = scores[order[min(int(np.ceil(n_top)), len(scores)) - 1]]
    above, equal = scores > border, scores == border
    counted = is_rare[above].sum() + is_rare[equal].mean() * (n_top - above.sum())
    return float(counted / n_top / is_rare.mean())


def rarest_class_recall(y: npt.ArrayLike, predicted: npt.ArrayLike, classes: npt.ArrayLike) -> float:
    """Fraction of the rarest class's samples that are predicted as such.

    Parameters
    ----------
    y, predicted : array-like of shape (n_samples,)
        True and predicted labels.
    classes : array-like of shape (n_classes,)
        All classes. The rarest is the one with the fewest true labels, the last of equally frequent ones.

    Returns
    -------
    fraction : float
        From 0 to 1, which is best; NaN if a class has no sample.
    """
    indices, answers = class_indices(y, classes), class_indices(predicted, classes)
    rarest = rarest_class(indices, len(np.asarray(classes)))
    return float("nan") if rarest is None else float(np.mean(answers[indices == rarest] == rarest))


def accuracy(y: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """Fraction of the samples whose predicted class is the true one.

    Parameters
    ----------
    y, predicted : array-like of shape (n_samples,)
        True and predicted labels.

    Returns
    -------
    fraction : float
        From 0 to 1, which is best.
    """
    return float(accuracy_score(y, predicted))


def balanced_accuracy(y: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """Mean recall over the classes of the true labels: the fraction of a class's samples that is classified correctly.

    Parameters
    ----------
    y, predicted : array-like of shape (n_samples,)
        True and predicted labels.

    Returns
    -------
    score : float
        From 0 to 1, which is best.
    """
    # balanced_accuracy_score itself warns of predicted classes that are not among the true ones.
    return float(recall_score(y, predicted, labels=np.unique(np.asarray(y)), average="macro", zero_division=0))


def macro_f1(y: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """Mean over the classes of F1, the harmonic mean of precision and recall.

    A class counts if it is among the true or the predicted labels.

    Parameters
    ----------
    y, predicted : array-like of shape (n_samples,)
        True and predicted labels.

    Returns
    -------
    score : float
        From 0 to 1, which is best.
    """
    return float(f1_score(y, predicted, average="macro", zero_division=0))


def fidelity(predicted: npt.ArrayLike, ensemble_predicted: npt.ArrayLike) -> float:
    """Fraction of the samples for which rules and ensemble predict the same class.

    Parameters
    ----------
    predicted, ensemble_predicted : array-like of shape (n_samples,)
        Labels.

    Returns
    -------
    fraction : float
        From 0 to 1.
    """
    return float(accuracy_score(ensemble_predicted, predicted))


def aligned(y: npt.ArrayLike, probabilities: npt.ArrayLike, classes: npt.ArrayLike) -> tuple[IntArray, FloatArray]:
    """Index of each sample's true class, of shape (n_samples,), and the probabilities; raise for other shapes."""
    labels, predicted, n_classes = label_array(y), np.asarray(probabilities, dtype=np.float64), len(np.asarray(classes))
    if labels.ndim != 1 or not len(labels) or predicted.shape != (len(labels), n_classes):
        raise ValueError(
            "Measures need at least one sample, one row of probabilities per sample and one column per class; "
            f"got labels of shape {labels.shape}, probabilities of shape {predicted.shape} and {n_classes} classes."
        )
    return class_indices(labels, classes), predicted


def rarest_class(indices: IntArray, n_classes: int) -> int | None:
    """Index of the class with the fewest samples, the last of equals; None unless two or more have a sample each."""
    counts = np.bincount(indices, minlength=n_classes)
    if n_classes < 2 or counts.min() == 0:
        return None
    return int(np.flatnonzero(counts == counts.min())[-1])


def _one_against_the_rest(
    score: Callable[[BoolArray, FloatArray], float],
    y: npt.ArrayLike,
    probabilities: npt.ArrayLike,
    classes: npt.ArrayLike,
) -> float:
    """Mean of a score over the classes, or that of the rarer of two; NaN if a class has no sample."""
    indices, predicted = aligned(y, probabilities, classes)
    n_classes = predicted.shape[1]
    rarest = rarest_class(indices, n_classes)
    if rarest is None:
        return float("nan")
    scored = (rarest,) if n_classes == 2 else range(n_classes)
    return float(np.mean([score(indices == index, predicted[:, index]) for index in scored]))


def _largest_difference(is_positive: BoolArray, scores: FloatArray) -> float:
    others_reached, reached, _ = roc_curve(is_positive, scores, drop_intermediate=False)
    return float(np.abs(reached - others_reached).max())


def _binned_gap(confidences: FloatArray, is_hit: BoolArray, n_bins: int) -> float:
    """Mean gap between confidence and frequency of hits, over bins of equal width weighted by their samples."""
    if not isinstance(n_bins, Integral) or isinstance(n_bins, bool) or n_bins < 1:
        raise InvalidParameterError(f"n_bins must be an integer of at least 1, got {n_bins!r}.")
    # Not linspace: its edge after three of ten bins lies a rounding above 3 / 10.
    edges = np.arange(1, n_bins) / n_bins
    bins = np.searchsorted(edges, confidences, side="left")
    excess = np.bincount(bins, weights=confidences - is_hit, minlength=n_bins)
    return float(np.abs(excess).sum() / len(confidences))
