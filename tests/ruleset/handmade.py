"""A ruleset small enough to be checked by hand."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rulekit.core.conditions import Conditions
from rulekit.inference.decision_list import DecisionList
from rulekit.ruleset import RuleSet

NAMES = ("Time", "age")
#: Samples that satisfy rule 1 and rule 2, rule 1 only, rule 2 only, and no rule.
BOTH, FIRST, SECOND, NONE = [8.0, 20.0], [8.0, 10.0], [9.0, 20.0], [9.0, 10.0]


#: Covered samples of each rule and class, which are the answered ones where no two rules share a sample.
COUNTS = [[2, 30], [30, 10], [6, 2]]


def handmade(
    feature_names: Sequence[str] = NAMES, labels: Any = ("no", "yes"), inference: Any = None, answered: Any = None
) -> RuleSet:
    """Two rules on two features, and a default rule.

    1. IF Time <= 8.125 THEN yes
    2. IF age > 16.5 and Time <= 20 THEN no
    3. ELSE no
    """
    conditions = Conditions(
        features=np.array([0, 1, 0]),
        is_upper=np.array([True, False, True]),
        thresholds=np.array([8.125, 16.5, 20.0]),
        feature_names=tuple(feature_names),
        input_dtype=np.dtype(np.float64),
    )
    return RuleSet(
        conditions=conditions,
        antecedents=((0,), (1, 2), ()),
        probabilities=np.array([[0.0625, 0.9375], [0.875, 0.125], [0.75, 0.25]]),
        counts=np.array(COUNTS),
        classes=np.array(labels),
        n_samples=80,
        inference=DecisionList() if inference is None else inference,
        answered_counts=None if answered is None else np.array(answered),
    )
