"""Tell plugins and the user how a search goes, and warn of what a budget left out."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import attrs

from rulekit.core.context import SearchContext, SearchStep
from rulekit.core.errors import BudgetWarning, ManyRulesWarning
from rulekit.core.messages import warn_caller
from rulekit.core.rules import Rules

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
        better = max(0.001, 5 / self.context.index.n_samples, 4 * now)
        warn_caller(
            f"After {step.tree + 1} trees there are {step.n_after_simplify} rules: more than anybody reads, and the "
            f"more there are, the longer the search takes. Raise min_coverage from {now:g} to {better:.2g}, say, so "
            "that only rules which cover more than that fraction of the samples are kept.",
            ManyRulesWarning,
        )


@contextmanager
def announced(hook: Any, extractor: Any, n_trees: int, context: SearchContext) -> Iterator[Observer]:
    """Tell the hooks when a search begins and ends; what is yielded tells them what happens in between."""
    hook.rulekit_search_started(extractor=extractor, n_trees=n_trees)
    try:
        yield Observer(hook, context)
    finally:
        hook.rulekit_search_finished(extractor=extractor)


#: What to do about a search that ended before the last tree.
REMEDIES = {
    "max_seconds": "Raise max_seconds, raise min_coverage so that trees take less time, or use fewer trees.",
    "max_memory": "Raise max_memory, raise min_coverage so that there are fewer rules, or set max_candidates.",
    "interrupt": "Fit again for rules from all trees.",
}


def warn_of_truncation(history: Sequence[SearchStep], n_trees: int, extractor: Any) -> None:
    """Warn, once, if a budget has ended."""
    told = [
        *_ended(history[-1], n_trees, extractor),
        *_left_out(history, n_trees, extractor),
        *_dropped(history, extractor),
    ]
    if told:
        warn_caller(" ".join(told), BudgetWarning)


def _ended(last: SearchStep, n_trees: int, extractor: Any) -> list[str]:
    reason = next((budget for budget in last.cut if budget in REMEDIES), None)
    if reason is None:
        return []
    ended = "An interrupt" if reason == "interrupt" else f"{reason}={getattr(extractor, reason)!r}"
    return [f"{ended} ended the search after {last.tree} of {n_trees} trees: the rules are the best of these. "
            f"{REMEDIES[reason]}"]  # fmt: skip


def _left_out(history: Sequence[SearchStep], n_trees: int, extractor: Any) -> list[str]:
    n_left_out = [step.n_left_out for step in history if step.n_left_out]
    if not n_left_out:
        return []
    return [
        f"max_candidates={extractor.max_candidates!r} left out {sum(n_left_out)} candidates of {len(n_left_out)} of "
        f"{n_trees} trees, those that cover the fewest samples. Raise max_candidates, or raise min_coverage so that "
        "there are fewer."
    ]


def _dropped(history: Sequence[SearchStep], extractor: Any) -> list[str]:
    # What an accepted tree lost, no later one can bring back; what a refined list lost comes in a step without rules.
    losses = [step for step in history if "max_rules" in step.cut]
    if not any(step.accepted or step.n_after_simplify == 0 for step in losses):
        return []
    return [
        f"max_rules={extractor.max_rules!r} dropped rules from the end of the list: the default rule answers for what "
        "they covered. Raise max_rules, or raise min_coverage so that fewer rules do."
    ]
