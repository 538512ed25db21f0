"""The RuleFit method for rulekit (J. H. Friedman and B. E. Popescu, "Predictive learning via rule ensembles")."""

from typing import Any

import rulekit
from rulekit_rulefit.inference import Linear
from rulekit_rulefit.method import RuleFit

__all__ = ["Linear", "RuleFit"]


@rulekit.hookimpl
def rulekit_register(registry: Any) -> None:
    """Make the method and its inference mode known under their names."""
    registry.add("method", "rulefit", RuleFit)
    registry.add("inference", "linear", Linear)
