"""How many of the rules are used, and how much they overlap."""

from typing import Any

import numpy as np

from rulekit.core.arrays import BoolArray
from rulekit.core.conditions import first_match
from rulekit.ruleset import RuleSet


def rule_use(ruleset: RuleSet, X: Any) -> dict[str, float]:
    """Overlap of the rules, and which of them answer if the first that matches does.

    The default rule is not counted. A rule is selected by a sample if it is the first that matches it, whatever the
    ruleset's own inference mode.

    Parameters
    ----------
    ruleset : RuleSet
    X : array-like or DataFrame of shape (n_samples, n_features)

    Returns
    -------
    use : dict of str to float
        - `n_non_default_rules`;
        - `matches_per_covered`: rules that match a sample, mean over the samples that at least one rule matches;
        - `selected`: fraction of the rules that some sample selects;
        - `matched_never_selected`: fraction of the rules that match some sample, but always after another rule;
        - `covered`: fraction of the samples that at least one rule matches.

        NaN where there is no rule, or no covered sample.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import rulekit
    >>> from rulekit.evaluation import rule_use
    >>> X, y = load_iris(return_X_y=True)
    >>> model = rulekit.build("tree", random_state=0).fit(X, y)
    >>> rule_use(model.ruleset_, X)["matches_per_covered"]  # leaves of one tree do not overlap
    1.0
    """
    matches = ruleset.matches(X)
    n_rules, n_samples = matches.shape
    is_covered = matches.any(axis=0)
    is_selected = _selected(matches)
    is_shadowed = matches.any(axis=1) & ~is_selected
    return {
        "n_non_default_rules": float(n_rules),
        "matches_per_covered": _ratio(int(matches.sum()), int(is_covered.sum())),
        "selected": _ratio(int(is_selected.sum()), n_rules),
        "matched_never_selected": _ratio(int(is_shadowed.sum()), n_rules),
        "covered": _ratio(int(is_covered.sum()), n_samples),
    }


def _selected(matches: BoolArray) -> BoolArray:
    """Whether each rule is the first that matches some sample, of shape (n_rules,)."""
    is_selected = np.zeros(len(matches) + 1, dtype=bool)
    is_selected[first_match(matches)] = True
    return is_selected[:-1]


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
