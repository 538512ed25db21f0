"""Statistics of a study: computed here from the results, shown elsewhere."""

from rulekit.evaluation.predicted import BANDS, band_fractions
from rulekit.study.statistics.averages import (
    ENSEMBLE,
    KEYS,
    DatasetMeans,
    dataset_means,
    exact_mean,
    fold_values,
    having,
    names_of,
    rule_variants,
)
from rulekit.study.statistics.critical import critical_difference, nemenyi_p
from rulekit.study.statistics.factors import contrasts, factor_effects, level_means, levels_of
from rulekit.study.statistics.outcomes import FAMILY, PRIMARY, Outcome, is_testable, measured, outcome, outcomes
from rulekit.study.statistics.paired import (
    SIGNIFICANT,
    compare_pair,
    holm,
    mean_and_sd,
    rank_biserial,
    relative_changes,
    shown_measures,
    signed_rank_p,
    smallest_p,
    with_family,
)
from rulekit.study.statistics.pareto import pareto_front
from rulekit.study.statistics.predicted import predicted_bands
from rulekit.study.statistics.reliability import StoredPredictions, reliability_bins
from rulekit.study.statistics.rules import RuleFacts, StoredRules, diagnostics_summary, read_rules, use_summary
from rulekit.study.statistics.several import (
    average_ranks,
    dataset_ranks,
    friedman_p,
    friedman_tests,
    median_changes,
    post_hoc_tests,
)

__all__ = [
    "BANDS",
    "ENSEMBLE",
    "FAMILY",
    "KEYS",
    "PRIMARY",
    "SIGNIFICANT",
    "DatasetMeans",
    "Outcome",
    "RuleFacts",
    "StoredPredictions",
    "StoredRules",
    "average_ranks",
    "band_fractions",
    "compare_pair",
    "contrasts",
    "critical_difference",
    "dataset_means",
    "dataset_ranks",
    "diagnostics_summary",
    "exact_mean",
    "factor_effects",
    "fold_values",
    "friedman_p",
    "friedman_tests",
    "having",
    "holm",
    "is_testable",
    "level_means",
    "levels_of",
    "mean_and_sd",
    "measured",
    "median_changes",
    "names_of",
    "nemenyi_p",
    "outcome",
    "outcomes",
    "pareto_front",
    "post_hoc_tests",
    "predicted_bands",
    "rank_biserial",
    "read_rules",
    "relative_changes",
    "reliability_bins",
    "rule_variants",
    "shown_measures",
    "signed_rank_p",
    "smallest_p",
    "use_summary",
    "with_family",
]
