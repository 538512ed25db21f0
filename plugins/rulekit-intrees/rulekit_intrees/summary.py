"""The simplified tree ensemble learner (STEL): rules summarised into an ordered list with a default."""

from typing import NamedTuple

import numpy as np

from rulekit.plugin import IntArray, row_sums
from rulekit_intrees.measured import MeasuredRules, wrong_fractions


class OrderedList(NamedTuple):
    """Rules in the order in which they are tried.

    Attributes
    ----------
    rules : MeasuredRules
        The chosen ones.
    answered : ndarray of shape (n_chosen, n_classes)
        Samples of each class that a rule answers: those that it covers and no earlier rule does.
    """

    rules: MeasuredRules
    answered: IntArray


def summarise(rules: MeasuredRules, min_freq: float) -> OrderedList:
    """Repeatedly choose the rule with the smallest error on the samples that are left.

    Ties go to the higher frequency, then to the shorter rule, then to the first. A rule must cover `min_freq` of all
    samples among those that are left. The list ends when no rule has a smaller error than a default rule, which
    predicts the most frequent class of the samples that are left.

    Parameters
    ----------
    rules : MeasuredRules
    min_freq : float
    """
    data, lengths = rules.data, rules.lengths
    left = data.all_samples.copy()
    chosen: list[int] = []
    answered: list[IntArray] = []
    while (rest := data.count(left)).any():
        counts = data.count(rules.bits & left)
        covered = row_sums(counts)
        usable = np.flatnonzero((covered > 0) & (covered / data.n_samples >= min_freq))
        if not usable.size:
            break
        errors = wrong_fractions(counts[usable], rules.classes[usable])
        best = np.lexsort((lengths[usable], -covered[usable], errors))[0]
        if errors[best] >= wrong_fractions(rest[None], rest[None].argmax(axis=1))[0]:
            break
        rule = int(usable[best])
        chosen.append(rule)
        answered.append(counts[rule])
        left &= ~rules.bits[rule]
    rows = np.array(chosen, dtype=np.int64)
    return OrderedList(rules.take(rows), np.reshape(answered, (len(chosen), data.n_classes)).astype(np.int64))
