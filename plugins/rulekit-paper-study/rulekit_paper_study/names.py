"""What the published study calls things, and what they are called here."""

from typing import Final

#: Base ensembles.
ENSEMBLES: Final = {"RF": "rf", "GBM": "gbm"}

#: Methods, as variants of the profiles.
VARIANTS: Final = {
    "Ensemble": "ensemble",
    "RCProb": "rcprob",
    "RC+": "rc+",
    "DT": "decision-tree",
    "inTrees": "intrees",
    "DFT": "defragtrees",
    "RCProbAgg": "rcprob aggregate",
    "RC+Agg": "rc+ aggregate",
}

#: Calibration maps: a calibrated variant is called after its variant and its map.
CALIBRATIONS: Final = {"TempS": "temperature", "Dir-L2": "dirichlet"}

#: Measures, in every spelling of the tables.
MEASURES: Final = {
    "Log-loss": "log_loss",
    "Brier": "brier",
    "Brier score": "brier",
    "Conf.-ECE": "confidence_ece",
    "Confidence-ECE": "confidence_ece",
    "ECE": "confidence_ece",
    "cwECE": "classwise_ece",
    "Classwise-ECE": "classwise_ece",
    "Accuracy": "accuracy",
    "Macro-F1": "macro_f1",
    "F1": "macro_f1",
    "Fidelity": "fidelity",
    "Rules": "n_rules",
    "Total ant.": "n_conditions",
    "Total antecedents": "n_conditions",
    "Distinct ant.": "n_distinct_conditions",
    "Distinct antecedents": "n_distinct_conditions",
    "Cond./rule": "conditions_per_rule",
    "Conditions/rule": "conditions_per_rule",
    "uniq": "uniqueness",
    "Fit time (s)": "seconds",
}

#: Rows of the table of rule diagnostics, with what they are multiplied by there.
DIAGNOSTICS: Final = {
    "Non-default rules": ("n_non_default_rules", 1),
    "Confidence =1.0 (%)": ("predicts_1", 100),
    "Confidence >=0.999 (%)": ("predicts_at_least_0.999", 100),
    "Zero held-out assignment (%)": ("never_fired", 100),
    "1-9": ("gap_1-9", 1),
    "10-29": ("gap_10-29", 1),
    "30-99": ("gap_30-99", 1),
    ">=100": ("gap_>=100", 1),
}

#: Columns of the table of rule use, likewise.
USE: Final = {
    "Non-default rules": ("n_non_default_rules", 1),
    "Matches/covered instance": ("matches_per_covered", 1),
    "Selected at least once (%)": ("selected", 100),
    "Match, never selected (%)": ("matched_never_selected", 100),
}

VERDICTS: Final = {"B": "better", "W": "worse", "n.s.": "not significant", "--": "not tested"}


def sensitivity_variant(parameter: str, value: float) -> str:
    """The variant of the profile `sensitivity` with that setting; n0=50 and tau=5 are the same one."""
    return "n0=50" if (parameter, value) == ("tau", 5) else f"{parameter}={value:g}"
