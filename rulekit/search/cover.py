"""Cover: choose greedily until every sample is covered or nothing qualifies."""

import numpy as np

from rulekit.core.arrays import IntArray
from rulekit.core.context import SearchContext
from rulekit.core.engine.interface import Choices, Pairs
from rulekit.core.interfaces import CoverStage
from rulekit.core.rules import Rules
from rulekit.core.statistics import text_order


class Cover(CoverStage):
    """Take the best candidate on the samples not yet covered, mark its samples as covered, and so on.

    Best is first in the search's order of rules.
    """

    def cover(self, candidates: Rules, context: SearchContext) -> Rules:
        """The chosen candidates, in the order in which they were chosen.

        Candidates of different groups share no sample, so that a choice in one group changes nothing in another: each
        group chooses for itself, and their sequences are merged afterwards.
        """
        # In text order, the first of several equally good candidates is the one that the order of rules asks for.
        by_text = text_order(candidates.conditions, context.index.pad)
        groups = candidates.groups[by_text]
        by_group = np.argsort(groups, kind="stable")
        order = by_text[by_group]
        choices = context.index.engine.choose(
            _pairs(candidates, context).take(order),
            candidates.counts[order],
            candidates.classes[order],
            groups[by_group],
            context.limits,
            context.rule_order,
            context.budget.check_time,
        )
        return candidates.take(order[merge_choices(choices, text_rank=by_group)])


def _pairs(candidates: Rules, context: SearchContext) -> Pairs:
    if isinstance(candidates.samples, Pairs):
        return candidates.samples
    rows = np.arange(len(candidates))
    return Pairs(candidates.samples, rows, context.index.all_samples[None], np.zeros_like(rows))


def merge_choices(choices: Choices, text_rank: IntArray) -> IntArray:
    """One sequence of rows out of each group's own: always the best of the groups' next choices.

    Parameters
    ----------
    choices : Choices
    text_rank : ndarray of shape (n_candidates,)
        Place of each row in text order.
    """
    rows, groups, primary, secondary = choices
    if not len(rows):
        return rows
    rank = np.empty_like(rows)
    rank[np.lexsort((text_rank[rows], -secondary, -primary))] = np.arange(len(rows))
    # A choice waits until all earlier ones of its group have been taken; once the worst of these is the best that any
    # group has to offer, a better choice after it follows at once. So its turn comes with the worst rank up to it.
    by_group = np.argsort(groups, kind="stable")
    steps = groups[by_group] * len(rows)
    worst_so_far = np.maximum.accumulate(rank[by_group] + steps) - steps
    return rows[by_group][np.argsort(worst_so_far, kind="stable")]
