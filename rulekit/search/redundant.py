"""Conditions that say less than another one of the same rule."""

import numpy as np

from rulekit.core.arrays import IntArray
from rulekit.core.conditions import Conditions
from rulekit.core.context import SearchContext
from rulekit.core.interfaces import SimplifyStage
from rulekit.core.rules import Rules, tidy


class DropRedundant(SimplifyStage):
    """Keep, of several conditions on one feature with one operator, only the tightest; the rules cover the same."""

    def simplify(self, rules: Rules, context: SearchContext) -> Rules:
        """The same rules with fewer conditions."""
        conditions = drop_redundant(rules.conditions, context.index.conditions)
        return Rules(conditions, rules.priors, rules.classes, rules.bits, rules.counts, rules.groups)


def drop_redundant(antecedents: IntArray, conditions: Conditions) -> IntArray:
    """Antecedents of the same meaning, with the tightest condition per feature and operator.

    Parameters
    ----------
    antecedents : ndarray of shape (n_rules, width)
        Condition ids padded with `len(conditions)`.
    conditions : Conditions
    """
    pad = len(conditions)
    bound, tight = conditions.bounds[antecedents], conditions.tightness[antecedents]
    same_bound = bound[:, :, None] == bound[:, None, :]
    is_looser = tight[:, :, None] < tight[:, None, :]
    if conditions.missing_features:
        # A condition that excludes missing values is not made redundant by a tighter one that lets them in.
        lets_in = np.append(conditions.holds_missing, False)[antecedents]
        is_as_tight = tight[:, :, None] == tight[:, None, :]
        keeps_out = lets_in[:, :, None] & ~lets_in[:, None, :]
        is_looser = is_looser & (lets_in[:, :, None] | ~lets_in[:, None, :]) | is_as_tight & keeps_out
    redundant = (same_bound & is_looser).any(axis=2)
    return tidy(np.where(redundant, pad, antecedents), pad)
