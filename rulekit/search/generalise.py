"""Removing conditions as long as the pessimistic error does not grow."""

import numpy as np

from rulekit.core.arrays import IntArray
from rulekit.core.batch import RemovalBatch, RuleBatch
from rulekit.core.context import SearchContext
from rulekit.core.pessimism import pessimistic_error
from rulekit.core.rules import Rules, tidy


def generalise(antecedents: IntArray, rules: Rules, context: SearchContext) -> IntArray:
    """Shorter antecedents: again and again without the condition whose removal leaves the least error.

    All rules are worked on side by side, and all their possible removals are judged in one call of the estimator.

    Parameters
    ----------
    antecedents : ndarray of shape (n_rules, width)
        Condition ids in text order, which breaks ties; pads at the end.
    rules : Rules
        The rules with these antecedents, or longer ones of the same meaning.
    context : SearchContext
    """
    index, evidence, classes = context.index, context.evidence, rules.classes
    z, of_class = context.deviations, context.errors_of_classes
    antecedents = antecedents.copy()
    batch = RuleBatch(index, antecedents, rules.priors, rules.counts)
    stated = evidence.estimate(batch)[np.arange(len(classes)), classes]
    errors = pessimistic_error(evidence.support(batch), 1.0 - stated, z)
    active, longest = np.flatnonzero((errors > 0) & ~batch.is_empty), antecedents.shape[1]
    while active.size:
        context.budget.check_time()
        context.budget.check_memory(8 * len(active) * longest * (longest + 4 * index.n_classes))
        removals = RemovalBatch(index, antecedents[active, :longest], rules.priors[active])
        probabilities, support = evidence.estimate(removals), evidence.support(removals)
        active, longest = index.engine.shorten(
            antecedents, errors, active, classes, probabilities, support, of_class, z, index.pad
        )
    return tidy(antecedents, index.pad)
