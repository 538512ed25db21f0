"""Coverage, precision and support of a rule, the thresholds on them, and the order of rules."""

from collections.abc import Sequence
from typing import Any

from attrs import frozen

from .conditions import ConditionRanks, string_order
from .rules import Rule
from .training import Samples, TrainingSet

ORDERS = ("support", "coverage", "precision")


@frozen
class Statistics:
    """``supp = N_ry / n``, ``cov = N_r / n``, ``prec = N_ry / N_r``, 0 where ``N_r`` is 0.

    The coverage within the class is ``N_ry / N_y``.
    """

    support: float
    coverage: float
    precision: float
    class_coverage: float


@frozen
class Thresholds:
    """What a rule has to exceed strictly."""

    min_precision: float
    min_coverage: float
    min_class_coverage: float | None = None

    def admit(self, statistics: Statistics) -> bool:
        """Whether precision and coverage are above their thresholds."""
        if self.min_class_coverage is not None and statistics.class_coverage <= self.min_class_coverage:
            return False
        return statistics.precision > self.min_precision and statistics.coverage > self.min_coverage


def measure(rule: Rule, training: TrainingSet, among: Samples) -> Statistics:
    """Measure a rule on some samples; fractions are of all of D, whatever the samples."""
    counts = training.count_classes(training.satisfying(rule.antecedent) & among)
    n_right, n_covered = counts[rule.class_index], sum(counts)
    return Statistics(
        support=n_right / training.n_samples,
        coverage=n_covered / training.n_samples,
        precision=n_right / n_covered if n_covered else 0.0,
        class_coverage=n_right / (training.class_counts[rule.class_index] or 1),
    )


@frozen
class RuleOrder:
    """Order of rules; smaller keys come first.

    Attributes
    ----------
    first : {"support", "coverage", "precision"}
        Statistic that ranks first; the other two keep their sequence.
    ranks : dict of Condition to int
        Text order of the conditions.
    """

    first: str
    ranks: ConditionRanks

    def key(self, rule: Rule, statistics: Statistics) -> tuple[Any, ...]:
        """Statistics descending, then more conditions first, then string."""
        descending = [-getattr(statistics, name) for name in self._sequence()]
        return (descending, -len(rule.antecedent), string_order(rule.antecedent, self.ranks))

    def _sequence(self) -> Sequence[str]:
        return [self.first, *(name for name in ORDERS if name != self.first)]
