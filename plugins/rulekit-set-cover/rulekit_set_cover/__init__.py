"""Set cover for rulekit: few rules of a tree ensemble that agree with what it predicts."""

from typing import Any

import rulekit
from rulekit_set_cover.errors import FidelityWarning
from rulekit_set_cover.method import SetCover

__all__ = ["FidelityWarning", "SetCover"]


@rulekit.hookimpl
def rulekit_register(registry: Any) -> None:
    """Register the method under its name."""
    registry.add("method", "set-cover", SetCover)
