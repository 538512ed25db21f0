"""The built-in methods, as data."""

from typing import Final

from rulekit.plugin.preset import Preset

PRESETS: Final[dict[str, Preset]] = {
    "rc+": Preset(
        "RuleCOSI+: compact rules that state their training precision.",
        {"priors": "mean", "evidence": "empirical", "probability": "empirical"},
    ),
    "rcprob": Preset(
        "RCProb: fewer rules, stating probabilities smoothed by evidence and ensemble.",
        {"priors": "product", "evidence": "naive-bayes", "probability": "hybrid"},
    ),
    "decision-tree": Preset(
        "A single decision tree, leaf by leaf, as a ruleset.",
        {
            "ensemble": "tree",
            "evidence": "empirical",
            "probability": "empirical",
            "combine": None,
            "cover": None,
            "simplify": "drop-redundant",
        },
    ),
}
