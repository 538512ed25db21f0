"""Figures of a study, drawn from what `rulekit.study.statistics` computes; matplotlib is imported when one is drawn."""

from rulekit.render.figure import save
from rulekit.study.figures.critical import critical_difference_diagram
from rulekit.study.figures.interaction import interactions
from rulekit.study.figures.predicted import predicted_probabilities
from rulekit.study.figures.reliability import reliability
from rulekit.study.figures.scatter import paired_scatter
from rulekit.study.figures.trade_off import trade_off

__all__ = [
    "critical_difference_diagram",
    "interactions",
    "paired_scatter",
    "predicted_probabilities",
    "reliability",
    "save",
    "trade_off",
]
