"""Pairs of a rule found so far and a leaf of the next tree, before anybody has judged them."""

from typing import Self

import attrs
import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray, IntArray, row_sums
from rulekit.core.budget import PAIRS_AT_ONCE, WORDS_AT_ONCE
from rulekit.core.context import SearchContext
from rulekit.core.rules import Rules


@attrs.frozen(eq=False)
class RulePairs:
    """Pairs of rules with what their conjunctions inherit and cover.

    Attributes
    ----------
    left, right : ndarrays of shape (n_pairs,)
        Rows of the rules so far, and of the tree's.
    counts : ndarray of shape (n_pairs, n_classes)
        Records of each class that both cover.
    priors : ndarray of shape (n_pairs, n_classes)
    """

    left: IntArray
    right: IntArray
    counts: IntArray
    priors: FloatArray

    def __len__(self) -> int:
        return len(self.left)

    def take(self, rows: IntArray | BoolArray | slice) -> Self:
        """Only these pairs."""
        return type(self)(self.left[rows], self.right[rows], self.counts[rows], self.priors[rows])


def pairs_worth_trying(rules: Rules, tree_rules: Rules, context: SearchContext) -> RulePairs:
    """Pairs that have conditions and records, by class of the one, class of the other, then by their places.

    If there are more of them than `max_candidates`, those that cover the most records are left.
    """
    budget, parts, n_pairs = context.budget, [], 0
    at_once = _rows_at_once(rules, tree_rules, context)
    for start in range(0, max(len(rules), 1), at_once):
        budget.check_time()
        parts.append(_pairs_of(slice(start, start + at_once), rules, tree_rules, context))
        n_pairs += len(parts[-1])
        budget.check_memory(n_pairs * bytes_of_pair(rules, tree_rules))
    pairs = parts[0] if len(parts) == 1 else _joined(parts)
    order = by_class(rules.classes[pairs.left], tree_rules.classes[pairs.right], rules.priors.shape[1])
    return pairs.take(order[budget.most_general(row_sums(pairs.counts)[order])])


def by_class(left_classes: IntArray, right_classes: IntArray, n_classes: int) -> IntArray:
    """The order of pairs by class of the one, class of the other, then by their places; shape (n_pairs,)."""
    return np.argsort(left_classes * n_classes + right_classes, kind="stable")


def bytes_of_pair(rules: Rules, tree_rules: Rules) -> int:
    """Memory that a pair takes while it is judged: itself, its union, counts, priors, and as much again for work."""
    width = rules.conditions.shape[1] + tree_rules.conditions.shape[1]
    return 2 * 8 * (4 + width + 2 * rules.priors.shape[1])


def _pairs_of(block: slice, rules: Rules, tree_rules: Rules, context: SearchContext) -> RulePairs:
    """The pairs of some of the rules."""
    all_counts = context.index.engine.pair_counts(rules.bits[block], tree_rules.bits)
    left, right = np.nonzero(_is_worth_trying(all_counts, rules.conditions[block], tree_rules.conditions, context))
    priors = context.priors.combine(rules.priors[block], tree_rules.priors, rules.covered[block], tree_rules.covered)
    return RulePairs(left + block.start, right, all_counts[left, right], priors[left, right])


def _is_worth_trying(
    counts: IntArray, left_conditions: IntArray, right_conditions: IntArray, context: SearchContext
) -> BoolArray:
    """Which pairs have conditions and records, of shape (n_left, n_right).

    An exact estimator will ask for more records than `min_coverage`. That an antecedent has too few is seen again each
    time: only other failures need remembering.
    """
    pad, covered = context.index.pad, row_sums(counts)
    at_least = context.min_coverage if context.evidence.reads_records else 0.0
    has_conditions = (left_conditions != pad).any(axis=1)[:, None] & (right_conditions != pad).any(axis=1)
    return np.asarray(has_conditions & (covered / context.index.n_records > at_least))


def _rows_at_once(rules: Rules, tree_rules: Rules, context: SearchContext) -> int:
    """Rules whose pairs are made at once: as many as the memory holds, and not for longer than a moment."""
    n_right = max(1, len(tree_rules))
    n_pairs = context.budget.largest_block(PAIRS_AT_ONCE, bytes_of_pair(rules, tree_rules))
    return max(1, min(n_pairs, WORDS_AT_ONCE // max(1, context.index.n_words)) // n_right)


def _joined(parts: list[RulePairs]) -> RulePairs:
    columns = ([getattr(part, name) for part in parts] for name in ("left", "right", "counts", "priors"))
    return RulePairs(*(np.concatenate(column) for column in columns))
