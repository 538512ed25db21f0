"""The measures that rulekit registers, each with its heading, its direction and its function."""

from typing import ClassVar, Literal

import numpy as np

from rulekit.core.evaluated import Evaluated
from rulekit.core.interfaces import Measure
from rulekit.evaluation import measures, size
from rulekit.ruleset import RuleSet


class LogLoss(Measure):
    """Mean negative logarithm of the true class's probability.

    Parameters
    ----------
    floor : float, default=1e-12
        Smaller probabilities of the true class are replaced by this value.
    """

    heading: ClassVar[str] = "Log-loss"
    short_heading: ClassVar[str | None] = "log\nloss"
    meaning: ClassVar[str] = "mean negative logarithm of the true class's probability, at least 0"
    is_higher_better: ClassVar[bool | None] = False

    def __init__(self, floor: float = measures.PROBABILITY_FLOOR) -> None:
        self.floor = floor

    def measure(self, evaluated: Evaluated) -> float:
        """From 0, which is best."""
        return measures.log_loss(*_of_probabilities(evaluated), floor=self.floor)


class Brier(Measure):
    """Mean squared distance between predicted probabilities and the truth, summed over the classes."""

    heading: ClassVar[str] = "Brier score"
    short_heading: ClassVar[str | None] = "Brier"
    meaning: ClassVar[str] = "squared error of the probabilities, from 0 to 2"
    is_higher_better: ClassVar[bool | None] = False

    def measure(self, evaluated: Evaluated) -> float:
        """From 0, which is best, to 2."""
        return measures.brier(*_of_probabilities(evaluated))


class ConfidenceECE(Measure):
    """Expected calibration error of the predicted class's probability.

    Parameters
    ----------
    n_bins : int, default=10
        Bins of equal width.
    """

    heading: ClassVar[str] = "Confidence-ECE"
    short_heading: ClassVar[str | None] = "ECE"
    meaning: ClassVar[str] = "gap between the predicted class's probability and how often it is correct"
    is_higher_better: ClassVar[bool | None] = False

    def __init__(self, n_bins: int = measures.N_BINS) -> None:
        self.n_bins = n_bins

    def measure(self, evaluated: Evaluated) -> float:
        """From 0, which is best, to 1."""
        return measures.confidence_ece(*_of_probabilities(evaluated), n_bins=self.n_bins)


class ClasswiseECE(Measure):
    """Expected calibration error of each class's probability, averaged over the classes.

    Parameters
    ----------
    n_bins : int, default=10
        Bins of equal width.
    """

    heading: ClassVar[str] = "Classwise-ECE"
    short_heading: ClassVar[str | None] = "class\nECE"
    meaning: ClassVar[str] = "the same gap for every class's probability, averaged"
    is_higher_better: ClassVar[bool | None] = False
    is_headline: ClassVar[bool] = False

    def __init__(self, n_bins: int = measures.N_BINS) -> None:
        self.n_bins = n_bins

    def measure(self, evaluated: Evaluated) -> float:
        """From 0, which is best, to 1."""
        return measures.classwise_ece(*_of_probabilities(evaluated), n_bins=self.n_bins)


class Accuracy(Measure):
    """Fraction of the samples whose predicted class is the true one."""

    heading: ClassVar[str] = "Accuracy"
    meaning: ClassVar[str] = "fraction of samples that are classified correctly"
    is_higher_better: ClassVar[bool | None] = True
    is_headline: ClassVar[bool] = False

    def measure(self, evaluated: Evaluated) -> float:
        """From 0 to 1, which is best."""
        return measures.accuracy(evaluated.y, evaluated.predicted)


class BalancedAccuracy(Measure):
    """Accuracy within each class, averaged over the classes of the true labels."""

    heading: ClassVar[str] = "Balanced accuracy"
    meaning: ClassVar[str] = "the same fraction for each class's samples, averaged"
    is_higher_better: ClassVar[bool | None] = True
    is_headline: ClassVar[bool] = False

    def measure(self, evaluated: Evaluated) -> float:
        """From 0 to 1, which is best."""
        return measures.balanced_accuracy(evaluated.y, evaluated.predicted)


class MacroF1(Measure):
    """F1 of each class, averaged over the classes."""

    heading: ClassVar[str] = "Macro-F1"
    short_heading: ClassVar[str | None] = "macro\nF1"
    meaning: ClassVar[str] = "harmonic mean of each class's precision and recall, averaged"
    is_higher_better: ClassVar[bool | None] = True

    def measure(self, evaluated: Evaluated) -> float:
        """From 0 to 1, which is best."""
        return measures.macro_f1(evaluated.y, evaluated.predicted)


class RocAUC(Measure):
    """Area under the ROC curve; with more than two classes the mean of each against the rest."""

    heading: ClassVar[str] = "ROC AUC"
    meaning: ClassVar[str] = "how well probabilities rank samples of a class above the others; 0.5 by chance"
    is_higher_better: ClassVar[bool | None] = True
    is_headline: ClassVar[bool] = False

    def measure(self, evaluated: Evaluated) -> float:
        """From 0 to 1, which is best; NaN if a class has no sample."""
        return measures.roc_auc(*_of_probabilities(evaluated))


class AveragePrecision(Measure):
    """Area under the curve of precision and recall: of the rarer of two classes, or the mean over more."""

    heading: ClassVar[str] = "Average precision"
    meaning: ClassVar[str] = "area under the curve of precision and recall, of the rarer of two classes"
    is_higher_better: ClassVar[bool | None] = True
    is_headline: ClassVar[bool] = False

    def measure(self, evaluated: Evaluated) -> float:
        """From 0 to 1, which is best; NaN if a class has no sample."""
        return measures.average_precision(*_of_probabilities(evaluated))


class KS(Measure):
    """Kolmogorov-Smirnov statistic of a class's probability among its samples and the others.

    With more than two classes it is the mean of each against the rest.
    """

    heading: ClassVar[str] = "KS"
    meaning: ClassVar[str] = "largest difference between the fractions of a class and of the others above a threshold"
    is_higher_better: ClassVar[bool | None] = True
    is_headline: ClassVar[bool] = False

    def measure(self, evaluated: Evaluated) -> float:
        """From 0 to 1, which is best; NaN if a class has no sample."""
        return measures.ks(*_of_probabilities(evaluated))


class LiftAt10(Measure):
    """How much more frequent the rarest class is among the tenth of the samples where it is most probable."""

    heading: ClassVar[str] = "Lift at 10 %"
    meaning: ClassVar[str] = "frequency of the rarest class where it is most probable, over its frequency; 1 by chance"
    decimals: ClassVar[int] = 2
    is_higher_better: ClassVar[bool | None] = True
    is_headline: ClassVar[bool] = False

    def measure(self, evaluated: Evaluated) -> float:
        """From 0 to 10, which is best; NaN if a class has no sample."""
        return measures.lift(*_of_probabilities(evaluated))


class RarestClassRecall(Measure):
    """Fraction of the rarest class's samples that `predict` finds, at the model's decision threshold if it has one.

    With more than two classes there is no threshold: the prediction is the most probable class.
    """

    heading: ClassVar[str] = "Rarest-class recall"
    meaning: ClassVar[str] = "fraction of the rarest class that is predicted, at the model's threshold"
    is_higher_better: ClassVar[bool | None] = True
    is_headline: ClassVar[bool] = False

    def measure(self, evaluated: Evaluated) -> float:
        """From 0 to 1, which is best; NaN if a class has no sample."""
        return measures.rarest_class_recall(evaluated.y, evaluated.predicted, np.arange(len(evaluated.classes)))


class Fidelity(Measure):
    """Fraction of the samples for which rules and ensemble predict the same class.

    It compares the most probable classes, also where the model has another decision threshold.
    """

    heading: ClassVar[str] = "Fidelity"
    short_heading: ClassVar[str | None] = "fidelity"
    meaning: ClassVar[str] = "fraction of samples for which the ensemble predicts the same class"
    is_higher_better: ClassVar[bool | None] = True
    needs: ClassVar[Literal["predictions", "rules", "ensemble"]] = "ensemble"

    def measure(self, evaluated: Evaluated) -> float:
        """From 0 to 1, which is best."""
        assert evaluated.ensemble_predicted is not None, "only computed where it applies"
        return measures.fidelity(evaluated.classes[evaluated.most_probable], evaluated.ensemble_predicted)


class RuleMeasure(Measure):
    """Base of the measures of the rules' size."""

    is_higher_better: ClassVar[bool | None] = False
    needs: ClassVar[Literal["predictions", "rules", "ensemble"]] = "rules"


class NRules(RuleMeasure):
    """Number of rules, the default rule included."""

    heading: ClassVar[str] = "Rules"
    short_heading: ClassVar[str | None] = "rules"
    meaning: ClassVar[str] = "number of rules, including the default rule"
    decimals: ClassVar[int] = 0

    def measure(self, evaluated: Evaluated) -> float:
        """At least 1."""
        return float(size.n_rules(_rules_of(evaluated)))


class NConditions(RuleMeasure):
    """Number of conditions of all rules together."""

    heading: ClassVar[str] = "Conditions"
    short_heading: ClassVar[str | None] = "condi-\ntions"
    meaning: ClassVar[str] = "number of conditions in all rules"
    decimals: ClassVar[int] = 0

    def measure(self, evaluated: Evaluated) -> float:
        """At least 0."""
        return float(size.n_conditions(_rules_of(evaluated)))


class NDistinctConditions(RuleMeasure):
    """Number of conditions that differ from one another."""

    heading: ClassVar[str] = "Distinct conditions"
    meaning: ClassVar[str] = "conditions that differ from one another"
    decimals: ClassVar[int] = 0
    is_headline: ClassVar[bool] = False

    def measure(self, evaluated: Evaluated) -> float:
        """At least 0."""
        return float(size.n_distinct_conditions(_rules_of(evaluated)))


class ConditionsPerRule(RuleMeasure):
    """Mean number of conditions of the rules other than the default rule."""

    heading: ClassVar[str] = "Conditions/rule"
    meaning: ClassVar[str] = "mean over the rules other than the default rule"
    decimals: ClassVar[int] = 1
    is_headline: ClassVar[bool] = False

    def measure(self, evaluated: Evaluated) -> float:
        """At least 0."""
        return size.conditions_per_rule(_rules_of(evaluated))


class Uniqueness(RuleMeasure):
    """Fraction of distinct conditions among all conditions."""

    heading: ClassVar[str] = "Uniqueness"
    meaning: ClassVar[str] = "fraction of distinct conditions among all conditions"
    decimals: ClassVar[int] = 2
    is_higher_better: ClassVar[bool | None] = True
    is_headline: ClassVar[bool] = False

    def measure(self, evaluated: Evaluated) -> float:
        """From 0 to 1; NaN without conditions."""
        return size.uniqueness(_rules_of(evaluated))


def _of_probabilities(evaluated: Evaluated) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """True classes, probabilities and class indices, as the functions in `measures` take them."""
    return evaluated.y, evaluated.probabilities, np.arange(len(evaluated.classes))


def _rules_of(evaluated: Evaluated) -> RuleSet:
    assert evaluated.ruleset is not None, "only computed where it applies"
    return evaluated.ruleset
