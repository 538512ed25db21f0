"""Everything that stays the same during one search."""

from attrs import frozen

from .priors import PriorCombiner
from .search_estimators import SearchEstimator
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
    search_estimator: SearchEstimator
    z: float
    drop_redundant: bool
