"""The inTrees method for rulekit (H. Deng, "Interpreting tree ensembles with inTrees")."""

from typing import Any

import rulekit
from rulekit_intrees.method import InTrees

__all__ = ["InTrees"]


@rulekit.hookimpl
def rulekit_register(registry: Any) -> None:
    """Register the method under its name."""
    registry.add("method", "intrees", InTrees)
