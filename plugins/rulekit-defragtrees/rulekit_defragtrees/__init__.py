"""DefragTrees for rulekit: a tree ensemble as a few regions, chosen by Bayesian model selection."""

from typing import Any

import rulekit
from rulekit_defragtrees.method import DefragTrees
from rulekit_defragtrees.most_probable_region import MostProbableRegion

__all__ = ["DefragTrees", "MostProbableRegion"]


@rulekit.hookimpl
def rulekit_register(registry: Any) -> None:
    """Register the method and its inference mode under their names."""
    registry.add("method", "defragtrees", DefragTrees)
    registry.add("inference", "most-probable-region", MostProbableRegion)
