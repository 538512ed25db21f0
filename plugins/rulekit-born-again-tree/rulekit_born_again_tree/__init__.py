"""Born-again trees for rulekit: a tree ensemble as one small tree."""

from typing import Any

import rulekit
from rulekit_born_again_tree.errors import GridTooLargeError, UnsupportedColumnsError
from rulekit_born_again_tree.method import BornAgainTree

__all__ = ["BornAgainTree", "GridTooLargeError", "UnsupportedColumnsError"]


@rulekit.hookimpl
def rulekit_register(registry: Any) -> None:
    """Register the method under its name."""
    registry.add("method", "born-again-tree", BornAgainTree)
