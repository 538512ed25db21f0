"""The search for the smallest change: boxes, nearest first, split until one has the wanted class.

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
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

import numpy as np

from rulekit.core.arrays import BoolArray
from rulekit.explain.boxes import Box
from rulekit.explain.task import Changes, Cost, Task
from rulekit.ruleset.rule import Rule


class Found(NamedTuple):
    """The result of a search.

    Attributes
    ----------
    changes : dict of int to float, or None
        By feature; None if nothing was found.
    box : Box or None
        Where the changed sample lies.
    is_smallest : bool
        Whether it is certain that no smaller change, or no change at all, is sufficient.
    """

    changes: Changes | None
    box: Box | None
    is_smallest: bool


def smallest_change(task: Task, max_boxes: int) -> Found:
    """The cheapest changes that lead to a wanted class; after `max_boxes`, the cheapest among the boxes so far."""
    queue = Queue(task)
    for box in _first_boxes(task):
        queue.push(box)
    n_boxes = 0
    while queue.items:
        _, _, changes, box = heapq.heappop(queue.items)
        label, matches = task.answer(task.moved(changes))
        if task.is_wanted[label]:
            is_certain = n_boxes < max_boxes and not task.ruleset.inference.looks_at_values
            return Found(changes, box, is_certain)
        if n_boxes < max_boxes:
            n_boxes += 1
            for part in _parts(task, box, matches):
                queue.push(part)
    return Found(None, None, n_boxes < max_boxes)


class Queue:
    """Boxes in the order of the cost of their nearest points: each once, and only those that can be reached."""

    def __init__(self, task: Task) -> None:
        self.items: list[tuple[Cost, int, Changes, Box]] = []
        self._task = task
        self._seen: set[object] = set()
        self._numbers = count()

    def push(self, box: Box) -> None:
        """Add a box, if it is new and can be reached."""
        changes = box.nearest(self._task.sample)
        if changes is None or box.key in self._seen or not self._task.fixed.isdisjoint(changes):
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


def _satisfying(box: Box, rule: Rule) -> Box:
    for condition in rule.conditions:
        box = box.where(condition)
    return box
