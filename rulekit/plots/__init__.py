"""Plots of rules. Each function takes `ax` and returns it.

matplotlib comes with the extra `plots`, and is imported when a plot is drawn.
"""

from rulekit.plots.history import search_history
from rulekit.plots.overlap import rule_overlap
from rulekit.plots.path import list_path
from rulekit.plots.predicted import predicted_probabilities
from rulekit.plots.quality import coverage_and_precision
from rulekit.plots.regions import decision_regions
from rulekit.plots.reliability import reliability

__all__ = [
    "coverage_and_precision",
    "decision_regions",
    "list_path",
    "predicted_probabilities",
    "reliability",
    "rule_overlap",
    "search_history",
]
