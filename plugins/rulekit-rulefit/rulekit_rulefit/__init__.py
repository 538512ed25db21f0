"""The RuleFit method for rulekit (J. H. Friedman and B. E. Popescu, "Predictive learning via rule ensembles")."""

from typing import Any

import rulekit
from rulekit_rulefit.inference import Linear
from rulekit_rulefit.method import RuleFit

__all__ = ["Linear", "RuleFit"]


@rulekit.hookimpl
def rulekit_register(registry: Any) -> None:
    """Register the method and its inference mode under their names."""
    registry.add("method", "rulefit", RuleFit)
    registry.add("inference", "linear", Linear)
