"""DefragTrees for rulekit: a tree ensemble as a few regions, chosen by Bayesian model selection."""

from typing import Any

import rulekit
from rulekit_defragtrees.method import DefragTrees

__all__ = ["DefragTrees"]


@rulekit.hookimpl
def rulekit_register(registry: Any) -> None:
    """Make the method known under its name."""
    registry.add("method", "defragtrees", DefragTrees)
