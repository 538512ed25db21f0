"""From the leaves of one tree to a ruleset."""

import numpy as np

from rulekit.core.arrays import FloatArray
from rulekit.core.errors import FewRulesWarning
from rulekit.core.messages import warn_caller
from rulekit.core.rules import RuleList
from rulekit.core.training_data import TrainingData
from rulekit.plugin import DecisionList
from rulekit.ruleset import RuleSet


def leaf_list(data: TrainingData) -> RuleList:
    """The leaves of the first tree from left to right as rules; its default rule is left without samples.

    Parameters
    ----------
    data : TrainingData
        Of a forest of one tree.
    """
    return data.rule_list(data.without_redundancy(data.leaves[0].antecedents))


def ruleset_of_leaves(data: TrainingData, probabilities: FloatArray) -> RuleSet:
    """The leaves of the first tree as rules; the one with most conditions, the first of several, is the default rule.

    The leaves share no sample, so the rules predict what the tree predicts, and there are as many of them as leaves.

    Parameters
    ----------
    data : TrainingData
        Of a forest of one tree.
    probabilities : ndarray of shape (n_leaves, n_classes)
        Of the leaves from left to right.
    """
    antecedents = leaf_list(data).conditions
    default = int((antecedents != data.pad).sum(axis=1).argmax())
    others = np.delete(np.arange(len(antecedents)), default)
    if not len(others):
        warn_caller("The tree has a single leaf, so only the default rule is left.", FewRulesWarning)
    return RuleSet.from_rules(data, antecedents[others], probabilities[[*others, default]], DecisionList())
