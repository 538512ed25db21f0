"""What every stage of one search may know."""

from functools import cached_property

import attrs

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.budget import Budget
from rulekit.core.index import TrainingIndex
from rulekit.core.interfaces import PriorCombiner, ProbabilityEstimator
from rulekit.core.order import RuleOrder
from rulekit.core.pessimism import deviations, pessimistic_error
from rulekit.core.statistics import Limits


@attrs.frozen(eq=False, slots=False)
class SearchContext:
    """The training records, the parts and the thresholds that stages share.

    Attributes
    ----------
    index : TrainingIndex
    priors : PriorCombiner
    evidence : ProbabilityEstimator
        The fitted estimator that guides the search.
    min_precision, min_coverage : float
        Strict lower limits of a rule's precision and of its share of the training records.
    confidence : float
        Level of the pessimistic error estimate that decides which conditions can go.
    rule_order : {"support", "coverage", "precision"}
    budget : Budget
        What the search may spend.
    """

    index: TrainingIndex
    priors: PriorCombiner
    evidence: ProbabilityEstimator
    min_precision: float = 0.5
    min_coverage: float = 0.0
    confidence: float = 0.25
    rule_order: RuleOrder = "support"
    budget: Budget = attrs.field(factory=Budget)

    @cached_property
    def limits(self) -> Limits:
        """What a rule must exceed."""
        return Limits(self.index.n_records, self.min_coverage, self.min_precision)

    @cached_property
    def deviations(self) -> float:
        """How many standard deviations the pessimistic error lies above the one that was seen."""
        return deviations(self.confidence)

    @cached_property
    def errors_of_classes(self) -> FloatArray:
        """Pessimistic errors of rules without conditions, which conclude one class for everyone; shape (n_classes,)."""
        wrong = 1.0 - self.index.class_counts / self.index.n_records
        return pessimistic_error(self.index.n_records, wrong, self.deviations)

    def qualifies(self, counts: IntArray, classes: IntArray) -> BoolArray:
        """Whether rules with these exact counts are precise and general enough; shape (n_rules,)."""
        return self.limits.exceeded_by(counts, classes)
