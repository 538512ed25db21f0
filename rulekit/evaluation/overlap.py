"""Which fraction of their samples rules have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rulekit.core.arrays import BoolArray, IntArray
from rulekit.ruleset import RuleSet

if TYPE_CHECKING:
    import pandas as pd

#: Samples that are counted at once: any such count is exact in single precision, which is fast.
BLOCK_SAMPLES = 2**14


def rule_overlap(ruleset: RuleSet, X: Any) -> pd.DataFrame:
    """Fraction of the samples of each rule that each other rule covers too, without the default rule.

    Parameters
    ----------
    ruleset : RuleSet
    X : array-like or DataFrame of shape (n_samples, n_features)

    Returns
    -------
    overlap : DataFrame of shape (n_rules - 1, n_rules - 1)
        Row and column are positions of rules, from 1. NaN in the rows of rules that cover no sample.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import rulekit
    >>> X, y = load_iris(return_X_y=True)
    >>> model = rulekit.build("tree", random_state=0).fit(X, y)
    >>> bool(rule_overlap(model.ruleset_, X).to_numpy().sum() == len(model.ruleset_) - 1)  # leaves share no samples
    True
    """
    import pandas as pd

    shared = shared_samples(ruleset.matches(X))
    covered = shared.diagonal()[:, None]
    fractions = np.divide(shared, covered, out=np.full(shared.shape, np.nan), where=covered > 0)
    positions = pd.RangeIndex(1, len(ruleset), name="rule")
    return pd.DataFrame(fractions, index=positions, columns=positions.rename("other"))


def shared_samples(matches: BoolArray) -> IntArray:
    """Number of samples that two rules share, of shape (n_rules, n_rules).

    Parameters
    ----------
    matches : ndarray of shape (n_rules, n_samples)
        Whether the rule covers the sample.
    """
    n_rules, n_samples = matches.shape
    shared = np.zeros((n_rules, n_rules), dtype=np.int64)
    for start in range(0, n_samples, BLOCK_SAMPLES):
        block = matches[:, start : start + BLOCK_SAMPLES].astype(np.float32)
        shared += (block @ block.T).astype(np.int64)
    return shared
