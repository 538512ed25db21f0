"""Measures of rules and of any other classifier: computed here, shown elsewhere."""

from rulekit.evaluation.diagnostics import rule_diagnostics, summarise_diagnostics
from rulekit.evaluation.held_out import evaluate
from rulekit.evaluation.intervals import IntervalCounts, interval_counts
from rulekit.evaluation.measures import (
    accuracy,
    average_precision,
    balanced_accuracy,
    brier,
    classwise_ece,
    confidence_ece,
    fidelity,
    ks,
    lift,
    log_loss,
    macro_f1,
    rarest_class_recall,
    roc_auc,
)
from rulekit.evaluation.overlap import rule_overlap
from rulekit.evaluation.reliability import reliability
from rulekit.evaluation.size import (
    conditions_per_rule,
    n_conditions,
    n_distinct_conditions,
    n_leaf_conditions,
    n_leaf_rules,
    n_rules,
    uniqueness,
)
from rulekit.evaluation.use import rule_use

__all__ = [
    "IntervalCounts",
    "accuracy",
    "average_precision",
    "balanced_accuracy",
    "brier",
    "classwise_ece",
    "conditions_per_rule",
    "confidence_ece",
    "evaluate",
    "fidelity",
    "interval_counts",
    "ks",
    "lift",
    "log_loss",
    "macro_f1",
    "n_conditions",
    "n_distinct_conditions",
    "n_leaf_conditions",
    "n_leaf_rules",
    "n_rules",
    "rarest_class_recall",
    "reliability",
    "roc_auc",
    "rule_diagnostics",
    "rule_overlap",
    "rule_use",
    "summarise_diagnostics",
    "uniqueness",
]
