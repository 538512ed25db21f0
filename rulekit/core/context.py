"""What every stage of one search may know."""

import attrs

from rulekit.core.arrays import BoolArray, IntArray
from rulekit.core.index import TrainingIndex
from rulekit.core.interfaces import PriorCombiner, ProbabilityEstimator
from rulekit.core.order import RuleOrder
from rulekit.core.statistics import Limits


@attrs.frozen(eq=False)
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
    """

    index: TrainingIndex
    priors: PriorCombiner
    evidence: ProbabilityEstimator
    min_precision: float = 0.5
    min_coverage: float = 0.0
    confidence: float = 0.25
    rule_order: RuleOrder = "support"

    @property
    def limits(self) -> Limits:
        """What a rule must exceed."""
        return Limits(self.index.n_records, self.min_coverage, self.min_precision)

    def qualifies(self, counts: IntArray, classes: IntArray) -> BoolArray:
        """Whether rules with these exact counts are precise and general enough; shape (n_rules,)."""
        return self.limits.exceeded_by(counts, classes)
