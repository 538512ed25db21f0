"""Errors when no tree can be made."""

from rulekit.plugin import RulekitError


class GridTooLargeError(RulekitError, ValueError):
    """The optimal tree would take too long: the ensemble has too many thresholds."""


class UnsupportedColumnsError(RulekitError, ValueError):
    """A column has missing values or categories, which a grid of thresholds does not support."""
