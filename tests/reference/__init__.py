"""A slow, readable twin of the rule search, written from the specification alone.

The fast implementation must give the same rules in the same order. Nothing here is shared with it: an error
would have to be made twice, independently, to go unnoticed.

The data path: ``ensemble`` (trees to rules) -> ``combine`` -> ``cover`` -> ``simplify`` -> ``search`` (the loop)
-> ``extraction`` (probabilities attached, default rule appended).
"""

from .extraction import extract_rules
from .rules import ReferenceRule, ReferenceRuleSet

__all__ = ["ReferenceRule", "ReferenceRuleSet", "extract_rules"]
