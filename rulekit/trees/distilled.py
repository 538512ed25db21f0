"""The method `distilled-tree`: a tree grown on labels and on honest predictions of an ensemble."""

from typing import Any

import numpy as np

from rulekit.classifier import RuleMethod
from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.checks import check_choice, check_number, check_whole_number
from rulekit.core.errors import UnsupportedEnsembleError
from rulekit.core.forest import Forest, Tree
from rulekit.core.honest import HonestSamples, NoHonestProbabilities, honest_ensemble
from rulekit.core.interfaces import Adapter, ProbabilityEstimator
from rulekit.core.rules import RuleList
from rulekit.core.training_data import TrainingData
from rulekit.ruleset import RuleSet
from rulekit.trees.growth import Growth
from rulekit.trees.leaf_rules import leaf_list, ruleset_of_leaves

SOURCES = ("auto", "out-of-bag", "cross-fit")


class DistilledTree(RuleMethod):
    """A decision tree grown on the labels and on what the ensemble honestly predicts for real and virtual samples.

    It learns from what the refine stage `soft` learns from, and shows how much of the result is due to that, and how
    much to the search for a list.

    Parameters
    ----------
    ensemble : classifier, str or None, default=None
        See `rulekit.RuleClassifier`.
    max_leaves : int or None, default=8
        Most leaves, at least 2, and so most rules: one leaf is the default rule. None for no limit.
    n_virtual : int, default=4
        Virtual samples of each training sample.
    honest : {"auto", "out-of-bag", "cross-fit"}, default="auto"
        Where honest predictions come from: "auto" means out of bag where that is known, which costs nothing, and
        otherwise cross-fitting.
    n_folds : int, default=5
        Folds of cross-fitting: the ensemble is fitted once more for each.
    honest_weight : float, default=2.0
        Weight of the honest predictions against the labels.
    final_estimator : ProbabilityEstimator or str, default="answered"
        Estimates the probabilities of the leaves.
    adapter, n_jobs : optional
        See `rulekit.RuleClassifier`.
    random_state : int or None, default=None
        Seed of the folds, of the virtual samples, and of an ensemble that is given by name or not at all.

    Attributes
    ----------
    final_report_ : dict
        What the final estimator reports of itself.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import rulekit
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = rulekit.build("distilled-tree", max_leaves=3, random_state=0).fit(X, y)
    >>> [rule.antecedent for rule in model.ruleset_]
    ['petal length (cm) <= 2', 'petal length (cm) > 2 and petal width (cm) > 1.65', '']
    """

    def __init__(
        self,
        ensemble: Any = None,
        *,
        max_leaves: int | None = 8,
        n_virtual: int = 4,
        honest: str = "auto",
        n_folds: int = 5,
        honest_weight: float = 2.0,
        final_estimator: ProbabilityEstimator | str = "answered",
        adapter: Adapter | str | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        super().__init__(ensemble, adapter=adapter, n_jobs=n_jobs, random_state=random_state)
        self.max_leaves = max_leaves
        self.n_virtual = n_virtual
        self.honest = honest
        self.n_folds = n_folds
        self.honest_weight = honest_weight
        self.final_estimator = final_estimator

    @classmethod
    def size_parameters(cls, n_rules: int) -> dict[str, Any]:
        """`max_leaves`: each leaf is a rule, one of them the default rule."""
        return {"max_leaves": n_rules}

    def check_parameters(self) -> None:
        """Raise if a parameter has a value that is not allowed."""
        super().check_parameters()
        check_whole_number(self, "max_leaves", 2)
        check_whole_number(self, "n_virtual", 0, or_none=False)
        check_choice(self, "honest", SOURCES)
        check_whole_number(self, "n_folds", 2, or_none=False)
        check_number(self, "honest_weight", 0)

    def extract(self, data: TrainingData, components: dict[str, Any]) -> RuleSet:
        """Grow the tree, and turn its leaves into rules."""
        honest = self._honest_samples(data.searched)
        grown = data.with_forest(_forest_of(self._tree(data.searched, honest), data.forest))
        leaves = leaf_list(grown)
        if data.held_back is None:
            leaves = RuleList(grown, leaves.conditions, honest=honest.on(grown))
        estimator: ProbabilityEstimator = components["final_estimator"].fit(leaves.data)
        probabilities = estimator.estimate_list(leaves)[:-1]
        self.final_report_ = dict(getattr(estimator, "report_", {}))
        return ruleset_of_leaves(grown, probabilities)

    def _honest_samples(self, data: TrainingData) -> HonestSamples:
        try:
            return HonestSamples.of(data, honest_ensemble(data, self.honest, self.n_folds), self.n_virtual)
        except NoHonestProbabilities as reason:
            raise UnsupportedEnsembleError(
                f"Not supported: DistilledTree needs honest predictions, but {reason}. Pass an unfitted ensemble, or "
                "use the method 'tree' instead."
            ) from reason

    def _tree(self, data: TrainingData, honest: HonestSamples) -> Tree:
        categorical = data.forest.categories.keys() | data.forest.set_features
        X, y, weights = weighted_samples(data, honest, self.n_virtual, self.honest_weight)
        return Growth(self.max_leaves, random_state=data.seed).tree(X, y, data.n_classes, categorical, weights)


def weighted_samples(
    data: TrainingData, honest: HonestSamples, n_virtual: int, honest_weight: float
) -> tuple[FloatArray, IntArray, FloatArray]:
    """The training samples with their labels, then every real and virtual sample once for each class.

    A label has the weight 1 / (1 + w), and the honest probabilities of a sample and its virtual ones w / (1 + w)
    together.

    Returns
    -------
    X : ndarray of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,)
        Class indices.
    weights : ndarray of shape (n_rows,)
    """
    own = 1 / (1 + honest_weight)
    of_class = (1 - own) / (1 + n_virtual) * honest.probabilities[honest.known]
    n_known, n_classes = of_class.shape
    X = np.vstack([data.X, np.repeat(honest.X[honest.known], n_classes, axis=0)])
    y = np.concatenate([data.y, np.tile(np.arange(n_classes), n_known)])
    return X, y, np.concatenate([np.full(data.n_samples, own), of_class.ravel()])


def _forest_of(tree: Tree, ensemble: Forest) -> Forest:
    """The tree as a forest that reads samples as the ensemble does."""
    return Forest(
        rounds=((tree,),),
        classes=ensemble.classes,
        n_features=ensemble.n_features,
        link="mean",
        handles_missing=ensemble.handles_missing,
        categories=ensemble.categories,
        unknown_as_missing=ensemble.unknown_as_missing,
        missing_value=ensemble.missing_value,
    )
