"""How much rules have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rulekit.ruleset import RuleSet

if TYPE_CHECKING:
    import pandas as pd


def rule_overlap(ruleset: RuleSet, X: Any) -> pd.DataFrame:
    """Share of the records of each rule that satisfy each other rule too; the default rule is left out.

    Parameters
    ----------
    ruleset : RuleSet
    X : array-like or DataFrame of shape (n_records, n_features)

    Returns
    -------
    overlap : DataFrame of shape (n_rules - 1, n_rules - 1)
        Row and column are positions of rules, from 1. Not a number in the rows of rules that no record satisfies.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import rulekit
    >>> X, y = load_iris(return_X_y=True)
    >>> model = rulekit.build("decision-tree", random_state=0).fit(X, y)
    >>> bool(rule_overlap(model.ruleset_, X).to_numpy().sum() == len(model.ruleset_) - 1)  # leaves share no records
    True
    """
    import pandas as pd

    matches = ruleset.matches(X).astype(np.float64)
    shared, covered = matches @ matches.T, matches.sum(axis=1, keepdims=True)
    shares = np.divide(shared, covered, out=np.full_like(shared, np.nan), where=covered > 0)
    positions = pd.RangeIndex(1, len(ruleset), name="rule")
    return pd.DataFrame(shares, index=positions, columns=positions.rename("other"))
