"""Report the progress of a search to plugins, and warn the user of what a budget left out."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import attrs

from rulekit.core.context import SearchContext, SearchStep
from rulekit.core.errors import BudgetWarning, ManyRulesWarning
from rulekit.core.messages import warn_caller
from rulekit.core.rules import Rules

# More rules than this cause a warning.
MOST_READABLE = 200


@attrs.define
class Observer:
    """Calls the plugins' hooks, and warns once if there are too many rules to read."""

    hook: Any
    context: SearchContext
    has_warned: bool = False

    def after_stage(self, stage: str, tree: int, rules: Rules, seconds: float) -> None:
        """Call the hook for the rules that a stage made from a tree."""
        self.hook.rulekit_after_stage(stage=stage, tree=tree, rules=rules, seconds=seconds)

    def after_tree(self, step: SearchStep) -> None:
        """Call the hook for the step of a tree, and warn if there are too many rules."""
        self.hook.rulekit_after_tree(step=step)
        if step.accepted and step.n_after_simplify > MOST_READABLE and not self.has_warned:
            self.has_warned = True
            self._warn(step)

    def _warn(self, step: SearchStep) -> None:
        now = self.context.min_coverage
        better = max(0.001, 5 / self.context.index.total, 4 * now)
        warn_caller(
            f"There are {step.n_after_simplify} rules after {step.tree + 1} trees: too many to read, and the search "
            f"takes longer with every rule. Raise min_coverage, for example from {now:g} to {better:.2g}, to keep only "
            "rules that cover more than that fraction of the samples.",
            ManyRulesWarning,
        )


@contextmanager
def announced(hook: Any, extractor: Any, n_trees: int, context: SearchContext) -> Iterator[Observer]:
    """Call the hooks at the beginning and the end of a search; the yielded observer calls them in between."""
    hook.rulekit_search_started(extractor=extractor, n_trees=n_trees)
    try:
        yield Observer(hook, context)
    finally:
        hook.rulekit_search_finished(extractor=extractor)


#: What to do about a search that ended before the last tree.
REMEDIES = {
    "max_seconds": "Raise max_seconds, raise min_coverage to spend less time on each tree, or use fewer trees.",
    "max_memory": "Raise max_memory, raise min_coverage to get fewer rules, or set max_candidates.",
    "interrupt": "Fit again to use all trees.",
}


def warn_of_truncation(history: Sequence[SearchStep], n_trees: int, extractor: Any) -> None:
    """Warn, once, if a budget or an interrupt truncated the search."""
    sentences = [
        *_ended(history[-1], n_trees, extractor),
        *_left_out(history, n_trees, extractor),
        *_dropped(history, extractor),
    ]
    if sentences:
        warn_caller(" ".join(sentences), BudgetWarning)


def _ended(last: SearchStep, n_trees: int, extractor: Any) -> list[str]:
    reason = next((budget for budget in last.truncated_by if budget in REMEDIES), None)
    if reason is None:
        return []
    ended = "An interrupt" if reason == "interrupt" else f"{reason}={getattr(extractor, reason)!r}"
    return [f"{ended} ended the search after {last.tree} of {n_trees} trees: the rules are the best found until then. "
            f"{REMEDIES[reason]}"]  # fmt: skip


def _left_out(history: Sequence[SearchStep], n_trees: int, extractor: Any) -> list[str]:
    n_left_out = [step.n_left_out for step in history if step.n_left_out]
    if not n_left_out:
        return []
    return [
        f"max_candidates={extractor.max_candidates!r} left out {sum(n_left_out)} candidates in {len(n_left_out)} of "
        f"{n_trees} trees, those that cover the fewest samples. Raise max_candidates, or raise min_coverage to get "
        "fewer candidates."
    ]


def _dropped(history: Sequence[SearchStep], extractor: Any) -> list[str]:
    # Later trees cannot restore what an accepted tree lost.
    if not any(step.accepted and "max_rules" in step.truncated_by for step in history):
        return []
    return [
        f"max_rules={extractor.max_rules!r} dropped rules from the end of the list: the default rule answers the "
        "samples that they covered. Raise max_rules, or raise min_coverage to get fewer rules."
    ]
