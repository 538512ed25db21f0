"""What a ruleset answers, read slowly: rule by rule, from the conditions as people see them."""

from typing import Any

import numpy as np

import rulekit


def slow_answers(ruleset: rulekit.RuleSet, samples: Any, dtype: Any) -> np.ndarray:
    """Probabilities, of shape (n_samples, n_classes), of samples in which labels stand for categories.

    Parameters
    ----------
    ruleset : RuleSet
    samples : ndarray of shape (n_samples, n_features)
    dtype : floating type
        What the ensemble rounds numbers to before it compares them.
    """
    return np.array([_answer(ruleset, sample, np.dtype(dtype).type) for sample in samples]).reshape(
        -1, len(ruleset.classes)
    )


def _answer(ruleset: rulekit.RuleSet, sample: Any, dtype: Any) -> np.ndarray:
    values = [_as_compared(ruleset, position, value, dtype) for position, value in enumerate(sample)]
    matching = [rule for rule in ruleset[:-1] if all(_holds(each, values) for each in rule.conditions)]
    answering = matching or [ruleset[-1]]
    if type(ruleset.inference).__name__ == "DecisionList":
        return answering[0].probabilities
    total = sum(rule.probabilities for rule in answering)
    return total / total.sum()


def _as_compared(ruleset: rulekit.RuleSet, position: int, value: Any, dtype: type[np.floating]) -> Any:
    """A number as the ensemble rounds it; a label with its code; None for what counts as missing."""
    categories = ruleset.conditions.categories
    if position not in categories.by_feature:
        with np.errstate(over="ignore"):
            return None if np.isnan(value) else (value, float(dtype(value)))
    labels = categories.by_feature[position]
    codes = [code for code, label in enumerate(labels) if label == value]
    if value is None or value != value or (categories.unknown_as_missing and not codes):
        return None
    return (value, codes[-1] if codes else -1)


def _holds(condition: Any, values: list[Any]) -> bool:
    value = values[condition.feature_index]
    if value is None:
        return condition.or_missing
    shown, number = value
    if condition.threshold is None:
        return (shown in condition.labels) == (condition.operator == "in")
    return bool(number <= condition.threshold) == (condition.operator == "<=")
