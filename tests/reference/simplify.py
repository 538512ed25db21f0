"""Simplify: prune each rule by its pessimistic error, then drop and sort rules."""

import math

from attrs import evolve

from .conditions import Antecedent, Condition, without_redundant
from .context import Context
from .rules import Rule, Ruleset
from .statistics import Statistics, measure


def simplify(rules: Ruleset, context: Context) -> Ruleset:
    """Prune every rule, drop what no longer qualifies, and sort."""
    pruned = [_simplify_rule(rule, context) for rule in rules]
    return _sorted_sequential(_qualifying(pruned, context), context)


def _simplify_rule(rule: Rule, context: Context) -> Rule:
    """Change the antecedent only; the prior, and with it the class, stays."""
    antecedent = without_redundant(rule.antecedent) if context.drop_redundant else rule.antecedent
    return evolve(rule, antecedent=_prune(antecedent, rule.class_index, context))


def _prune(antecedent: Antecedent, class_index: int, context: Context) -> Antecedent:
    """Remove conditions one by one while the error does not grow."""
    base = pessimistic_error(antecedent, class_index, context)
    while antecedent and base > 0:
        error, dispensable = _least_error_removal(antecedent, class_index, context)
        if error > base:
            break
        antecedent, base = antecedent - {dispensable}, error
    return antecedent


def _least_error_removal(antecedent: Antecedent, class_index: int, context: Context) -> tuple[float, Condition]:
    """Find the condition whose removal errs least, the first by string among equals."""
    in_string_order = sorted(antecedent, key=lambda condition: context.order.ranks[condition])
    removals = [(pessimistic_error(antecedent - {c}, class_index, context), c) for c in in_string_order]
    return min(removals, key=lambda removal: removal[0])


def pessimistic_error(antecedent: Antecedent, class_index: int, context: Context) -> float:
    """Upper limit of the error in percent, 0 where nothing is covered."""
    if not antecedent:
        n_samples = context.training.n_samples
        fraction = context.training.class_counts[class_index] / n_samples
        return 100 * upper_error_limit(n_samples, 1 - fraction, context.z)
    estimate = context.search_estimator.estimate(antecedent, class_index)
    if estimate.n_covered == 0:
        return 0.0
    return 100 * upper_error_limit(estimate.n_covered, 1 - estimate.probability, context.z)


def upper_error_limit(n_covered: float, error: float, z: float) -> float:
    """Upper end of the Wilson interval of an error rate, the paper's ``e_upper(N, e, c)``."""
    spread = z * math.sqrt(error * (1 - error) / n_covered + z**2 / (4 * n_covered**2))
    return (error + z**2 / (2 * n_covered) + spread) / (1 + z**2 / n_covered)


def _qualifying(rules: Ruleset, context: Context) -> Ruleset:
    """Drop rules that lost every condition or do not exceed the thresholds on all of D."""
    training = context.training
    return [
        rule
        for rule in rules
        if rule.antecedent and context.thresholds.admit(measure(rule, training, training.everything))
    ]


def _sorted_sequential(rules: Ruleset, context: Context) -> Ruleset:
    """Keep what qualifies on the samples still uncovered, sorted by the statistics of that pass."""
    uncovered = context.training.everything
    kept: list[tuple[Rule, Statistics]] = []
    for rule in rules:
        statistics = measure(rule, context.training, uncovered)
        if context.thresholds.admit(statistics):
            kept.append((rule, statistics))
            uncovered -= context.training.satisfying(rule.antecedent)
    kept.sort(key=lambda pair: context.order.key(*pair))
    return [rule for rule, _ in kept]
