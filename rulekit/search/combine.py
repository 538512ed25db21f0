"""Combine: conjunctions of a rule found so far and a leaf of the next tree."""

import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.batch import RuleBatch
from rulekit.core.context import SearchContext
from rulekit.core.interfaces import CombineStage
from rulekit.core.rules import Rules, concatenate, tidy
from rulekit.search.antecedents import AntecedentHashes, RejectedAntecedents, first_of_each, not_after_failure
from rulekit.search.sets import merge_sets

# Pairs are worked on in blocks whose bits take about this much memory.
BLOCK_BYTES = 2**25


class Combine(CombineStage):
    """Join every rule with every leaf, and keep the conjunctions that look precise and general enough.

    What "look" means is up to the search's estimator: one that reads records judges by exact counts, one that does
    not by its evidence and by supports multiplied as if the two rules were independent. An antecedent that once
    failed is not tried again in the same search.
    """

    def begin(self, context: SearchContext) -> None:
        """Forget the antecedents that failed in an earlier search."""
        self.hashes_ = AntecedentHashes(context.index.n_conditions)
        self.rejected_ = RejectedAntecedents()

    def combine(self, rules: Rules, tree_rules: Rules, context: SearchContext) -> Rules:
        """Candidates, in the order of their pairs; of equal antecedents with equal class the first."""
        left, right = pairs_by_class(rules, tree_rules, context.index.pad)
        priors = context.priors.combine(rules.priors, tree_rules.priors, rules.covered, tree_rules.covered)
        at_once = max(1, BLOCK_BYTES // (8 * context.index.n_words))
        blocks = []
        for start in range(0, max(len(left), 1), at_once):
            block = slice(start, start + at_once)
            blocks.append(self._join(rules, tree_rules, left[block], right[block], priors, context))
        candidates = concatenate(blocks, context.index.pad)
        return candidates.take(first_of_each(self.hashes_.of(candidates.conditions), candidates.classes))

    def _join(
        self,
        rules: Rules,
        tree_rules: Rules,
        left: IntArray,
        right: IntArray,
        priors: FloatArray,
        context: SearchContext,
    ) -> Rules:
        """Candidates among the pairs (left[i], right[i])."""
        index = context.index
        bits = rules.bits[left] & tree_rules.bits[right]
        counts = index.count(bits)
        # That no record satisfies an antecedent is seen again each time: only other failures need remembering.
        live = np.flatnonzero(counts.any(axis=1))
        conditions = tidy(np.hstack([rules.conditions[left[live]], tree_rules.conditions[right[live]]]), index.pad)
        conditions = merge_sets(conditions, index.conditions)
        hashes = self.hashes_.of(conditions)
        untried = ~self.rejected_.contain(hashes)
        live, conditions, hashes = live[untried], conditions[untried], hashes[untried]
        left, right, counts = left[live], right[live], counts[live]

        priors = priors[left, right]
        classes = priors.argmax(axis=1)
        batch = RuleBatch(index, conditions, priors, counts)
        passes = looks_good(batch, classes, rules.covered[left], tree_rules.covered[right], context)
        self.rejected_.add(hashes[~passes])
        kept = np.flatnonzero(not_after_failure(hashes, passes))
        return Rules(
            conditions[kept],
            priors[kept],
            classes[kept],
            bits[live[kept]],
            counts[kept],
            tree_rules.groups[right[kept]],
        )


def pairs_by_class(rules: Rules, tree_rules: Rules, pad: int) -> tuple[IntArray, IntArray]:
    """All pairs of rules with conditions, by class of the one, class of the other, then by their places."""
    some = np.flatnonzero((rules.conditions != pad).any(axis=1))
    others = np.flatnonzero((tree_rules.conditions != pad).any(axis=1))
    left, right = np.repeat(some, len(others)), np.tile(others, len(some))
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
