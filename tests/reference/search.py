"""The loop over the trees (section 3), and the decision list that it scores rulesets by."""

from collections.abc import Iterable

from sklearn.metrics import f1_score

from .arithmetic import argmax
from .combine import combine
from .conditions import Antecedent
from .context import Context
from .cover import cover, left_uncovered
from .rules import Ruleset
from .simplify import simplify
from .training import TrainingSet


def search(rulesets: Iterable[Ruleset], context: Context) -> Ruleset:
    """Fold the trees' rulesets into one, which changes only when macro-F1 grows."""
    first, *others = rulesets
    bad: set[Antecedent] = set()
    best = simplify(first, context)
    best_score = macro_f1(best, context.training)
    for tree_rules in others:
        if best_score == 1:
            break
        challenger = simplify(cover(combine(best, tree_rules, bad, context), context), context)
        if not challenger:
            continue
        score = macro_f1(challenger, context.training)
        if score > best_score:
            best, best_score = challenger, score
    # Every rule that Simplify keeps covered samples in its pass, so none is left to drop here.
    return best


def macro_f1(rules: Ruleset, training: TrainingSet) -> float:
    """Macro-F1 on D of the rules as a decision list with its default rule."""
    predicted = _predict(rules, training)
    return float(f1_score(training.labels, predicted, average="macro", zero_division=0, sample_weight=training.weights))


def default_counts(rules: Ruleset, training: TrainingSet) -> list[float]:
    """Classes of the samples that no rule covers, or of D when every sample is covered."""
    uncovered = left_uncovered(rules, training)
    return training.count_classes(uncovered or training.everything)


def _predict(rules: Ruleset, training: TrainingSet) -> list[int]:
    """Predict each sample's class by the first rule that it satisfies."""
    predicted = [argmax(default_counts(rules, training))] * len(training.rows)
    # From last to first, so that earlier rules overwrite later ones.
    for rule in reversed(rules):
        for sample in training.satisfying(rule.antecedent):
            predicted[sample] = rule.class_index
    return predicted
