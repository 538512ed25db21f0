"""Cover: choose greedily until every record is covered or nothing qualifies."""

import numpy as np

from rulekit.core.arrays import IntArray
from rulekit.core.context import SearchContext
from rulekit.core.interfaces import CoverStage
from rulekit.core.order import Merits, merit, text_order
from rulekit.core.rules import Rules


class Cover(CoverStage):
    """Take the best candidate on the records not yet covered, mark its records as covered, and so on.

    Best is first in the search's order of rules.
    """

    def cover(self, candidates: Rules, context: SearchContext) -> Rules:
        """The chosen candidates, in the order in which they were chosen."""
        if not len(candidates):
            return candidates
        # In text order, the first of several equally good candidates is the one that the order of rules asks for.
        candidates = candidates.take(text_order(candidates.conditions, context.index.pad))
        return candidates.take(greedy_choice(candidates, context))


def greedy_choice(candidates: Rules, context: SearchContext) -> IntArray:
    """Rows of the chosen candidates, in order.

    Candidates of different groups share no record, so that a choice in one group changes nothing in another: all groups
    choose side by side, one candidate each per round, and their sequences are merged afterwards.
    """
    rows = rows_by_group(candidates.groups)
    uncovered = candidates.bits[rows]
    uncovered[rows < 0] = 0
    places = np.arange(len(rows))
    rounds: list[tuple[IntArray, IntArray, Merits]] = []
    while True:
        standing = _standing(context.index.count(uncovered), candidates.classes[rows], context)
        best = standing.argmax(axis=1)
        merits = standing[np.arange(len(best)), best]
        going_on = np.flatnonzero(merits.real >= 0)
        if not going_on.size:
            break
        if len(going_on) < len(rows):
            rows, uncovered, places = rows[going_on], uncovered[going_on], places[going_on]
            best, merits = best[going_on], merits[going_on]
        everyone = np.arange(len(rows))
        rounds.append((places, rows[everyone, best], merits))
        uncovered &= ~uncovered[everyone, best][:, None]
    return merge_choices(rounds)


def rows_by_group(groups: IntArray) -> IntArray:
    """Rows of each group, ascending and filled up with -1: shape (n_groups, most_members)."""
    order = np.argsort(groups, kind="stable")
    _, starts, sizes = np.unique(groups[order], return_index=True, return_counts=True)
    rows = np.full((len(sizes), sizes.max()), -1)
    group_of = np.repeat(np.arange(len(sizes)), sizes)
    rows[group_of, np.arange(len(order)) - np.repeat(starts, sizes)] = order
    return rows


def merge_choices(rounds: list[tuple[IntArray, IntArray, Merits]]) -> IntArray:
    """One sequence out of each group's own: always the best of the groups' next choices.

    Parameters
    ----------
    rounds : list of tuples
        Groups, chosen rows and their merits when chosen, for each round.
    """
    if not rounds:
        return np.empty(0, dtype=np.int64)
    places, rows, merits = (np.concatenate(parts) for parts in zip(*rounds, strict=True))
    turns = np.repeat(np.arange(len(rounds)), [len(part) for part, *_ in rounds])
    rank = np.empty(len(rows), dtype=np.int64)
    rank[np.lexsort((rows, -merits.imag, -merits.real))] = np.arange(len(rows))
    # A choice waits until all earlier ones of its group have been taken; once the worst of these is the best that any
    # group has to offer, a better choice after it follows at once. So its turn comes with the worst rank up to it.
    table = np.full((len(rounds), places.max() + 1), -1)
    table[turns, places] = rank
    worst_so_far = np.maximum.accumulate(table, axis=0)[turns, places]
    return rows[np.lexsort((turns, worst_so_far))]


def _standing(counts: IntArray, classes: IntArray, context: SearchContext) -> Merits:
    """Merits on the records still uncovered, -1 where a candidate does not qualify; shape (n_groups, most_members)."""
    flat_counts, flat_classes = counts.reshape(-1, counts.shape[-1]), classes.ravel()
    merits = merit(flat_counts, flat_classes, context.rule_order)
    return np.where(context.qualifies(flat_counts, flat_classes), merits, -1.0).reshape(classes.shape)
