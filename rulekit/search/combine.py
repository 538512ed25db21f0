"""Combine: conjunctions of a rule found so far and a leaf of the next tree."""

from typing import NamedTuple

import numpy as np

from rulekit.core.arrays import BoolArray, IntArray
from rulekit.core.batch import RuleBatch
from rulekit.core.budget import PAIRS_AT_ONCE
from rulekit.core.context import SearchContext
from rulekit.core.engine.interface import HashArray, Pairs
from rulekit.core.interfaces import CombineStage
from rulekit.core.rules import Rules
from rulekit.search.antecedents import RejectedAntecedents, first_that_pass, random_words
from rulekit.search.pairs import RulePairs, bytes_of_pair, pairs_worth_trying
from rulekit.search.sets import merge_sets


class Passed(NamedTuple):
    """Conjunctions that look good: the rows of their pairs, antecedents, classes and hashes."""

    rows: IntArray
    conditions: IntArray
    classes: IntArray
    hashes: HashArray


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
        pairs = pairs_worth_trying(rules, tree_rules, context)
        at_once = context.budget.largest_block(PAIRS_AT_ONCE, bytes_of_pair(rules, tree_rules))
        # What failed in one block is not tried in the next, as if the pairs were tried one after the other.
        passed = _joined(
            [
                self._tried(np.arange(start, min(start + at_once, len(pairs))), pairs, rules, tree_rules, context)
                for start in range(0, max(len(pairs), 1), at_once)
            ],
            context.index.pad,
        )
        kept = pairs.take(passed.rows)
        return Rules(
            passed.conditions,
            kept.priors,
            passed.classes,
            Pairs(rules.bits, kept.left, tree_rules.bits, kept.right),
            kept.counts,
            tree_rules.groups[kept.right],
        )

    def _tried(
        self, rows: IntArray, of_pairs: RulePairs, rules: Rules, tree_rules: Rules, context: SearchContext
    ) -> Passed:
        """Which of some pairs look good; of equal antecedents with equal class the first."""
        context.budget.check_time()
        index, pairs = context.index, of_pairs.take(rows)
        conditions, hashes = index.engine.unite(
            rules.conditions[pairs.left], tree_rules.conditions[pairs.right], index.pad, self.words_
        )
        if index.conditions.sets:
            conditions = merge_sets(conditions, index.conditions)
            hashes = self.words_[conditions].sum(axis=1, dtype=np.uint64)
        untried = self.rejected_.absent(hashes)
        if not untried.all():
            rows, pairs, conditions, hashes = rows[untried], pairs.take(untried), conditions[untried], hashes[untried]

        classes = pairs.priors.argmax(axis=1)
        batch = RuleBatch(index, conditions, pairs.priors, pairs.counts)
        passes = looks_good(batch, classes, rules.covered[pairs.left], tree_rules.covered[pairs.right], context)
        self.rejected_.add(hashes[~passes])
        kept = first_that_pass(hashes, classes, passes)
        return Passed(rows[kept], conditions[kept], classes[kept], hashes[kept])


def _joined(parts: list[Passed], pad: int) -> Passed:
    """All of several blocks; what more than one of them found is kept once."""
    if len(parts) == 1:
        return parts[0]
    width = max(part.conditions.shape[1] for part in parts)
    widened = [
        np.pad(part.conditions, ((0, 0), (0, width - part.conditions.shape[1])), constant_values=pad) for part in parts
    ]
    rows, classes, hashes = (np.concatenate([part[column] for part in parts]) for column in (0, 2, 3))
    first = first_that_pass(hashes, classes, np.ones(len(rows), dtype=bool))
    return Passed(rows[first], np.concatenate(widened)[first], classes[first], hashes[first])


def looks_good(
    batch: RuleBatch, classes: IntArray, left_support: IntArray, right_support: IntArray, context: SearchContext
) -> BoolArray:
    """Whether candidates pass the thresholds as the search's estimator sees them, of shape (n_candidates,)."""
    probabilities = context.evidence.estimate(batch)
    is_precise: BoolArray = probabilities[np.arange(len(batch)), classes] > context.min_precision
    if context.evidence.reads_records:
        return is_precise  # pairs that cover too few records were not worth trying
    # Under independence a conjunction covers the product of both shares, which is at most the smaller one of them.
    expected = left_support * right_support / context.index.n_records**2
    return np.asarray(is_precise & (expected > context.min_coverage))
