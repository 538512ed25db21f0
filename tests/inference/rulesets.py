"""Rulesets made by hand, for inference modes."""

import numpy as np
from core.training_sets import conditions_of, random_antecedents, random_training_set

from rulekit.ruleset import RuleSet

# Rule 1: x > 2. Rule 2: x > 1. Default. A sample 0 matches none, 2 the second, 3 both.
PREDICTED = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])


def two_rules(inference):
    conditions = conditions_of([(0, 1.0), (0, 2.0)], 1)
    lower = np.flatnonzero(~conditions.is_upper)
    above = {float(conditions.thresholds[row]): int(row) for row in lower}
    return RuleSet(
        conditions=conditions,
        antecedents=((above[2.0],), (above[1.0],), ()),
        probabilities=PREDICTED,
        counts=np.ones((3, 2), dtype=np.int64),
        classes=np.array(["no", "yes"]),
        n_samples=10,
        inference=inference,
    )


def random_ruleset(seed, inference, n_rules=8, n_classes=3):
    """A ruleset over random conditions, with samples to try it on."""
    drawn = random_training_set(seed, n_classes=n_classes)
    rows = random_antecedents(drawn, seed, n_rules, longest=3, shortest=1).tolist()
    antecedents = tuple(tuple(c for c in row if c < len(drawn.conditions)) for row in rows)
    predicted = np.random.default_rng(seed).dirichlet(np.ones(n_classes), n_rules + 1)
    ruleset = RuleSet(
        conditions=drawn.conditions,
        antecedents=(*antecedents, ()),
        probabilities=predicted,
        counts=np.ones((n_rules + 1, n_classes), dtype=np.int64),
        classes=np.arange(n_classes),
        n_samples=len(drawn.y),
        inference=inference,
    )
    return ruleset, drawn
