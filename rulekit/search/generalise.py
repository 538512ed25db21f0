"""Removing conditions as long as the pessimistic error does not grow."""

import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.batch import RemovalBatch, RuleBatch
from rulekit.core.context import SearchContext
from rulekit.core.rules import Rules, tidy
from rulekit.search.pessimism import pessimistic_error


def generalise(antecedents: IntArray, rules: Rules, context: SearchContext) -> IntArray:
    """Shorter antecedents: again and again without the condition whose removal leaves the least error.

    All rules are worked on side by side, and all their possible removals are judged in one call of the estimator.

    Parameters
    ----------
    antecedents : ndarray of shape (n_rules, width)
        Condition ids in text order, which breaks ties.
    rules : Rules
        The rules with these antecedents, or longer ones of the same meaning.
    context : SearchContext
    """
    pad, priors, classes = context.index.pad, rules.priors, rules.classes
    antecedents = antecedents.copy()
    errors = _errors(RuleBatch(context.index, antecedents, priors, rules.counts), classes, context)
    active = np.flatnonzero((errors > 0) & (antecedents != pad).any(axis=1))
    while active.size:
        removals = RemovalBatch(context.index, antecedents[active], priors[active])
        after = np.full((len(active), antecedents.shape[1]), np.inf)
        after[removals.parents, removals.positions] = _errors(removals, classes[active][removals.parents], context)
        weakest = after.argmin(axis=1)
        least = after[np.arange(len(active)), weakest]
        gains = least <= errors[active]
        active, weakest, least = active[gains], weakest[gains], least[gains]
        antecedents[active, weakest] = pad
        errors[active] = least
        active = active[(least > 0) & (antecedents[active] != pad).any(axis=1)]
    return tidy(antecedents, pad)


def _errors(batch: RuleBatch, classes: IntArray, context: SearchContext) -> FloatArray:
    """Pessimistic errors as the search's estimator sees them; without conditions, those of the class itself."""
    index = context.index
    stated = context.evidence.estimate(batch)[np.arange(len(batch)), classes]
    everyone = index.class_counts[classes] / index.n_records
    empty = batch.is_empty
    error = 1.0 - np.where(empty, everyone, stated)
    support = np.where(empty, index.n_records, context.evidence.support(batch))
    return pessimistic_error(support, error, context.confidence)
