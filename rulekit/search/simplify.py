"""Simplify: shorter rules, and only those that are still needed."""

import numpy as np

from rulekit.core.arrays import IntArray
from rulekit.core.context import SearchContext
from rulekit.core.interfaces import SimplifyStage
from rulekit.core.order import merit, text_order
from rulekit.core.rules import Rules
from rulekit.search.generalise import generalise
from rulekit.search.redundant import drop_redundant
from rulekit.search.sequence import prune_in_order


class Simplify(SimplifyStage):
    """Remove conditions that the records do not ask for, then rules that have become superfluous.

    Parameters
    ----------
    drop_redundant : bool, default=True
        First keep only the tightest of several conditions on one feature with one operator. The public RuleCOSI+ code
        leaves them all; False reproduces it rule for rule.
    """

    def __init__(self, drop_redundant: bool = True) -> None:
        self.drop_redundant = drop_redundant

    def simplify(self, rules: Rules, context: SearchContext) -> Rules:
        """Shortened rules in the search's order, by what each covers after the ones before it."""
        index = context.index
        antecedents = rules.conditions
        if self.drop_redundant:
            antecedents = drop_redundant(antecedents, index.conditions)
        antecedents = generalise(antecedents, rules, context)
        shorter = Rules.of(antecedents, rules.priors, rules.classes, index, groups=None)
        has_conditions = (antecedents != index.pad).any(axis=1)
        qualifies = context.qualifies(shorter.counts, shorter.classes)
        shorter = shorter.take(np.flatnonzero(has_conditions & qualifies))
        kept, counts = prune_in_order(shorter, context)
        return in_order(shorter.take(kept), counts, context)


def in_order(rules: Rules, counts: IntArray, context: SearchContext) -> Rules:
    """Rules sorted by the statistics in `counts`, of shape (n_rules, n_classes), then by length and text."""
    by_text = text_order(rules.conditions, context.index.pad)
    merits = merit(counts, rules.classes, context.rule_order)[by_text]
    return rules.take(by_text[np.argsort(-merits, kind="stable")])
