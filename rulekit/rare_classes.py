"""The warning about classes that no rule predicts."""

import numpy as np

from rulekit.core.errors import ClassWithoutRuleWarning
from rulekit.core.messages import short, warn_caller
from rulekit.core.training_data import TrainingData
from rulekit.fidelity import FEWEST_SAMPLES
from rulekit.ruleset import RuleSet


def classes_without_rules(ruleset: RuleSet, data: TrainingData) -> list[int]:
    """Indices of the classes that have training samples, and that neither a rule nor the default rule predicts."""
    has_samples = data.class_counts > 0
    has_samples[np.unique(ruleset.probabilities.argmax(axis=1))] = False
    return np.flatnonzero(has_samples).tolist()


def warn_of_classes_without_rules(ruleset: RuleSet, data: TrainingData) -> None:
    """Warn if no rule predicts some class of the training samples, and say what to do.

    If there are none but the default rule, the search has warned of that; and with few samples, a class may well be too
    small for a rule.
    """
    lacking = classes_without_rules(ruleset, data)
    if not lacking or len(ruleset) == 1 or data.n_samples < FEWEST_SAMPLES:
        return
    labels = ruleset.classes.tolist()
    named = ", ".join(short(labels[index]) for index in lacking[:5])
    fractions = data.class_counts[lacking] / data.total
    warn_caller(
        f"No rule predicts {'the class' if len(lacking) == 1 else 'the classes'} {named}{', …' if lacking[5:] else ''} "
        f"({fractions.sum():.2g} of the training samples), and neither does the default rule. Set "
        "class_weight='balanced', so that every class counts as much, or lower min_precision; instead of min_coverage, "
        "which asks for a fraction of all samples, use min_class_coverage, a fraction of those of the rule's class.",
        ClassWithoutRuleWarning,
    )
