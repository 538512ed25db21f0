"""Cover: choose greedily until every sample is covered or nothing qualifies."""

from typing import ClassVar

import numpy as np

from rulekit.core.arrays import IntArray
from rulekit.core.context import SearchContext
from rulekit.core.engine.interface import Choices, Pairs
from rulekit.core.interfaces import CoverStage
from rulekit.core.rules import Rules
from rulekit.core.statistics import string_order


class Cover(CoverStage):
    """Repeatedly choose the best candidate on the samples that are not covered yet.

    The best one is the first in the search's order of rules.
    """

    supports_weights: ClassVar[bool] = True
    obeys_coverage: ClassVar[bool] = True

    def cover(self, candidates: Rules, context: SearchContext) -> Rules:
        """The chosen candidates, in the order in which they were chosen.

        Candidates of different groups share no sample, so a choice in one group changes nothing in another: choices are
        made within each group, and their sequences are merged afterwards.
        """
        # Sorted by string, the first of several equally good candidates is also the first in the order of rules.
        by_string = string_order(candidates.conditions, context.index.pad)
        groups = candidates.groups[by_string]
        by_group = np.argsort(groups, kind="stable")
        order = by_string[by_group]
        choices = context.index.engine.choose(
            _pairs(candidates, context).take(order),
            candidates.counts[order],
            candidates.classes[order],
            groups[by_group],
            context.limits,
            context.rule_order,
            context.budget.check_time,
        )
        return candidates.take(order[merge_choices(choices, string_rank=by_group)])


def _pairs(candidates: Rules, context: SearchContext) -> Pairs:
    if isinstance(candidates.samples, Pairs):
        return candidates.samples
    rows = np.arange(len(candidates))
    return Pairs(candidates.samples, rows, context.index.all_samples[None], np.zeros_like(rows))


def merge_choices(choices: Choices, string_rank: IntArray) -> IntArray:
    """Merge the groups' sequences of choices into one: always take the best of the groups' next choices.

    Parameters
    ----------
    choices : Choices
    string_rank : ndarray of shape (n_candidates,)
        Position of each row in the order by string.
    """
    rows, groups, primary, secondary = choices
    if not len(rows):
        return rows
    rank = np.empty_like(rows)
    rank[np.lexsort((string_rank[rows], -secondary, -primary))] = np.arange(len(rows))
    # A choice can only follow all earlier ones of its group; once the worst of these is the best next choice of any
    # group, a better choice after it follows at once. So a choice is sorted by the worst rank up to it in its group.
    by_group = np.argsort(groups, kind="stable")
    steps = groups[by_group] * len(rows)
    worst_so_far = np.maximum.accumulate(rank[by_group] + steps) - steps
    return rows[by_group][np.argsort(worst_so_far, kind="stable")]
