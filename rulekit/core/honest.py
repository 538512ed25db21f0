"""Honest probabilities: what the ensemble predicts for samples that it did not learn from."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, Self

import attrs
import numpy as np
from scipy.special import softmax

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.temperature import best_temperature
from rulekit.core.virtual_samples import virtual_samples

if TYPE_CHECKING:
    from rulekit.core.training_data import TrainingData

#: Where honest probabilities come from.
HonestSource = Literal["out-of-bag", "cross-fit"]
# Smallest probability that is tempered, and the weight that keeps the temperature finite; see the map `Temperature`.
SMALLEST, L2 = 1e-6, 1e-6


class NoHonestProbabilities(Exception):
    """There are none for these samples; the message says why, and is the end of a sentence."""


@attrs.frozen(eq=False)
class OutOfBag:
    """The trees of a forest, each asked for samples that it did not see.

    Attributes
    ----------
    data : TrainingData
    source : {"out-of-bag"}
    folds : None
        There are none.
    """

    data: "TrainingData"
    source: HonestSource = attrs.field(default="out-of-bag", init=False)
    folds: IntArray | None = attrs.field(default=None, init=False)

    def predict(self, X: FloatArray, parents: IntArray) -> FloatArray:
        """Class probabilities of samples made from training samples; NaN where every tree saw one of the parents.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
        parents : ndarray of shape (n_samples, n_parents)
            The training samples that each is made from; a training sample is its own parent.
        """
        unseen = None if self.data.unseen is None else self.data.unseen()
        assert unseen is not None, "the out-of-bag probabilities of the training samples are known"
        found = self.data.forest.predict_proba_by(X, (np.asarray(of_tree[parents].all(axis=1)) for of_tree in unseen))
        assert found is not None, "a forest answers tree by tree"
        return found


@attrs.frozen(eq=False)
class CrossFitted:
    """Copies of the ensemble, each fitted without one fold of the samples and asked for that fold.

    Attributes
    ----------
    folds : ndarray of shape (n_samples,)
        The fold of each training sample.
    copies : tuple of callables
        Predict the samples of a fold, as numbers, without having seen any of them.
    source : {"cross-fit"}
    """

    folds: IntArray
    copies: tuple[Callable[[FloatArray], FloatArray], ...]
    source: HonestSource = attrs.field(default="cross-fit", init=False)

    @classmethod
    def of(cls, data: "TrainingData", n_folds: int, check_time: Callable[[], None]) -> Self:
        """Fit one copy for each fold; raise `NoHonestProbabilities` if the ensemble cannot be fitted again."""
        if data.refit is None:
            raise NoHonestProbabilities("the ensemble cannot be fitted again")
        folds = stratified_folds(data.y, min(n_folds, data.n_samples), data.seed)
        copies = []
        for fold in range(int(folds.max()) + 1):
            check_time()
            copies.append(data.refit(folds == fold))
        return cls(folds, tuple(copies))

    def predict(self, X: FloatArray, parents: IntArray) -> FloatArray:
        """Class probabilities of samples made from training samples of one fold; see `OutOfBag.predict`."""
        folds = self.folds[parents[:, 0]]
        parts = [(folds == fold, predict) for fold, predict in enumerate(self.copies)]
        predicted = [(rows, predict(X[rows])) for rows, predict in parts if rows.any()]
        probabilities = np.empty((len(X), predicted[0][1].shape[1]))
        for rows, of_fold in predicted:
            probabilities[rows] = of_fold
        return probabilities


def honest_ensemble(
    data: "TrainingData", source: str, n_folds: int, check_time: Callable[[], None] = lambda: None
) -> OutOfBag | CrossFitted:
    """What predicts the training samples honestly; raises `NoHonestProbabilities` if nothing does.

    Parameters
    ----------
    data : TrainingData
    source : {"auto", "out-of-bag", "cross-fit"}
        "auto" means out of bag where that is known, and otherwise cross-fitting.
    n_folds : int
        Folds of cross-fitting: the ensemble is fitted once more for each.
    check_time : callable
        Called before each fit; may raise.
    """
    if source == "cross-fit":
        return CrossFitted.of(data, n_folds, check_time)
    known = data.out_of_bag_probabilities
    if known is not None and not np.isnan(known).all():
        return OutOfBag(data)
    if source == "auto":
        return CrossFitted.of(data, n_folds, check_time)
    raise NoHonestProbabilities("the ensemble has no out-of-bag probabilities of these samples")


def stratified_folds(y: IntArray, n_folds: int, seed: int) -> IntArray:
    """Random folds of about equal size with about equal fractions of each class; shape (n_samples,)."""
    order = np.random.default_rng(seed).permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    folds = np.empty(len(y), dtype=np.int64)
    folds[order] = np.arange(len(y)) % n_folds
    return folds


@attrs.frozen(eq=False)
class HonestSamples:
    """Samples with class probabilities of models that did not see their labels.

    Attributes
    ----------
    data : TrainingData
        The training samples in their order, then the virtual ones, whose labels mean nothing.
    probabilities : ndarray of shape (n_samples + n_virtual, n_classes)
        Honest probabilities, tempered; NaN for training samples that every model saw.
    n_virtual : int
        Number of virtual samples; 0 for none.
    source : {"out-of-bag", "cross-fit"}
    temperature : float
        What the logarithms of the probabilities were divided by.
    weights : ndarray of shape (n_samples + n_virtual,)
        What each sample counts as, a virtual one like the training sample that it was made from.
    """

    data: "TrainingData"
    probabilities: FloatArray
    n_virtual: int
    source: HonestSource
    temperature: float
    weights: FloatArray = attrs.field(
        default=attrs.Factory(lambda self: np.ones(len(self.probabilities)), takes_self=True)
    )

    @classmethod
    def of(cls, data: "TrainingData", ensemble: OutOfBag | CrossFitted, n_virtual: int = 0) -> Self:
        """The training samples, and `n_virtual` virtual ones for each, with what the ensemble honestly predicts.

        All are tempered by the one temperature of the smallest log-loss on the training samples. Virtual samples that
        no tree can predict honestly are left out.
        """
        real = ensemble.predict(data.X, np.arange(data.n_samples)[:, None])
        known = _known(real)
        weights = data.index.weights_of(data.y)
        temperature = best_temperature(_logs(real[known]), data.y[known], L2, weights[known])
        X, parents = virtual_samples(data, ensemble.folds, n_virtual)
        virtual = ensemble.predict(X, parents) if len(X) else np.empty((0, data.n_classes))
        X, virtual, parents = X[_known(virtual)], virtual[_known(virtual)], parents[_known(virtual), 0]
        tempered = softmax(_logs(np.vstack([real, virtual])) / temperature, axis=1)
        if len(X):
            everything = np.vstack([data.X, X])
            data = data.with_samples(everything, np.zeros(len(everything), dtype=np.int64))
        return cls(data, tempered, len(X), ensemble.source, temperature, np.append(weights, weights[parents]))

    def on(self, data: "TrainingData") -> Self:
        """The same samples beside training data with other rules and conditions."""
        return attrs.evolve(self, data=data.with_samples(self.X, self.data.y) if self.n_virtual else data)

    @property
    def X(self) -> FloatArray:
        """Values of all samples, of shape (n_samples + n_virtual, n_features)."""
        return self.data.X

    @property
    def known(self) -> BoolArray:
        """Which samples have probabilities, of shape (n_samples + n_virtual,)."""
        return _known(self.probabilities)


def _known(probabilities: FloatArray) -> BoolArray:
    return np.asarray(~np.isnan(probabilities).any(axis=1))


def _logs(probabilities: FloatArray) -> FloatArray:
    return np.log(np.maximum(probabilities, SMALLEST))
