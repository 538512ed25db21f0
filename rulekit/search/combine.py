"""Combine: conjunctions of a rule found so far and a leaf of the next tree."""

from typing import ClassVar, NamedTuple, Self

import attrs
import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.context import PAIRS_AT_ONCE, WORDS_AT_ONCE, SearchContext
from rulekit.core.engine.interface import HashArray, Pairs
from rulekit.core.interfaces import CombineStage
from rulekit.core.rules import RuleBatch, Rules
from rulekit.core.set_intersections import merge_sets
from rulekit.core.statistics import row_sums


def random_words(n_conditions: int) -> HashArray:
    """A word for each condition and, at the end, 0 for the pad; always the same, so the search needs no seed."""
    words = np.random.default_rng(0).integers(0, 2**64, n_conditions + 1, dtype=np.uint64)
    words[n_conditions] = 0
    return words


class RejectedAntecedents:
    """Antecedents that failed and are not tried again, whichever pair of rules they come from."""

    def __init__(self) -> None:
        self._hashes: set[int] = set()

    def absent(self, hashes: HashArray) -> BoolArray:
        """Which antecedents have not failed before, of shape (n_rules,)."""
        listed = hashes.tolist()
        # Failed antecedents seldom recur: most calls end here.
        if self._hashes.isdisjoint(listed):
            return np.ones(len(hashes), dtype=bool)
        return ~np.fromiter(map(self._hashes.__contains__, listed), bool, len(hashes))

    def add(self, hashes: HashArray) -> None:
        """Remember that these failed."""
        self._hashes.update(hashes.tolist())


def first_that_pass(hashes: HashArray, classes: IntArray, passes: BoolArray) -> IntArray:
    """Rows that passed, are the first with their antecedent and class, and come before any failure of it; ascending."""
    passed = np.flatnonzero(passes)
    ascending = np.sort(hashes)
    if (ascending[1:] != ascending[:-1]).all():
        return passed
    distinct, which = np.unique(hashes, return_inverse=True)
    first_failure = np.full(len(distinct), len(hashes))
    failed = np.flatnonzero(~passes)
    np.minimum.at(first_failure, which[failed], failed)
    passed = passed[passed < first_failure[which[passed]]]
    n_classes = int(classes.max()) + 1
    _, first = np.unique(which[passed] * n_classes + classes[passed], return_index=True)
    return passed[np.sort(first)]


@attrs.frozen(eq=False)
class RulePairs:
    """Pairs of rules with the priors and class counts of their conjunctions.

    Attributes
    ----------
    left, right : ndarrays of shape (n_pairs,)
        Rows of the rules so far, and of the tree's rules.
    counts : ndarray of shape (n_pairs, n_classes)
        Samples of each class that both cover.
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
    """Pairs with conditions and samples, sorted by class of the left, class of the right, then by row.

    If there are more than `max_candidates`, those that cover the most samples are kept.
    """
    budget, parts, n_pairs = context.budget, [], 0
    at_once = _rows_at_once(rules, tree_rules, context)
    for start in range(0, max(len(rules), 1), at_once):
        budget.check_time()
        parts.append(_pairs_of(slice(start, start + at_once), rules, tree_rules, context))
        n_pairs += len(parts[-1])
        budget.check_memory(n_pairs * bytes_of_pair(rules, tree_rules))
    pairs = parts[0]
    if len(parts) > 1:
        pairs = _all_pairs(parts)
        pairs = pairs.take(by_class(rules.classes[pairs.left], tree_rules.classes[pairs.right], rules.priors.shape[1]))
    most_general = budget.most_general(row_sums(pairs.counts))
    return pairs if len(most_general) == len(pairs) else pairs.take(most_general)


def by_class(left_classes: IntArray, right_classes: IntArray, n_classes: int) -> IntArray:
    """The order of pairs by class of the left, class of the right, then by row; shape (n_pairs,)."""
    return np.argsort(left_classes * n_classes + right_classes, kind="stable")


def bytes_of_pair(rules: Rules, tree_rules: Rules) -> int:
    """Memory that a pair takes while it is evaluated: rows, union, counts, priors, and as much again for work."""
    width = rules.conditions.shape[1] + tree_rules.conditions.shape[1]
    return 2 * 8 * (4 + width + 2 * rules.priors.shape[1])


def _pairs_of(block: slice, rules: Rules, tree_rules: Rules, context: SearchContext) -> RulePairs:
    """The pairs of some of the rules, by class."""
    all_counts = context.index.engine.pair_counts(rules.bits[block], tree_rules.bits)
    left, right = np.nonzero(_is_worth_trying(all_counts, rules.conditions[block], tree_rules.conditions, context))
    order = by_class(rules.classes[block][left], tree_rules.classes[right], rules.priors.shape[1])
    left, right = left[order], right[order]
    priors = context.priors.combine(rules.priors[block], tree_rules.priors, rules.covered[block], tree_rules.covered)
    return RulePairs(left + block.start, right, all_counts[left, right], priors[left, right])


def _is_worth_trying(
    counts: IntArray, left_conditions: IntArray, right_conditions: IntArray, context: SearchContext
) -> BoolArray:
    """Which pairs have conditions and samples, of shape (n_left, n_right).

    Estimators that use counts need more samples than the limits of coverage. An antecedent with too few is recognised
    here each time: only other failures need to be remembered.
    """
    pad = context.index.pad
    enough = context.limits.may_be_general(counts) if context.search_estimator.uses_counts else row_sums(counts) > 0
    # Pads come last: the first column shows whether there is any condition.
    has_conditions = (left_conditions[:, :1] != pad).any(axis=1)[:, None] & (right_conditions[:, :1] != pad).any(axis=1)
    return np.asarray(has_conditions & enough)


def _rows_at_once(rules: Rules, tree_rules: Rules, context: SearchContext) -> int:
    """Rules whose pairs are made at once: as many as fit into memory and take a fraction of a second."""
    n_right = max(1, len(tree_rules))
    n_pairs = context.budget.largest_block(PAIRS_AT_ONCE, bytes_of_pair(rules, tree_rules))
    return max(1, min(n_pairs, WORDS_AT_ONCE // max(1, context.index.n_words)) // n_right)


def _all_pairs(parts: list[RulePairs]) -> RulePairs:
    columns = ([getattr(part, name) for part in parts] for name in ("left", "right", "counts", "priors"))
    return RulePairs(*(np.concatenate(column) for column in columns))


class Passed(NamedTuple):
    """Conjunctions that passed: the rows of their pairs, antecedents, classes and hashes."""

    rows: IntArray
    conditions: IntArray
    classes: IntArray
    hashes: HashArray


class Combine(CombineStage):
    """Join every rule with every leaf, and keep the conjunctions that seem precise and general enough.

    The search estimator decides: one that uses counts evaluates exact counts; for any other, the support is the product
    of both rules' supports, as if they were independent. An antecedent that failed once is not tried again in the same
    search.
    """

    supports_weights: ClassVar[bool] = True

    def begin(self, context: SearchContext) -> None:
        """Forget the antecedents that failed in an earlier search."""
        self.words_ = random_words(context.index.n_conditions)
        self.rejected_ = RejectedAntecedents()

    def combine(self, rules: Rules, tree_rules: Rules, context: SearchContext) -> Rules:
        """Candidates, in the order of their pairs; the first of those with equal antecedent and class."""
        pairs = pairs_worth_trying(rules, tree_rules, context)
        at_once = context.budget.largest_block(PAIRS_AT_ONCE, bytes_of_pair(rules, tree_rules))
        # What failed in one block is not tried in the next, as if pairs were tried one after the other.
        passed = _all_passed(
            [
                self._tried(slice(start, start + at_once), pairs, rules, tree_rules, context)
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
        self, block: slice, of_pairs: RulePairs, rules: Rules, tree_rules: Rules, context: SearchContext
    ) -> Passed:
        """The pairs that pass, of those in the block; the first of those with equal antecedent and class."""
        context.budget.check_time()
        index, pairs = context.index, of_pairs.take(block)
        rows = block.start + np.arange(len(pairs))
        conditions, hashes = index.engine.unite(
            rules.conditions[pairs.left], tree_rules.conditions[pairs.right], index.pad, self.words_
        )
        if index.conditions.has_sets:
            conditions = merge_sets(conditions, index.conditions)
            hashes = self.words_[conditions].sum(axis=1, dtype=np.uint64)
        untried = self.rejected_.absent(hashes)
        if not untried.all():
            rows, pairs, conditions, hashes = rows[untried], pairs.take(untried), conditions[untried], hashes[untried]

        classes = pairs.priors.argmax(axis=1)
        batch = RuleBatch(index, conditions, pairs.priors, pairs.counts)
        passes = passes_thresholds(batch, classes, pairs, rules, tree_rules, context)
        self.rejected_.add(hashes[~passes])
        kept = first_that_pass(hashes, classes, passes)
        return Passed(rows[kept], conditions[kept], classes[kept], hashes[kept])


def _all_passed(parts: list[Passed], pad: int) -> Passed:
    """The conjunctions of all blocks; what several blocks found is kept once."""
    if len(parts) == 1:
        return parts[0]
    width = max(part.conditions.shape[1] for part in parts)
    widened = [
        np.pad(part.conditions, ((0, 0), (0, width - part.conditions.shape[1])), constant_values=pad) for part in parts
    ]
    rows, classes, hashes = (np.concatenate([part[column] for part in parts]) for column in (0, 2, 3))
    first = first_that_pass(hashes, classes, np.ones(len(rows), dtype=bool))
    return Passed(rows[first], np.concatenate(widened)[first], classes[first], hashes[first])


def passes_thresholds(
    batch: RuleBatch,
    classes: IntArray,
    pairs: RulePairs,
    rules: Rules,
    tree_rules: Rules,
    context: SearchContext,
) -> BoolArray:
    """Whether candidates exceed the thresholds according to the search estimator, of shape (n_candidates,)."""
    probabilities = context.search_estimator.estimate(batch)
    is_precise: BoolArray = probabilities[np.arange(len(batch)), classes] > context.min_precision
    if context.search_estimator.uses_counts:
        return is_precise  # pairs that cover too few samples were not worth trying
    # Under independence a conjunction covers the product of both fractions, which is at most the smaller of them.
    expected = rules.covered[pairs.left] * tree_rules.covered[pairs.right] / context.index.total**2
    return np.asarray(is_precise & (expected > context.min_coverage))
