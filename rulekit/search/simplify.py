"""Simplify: shorter rules, and only those that are still needed."""

import numpy as np

from rulekit.core.arrays import IntArray
from rulekit.core.context import SearchContext
from rulekit.core.interfaces import SimplifyStage
from rulekit.core.order import merits, text_order
from rulekit.core.rules import Rules, concatenate
from rulekit.search.generalise import generalise
from rulekit.search.redundant import drop_redundant

# Records of rules are looked up in blocks of this many words, 64 MB, so that dropped ones take no memory.
BLOCK_WORDS = 2**23


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
        antecedents = rules.conditions
        if self.drop_redundant:
            antecedents = drop_redundant(antecedents, context.index.conditions)
        antecedents = generalise(antecedents, rules, context)
        kept, counts = pruned(antecedents, rules, context)
        return in_order(kept, counts, context)


def pruned(antecedents: IntArray, rules: Rules, context: SearchContext) -> tuple[Rules, IntArray]:
    """Rules with new antecedents that still qualify, on all records and on those that the kept ones before leave.

    Returns
    -------
    kept : Rules
    counts : ndarray of shape (n_kept, n_classes)
        Of the records that each kept rule is the first to cover.
    """
    index = context.index
    uncovered = index.everyone.copy()
    blocks, counts = [], []
    at_once = max(1, BLOCK_WORDS // max(1, index.n_words))
    for start in range(0, max(len(antecedents), 1), at_once):
        block = slice(start, start + at_once)
        shorter = Rules.of(antecedents[block], rules.priors[block], rules.classes[block], index, groups=None)
        has_conditions = (shorter.conditions != index.pad).any(axis=1)
        shorter = shorter.take(np.flatnonzero(has_conditions & context.qualifies(shorter.counts, shorter.classes)))
        kept, fresh = index.engine.sequence(shorter.bits, shorter.classes, uncovered, context.limits)
        blocks.append(shorter.take(np.flatnonzero(kept)))
        counts.append(fresh[kept])
    return concatenate(blocks, index.pad), np.concatenate(counts)


def in_order(rules: Rules, counts: IntArray, context: SearchContext) -> Rules:
    """Rules sorted by the statistics in `counts`, of shape (n_rules, n_classes), then by length and text."""
    by_text = text_order(rules.conditions, context.index.pad)
    primary, secondary = merits(counts, rules.classes, context.rule_order)
    return rules.take(by_text[np.lexsort((-secondary[by_text], -primary[by_text]))])
