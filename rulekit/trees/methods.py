"""The methods `tree` and `shrunk-tree`: one tree is grown on the samples, and its leaves are the rules."""

from abc import abstractmethod
from typing import Any, ClassVar

from rulekit.classifier import RuleMethod
from rulekit.core.arrays import FloatArray
from rulekit.core.checks import check_choice, check_number, check_whole_number
from rulekit.core.errors import InvalidParameterError
from rulekit.core.interfaces import Adapter, ProbabilityEstimator
from rulekit.core.training_data import TrainingData
from rulekit.ruleset import RuleSet
from rulekit.trees.classifier import TreeClassifier
from rulekit.trees.growth import Growth, leaves_of, node_counts
from rulekit.trees.leaf_rules import leaf_list, ruleset_of_leaves
from rulekit.trees.shrinkage import CrossValidation, shrunken


class OneTree(RuleMethod):
    """The leaves of one tree as rules; the base of the methods that grow one without an ensemble.

    A subclass estimates the class probabilities of the leaves.

    Parameters
    ----------
    ensemble : classifier, str or None, default=None
        None grows a `TreeClassifier` with the next three parameters. A tree of scikit-learn, fitted or not, has its
        own parameters: its leaves become the rules as they are.
    max_leaves : int or None, default=8
        Most leaves, at least 2, and so most rules: one leaf is the default rule. None for no limit.
    max_depth : int or None, default=None
        Most conditions of a rule, before redundant ones are dropped.
    ccp_alpha : float, default=0.0
        Complexity parameter of cost-complexity pruning.
    adapter, n_jobs, random_state : optional
        See `rulekit.RuleClassifier`.
    """

    needs_ensemble: ClassVar[bool] = False

    def __init__(
        self,
        ensemble: Any = None,
        *,
        max_leaves: int | None = 8,
        max_depth: int | None = None,
        ccp_alpha: float = 0.0,
        adapter: Adapter | str | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        super().__init__(ensemble, adapter=adapter, n_jobs=n_jobs, random_state=random_state)
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.ccp_alpha = ccp_alpha

    @classmethod
    def size_parameters(cls, n_rules: int) -> dict[str, Any]:
        """`max_leaves`: each leaf is a rule, one of them the default rule."""
        return {"max_leaves": n_rules}

    def check_parameters(self) -> None:
        """Raise if a parameter has a value that is not allowed."""
        super().check_parameters()
        check_whole_number(self, "max_leaves", 2)
        check_whole_number(self, "max_depth", 1)
        check_number(self, "ccp_alpha", 0)

    def chosen_ensemble(self) -> Any:
        """The tree that `fit` starts from: the given one, or a new one."""
        if self.ensemble is not None:
            return super().chosen_ensemble()
        return TreeClassifier(self.max_leaves, self.max_depth, self.ccp_alpha, self.random_state)

    def extract(self, data: TrainingData, components: dict[str, Any]) -> RuleSet:
        """Turn the leaves into rules."""
        n_trees = sum(len(trees) for trees in data.forest.rounds)
        if n_trees != 1:
            raise InvalidParameterError(
                f"{type(self).__name__} makes rules of one tree, but the {type(data.ensemble).__name__} has {n_trees}. "
                "Leave out `ensemble` to grow a tree on the samples, or use another method for ensembles."
            )
        return ruleset_of_leaves(data, self.leaf_probabilities(data, components))

    @abstractmethod
    def leaf_probabilities(self, data: TrainingData, components: dict[str, Any]) -> FloatArray:
        """Class probabilities of the leaves from left to right, of shape (n_leaves, n_classes)."""


class PlainTree(OneTree):
    """A decision tree (CART) with at most `max_leaves` leaves, as a ruleset: the baseline without an ensemble.

    Parameters
    ----------
    ensemble : classifier, str or None, default=None
        None grows a `TreeClassifier` with the next three parameters. A tree of scikit-learn, fitted or not, has its
        own parameters: its leaves become the rules as they are.
    max_leaves : int or None, default=8
        Most leaves, at least 2, and so most rules: one leaf is the default rule. None for no limit.
    max_depth : int or None, default=None
        Most conditions of a rule, before redundant ones are dropped.
    ccp_alpha : float, default=0.0
        Complexity parameter of cost-complexity pruning.
    final_estimator : ProbabilityEstimator or str, default="laplace"
        Estimates the probabilities of the leaves.
    adapter, n_jobs, random_state : optional
        See `rulekit.RuleClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import rulekit
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = rulekit.build("tree", max_leaves=3, random_state=0).fit(X, y)
    >>> [rule.antecedent for rule in model.ruleset_]
    ['petal width (cm) <= 0.8', 'petal width (cm) > 1.75', '']
    """

    def __init__(
        self,
        ensemble: Any = None,
        *,
        max_leaves: int | None = 8,
        max_depth: int | None = None,
        ccp_alpha: float = 0.0,
        final_estimator: ProbabilityEstimator | str = "laplace",
        adapter: Adapter | str | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        super().__init__(
            ensemble,
            max_leaves=max_leaves,
            max_depth=max_depth,
            ccp_alpha=ccp_alpha,
            adapter=adapter,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.final_estimator = final_estimator

    def leaf_probabilities(self, data: TrainingData, components: dict[str, Any]) -> FloatArray:
        """What the final estimator says of each leaf, of shape (n_leaves, n_classes)."""
        leaves = leaf_list(data)
        estimator: ProbabilityEstimator = components["final_estimator"].fit(leaves.data)
        return estimator.estimate_list(leaves)[:-1]


class ShrunkTree(OneTree):
    """A decision tree with hierarchical shrinkage (Agarwal et al., 2022): leaves are drawn to the nodes above them.

    See `rulekit.trees.shrinkage.shrunken` for the formula.

    Parameters
    ----------
    ensemble, max_leaves, max_depth, ccp_alpha : optional
        See the method `tree`.
    strength : float or "auto", default="auto"
        How much leaves are drawn to the nodes above, in samples; 0 leaves class fractions as they are. "auto" takes,
        of 0, 0.1, 1, 10, 50, 100 and 500, the one with the lowest log-loss in five-fold cross-validation, in which
        trees with as many leaves are grown anew.
    adapter, n_jobs : optional
        See `rulekit.RuleClassifier`.
    random_state : int or None, default=None
        Seed of the tree and of the folds; None draws the folds with the seed 0.

    Attributes
    ----------
    strength_ : float
        The strength that was used.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> import rulekit
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = rulekit.build("shrunk-tree", random_state=0).fit(X, y)
    >>> len(model.ruleset_), model.strength_
    (8, 50.0)
    """

    def __init__(
        self,
        ensemble: Any = None,
        *,
        max_leaves: int | None = 8,
        max_depth: int | None = None,
        ccp_alpha: float = 0.0,
        strength: float | str = "auto",
        adapter: Adapter | str | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        super().__init__(
            ensemble,
            max_leaves=max_leaves,
            max_depth=max_depth,
            ccp_alpha=ccp_alpha,
            adapter=adapter,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.strength = strength

    def check_parameters(self) -> None:
        """Raise if a parameter has a value that is not allowed."""
        super().check_parameters()
        if isinstance(self.strength, str):
            check_choice(self, "strength", ("auto",))
        else:
            check_number(self, "strength", 0)

    def leaf_probabilities(self, data: TrainingData, components: dict[str, Any]) -> FloatArray:
        """The leaves after shrinkage, of shape (n_leaves, n_classes)."""
        tree = data.forest.rounds[0][0]
        counts = node_counts(tree, data.X, data.y, data.n_classes)
        leaves = leaves_of(tree)
        self.strength_ = self._chosen_strength(data, len(leaves)) if self.strength == "auto" else float(self.strength)
        return shrunken(tree, counts, self.strength_)[leaves]

    def _chosen_strength(self, data: TrainingData, n_leaves: int) -> float:
        growth = Growth(max(2, n_leaves), random_state=self.random_state)
        return CrossValidation(growth, data.n_classes, data.forest.set_features).strength(data.X, data.y)
