"""The rule of the search, and the rule that is handed out."""

from attrs import frozen

from .arithmetic import argmax
from .conditions import Antecedent


@frozen
class Rule:
    """A rule during the search: its class is always that of its prior.

    Attributes
    ----------
    antecedent : frozenset of Condition
    prior : tuple of float, one per class
        Local class distribution ``q``, inherited from the ensemble.
    """

    antecedent: Antecedent
    prior: tuple[float, ...]

    @property
    def class_index(self) -> int:
        """Most probable class of the prior."""
        return argmax(self.prior)


Ruleset = list[Rule]


@frozen
class ReferenceRule:
    """A final rule.

    Attributes
    ----------
    antecedent : frozenset of (feature_index, op, threshold)
        ``op`` is ``"<="`` or ``">"``; empty for the default rule.
    class_index : int
        Position in the ensemble's ``classes_``.
    probabilities : list of float, one per class
    counts : list of int, one per class
        Samples of all of D that satisfy the antecedent. Default rule: the samples that no rule covers, or D when
        every sample is covered.
    """

    antecedent: Antecedent
    class_index: int
    probabilities: list[float]
    counts: list[int]


class ReferenceRuleSet(list[ReferenceRule]):
    """Final rules in order, the last one the default rule."""
