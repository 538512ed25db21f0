"""The search for the smallest changes: boxes, nearest first, split until one has the wanted class.

A box is the part of the space in which some conditions hold and some do not. The nearest point of a box costs no more
than the nearest point of any part of it. So the first box, in the order of cost, whose nearest point is of a wanted
class has the smallest change of all. Any other box is split into parts that leave its nearest point out:

- If the first rule that matches answers, the search starts from the boxes of the rules that predict a wanted class.
  Where an earlier rule answers the point instead, one of its conditions has to fail.
- In any other mode, the search starts from the whole space. Where the prediction differs, different rules match: a rule
  that matches here has a condition that fails there, or a rule that does not match here matches there.
"""

from __future__ import annotations

import heapq
from collections.abc import Generator, Iterator
from itertools import count
from typing import NamedTuple

import numpy as np

from rulekit.core.arrays import BoolArray
from rulekit.core.regions import Numbers
from rulekit.explain.boxes import Box
from rulekit.explain.task import Changes, Cost, Task
from rulekit.ruleset.rule import Rule


class Found(NamedTuple):
    """Changes that are sufficient.

    Attributes
    ----------
    changes : dict of int to float
        By feature.
    box : Box
        Where the changed sample lies.
    is_smallest : bool
        Whether it is certain that no smaller change is sufficient.
    """

    changes: Changes
    box: Box
    is_smallest: bool


def cheapest_changes(task: Task, max_boxes: int) -> Generator[Found, None, bool]:
    """Changes that lead to a wanted class, the cheapest first; after `max_boxes`, the cheapest of the boxes so far.

    The first is the smallest of all. Those that follow lie in other boxes, or deeper in the same one: beyond the next
    threshold of a changed number. The generator returns whether it is certain that all boxes were searched.
    """
    queue = Queue(task)
    for box in _first_boxes(task):
        queue.push(box)
    n_boxes, is_first = 0, True
    while queue.items:
        _, _, changes, box = heapq.heappop(queue.items)
        label, matches = task.answer(task.moved(changes))
        if task.is_wanted[label]:
            is_certain = n_boxes < max_boxes and not task.ruleset.inference.looks_at_values
            yield Found(changes, box, is_certain and is_first)
            is_first = False
            for part in _deeper(task, box, changes):
                queue.push(part)
            continue
        if n_boxes < max_boxes:
            n_boxes += 1
            for part in _parts(task, box, matches):
                queue.push(part)
    return n_boxes < max_boxes


class Queue:
    """Boxes in the order of the cost of their nearest points: each once, and only those that can be reached."""

    def __init__(self, task: Task) -> None:
        self.items: list[tuple[Cost, int, Changes, Box]] = []
        self._task = task
        self._seen: set[object] = set()
        self._numbers = count()

    def push(self, box: Box) -> None:
        """Add a box, if it is new and can be reached."""
        changes = self._task.nearest(box)
        if changes is None or box.key in self._seen:
            return
        self._seen.add(box.key)
        heapq.heappush(self.items, (self._task.cost(changes), next(self._numbers), changes, box))


def _first_boxes(task: Task) -> Iterator[Box]:
    everything = Box(task.spaces)
    if task.ruleset.inference.combination == "first":
        yield from (_satisfying(everything, rule) for rule in task.rules if task.is_wanted[rule.class_index])
    else:
        yield everything


def _parts(task: Task, box: Box, matches: BoolArray) -> Iterator[Box]:
    """Parts of a box that together contain every point whose prediction may differ from that of its nearest point."""
    if task.ruleset.inference.combination == "first":
        answering = task.rules[int(np.argmax(matches))]
        yield from (box.where(condition, False) for condition in answering.conditions)
        return
    for rule, does_match in zip(task.rules[:-1], matches.tolist(), strict=True):
        if does_match:
            yield from (box.where(condition, False) for condition in rule.conditions)
        else:
            yield _satisfying(box, rule)


def _deeper(task: Task, box: Box, changes: Changes) -> Iterator[Box]:
    """Parts of a box in which one of the changed numbers has crossed one more threshold."""
    for feature, value in changes.items():
        own, cutoffs = task.sample[feature], task.ruleset.conditions.cutoffs_by_feature.get(feature)
        if cutoffs is None or np.isnan(own) or not isinstance(box.side(feature), Numbers):
            continue
        if value > own and len(beyond := cutoffs[cutoffs >= value]):
            yield box.within(feature, Numbers.between(float(beyond[0]), np.inf, False))
        elif value < own and len(beyond := cutoffs[cutoffs < value]):
            yield box.within(feature, Numbers.between(-np.inf, float(beyond[-1]), False))


def _satisfying(box: Box, rule: Rule) -> Box:
    for condition in rule.conditions:
        box = box.where(condition)
    return box
