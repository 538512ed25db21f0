"""Combine: candidates from every pair of a rule found so far and a rule of the next tree."""

from collections.abc import Iterator

from .conditions import Antecedent
from .context import Context
from .rules import Rule, Ruleset


def combine(found: Ruleset, tree_rules: Ruleset, bad: set[Antecedent], context: Context) -> Ruleset:
    """Conjoin pairs of rules and keep those that the search estimator accepts.

    Parameters
    ----------
    bad : set of antecedents
        Antecedents that failed before; added to here, and kept by the caller for the whole fit.
    """
    candidates: dict[tuple[Antecedent, int], Rule] = {}
    for first, second in _pairs_by_class(found, tree_rules, context.training.n_classes):
        antecedent = first.antecedent | second.antecedent
        if antecedent in bad:
            continue
        candidate = Rule(antecedent, context.combine_priors(first.prior, second.prior))
        if _is_worth_keeping(candidate, first, second, context):
            candidates.setdefault((antecedent, candidate.class_index), candidate)
        else:
            bad.add(antecedent)
    return list(candidates.values())


def _pairs_by_class(found: Ruleset, tree_rules: Ruleset, n_classes: int) -> Iterator[tuple[Rule, Rule]]:
    """Pair rules by class of the first, class of the second, then their orders."""
    for first_class in range(n_classes):
        for second_class in range(n_classes):
            for first in _combinable(found, first_class):
                for second in _combinable(tree_rules, second_class):
                    yield first, second


def _combinable(rules: Ruleset, class_index: int) -> Ruleset:
    return [rule for rule in rules if rule.antecedent and rule.class_index == class_index]


def _is_worth_keeping(candidate: Rule, first: Rule, second: Rule, context: Context) -> bool:
    """Whether some sample satisfies both rules and the search estimator accepts their conjunction."""
    if not context.training.satisfying(candidate.antecedent):
        return False
    return context.search_estimator.accepts(candidate, first, second, context.thresholds)
