"""Everything that stays the same during one search."""

from attrs import frozen

from .evidence import Evidence
from .priors import PriorCombiner
from .statistics import RuleOrder, Thresholds
from .training import TrainingSet


@frozen
class Context:
    """Training set, parameters and exchangeable parts of one search.

    Attributes
    ----------
    z : float
        Normal quantile of the upper error limit, ``Phi^-1(1 - c/2)``.
    """

    training: TrainingSet
    thresholds: Thresholds
    order: RuleOrder
    combine_priors: PriorCombiner
    evidence: Evidence
    z: float
    drop_redundant: bool
