"""Cover: choose greedily until every record is covered or nothing qualifies."""

import numpy as np

from rulekit.core.arrays import IntArray
from rulekit.core.context import SearchContext
from rulekit.core.interfaces import CoverStage
from rulekit.core.order import merit, text_order
from rulekit.core.rules import Rules


class Cover(CoverStage):
    """Take the best candidate on the records not yet covered, mark its records as covered, and so on.

    Best is first in the search's order of rules. Candidates of other groups share no record with the one just taken
    and keep their standing, so that only one group is counted anew in each step.
    """

    def cover(self, candidates: Rules, context: SearchContext) -> Rules:
        """The chosen candidates, in the order in which they were chosen."""
        index = context.index
        # In text order, the first of several equally good candidates is the one that the order of rules asks for.
        candidates = candidates.take(text_order(candidates.conditions, index.pad))
        members = members_of_groups(candidates.groups)
        classes = {group: candidates.classes[rows] for group, rows in members.items()}
        uncovered = {group: candidates.bits[rows] for group, rows in members.items()}
        standing = _standing(candidates.counts, candidates.classes, context)
        chosen = []
        while len(standing):
            best = int(standing.argmax())
            if standing[best].real < 0:
                break
            chosen.append(best)
            group = int(candidates.groups[best])
            rows, left = members[group], uncovered[group]
            left &= ~left[np.searchsorted(rows, best)]
            standing[rows] = _standing(index.count(left), classes[group], context)
        return candidates.take(np.array(chosen, dtype=np.int64))


def members_of_groups(groups: IntArray) -> dict[int, IntArray]:
    """Rows of each group, ascending."""
    return {group: np.flatnonzero(groups == group) for group in np.unique(groups).tolist()}


def _standing(
    counts: IntArray, classes: IntArray, context: SearchContext
) -> np.ndarray[tuple[int], np.dtype[np.complex128]]:
    """The merit of candidates on the records still uncovered, -1 for those that do not qualify."""
    return np.where(context.qualifies(counts, classes), merit(counts, classes, context.rule_order), -1.0)
