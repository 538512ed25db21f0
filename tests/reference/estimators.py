"""Class-probability estimators of a rule (section 4)."""

from collections.abc import Callable

from attrs import field, frozen

from .arithmetic import rounded_log, softmax, sum_in_order
from .conditions import Antecedent, Condition
from .rules import Rule
from .training import TrainingSet


@frozen
class Strengths:
    """RCProb's parameters: smoothing, prior strength, mixing support."""

    eta: float = field(default=1.0)
    tau: float = field(default=5.0)
    n0: float = field(default=50.0)

    @eta.validator
    def _check_eta(self, _: object, value: float) -> None:
        if value <= 0:
            raise ValueError(f"eta must be positive, else naive Bayes takes the logarithm of zero; got {value!r}.")


def empirical(rule: Rule, training: TrainingSet, strengths: Strengths) -> list[float]:
    """Share of each class among the samples of the rule: ``N_ry / N_r``."""
    counts = training.counts_of(rule.antecedent)
    return [count / sum(counts) for count in counts]


def naive_bayes(rule: Rule, training: TrainingSet, strengths: Strengths) -> list[float]:
    """Naive Bayes over the conditions of the rule."""
    return naive_bayes_of(rule.antecedent, training, strengths.eta)


def naive_bayes_of(antecedent: Antecedent, training: TrainingSet, eta: float) -> list[float]:
    """``p_NB(y|A)``, proportional to ``p(y) * prod_a p(a|y)``."""
    return softmax([_log_score(antecedent, y, training, eta) for y in range(training.n_classes)])


def _log_score(antecedent: Antecedent, y: int, training: TrainingSet, eta: float) -> float:
    log_prior = rounded_log((training.class_counts[y] + eta) / (training.n_samples + training.n_classes * eta))
    return log_prior + sum_in_order(_log_likelihood(condition, y, training, eta) for condition in antecedent)


def _log_likelihood(condition: Condition, y: int, training: TrainingSet, eta: float) -> float:
    n_satisfying = training.counts_of(frozenset({condition}))[y]
    return rounded_log((n_satisfying + eta) / (training.class_counts[y] + 2 * eta))


def ensemble_m_estimate(rule: Rule, training: TrainingSet, strengths: Strengths) -> list[float]:
    """``(N_ry + tau_r * q_ry) / (N_r + tau_r)``: the rule's prior weighs at most as much as its samples."""
    counts = training.counts_of(rule.antecedent)
    n_covered = sum(counts)
    if n_covered == 0:
        return list(rule.prior)
    tau = min(strengths.tau, n_covered)
    return [(count + tau * q) / (n_covered + tau) for count, q in zip(counts, rule.prior, strict=True)]


def hybrid(rule: Rule, training: TrainingSet, strengths: Strengths) -> list[float]:
    """``lam * p_NB + (1 - lam) * m_estimate``, ``lam = N_r / (N_r + n0)``."""
    n_covered = training.weight_of(training.satisfying(rule.antecedent))
    fraction = n_covered / (n_covered + strengths.n0)
    likely = naive_bayes(rule, training, strengths)
    inherited = ensemble_m_estimate(rule, training, strengths)
    return [fraction * a + (1.0 - fraction) * b for a, b in zip(likely, inherited, strict=True)]


ProbabilityEstimator = Callable[[Rule, TrainingSet, Strengths], list[float]]

PROBABILITY_ESTIMATORS: dict[str, ProbabilityEstimator] = {
    "empirical": empirical,
    "naive-bayes": naive_bayes,
    "ensemble-m-estimate": ensemble_m_estimate,
    "hybrid": hybrid,
}
