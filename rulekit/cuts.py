"""Telling the user what a search had to leave out."""

from collections.abc import Sequence
from typing import Any

from rulekit.core.callers import warn_caller
from rulekit.core.errors import BudgetWarning
from rulekit.core.history import SearchStep

#: What to do about a search that ended before the last tree.
REMEDIES = {
    "max_seconds": "Raise max_seconds, raise min_coverage so that trees take less time, or use fewer trees.",
    "max_memory": "Raise max_memory, raise min_coverage so that there are fewer rules, or set max_candidates.",
    "interrupt": "Fit again for rules from all trees.",
}


def warn_of_cuts(history: Sequence[SearchStep], n_trees: int, extractor: Any) -> None:
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
        f"{n_trees} trees, those that cover the fewest records. Raise max_candidates, or raise min_coverage so that "
        "there are fewer."
    ]


def _dropped(history: Sequence[SearchStep], extractor: Any) -> list[str]:
    # What an accepted tree lost, no later one can bring back.
    if not any(step.accepted and "max_rules" in step.cut for step in history):
        return []
    return [
        f"max_rules={extractor.max_rules!r} dropped rules from the end of the list: the default rule answers for what "
        "they covered. Raise max_rules, or raise min_coverage so that fewer rules do."
    ]
