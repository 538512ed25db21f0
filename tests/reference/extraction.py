"""The public function: names to parts, search, final rules."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from attrs import frozen
from numpy.typing import ArrayLike
from scipy.stats import norm

from .arithmetic import argmax
from .conditions import rank_conditions
from .context import Context
from .ensemble import read_rulesets
from .estimators import PROBABILITY_ESTIMATORS, ProbabilityEstimator, Strengths
from .priors import PRIOR_COMBINERS
from .rules import ReferenceRule, ReferenceRuleSet, Rule, Ruleset
from .search import default_counts, search
from .search_estimators import EmpiricalSearchEstimator, NaiveBayesSearchEstimator, SearchEstimator
from .statistics import ORDERS, RuleOrder, Thresholds
from .training import TrainingSet

Part = TypeVar("Part")


@frozen
class Method:
    """Names of the parts that a method uses by default."""

    priors: str
    search_estimator: str
    final_estimator: str


METHODS = {
    "rc+": Method(priors="mean", search_estimator="empirical", final_estimator="empirical"),
    "rcprob": Method(priors="product", search_estimator="naive-bayes", final_estimator="hybrid"),
}


def extract_rules(
    ensemble: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    method: str = "rc+",
    min_precision: float = 0.5,
    min_coverage: float = 0.0,
    min_class_coverage: float | None = None,
    sample_weight: ArrayLike | None = None,
    confidence: float = 0.25,
    drop_redundant: bool = True,
    feature_names: Sequence[str] | None = None,
    order: str = "support",
    priors: str | None = None,
    search_estimator: str | None = None,
    final_estimator: str | None = None,
    eta: float = 1.0,
    tau: float = 5.0,
    n0: float = 50.0,
) -> ReferenceRuleSet:
    """Extract a decision list from a fitted ensemble.

    Parameters
    ----------
    ensemble : fitted scikit-learn tree, forest, extra-trees or gradient boosting classifier
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        Original labels.
    method : {"rc+", "rcprob"}
        Gives the defaults of `priors`, `search_estimator` and `final_estimator`.
    min_precision, min_coverage, min_class_coverage : float
        Thresholds, to be exceeded strictly; the last one may be None.
    sample_weight : array of shape (n_samples,), optional
        What each sample counts as: multiples of a power of two.
    confidence : float
        Level ``c`` of the pessimistic error.
    drop_redundant : bool
        Whether only the tightest of conditions with one feature and operator stays.
    feature_names : sequence of str, optional
        ``x0, x1, ...`` by default; they decide ties of the order.
    order : {"support", "coverage", "precision"}
        Statistic that ranks rules first.
    priors : {"mean", "product"}, optional
    search_estimator : {"empirical", "naive-bayes"}, optional
        Estimator of the search.
    final_estimator : {"empirical", "naive-bayes", "ensemble-m-estimate", "hybrid"}, optional
        Estimator of the final rules.
    eta, tau, n0 : float
        Smoothing, prior strength and mixing support.

    Returns
    -------
    ReferenceRuleSet
        Rules in order, the last one the default rule.
    """
    defaults = _named("method", method, METHODS)
    training = TrainingSet(X, y, ensemble.classes_, sample_weight)
    strengths = Strengths(eta=eta, tau=tau, n0=n0)
    rulesets = read_rulesets(ensemble)
    context = Context(
        training=training,
        thresholds=Thresholds(min_precision, min_coverage, min_class_coverage),
        order=_rule_order(order, rulesets, _default_names(training) if feature_names is None else feature_names),
        combine_priors=_named("priors", priors or defaults.priors, PRIOR_COMBINERS),
        search_estimator=_search_estimator(search_estimator or defaults.search_estimator, training, strengths),
        z=float(norm.ppf(1 - confidence / 2)),
        drop_redundant=drop_redundant,
    )
    estimator = _named("final_estimator", final_estimator or defaults.final_estimator, PROBABILITY_ESTIMATORS)
    return _finished(search(rulesets, context), training, estimator, strengths)


def _named(kind: str, name: str, known: Mapping[str, Part]) -> Part:
    if name not in known:
        raise ValueError(f"No {kind} named {name!r}. Known: {', '.join(known)}.")
    return known[name]


def _default_names(training: TrainingSet) -> list[str]:
    return [f"x{j}" for j in range(len(training.rows[0]))]


def _rule_order(first: str, rulesets: list[Ruleset], feature_names: Sequence[str]) -> RuleOrder:
    conditions = (condition for ruleset in rulesets for rule in ruleset for condition in rule.antecedent)
    statistic = _named("order", first, {name: name for name in ORDERS})
    return RuleOrder(statistic, rank_conditions(conditions, feature_names))


def _search_estimator(name: str, training: TrainingSet, strengths: Strengths) -> SearchEstimator:
    known: dict[str, SearchEstimator] = {
        "empirical": EmpiricalSearchEstimator(training),
        "naive-bayes": NaiveBayesSearchEstimator(training, strengths.eta),
    }
    return _named("search_estimator", name, known)


def _finished(
    rules: Ruleset, training: TrainingSet, estimator: ProbabilityEstimator, strengths: Strengths
) -> ReferenceRuleSet:
    """Attach probabilities and append the default rule."""
    final = [_final_rule(rule, training, estimator(rule, training, strengths)) for rule in rules]
    return ReferenceRuleSet([*final, _default_rule(default_counts(rules, training))])


def _final_rule(rule: Rule, training: TrainingSet, probabilities: list[float]) -> ReferenceRule:
    """Let the attached vector decide the class, so that class and probabilities cannot disagree."""
    return ReferenceRule(rule.antecedent, argmax(probabilities), probabilities, training.counts_of(rule.antecedent))


def _default_rule(counts: list[int]) -> ReferenceRule:
    return ReferenceRule(frozenset(), argmax(counts), [count / sum(counts) for count in counts], counts)
