"""From the search's arrays to the ruleset that people see."""

import numpy as np

from rulekit.core.arrays import LabelArray
from rulekit.core.batch import RuleBatch
from rulekit.core.index import TrainingIndex
from rulekit.core.interfaces import InferenceMode, ProbabilityEstimator
from rulekit.core.rules import Rules
from rulekit.ruleset import RuleSet
from rulekit.search.sequence import default_counts, first_match_counts


def assemble(
    rules: Rules, index: TrainingIndex, estimator: ProbabilityEstimator, classes: LabelArray, inference: InferenceMode
) -> RuleSet:
    """State probabilities for the rules and append the default rule.

    Parameters
    ----------
    rules : Rules
    index : TrainingIndex
    estimator : ProbabilityEstimator
        Fitted; states the probabilities of the rules. The default rule states class shares.
    classes : ndarray of shape (n_classes,)
        Labels.
    inference : InferenceMode
    """
    stated = estimator.estimate(RuleBatch(index, rules.conditions, rules.priors, rules.counts))
    rest = default_counts(first_match_counts(rules, index), index)
    used = np.unique(rules.conditions[rules.conditions != index.pad])
    rows = (row[row != index.pad] for row in rules.conditions)
    return RuleSet(
        conditions=index.conditions.take(used),
        antecedents=(*(tuple(np.searchsorted(used, row).tolist()) for row in rows), ()),
        probabilities=np.vstack([stated, rest / rest.sum()]),
        counts=np.vstack([rules.counts, rest]),
        classes=classes,
        n_records=index.n_records,
        inference=inference,
    )
