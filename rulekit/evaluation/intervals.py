"""Rules whose probability held-out samples contradict."""

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

#: Held-out samples that a rule must answer for its interval to say something.
FEWEST = 10
LEVEL = 0.95


@attrs.frozen
class IntervalCounts:
    """How many rules have a probability outside the interval of their held-out precision.

    Attributes
    ----------
    n_rules : int
        Rules that answer enough held-out samples to say.
    n_below, n_above : int
        Those whose probability is below or above the interval.
    """

    n_rules: int
    n_below: int
    n_above: int

    @property
    def fraction_outside(self) -> float:
        """From 0 to 1; NaN without rules. At most about 1 - `level` if all probabilities are right."""
        return (self.n_below + self.n_above) / self.n_rules if self.n_rules else float("nan")


def interval_counts(
    diagnostics: Iterable[Mapping[str, Any]], fewest: int = FEWEST, level: float = LEVEL
) -> IntervalCounts:
    """Compare rules' probabilities with Clopper and Pearson's intervals of their held-out precision.

    Parameters
    ----------
    diagnostics : iterable of mapping
        `probability`, `n_fired` and `held_out_precision` of each rule: the rows of `rule_diagnostics`.
    fewest : int, default=10
        Rules that answer fewer held-out samples do not count.
    level : float, default=0.95
        Of the intervals.

    Examples
    --------
    >>> from rulekit.evaluation import interval_counts
    >>> right_in_all_ten = {"n_fired": 10, "held_out_precision": 1.0}
    >>> interval_counts([{"probability": 0.7, **right_in_all_ten}, {"probability": 0.6, **right_in_all_ten}])
    IntervalCounts(n_rules=2, n_below=1, n_above=0)
    """
    from scipy.stats import binomtest

    n_rules = n_below = n_above = 0
    for rule in diagnostics:
        n_fired = int(rule["n_fired"])
        if n_fired < fewest:
            continue
        n_right = round(rule["held_out_precision"] * n_fired)
        interval = binomtest(n_right, n_fired).proportion_ci(level, method="exact")
        n_rules += 1
        n_below += bool(rule["probability"] < interval.low)
        n_above += bool(rule["probability"] > interval.high)
    return IntervalCounts(n_rules, n_below, n_above)
