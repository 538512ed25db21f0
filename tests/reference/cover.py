"""Cover: pick the best candidate, mark its samples as covered, repeat."""

from .context import Context
from .rules import Rule, Ruleset
from .statistics import measure
from .training import Samples, TrainingSet


def cover(candidates: Ruleset, context: Context) -> Ruleset:
    """Pick rules greedily, measured anew on the samples that remain."""
    remaining = list(candidates)
    uncovered = context.training.everything
    picked: Ruleset = []
    while uncovered:
        best = _best_admitted(remaining, uncovered, context)
        if best is None:
            break
        picked.append(best)
        remaining.remove(best)
        uncovered -= context.training.satisfying(best.antecedent)
    return picked


def _best_admitted(candidates: Ruleset, uncovered: Samples, context: Context) -> Rule | None:
    measured = [(rule, measure(rule, context.training, uncovered)) for rule in candidates]
    admitted = [(rule, statistics) for rule, statistics in measured if context.thresholds.admit(statistics)]
    if not admitted:
        return None
    # min keeps the first of equals, and so the order of the pairs for rules with one antecedent and two classes.
    return min(admitted, key=lambda pair: context.order.key(*pair))[0]


def left_uncovered(rules: Ruleset, training: TrainingSet) -> Samples:
    """Find the samples that no rule covers."""
    return training.everything.difference(*(training.satisfying(rule.antecedent) for rule in rules))
