"""Set cover as a scikit-learn classifier."""

import math
from numbers import Integral
from typing import Any, Final

import numpy as np

from rulekit import RuleSet
from rulekit.plugin import (
    Adapter,
    DecisionList,
    FewRulesWarning,
    IntArray,
    InvalidParameterError,
    ProbabilityEstimator,
    RuleMethod,
    TrainingData,
    check_choice,
    check_number,
    warn_caller,
)
from rulekit_set_cover.candidates import Candidates, distinct, joined, precise, stacked
from rulekit_set_cover.cover import Cover, grow, prune
from rulekit_set_cover.errors import FidelityWarning
from rulekit_set_cover.samples import Samples

SOURCES: Final = ("nodes", "leaves")


class SetCover(RuleMethod):
    """Few rules of a tree ensemble, in order, that agree with its predictions as often as requested.

    Rules are chosen to agree with the ensemble's predictions, not with the labels; their probabilities come from the
    labels.

    Parameters
    ----------
    ensemble : classifier, str or None, default=None
        See `rulekit.RuleClassifier`.
    fidelity : float, default=0.95
        Fraction of the training samples for which rules and ensemble must predict the same class.
    min_precision : float or None, default=None
        Fraction of a candidate's samples for which the ensemble must predict the same class. None means `fidelity`: a
        list that covers every sample then reaches it.
    source : {"nodes", "leaves"}, default="nodes"
        Whether all nodes of the trees are candidates, or only leaves.
    join : bool, default=True
        Whether intersections of two rules are tried if the trees' own rules do not reach the fidelity.
    max_candidates : int, default=10000
        Maximum number of candidates, before and after joining; those that agree with the ensemble on most samples are
        kept.
    max_joins : int, default=20000
        Maximum number of pairs that are tried.
    length_weight : float, default=0.1
        A rule with k conditions costs 1 + k times this; profit is agreement divided by cost.
    final_estimator : ProbabilityEstimator or str, default="empirical"
        Estimates the probabilities of rules from the labels of the samples that they cover. A rule predicts its most
        probable class.
    adapter, n_jobs : optional
        See `rulekit.RuleClassifier`.
    random_state : int or None, default=None
        Seed of the ensemble where that is given by name or not at all; the cover itself is not random.

    Attributes
    ----------
    ruleset_ : RuleSet
    fidelity_ : float
        Fraction of the training samples for which rules and ensemble predict the same class.
    n_candidates_ : int
        Number of candidates that the rules were chosen from.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import rulekit
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = rulekit.build("set-cover", fidelity=0.9, random_state=0).fit(X, y)
    >>> len(model.ruleset_), model.fidelity_ >= 0.9
    (3, True)
    """

    def __init__(
        self,
        ensemble: Any = None,
        *,
        fidelity: float = 0.95,
        min_precision: float | None = None,
        source: str = "nodes",
        join: bool = True,
        max_candidates: int = 10_000,
        max_joins: int = 20_000,
        length_weight: float = 0.1,
        final_estimator: ProbabilityEstimator | str = "empirical",
        adapter: Adapter | str | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        super().__init__(ensemble, adapter=adapter, n_jobs=n_jobs, random_state=random_state)
        self.fidelity = fidelity
        self.min_precision = min_precision
        self.source = source
        self.join = join
        self.max_candidates = max_candidates
        self.max_joins = max_joins
        self.length_weight = length_weight
        self.final_estimator = final_estimator

    def check_parameters(self) -> None:
        """Raise if a parameter has an invalid value."""
        super().check_parameters()
        check_number(self, "fidelity", 0, 1, above=True)
        if self.min_precision is not None:
            check_number(self, "min_precision", 0, 1)
        check_number(self, "length_weight", 0)
        check_choice(self, "source", SOURCES)
        for name in ("max_candidates", "max_joins"):
            value = getattr(self, name)
            if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
                raise InvalidParameterError(f"SetCover: {name} must be a whole number of at least 1, got {value!r}.")
        if not isinstance(self.join, bool | np.bool_):
            raise InvalidParameterError(f"SetCover: join must be True or False, got {self.join!r}.")

    def extract(self, data: TrainingData, components: dict[str, Any]) -> RuleSet:
        """Collect candidates, cover, join if that is not enough, and drop rules that are not needed."""
        samples = Samples.of(data)
        target = math.ceil(self.fidelity * data.n_samples - 1e-9)
        estimator: ProbabilityEstimator = components["final_estimator"].fit(samples.counted)
        candidates, cover = self._cover(data, samples, estimator, target)
        cover = prune(candidates, samples, min(target, cover.n_agreed), cover)
        self.fidelity_ = cover.n_agreed / data.n_samples
        self.n_candidates_ = len(candidates)
        self._warn(target, cover)
        chosen = candidates.take(np.array(cover.rows, dtype=np.int64))
        rest = samples.default_counts(cover.uncovered)
        probabilities = np.vstack([chosen.probabilities, rest / rest.sum()])
        return RuleSet.from_rules(data, chosen.antecedents, probabilities, DecisionList())

    def _cover(
        self, data: TrainingData, samples: Samples, estimator: ProbabilityEstimator, target: int
    ) -> tuple[Candidates, Cover]:
        antecedents, pad = self._antecedents(data), data.pad
        candidates, cover = self._greedy(antecedents, samples, estimator, target)
        if cover.n_agreed >= target or not self.join:
            return candidates, cover
        pairs = joined(antecedents, samples, cover.uncovered, self.max_joins)
        every = distinct(stacked([candidates.antecedents, pairs], pad), pad)
        among_more, other = self._greedy(every, samples, estimator, target)
        # A greedy choice among more candidates can end up worse.
        return (among_more, other) if other.n_agreed > cover.n_agreed else (candidates, cover)

    def _greedy(
        self, antecedents: IntArray, samples: Samples, estimator: ProbabilityEstimator, target: int
    ) -> tuple[Candidates, Cover]:
        min_precision = self.fidelity if self.min_precision is None else self.min_precision
        candidates = precise(antecedents, samples, estimator, min_precision, self.max_candidates)
        costs = 1.0 + self.length_weight * candidates.lengths(samples.predicted.pad).astype(np.float64)
        return candidates, grow(candidates, samples, target, min_precision, costs)

    def _antecedents(self, data: TrainingData) -> IntArray:
        if self.source == "nodes":
            return data.node_antecedents()
        pad = data.pad
        return distinct(stacked([leaves.antecedents for leaves in data.leaves], pad), pad)

    def _warn(self, target: int, cover: Cover) -> None:
        agrees = f"agrees with the ensemble on {self.fidelity_:.3f} of the training samples"
        category: type[UserWarning] = FidelityWarning
        if cover.n_agreed < target:
            message = (
                f"The ruleset {agrees}, which is less than fidelity={self.fidelity}: none of the {self.n_candidates_} "
                f"candidates that are precise enough improves it. Lower min_precision={self.min_precision}, or raise "
                f"max_joins={self.max_joins}."
            )
        elif not cover.rows:
            category = FewRulesWarning
            message = f"The default rule alone {agrees}: fidelity={self.fidelity} needs no other rule. Raise fidelity."
        else:
            return
        warn_caller(message, category)
