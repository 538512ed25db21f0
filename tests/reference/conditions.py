"""Conditions, antecedents, and the order of their strings."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

AT_MOST = "<="
ABOVE = ">"

_PRINTED_OPERATORS = {AT_MOST: "≤", ABOVE: ">"}


class Condition(NamedTuple):
    """``x[feature] op threshold``; equal to the plain tuple of the three."""

    feature: int
    op: str
    threshold: float

    def holds(self, value: float) -> bool:
        """Whether a feature value, already rounded to float32, satisfies the condition."""
        return value <= self.threshold if self.op == AT_MOST else value > self.threshold


Antecedent = frozenset[Condition]
ConditionRanks = dict[Condition, int]


def condition_string(condition: Condition, feature_names: Sequence[str]) -> str:
    """Print a condition with three decimals, as the order of rules compares it."""
    name = feature_names[condition.feature]
    return f"({name} {_PRINTED_OPERATORS[condition.op]} {condition.threshold:.3f})"


def rank_conditions(conditions: Iterable[Condition], feature_names: Sequence[str]) -> ConditionRanks:
    """Number the distinct conditions by string, ignoring case; those that print alike by exact threshold."""

    def string_then_threshold(condition: Condition) -> tuple[str, str, float, int]:
        string = condition_string(condition, feature_names)
        return string.casefold(), string, condition.threshold, condition.feature

    ordered = sorted(set(conditions), key=string_then_threshold)
    return {condition: rank for rank, condition in enumerate(ordered)}


def string_order(antecedent: Antecedent, ranks: ConditionRanks) -> list[int]:
    """Stand in for the string of a rule: the ascending ranks of its conditions."""
    return sorted(ranks[condition] for condition in antecedent)


def without_redundant(antecedent: Antecedent) -> Antecedent:
    """Keep only the tightest of several conditions with the same feature and operator."""
    tightest: dict[tuple[int, str], Condition] = {}
    for condition in antecedent:
        key = (condition.feature, condition.op)
        if key not in tightest or _is_tighter(condition, tightest[key]):
            tightest[key] = condition
    return frozenset(tightest.values())


def _is_tighter(condition: Condition, other: Condition) -> bool:
    if condition.op == AT_MOST:
        return condition.threshold < other.threshold
    return condition.threshold > other.threshold
