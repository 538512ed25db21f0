"""A compact subset of rules: those that a regularised random forest splits on.

Every rule is a feature that is 1 for the samples it covers. A forest is grown on these features in which a rule that no
earlier split used has its gain multiplied by a coefficient below 1, so that it is used only if it is more informative
than every rule that is in use already. Nodes are rows of bits, like rules: one operation counts all splits of a node.
"""

from collections import deque
from typing import Final

import numpy as np

from rulekit.plugin import BitArray, BoolArray, FloatArray, IntArray, row_sums
from rulekit_intrees.measured import MeasuredRules

# The sizes are those of the public implementation; the paper names none.
N_TREES: Final = 50
MAX_LEAVES: Final = 10
DRAWN_FRACTION: Final = 0.632
SAMPLED_RULES: Final = 0.5
#: A rule is kept if its importance is more than this fraction of the largest one.
LEAST_IMPORTANCE: Final = 0.01
#: Gains are differences of sums up to the number of samples: smaller ones are rounding errors.
ROUNDING: Final = 1e-12


def select(
    rules: MeasuredRules, base_coefficient: float, length_weight: float, random: np.random.Generator
) -> MeasuredRules:
    """Rules that matter in a regularised random forest, in the order given.

    Parameters
    ----------
    rules : MeasuredRules
    base_coefficient : float
        Factor of the gain of a rule that is not in use yet; the smaller, the fewer rules.
    length_weight : float
        Fraction by which the coefficient of the longest rule is smaller; proportionally less for shorter ones.
    random : numpy Generator
    """
    if not len(rules):
        return rules
    # Ties go to the first rule: it should be the better one.
    order = np.lexsort((rules.lengths, -rules.frequencies, rules.errors))
    ranked = rules.take(order)
    forest = RegularizedForest(ranked, coefficients(ranked.lengths, base_coefficient, length_weight), random)
    for _ in range(N_TREES):
        forest.grow_tree()
    matters = forest.importances > LEAST_IMPORTANCE * forest.importances.max()
    return rules.take(np.sort(order[matters]))


def coefficients(lengths: IntArray, base_coefficient: float, length_weight: float) -> FloatArray:
    """Factors of the gains of new rules, of shape (n_rules,): equation 6 of the paper."""
    return base_coefficient * (1 - length_weight * lengths / lengths.max())


class RegularizedForest:
    """A forest on rules that prefers those it has used before.

    Parameters
    ----------
    rules : MeasuredRules
    coefficients : ndarray of shape (n_rules,)
        Factor of the gain of a rule until it is in use: equation 5 of the paper.
    random : numpy Generator

    Attributes
    ----------
    in_use : ndarray of shape (n_rules,)
        Rules that some split used.
    importances : ndarray of shape (n_rules,)
        Sum of the gains of all splits that used a rule.
    """

    def __init__(self, rules: MeasuredRules, coefficients: FloatArray, random: np.random.Generator) -> None:
        self.rules = rules
        self.coefficients = coefficients
        self.random = random
        self.in_use: BoolArray = np.zeros(len(rules), dtype=bool)
        self.importances: FloatArray = np.zeros(len(rules))

    def grow_tree(self) -> None:
        """Grow one tree, level by level, on a subset of the samples."""
        nodes, n_leaves = deque([self._random_subset()]), 1
        while nodes and n_leaves < MAX_LEAVES:
            node = nodes.popleft()
            rule = self._best_split(node)
            if rule is None:
                continue
            covered = node & self.rules.bits[rule]
            nodes += [covered, node ^ covered]
            n_leaves += 1

    def _best_split(self, node: BitArray) -> int | None:
        """The rule to split a node by, which is then in use; None if no rule has a gain."""
        data = self.rules.data
        parent = data.count(node)
        if np.count_nonzero(parent) < 2:
            return None
        gains = gini_gains(parent, data.pair_counts(node[None], self.rules.bits)[0])
        compared = np.where(self.in_use, gains, self.coefficients * gains)
        compared[~self._candidates()] = 0.0
        best = int(compared.argmax())
        if compared[best] <= ROUNDING * parent.sum():
            return None
        self.in_use[best] = True
        self.importances[best] += gains[best]
        return best

    def _candidates(self) -> BoolArray:
        """Every rule in use, and some others."""
        new = np.flatnonzero(~self.in_use)
        n_drawn = min(len(new), max(1, round(SAMPLED_RULES * len(self.in_use))))
        candidates = self.in_use.copy()
        candidates[self.random.choice(new, n_drawn, replace=False)] = True
        return candidates

    def _random_subset(self) -> BitArray:
        n_samples = self.rules.data.n_samples
        sampled = np.zeros(n_samples, dtype=bool)
        n_drawn = int(np.ceil(DRAWN_FRACTION * n_samples))
        sampled[self.random.choice(n_samples, n_drawn, replace=False)] = True
        return self.rules.data.sample_bits(sampled)


def gini_gains(parent: IntArray, covered: IntArray) -> FloatArray:
    """Decrease of the Gini impurity, weighted by samples, if a node is split in covered and other samples.

    Parameters
    ----------
    parent : ndarray of shape (n_classes,)
        Samples of each class in the node.
    covered : ndarray of shape (n_rules, n_classes)
        Those of them that each rule covers.

    Returns
    -------
    gains : ndarray of shape (n_rules,)
        0 where all samples stay together.
    """
    return purity(covered) + purity(parent - covered) - purity(parent[None])


def purity(counts: IntArray) -> FloatArray:
    """Samples times the probability that two of them, drawn with replacement, are of one class; 0 without samples.

    From (n, n_classes) to (n,).
    """
    return row_sums(counts * counts) / np.maximum(row_sums(counts), 1)
