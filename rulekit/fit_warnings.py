"""The warnings of `fit` about rules that predict other classes than their ensemble, or some class not at all."""

from typing import Final

import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.conditions import first_match
from rulekit.core.errors import ClassWithoutRuleWarning, LowFidelityWarning
from rulekit.core.forest import Forest
from rulekit.core.index import TrainingIndex
from rulekit.core.messages import short, warn_caller
from rulekit.core.parts import PartitionedIndex
from rulekit.core.training_data import TrainingData
from rulekit.ruleset import RuleSet

#: Below this fidelity rules do not stand for their ensemble. Of 200 fits (20 datasets, random forest and gradient
#: boosting, `rc+`, `rcprob` and `rclist`, the latter also with `min_coverage=0.01` and with `max_rules=5`), none had
#: less on its training samples; with default settings, none had less than 0.7, and nine in ten more than 0.8.
LOW_FIDELITY: Final = 0.6
#: Training samples that are compared, drawn at random from more: a fraction of these is off by 3 % at most, 19 times
#: in 20.
MOST_SAMPLES: Final = 1_000
#: With fewer training samples, a fidelity says little.
FEWEST_SAMPLES: Final = 100
ADVICE: Final = (
    "allow more and smaller rules (smaller min_coverage and min_precision, larger max_rules), another method, or an "
    "ensemble of shallower trees (max_depth=5)"
)
#: Said first where samples are weighted: an ensemble may have been trained without these weights.
WEIGHTED: Final = (
    "If the ensemble was trained without the weights that the rules are fitted with, this is to be expected: pass it "
    "unfitted, so that it is trained with them too. "
)


def training_fidelity(ruleset: RuleSet, data: TrainingData) -> float:
    """Fraction of the training samples, at most `MOST_SAMPLES`, for which rules and ensemble predict the same class.

    With weights, it is a fraction of the weight.
    """
    if isinstance(data.index, PartitionedIndex):
        parts = data.index.parts
        n_each = max(1, MOST_SAMPLES // int(parts.total(_one)[0]))
        n_equal, n_compared = parts.total(_agreement, ruleset, data.forest, n_each).tolist()
        return float(n_equal / n_compared)
    n_samples = data.n_samples
    rows = np.arange(min(n_samples, MOST_SAMPLES))
    if n_samples > MOST_SAMPLES:
        rows = np.sort(np.random.default_rng(0).choice(n_samples, MOST_SAMPLES, replace=False))
    weights = data.index.weights_of(data.y)[rows]
    return float(np.average(_agrees(ruleset, data.forest, data.X[rows]), weights=weights))


def _one(index: TrainingIndex) -> IntArray:
    return np.ones(1, dtype=np.int64)


def _agreement(index: TrainingIndex, ruleset: RuleSet, forest: Forest, n_samples: int) -> IntArray:
    """In how many of some samples of a part rules and ensemble agree, and how many these are; shape (2,)."""
    rows = np.random.default_rng(0).choice(index.n_samples, min(n_samples, index.n_samples), replace=False)
    agrees = _agrees(ruleset, forest, index.representatives(rows))
    return np.array([agrees.sum(), len(agrees)])


def _agrees(ruleset: RuleSet, forest: Forest, X: FloatArray) -> BoolArray:
    """Whether rules and ensemble predict the same class, of shape (n_samples,)."""
    if ruleset.inference.combination == "first":
        of_rules = ruleset.probabilities.argmax(axis=1)[first_match(ruleset.matches_of(X))]
    else:
        of_rules = ruleset.answer(X).argmax(axis=1)
    return np.asarray(of_rules == forest.predict_proba(X).argmax(axis=1))


def warn_of_low_fidelity(ruleset: RuleSet, data: TrainingData) -> None:
    """Warn if rules predict other classes than their ensemble for many training samples.

    If there are none but the default rule, the search has warned of that.
    """
    if len(ruleset) == 1 or data.n_samples < FEWEST_SAMPLES:
        return
    fidelity = training_fidelity(ruleset, data)
    if fidelity < LOW_FIDELITY:
        reason = "" if data.weights is None else WEIGHTED
        warn_caller(
            f"The rules predict the class that the ensemble predicts for {fidelity:.0%} of the training samples only "
            f"(below {LOW_FIDELITY:.0%}), so they do not stand for it. {reason}To raise this fidelity, try: {ADVICE}.",
            LowFidelityWarning,
        )


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
