"""What the linear model says of rules and features: weights and importances."""

import numpy as np
import pandas as pd

from rulekit.core.arrays import FloatArray
from rulekit.ruleset import RuleSet
from rulekit_rulefit.terms import LinearTerms


def importances(weights: FloatArray, deviations: FloatArray) -> FloatArray:
    """How much a term moves the answers, of shape (n_terms,): equations 28 and 29 of the paper.

    The weight's size times the standard deviation of what it is multiplied by; of several classes, the mean.

    Parameters
    ----------
    weights : ndarray of shape (n_terms, n_classes)
    deviations : ndarray of shape (n_terms,)
    """
    return np.abs(weights).mean(axis=1) * deviations


def rule_deviations(shares: FloatArray) -> FloatArray:
    """Standard deviations of rules that cover these shares of the records, of shape (n_rules,)."""
    return np.sqrt(shares * (1 - shares))


def weight_table(ruleset: RuleSet, terms: LinearTerms, of_rules: FloatArray, of_terms: FloatArray) -> pd.DataFrame:
    """One row for each rule and then each linear term that has a weight.

    Parameters
    ----------
    ruleset : RuleSet
    terms : LinearTerms
    of_rules : ndarray of shape (n_rules, n_classes)
    of_terms : ndarray of shape (n_terms, n_classes)
        As the model has them.

    Returns
    -------
    table : DataFrame
        `rule`, the position (0 for linear terms), a column for each class, `importance` and `term`.
    """
    rules, used = ruleset[:-1], np.flatnonzero(of_terms.any(axis=1))
    shares = np.array([rule.coverage for rule in rules])
    # The spread of a term does not change with the unit that its weight is stated in.
    spread = importances(of_terms * terms.scales[:, None], terms.deviations)[used]
    classes = [str(label) for label in ruleset.classes.tolist()]
    per_unit = (of_terms * terms.scales[:, None])[used]
    table = pd.DataFrame(np.vstack([of_rules, per_unit]), columns=classes)
    table.insert(0, "rule", [*(rule.position for rule in rules), *(0 for _ in used)])
    table["importance"] = np.concatenate([importances(of_rules, rule_deviations(shares)), spread])
    names = [ruleset.feature_names[feature] for feature in terms.features[used].tolist()]
    table["term"] = [*(rule.antecedent for rule in rules), *names]
    return table


def feature_importances(
    ruleset: RuleSet, terms: LinearTerms, of_rules: FloatArray, of_terms: FloatArray
) -> FloatArray:
    """Importances of the features, of shape (n_features,), summing to one unless all are 0: equation 35 of the paper.

    A rule's importance is divided evenly among the features of its conditions.
    """
    total = np.zeros(len(ruleset.feature_names))
    total[terms.features] += importances(of_terms * terms.scales[:, None], terms.deviations)
    shares = np.array([rule.coverage for rule in ruleset[:-1]])
    for rule, importance in zip(ruleset[:-1], importances(of_rules, rule_deviations(shares)), strict=True):
        features = sorted({condition.feature_index for condition in rule.conditions})
        total[features] += importance / len(features)
    return total / total.sum() if total.any() else total
