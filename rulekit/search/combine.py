"""Combine: conjunctions of a rule found so far and a leaf of the next tree."""

import numpy as np

from rulekit.core.arrays import BoolArray, IntArray, row_sums
from rulekit.core.batch import RuleBatch
from rulekit.core.context import SearchContext
from rulekit.core.engine.interface import Pairs
from rulekit.core.interfaces import CombineStage
from rulekit.core.rules import Rules
from rulekit.search.antecedents import RejectedAntecedents, first_that_pass, random_words
from rulekit.search.sets import merge_sets


class Combine(CombineStage):
    """Join every rule with every leaf, and keep the conjunctions that look precise and general enough.

    What "look" means is up to the search's estimator: one that reads records judges by exact counts, one that does
    not by its evidence and by supports multiplied as if the two rules were independent. An antecedent that once
    failed is not tried again in the same search.
    """

    def begin(self, context: SearchContext) -> None:
        """Forget the antecedents that failed in an earlier search."""
        self.words_ = random_words(context.index.n_conditions)
        self.rejected_ = RejectedAntecedents()

    def combine(self, rules: Rules, tree_rules: Rules, context: SearchContext) -> Rules:
        """Candidates, in the order of their pairs; of equal antecedents with equal class the first."""
        index, left_bits, right_bits = context.index, rules.bits, tree_rules.bits
        all_counts = index.engine.pair_counts(left_bits, right_bits)
        left, right = pairs_by_class(rules, tree_rules, worth_trying(all_counts, rules, tree_rules, context))
        conditions, hashes = index.engine.unite(
            rules.conditions[left], tree_rules.conditions[right], index.pad, self.words_
        )
        if index.conditions.sets:
            conditions = merge_sets(conditions, index.conditions)
            hashes = self.words_[conditions].sum(axis=1, dtype=np.uint64)
        untried = self.rejected_.absent(hashes)
        if not untried.all():
            left, right, conditions, hashes = left[untried], right[untried], conditions[untried], hashes[untried]

        counts = all_counts[left, right]
        priors = context.priors.combine(rules.priors, tree_rules.priors, rules.covered, tree_rules.covered)[left, right]
        classes = priors.argmax(axis=1)
        batch = RuleBatch(index, conditions, priors, counts)
        passes = looks_good(batch, classes, rules.covered[left], tree_rules.covered[right], context)
        self.rejected_.add(hashes[~passes])
        kept = first_that_pass(hashes, classes, passes)
        return Rules(
            conditions[kept],
            priors[kept],
            classes[kept],
            Pairs(left_bits, left[kept], right_bits, right[kept]),
            counts[kept],
            tree_rules.groups[right[kept]],
        )


def worth_trying(counts: IntArray, rules: Rules, tree_rules: Rules, context: SearchContext) -> BoolArray:
    """Which pairs have conditions and records, of shape (n_rules, n_tree_rules).

    An exact estimator will ask for more records than `min_coverage`. That an antecedent has too few is seen again each
    time: only other failures need remembering.
    """
    pad, covered = context.index.pad, row_sums(counts)
    at_least = context.min_coverage if context.evidence.reads_records else 0.0
    has_conditions = (rules.conditions != pad).any(axis=1)[:, None] & (tree_rules.conditions != pad).any(axis=1)
    return np.asarray(has_conditions & (covered / context.index.n_records > at_least))


def pairs_by_class(rules: Rules, tree_rules: Rules, wanted: BoolArray) -> tuple[IntArray, IntArray]:
    """Wanted pairs of rules, by class of the one, class of the other, then by their places."""
    left, right = np.nonzero(wanted)
    n_classes = rules.priors.shape[1]
    order = np.argsort(rules.classes[left] * n_classes + tree_rules.classes[right], kind="stable")
    return left[order], right[order]


def looks_good(
    batch: RuleBatch, classes: IntArray, left_support: IntArray, right_support: IntArray, context: SearchContext
) -> BoolArray:
    """Whether candidates pass the thresholds as the search's estimator sees them, of shape (n_candidates,)."""
    probabilities = context.evidence.estimate(batch)
    is_precise = probabilities[np.arange(len(batch)), classes] > context.min_precision
    n_records = context.index.n_records
    if context.evidence.reads_records:
        return np.asarray(is_precise & (batch.support / n_records > context.min_coverage))
    # No conjunction covers more than either part; under independence it covers the product of their shares.
    at_most = np.minimum(left_support, right_support) / n_records
    expected = left_support * right_support / n_records**2
    return np.asarray(is_precise & (at_most > context.min_coverage) & (expected > context.min_coverage))
