"""scikit-learn: ensembles inside `CalibratedClassifierCV`, whose folds predict samples that they did not see."""

import copy
from collections.abc import Iterator, Sequence
from typing import Any, Literal, Self

import attrs
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import check_cv

from rulekit.core.arrays import BoolArray, FloatArray, IntArray, LabelArray
from rulekit.core.errors import UnsupportedEnsembleError
from rulekit.core.forest import Forest, Part
from rulekit.core.interfaces import derives_from
from rulekit.core.labels import indices_among
from rulekit.model import find_adapter
from rulekit.wrappers.averaging import averaged
from rulekit.wrappers.wrapper import WrapperAdapter

#: Most that the curve of a fold and one that is fitted again to the same samples may differ in a probability: the
#: optimiser of sigmoid calibration stops within 2e-4 of the optimum where probabilities are of single precision.
SAME_CURVE = 5e-4


class CalibratedAdapter(WrapperAdapter):
    """Reads `CalibratedClassifierCV` over a tree ensemble: the mean of its calibrated ensembles.

    With `ensemble=True`, scikit-learn's default, each fold's ensemble did not see the samples of that fold: what it
    predicts for them, calibrated, are the honest probabilities of these samples.
    """

    attribute = "calibrated_classifiers_[{}].estimator"

    def accepts(self, model: Any) -> bool:
        """Whether the model is scikit-learn's `CalibratedClassifierCV`."""
        return derives_from(model, "sklearn", frozenset({"CalibratedClassifierCV"}))

    def parts(self, model: Any) -> Sequence[Any]:
        """The ensemble of each fold; the only one with `ensemble=False`."""
        own = [] if model.estimator is None else [model.estimator]
        folds = getattr(model, "calibrated_classifiers_", None)
        return own if folds is None else [fold.estimator for fold in folds]

    def joined(self, model: Any, forests: Sequence[Forest]) -> Forest:
        """The mean of the calibrated ensembles."""
        folds = zip(model.calibrated_classifiers_, self._models(model), forests, strict=True)
        parts = [_part(fold, ensemble, forest) for fold, ensemble, forest in folds]
        return averaged(model, parts, model.classes_, forests[0].n_features)

    def unseen_in(self, model: Any, X: FloatArray, y: IntArray) -> Iterator[BoolArray] | None:
        """Which samples each tree did not see: those of the fold that its ensemble was calibrated on.

        None if the folds cannot be reproduced. An only ensemble knows the samples by itself or not at all.
        """
        ensembles = self._models(model)
        if len(ensembles) == 1:
            return find_adapter(ensembles[0]).unseen_in(ensembles[0], X, y)
        folds = None if isinstance(model.estimator, FrozenEstimator) else _folds(model, X, y)
        if folds is None:
            return None
        parts = self.forest(model).parts
        pairs = list(zip(parts, folds, strict=True))
        if not all(_was_calibrated_on(part, X[rows], y[rows]) for part, rows in pairs):
            return None
        return (_mask(rows, len(X)) for part, rows in pairs for trees in part.forest.rounds for _ in trees)


class Response(ClassifierMixin, BaseEstimator):
    """A classifier whose samples are what another one responded, which it returns: scikit-learn calibrates no arrays.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
    """

    def __init__(self, classes: LabelArray) -> None:
        self.classes = classes

    @property
    def classes_(self) -> LabelArray:
        """The given classes."""
        return self.classes

    def fit(self, X: FloatArray, y: Any) -> Self:
        """There is nothing to learn."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """The same array."""
        return X


class ScoredResponse(Response):
    """The same for a classifier that scikit-learn calibrates by its scores."""

    def decision_function(self, X: FloatArray) -> FloatArray:
        """The same array; a vector for two classes."""
        return X[:, 0] if X.shape[1] == 1 else X


class Curves:
    """The curves of one fold, which map what its ensemble predicts to calibrated probabilities.

    Parameters
    ----------
    fold : one of `calibrated_classifiers_`
    ensemble : fitted model
        The one that the fold calibrates.
    classes : ndarray of shape (n_classes,)
        The order in which the ensemble's forest predicts the classes.
    """

    def __init__(self, fold: Any, ensemble: Any, classes: LabelArray) -> None:
        own = np.asarray(ensemble.classes_)
        # scikit-learn hands the classes to the curves in the ensemble's own order.
        self.order = indices_among(own, classes)[0]
        self.takes_scores = hasattr(ensemble, "decision_function")
        self.unit = _unit_of_scores(ensemble)
        self.labels = np.sort(own)
        self.fold = copy.copy(fold)
        self.fold.estimator = (ScoredResponse if self.takes_scores else Response)(own)

    def __call__(self, predicted: FloatArray) -> FloatArray:
        """Calibrated probabilities, of shape (n_samples, n_classes), of a forest's scores or probabilities."""
        return np.asarray(self.fold.predict_proba(self._response(predicted)))

    def fit_again(self, predicted: FloatArray, y: IntArray) -> FloatArray:
        """The same from curves that are fitted to samples of these class indices instead."""
        from sklearn.calibration import CalibratedClassifierCV  # 40 modules that other ensembles do not need

        everything = np.arange(len(predicted))
        response = self._response(predicted)
        fresh = CalibratedClassifierCV(
            self.fold.estimator, method=self.fold.method, cv=[(everything, everything)], ensemble=True
        )
        return np.asarray(fresh.fit(response, self.labels[y]).predict_proba(response))

    def _response(self, predicted: FloatArray) -> FloatArray:
        return self.unit * predicted if self.takes_scores else predicted[:, self.order]


def _part(fold: Any, ensemble: Any, forest: Forest) -> Part:
    """The part of one fold: its ensemble with its curves."""
    forest = forest.with_sorted_classes()
    curves = Curves(fold, ensemble, forest.classes)
    if curves.takes_scores and forest.parts:
        raise UnsupportedEnsembleError(
            f"Not supported: CalibratedClassifierCV over a {type(ensemble).__name__}, whose scores are no average of "
            "probabilities. Pass one of its ensembles, such as calibrated.calibrated_classifiers_[0].estimator."
        )
    if fold.method == "temperature" and np.array_equal(forest.classes, np.arange(len(fold.classes))):
        # To learn a temperature, scikit-learn fits ensembles on class indices.
        forest = attrs.evolve(forest, classes=np.asarray(fold.classes))
    if not np.array_equal(forest.classes, fold.classes):
        raise UnsupportedEnsembleError(
            f"Not supported: an ensemble in the CalibratedClassifierCV knows the classes {forest.classes.tolist()!r} "
            f"only, not {np.asarray(fold.classes).tolist()!r}. Use folds in which every class is trained on."
        )
    calibrates: Literal["scores", "probabilities"] = "scores" if curves.takes_scores else "probabilities"
    return Part(forest, np.arange(len(forest.classes)), calibrated=curves, calibrates=calibrates)


def _unit_of_scores(ensemble: Any) -> float:
    """What to multiply a forest's scores by to get those of the library's `decision_function`."""
    if derives_from(ensemble, "sklearn", frozenset({"AdaBoostClassifier"})):
        return float(max(len(ensemble.classes_) - 1, 1))
    return 0.5 if getattr(ensemble, "loss", None) == "exponential" else 1.0


def _folds(model: Any, X: FloatArray, y: IntArray) -> list[IntArray] | None:
    """The samples that each fold's ensemble was calibrated on; None if they are not known."""
    splitter = check_cv(model.cv, y, classifier=True)
    if getattr(splitter, "shuffle", False) and not isinstance(splitter.random_state, int):
        return None
    try:
        folds = [np.asarray(test) for _, test in splitter.split(X, y)]
    except (ValueError, TypeError):  # too few samples of a class, or groups that the model does not store
        return None
    return folds if len(folds) == len(model.calibrated_classifiers_) else None


def _was_calibrated_on(part: Part, X: FloatArray, y: IntArray) -> bool:
    """Whether fitting the curves of a part again to these samples gives the same probabilities."""
    assert isinstance(part.calibrated, Curves), "it is the part of a fold"
    predicted = part.forest.scores(X) if part.calibrates == "scores" else part.forest.predict_proba(X)
    try:
        again = part.calibrated.fit_again(predicted, y)
    except ValueError:  # too few classes among the samples
        return False
    return np.allclose(again, part.calibrated(predicted), rtol=0.0, atol=SAME_CURVE)


def _mask(rows: IntArray, n_samples: int) -> BoolArray:
    mask = np.zeros(n_samples, dtype=bool)
    mask[rows] = True
    return mask
