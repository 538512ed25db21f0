"""Simplify: shorter rules, and only those that are still needed."""

from typing import ClassVar

import numpy as np

from rulekit.core.arrays import BitArray, FloatArray, IntArray
from rulekit.core.conditions import narrowed, tidy
from rulekit.core.context import SearchContext
from rulekit.core.interfaces import SimplifyStage
from rulekit.core.rules import RemovalBatch, RuleBatch, Rules, joined
from rulekit.core.statistics import merits, pessimistic_error, string_order


class DropRedundant(SimplifyStage):
    """Keep, of several conditions on one feature with one operator, only the tightest; the rules cover the same."""

    supports_weights: ClassVar[bool] = True

    def simplify(self, rules: Rules, context: SearchContext) -> Rules:
        """The same rules with fewer conditions."""
        conditions = context.index.engine.drop_redundant(rules.conditions, context.index.conditions)
        return Rules(conditions, rules.priors, rules.classes, rules.bits, rules.counts, rules.groups)


def generalise(antecedents: IntArray, rules: Rules, context: SearchContext) -> IntArray:
    """Shorten antecedents: repeatedly remove the condition whose removal leaves the lowest pessimistic error.

    Antecedents with more than `max_conditions` go on losing conditions until they have no more. All rules are processed
    together, and all their possible removals are estimated in one call of the estimator.

    Parameters
    ----------
    antecedents : ndarray of shape (n_rules, width)
        Condition ids, ascending, which breaks ties by string; pads at the end.
    rules : Rules
        The rules with these antecedents, or longer ones of the same meaning.
    context : SearchContext
    """
    index, estimator, classes = context.index, context.search_estimator, rules.classes
    antecedents = antecedents.copy()
    batch = RuleBatch(index, antecedents, rules.priors, rules.counts)
    of_own_class = estimator.estimate(batch)[np.arange(len(classes)), classes]
    errors = pessimistic_error(estimator.support(batch), 1.0 - of_own_class, context.deviations)

    def shorten_while_better(active: IntArray, longest: int) -> None:
        while active.size:
            active, longest = _remove_conditions(antecedents, errors, active, longest, rules, context)

    shorten_while_better(np.flatnonzero((errors > 0) & ~batch.is_empty), antecedents.shape[1])
    while (long := too_long(antecedents, context)).size:
        assert context.max_conditions is not None
        errors[long] = np.inf  # no removal is worse
        _remove_conditions(antecedents, errors, long, antecedents.shape[1], rules, context)
        n_conditions = (antecedents[long] != index.pad).sum(axis=1)
        fits = long[(n_conditions == context.max_conditions) & (errors[long] > 0)]
        shorten_while_better(fits, context.max_conditions)
    return narrowed(antecedents, index.pad)


def too_long(antecedents: IntArray, context: SearchContext) -> IntArray:
    """Rows of the antecedents with more than `max_conditions` conditions."""
    if context.max_conditions is None:
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero((antecedents != context.index.pad).sum(axis=1) > context.max_conditions)


def _remove_conditions(
    antecedents: IntArray, errors: FloatArray, active: IntArray, longest: int, rules: Rules, context: SearchContext
) -> tuple[IntArray, int]:
    """Remove a condition from each active rule, of at most `longest` conditions, unless that increases its error.

    `antecedents` and `errors` are modified in place. Returns the rules that may lose another condition, and the number
    of conditions of the longest of them.
    """
    index, estimator = context.index, context.search_estimator
    context.budget.check_time()
    context.budget.check_memory(8 * len(active) * longest * (longest + 4 * index.n_classes))
    removals = RemovalBatch(index, antecedents[active, :longest], rules.priors[active])
    return index.engine.shorten(
        antecedents,
        errors,
        active,
        rules.classes,
        estimator.estimate(removals),
        estimator.support(removals),
        context.errors_of_classes,
        context.deviations,
        index.pad,
    )


def bounded(rules: Rules, context: SearchContext) -> Rules:
    """The same rules, those with more than `max_conditions` conditions shortened."""
    long = too_long(rules.conditions, context)
    if not len(long):
        return rules
    conditions, pad = rules.conditions.copy(), context.index.pad
    shorter = generalise(conditions[long], rules.take(long), context)
    conditions[long] = pad
    conditions[long, : shorter.shape[1]] = shorter
    return Rules.of(tidy(conditions, pad), rules.priors, rules.classes, context.index, groups=None)


# Samples are looked up in blocks of rules that take this many words, 64 MB; those of dropped rules are not kept.
BLOCK_WORDS = 2**23


class Simplify(SimplifyStage):
    """Remove conditions that do not lower the pessimistic error, then rules that have become superfluous.

    Parameters
    ----------
    drop_redundant : bool, default=True
        First keep only the tightest of several conditions on one feature with one operator. The public RuleCOSI+ code
        keeps them all; False reproduces it rule by rule.
    """

    supports_weights: ClassVar[bool] = True

    def __init__(self, drop_redundant: bool = True) -> None:
        self.drop_redundant = drop_redundant

    def simplify(self, rules: Rules, context: SearchContext) -> Rules:
        """Shortened rules in the search's order, by what each covers after the ones before it."""
        index = context.index
        antecedents = rules.conditions
        if self.drop_redundant:
            antecedents = index.engine.drop_redundant(antecedents, index.conditions)
        antecedents = generalise(antecedents, rules, context)
        kept, counts, bits = still_needed(antecedents, rules.classes, context)
        in_string_order = string_order(antecedents[kept], index.pad)
        primary, secondary = merits(counts[in_string_order], rules.classes[kept[in_string_order]], context.rule_order)
        order = in_string_order[np.lexsort((-secondary, -primary))]
        # The samples of all kept rules, in both orders.
        context.budget.check_time()
        context.budget.check_memory(2 * len(kept) * index.n_words * 8)
        kept, bits = kept[order], bits[order]
        groups = np.zeros(len(kept), dtype=np.int64)
        return Rules(antecedents[kept], rules.priors[kept], rules.classes[kept], bits, index.count(bits), groups)


def still_needed(
    antecedents: IntArray, classes: IntArray, context: SearchContext
) -> tuple[IntArray, IntArray, BitArray]:
    """Rules with conditions that exceed the limits, on all samples and on those that earlier needed rules leave.

    Returns
    -------
    rows : ndarray of shape (n_needed,)
    counts : ndarray of shape (n_needed, n_classes)
        Class counts of the samples that each rule answers.
    bits : ndarray of shape (n_needed, n_words)
        Samples that each rule covers.
    """
    index = context.index
    uncovered = index.all_samples.copy()
    needed = []
    at_once = max(1, context.budget.largest_block(BLOCK_WORDS, bytes_each=8) // max(1, index.n_words))
    for start in range(0, max(len(antecedents), 1), at_once):
        context.budget.check_time()
        some = antecedents[start : start + at_once]
        bits = index.cover(some)
        qualifies = context.qualifies(index.count(bits), classes[start : start + at_once])
        good = np.flatnonzero(qualifies & (some[:, :1] != index.pad).any(axis=1))
        bits = bits[good]
        kept, fresh = index.engine.sequence(bits, classes[start + good], uncovered, context.limits)
        needed.append((start + good[kept], fresh[kept], bits[kept]))
    rows, counts, of_needed = zip(*needed, strict=True)
    return np.concatenate(rows), np.concatenate(counts), joined(of_needed)
