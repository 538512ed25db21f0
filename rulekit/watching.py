"""Telling plugins, and the user, how a search goes."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import attrs

from rulekit.core.callers import warn_caller
from rulekit.core.context import SearchContext
from rulekit.core.errors import ManyRulesWarning
from rulekit.core.history import SearchStep
from rulekit.core.rules import Rules
from rulekit.plugin.manager import plugins

# More rules than this are warned of.
MOST_READABLE = 200


@attrs.define
class Observer:
    """Hands what the search tells on to the plugins' hooks, and warns once if the rules become too many to read."""

    hook: Any
    context: SearchContext
    has_warned: bool = False

    def after_stage(self, stage: str, tree: int, rules: Rules, seconds: float) -> None:
        """Tell the hooks what a stage made of a tree."""
        self.hook.rulekit_after_stage(stage=stage, tree=tree, rules=rules, seconds=seconds)

    def after_tree(self, step: SearchStep) -> None:
        """Tell the hooks what became of a tree."""
        self.hook.rulekit_after_tree(step=step)
        if step.accepted and step.n_after_simplify > MOST_READABLE and not self.has_warned:
            self.has_warned = True
            self._warn(step)

    def _warn(self, step: SearchStep) -> None:
        now = self.context.min_coverage
        better = max(0.001, 5 / self.context.index.n_records, 4 * now)
        warn_caller(
            f"After {step.tree + 1} trees there are {step.n_after_simplify} rules: more than anybody reads, and the "
            f"more there are, the longer the search takes. Raise min_coverage from {now:g} to {better:.2g}, say, so "
            "that only rules which cover more than that share of the records are kept.",
            ManyRulesWarning,
        )


@contextmanager
def announced(extractor: Any, n_trees: int, context: SearchContext) -> Iterator[Observer]:
    """Tell the hooks when a search begins and ends; what is yielded tells them what happens in between."""
    hook = plugins().hook
    hook.rulekit_search_started(extractor=extractor, n_trees=n_trees)
    try:
        yield Observer(hook, context)
    finally:
        hook.rulekit_search_finished(extractor=extractor)
