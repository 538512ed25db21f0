"""Weights and importances of rules and features in the linear model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rulekit import RuleSet
from rulekit.plugin import FloatArray
from rulekit_rulefit.terms import LinearTerms

if TYPE_CHECKING:
    import pandas as pd


def importances(weights: FloatArray, deviations: FloatArray) -> FloatArray:
    """Importances of terms, of shape (n_terms,): equations 28 and 29 of the paper.

    The absolute weight times the standard deviation of the term, averaged over the classes.

    Parameters
    ----------
    weights : ndarray of shape (n_terms, n_classes)
    deviations : ndarray of shape (n_terms,)
    """
    return np.abs(weights).mean(axis=1) * deviations


def rule_deviations(fractions: FloatArray) -> FloatArray:
    """Standard deviations of rules that cover these fractions of the samples, of shape (n_rules,)."""
    return np.sqrt(fractions * (1 - fractions))


def weight_table(ruleset: RuleSet, terms: LinearTerms, of_rules: FloatArray, per_unit: FloatArray) -> pd.DataFrame:
    """One row for each rule and then each linear term that has a weight.

    Parameters
    ----------
    ruleset : RuleSet
    terms : LinearTerms
    of_rules : ndarray of shape (n_rules, n_classes)
        Weights of the rules except the default.
    per_unit : ndarray of shape (n_terms, n_classes)
        Weights of the linear terms, per unit of the feature.

    Returns
    -------
    table : DataFrame
        `rule`, the position (0 for linear terms), a column for each class, `importance` and `term`.
    """
    import pandas as pd

    rules, used = ruleset[:-1], np.flatnonzero(per_unit.any(axis=1))
    names = [ruleset.feature_names[feature] for feature in terms.features[used].tolist()]
    table = pd.DataFrame(np.vstack([of_rules, per_unit[used]]), columns=[str(label) for label in ruleset.classes])
    table.insert(0, "rule", [*(rule.position for rule in rules), *(0 for _ in used)])
    of_terms = importances(per_unit, terms.deviations)[used]
    table["importance"] = np.concatenate([_rule_importances(ruleset, of_rules), of_terms])
    table["term"] = [*(rule.antecedent for rule in rules), *names]
    return table


def feature_importances(ruleset: RuleSet, terms: LinearTerms, of_rules: FloatArray, per_unit: FloatArray) -> FloatArray:
    """Importances of the features, of shape (n_features,), summing to one unless all are 0: equation 35 of the paper.

    A rule's importance is divided evenly among the features of its conditions. Parameters as of `weight_table`.
    """
    total = np.zeros(len(ruleset.feature_names))
    total[terms.features] += importances(per_unit, terms.deviations)
    for rule, importance in zip(ruleset[:-1], _rule_importances(ruleset, of_rules), strict=True):
        features = sorted({condition.feature_index for condition in rule.conditions})
        total[features] += importance / len(features)
    return total / total.sum() if total.any() else total


def _rule_importances(ruleset: RuleSet, of_rules: FloatArray) -> FloatArray:
    return importances(of_rules, rule_deviations(np.array([rule.coverage for rule in ruleset[:-1]])))
