"""Born-again trees as a scikit-learn classifier."""

import math
from numbers import Integral
from typing import Any, Final

import numpy as np

from rulekit import RuleSet
from rulekit.plugin import (
    Adapter,
    DecisionList,
    FewRulesWarning,
    FloatArray,
    InvalidParameterError,
    ProbabilityEstimator,
    RuleMethod,
    TrainingData,
    check_choice,
    warn_caller,
)
from rulekit_born_again_tree.conjunctions import conjunctions_of
from rulekit_born_again_tree.errors import GridTooLargeError
from rulekit_born_again_tree.grid import Grid
from rulekit_born_again_tree.hierarchy import Axes, Hierarchy
from rulekit_born_again_tree.leaf_probabilities import ensemble_means, leaf_probabilities
from rulekit_born_again_tree.optimal import OBJECTIVES, Objective, optimal_tree
from rulekit_born_again_tree.tree import Node, Split, antecedents, pruned

ALGORITHMS: Final = ("auto", "optimal", "heuristic")


class BornAgainTree(RuleMethod):
    """A tree ensemble as one small tree, whose leaves are the rules.

    The optimal tree (Vidal and Schiffer, 2020) is the smallest that predicts the same class as the ensemble for every
    possible sample. It can be found for small ensembles. For others there is a heuristic (Sagi and Rokach, 2020), which
    arranges the ensemble's conjunctions in a tree and agrees with the ensemble on most samples.

    Parameters
    ----------
    ensemble : classifier, str or None, default=None
        See `rulekit.RuleClassifier`.
    algorithm : {"auto", "optimal", "heuristic"}, default="auto"
        "auto" finds the optimal tree within the limits `max_cells` and `max_regions`, and uses the heuristic beyond
        them, where "optimal" raises a `GridTooLargeError`.
    objective : {"depth", "leaves", "depth-leaves"}, default="depth-leaves"
        What the optimal tree minimises; "depth-leaves" means fewest leaves among the trees of least depth.
    max_cells : int, default=20000
        Cells of the threshold grid: one more than the thresholds of a feature, multiplied over the features.
    max_regions : int, default=10000
        Different regions of the grid that the search for the optimal tree may look at.
    max_conjunctions : int, default=3000
        Conjunctions of leaves that the heuristic keeps after each tree.
    max_depth : int or None, default=6
        Depth of the heuristic tree; None lets it grow until every leaf is of one class.
    prune : bool, default=False
        Whether to remove parts of the tree that no training sample reaches. The tree is smaller and agrees with the
        ensemble on as many training samples, but no longer everywhere.
    final_estimator : ProbabilityEstimator or str, default="empirical"
        Estimates the probabilities of a leaf from the labels of its training samples, and is used if its most probable
        class is the one that the tree predicts there. Otherwise, and without samples, a leaf has the ensemble's mean
        predicted probabilities.
    adapter, n_jobs : optional
        See `rulekit.RuleClassifier`.
    random_state : int or None, default=None
        Seed of an ensemble that is given by name or not at all; the tree itself is not random.

    Attributes
    ----------
    ruleset_ : RuleSet
        One rule for each leaf, no two of which match the same sample; the default rule is never needed.
    algorithm_ : {"optimal", "heuristic"}
        How the tree was found.
    depth_, n_leaves_ : int
        Of the tree.
    fidelity_ : float
        Fraction of the training samples for which tree and ensemble predict the same class; 1 for an optimal tree.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> import rulekit
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = rulekit.build("born-again-tree", RandomForestClassifier(5, max_depth=2, random_state=0)).fit(X, y)
    >>> model.algorithm_, model.fidelity_
    ('optimal', 1.0)
    """

    def __init__(
        self,
        ensemble: Any = None,
        *,
        algorithm: str = "auto",
        objective: Objective = "depth-leaves",
        max_cells: int = 20_000,
        max_regions: int = 10_000,
        max_conjunctions: int = 3000,
        max_depth: int | None = 6,
        prune: bool = False,
        final_estimator: ProbabilityEstimator | str = "empirical",
        adapter: Adapter | str | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        super().__init__(ensemble, adapter=adapter, n_jobs=n_jobs, random_state=random_state)
        self.algorithm = algorithm
        self.objective = objective
        self.max_cells = max_cells
        self.max_regions = max_regions
        self.max_conjunctions = max_conjunctions
        self.max_depth = max_depth
        self.prune = prune
        self.final_estimator = final_estimator

    def check_parameters(self) -> None:
        """Raise if a parameter has an invalid value."""
        super().check_parameters()
        check_choice(self, "algorithm", ALGORITHMS)
        check_choice(self, "objective", OBJECTIVES)
        for name in ("max_cells", "max_regions", "max_conjunctions"):
            self._check_whole_number(name)
        if self.max_depth is not None:
            self._check_whole_number("max_depth")
        if not isinstance(self.prune, bool | np.bool_):
            raise InvalidParameterError(f"BornAgainTree: prune must be True or False, got {self.prune!r}.")

    def extract(self, data: TrainingData, components: dict[str, Any]) -> RuleSet:
        """Find the tree, and turn its leaves into rules."""
        forest, X = data.forest, data.X
        grid, of_ensemble = Grid.of(data.conditions), data.ensemble_probabilities
        tree, self.algorithm_ = self._tree(data, grid, of_ensemble)
        tree = pruned(tree, grid.cells(X)) if self.prune else tree
        leaves, rows = antecedents(tree, grid, data.pad)
        self.depth_, self.n_leaves_ = tree.depth, len(leaves)
        answering = data.samples(data.cover(rows)).argmax(axis=0)
        labels = np.array([leaf.label for leaf in leaves])
        self.fidelity_ = float((labels[answering] == of_ensemble.argmax(axis=1)).mean())
        rules = data.rule_list(rows, ensemble_means(leaves, answering, of_ensemble))
        estimator: ProbabilityEstimator = components["final_estimator"].fit(rules.data)
        probabilities = leaf_probabilities(leaves, rules, estimator)
        if isinstance(tree, Split):
            return RuleSet.from_rules(data, rows, probabilities, DecisionList())
        label = forest.classes.tolist()[tree.label]
        warn_caller(
            f"The tree predicts {label!r} everywhere, so only the default rule is left.",
            FewRulesWarning,
        )
        return RuleSet.from_rules(data, rows[:0], probabilities[:1], DecisionList())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False  # the grid does not support missing values, even if the ensemble does
        return tags

    def _tree(self, data: TrainingData, grid: Grid, probabilities: FloatArray) -> tuple[Node, str]:
        if self.algorithm != "heuristic":
            try:
                return self._optimal(data, grid), "optimal"
            except GridTooLargeError:
                if self.algorithm == "optimal":
                    raise
        forest, X = data.forest, data.X
        conjunctions = conjunctions_of(forest, X, grid, self.max_conjunctions)
        limit, cells = math.inf if self.max_depth is None else self.max_depth, grid.cells(X)
        return Hierarchy(Axes.of(cells, grid.shape), cells, probabilities, limit).tree(conjunctions), "heuristic"

    def _optimal(self, data: TrainingData, grid: Grid) -> Node:
        if grid.n_cells > self.max_cells:
            raise GridTooLargeError(
                f"The ensemble's threshold grid has {grid.n_cells:.3g} cells, more than max_cells={self.max_cells}. "
                "Raise it, use fewer or shallower trees, or algorithm='heuristic'."
            )
        return optimal_tree(grid.predict_proba(data.forest), self.objective, self.max_regions)

    def _check_whole_number(self, name: str) -> None:
        value = getattr(self, name)
        if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
            raise InvalidParameterError(f"BornAgainTree: {name} must be a whole number of at least 1, got {value!r}.")
