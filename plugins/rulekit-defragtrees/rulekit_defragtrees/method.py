"""The method as a scikit-learn classifier."""

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from rulekit import RuleSet
from rulekit.plugin import Adapter, InvalidParameterError, RuleMethod, TrainingData, check_number
from rulekit_defragtrees.fab import Fit, best_of, fit
from rulekit_defragtrees.indicators import Indicators
from rulekit_defragtrees.mixture import Mixture
from rulekit_defragtrees.most_probable_region import MostProbableRegion
from rulekit_defragtrees.regions import order_of_trial, regions
from rulekit_defragtrees.splits import Splits, splits_of


class DefragTrees(RuleMethod):
    """A tree ensemble as a few regions, chosen by Bayesian model selection (Hara and Hayashi, 2018).

    Parameters
    ----------
    ensemble : classifier, str or None, default=None
        As in `RuleClassifier`.
    max_rules : int, default=8
        Initial number of components; the criterion removes those that do not improve it.
    max_iter : int, default=100
        Maximum number of iterations of each start.
    n_restarts : int, default=10
        Number of random starts; the one with the smallest training error is used, of ties the one with the largest
        criterion.
    tol : float, default=1e-4
        A start ends when an iteration raises the criterion by less than this per training sample.
    adapter, n_jobs : optional
        As in `RuleClassifier`.
    random_state : int or None, default=None
        Seed of the starts, and of an ensemble that is given by name or not at all.

    Attributes
    ----------
    ruleset_ : RuleSet
        A rule for each region; the default rule has the class fractions of the remaining training samples, or those of
        a region without conditions. Of several matching rules the most probable one answers: `MostProbableRegion`.
    history_ : ndarray of shape (n_iterations,)
        The criterion after each iteration of the best start; it never decreases.
    n_iter_ : int
        Number of these iterations.
    criteria_ : ndarray of shape (n_restarts,)
        The criterion that each start has reached.
    errors_ : ndarray of shape (n_restarts,)
        The training error of each start: the fraction of samples whose class differs from that of their region.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import rulekit
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = rulekit.build("defragtrees", max_rules=4, random_state=0).fit(X, y)
    >>> model.predict(X.head(2)).tolist()
    [0, 0]
    """

    def __init__(
        self,
        ensemble: Any = None,
        *,
        max_rules: int = 8,
        max_iter: int = 100,
        n_restarts: int = 10,
        tol: float = 1e-4,
        adapter: Adapter | str | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        super().__init__(ensemble, adapter=adapter, n_jobs=n_jobs, random_state=random_state)
        self.max_rules = max_rules
        self.max_iter = max_iter
        self.n_restarts = n_restarts
        self.tol = tol

    @classmethod
    def size_parameters(cls, n_rules: int) -> dict[str, Any]:
        """`max_rules` regions, beside which there may be a default rule."""
        return {"max_rules": n_rules - 1}

    def check_parameters(self) -> None:
        """Raise if a parameter has a value that it cannot have."""
        super().check_parameters()
        for name in ("max_rules", "max_iter", "n_restarts"):
            self._check_whole_number(name)
        check_number(self, "tol", 0)

    def extract(self, data: TrainingData, components: dict[str, Any]) -> RuleSet:
        """Fit the components, and turn each into a rule."""
        splits = splits_of(data.conditions)
        if not len(splits):
            self.history_ = self.criteria_ = self.errors_ = np.empty(0)
            self.n_iter_ = 0
            return _default_alone(data)
        indicators = Indicators.of(data, splits)
        fits = self._fits(indicators)
        best = best_of(fits)
        self.history_, self.n_iter_ = np.array(best.history), len(best.history)
        self.criteria_ = np.array([each.history[-1] for each in fits])
        self.errors_ = np.array([each.error for each in fits])
        return _ruleset(best.mixture, indicators, splits, data)

    def _fits(self, indicators: Indicators) -> list[Fit]:
        """One fit for each start."""
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        streams = rng.spawn(self.n_restarts)
        return [fit(indicators, self.max_rules, self.max_iter, self.tol, stream) for stream in streams]

    def _check_whole_number(self, name: str) -> None:
        value = getattr(self, name)
        if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
            raise InvalidParameterError(f"DefragTrees: {name} must be a whole number of at least 1, got {value!r}.")


def _ruleset(mixture: Mixture, indicators: Indicators, splits: Splits, data: TrainingData) -> RuleSet:
    """The components as rules."""
    rates = mixture.rates[indicators.column_of]
    antecedents = regions(rates, splits, data)
    covers = data.samples(data.cover(antecedents))[:, indicators.examples]
    claims = mixture.log_regions(indicators).argmax(axis=1)
    order = order_of_trial(covers, claims, indicators.counts)
    is_everywhere = (antecedents == data.pad).all(axis=1)
    rules, everywhere = order[~is_everywhere[order]], np.flatnonzero(is_everywhere)
    # A region that is everywhere is the default rule; the heaviest, should there be several.
    last = everywhere[mixture.weights[everywhere].argsort()[-1:]]
    placed, fractions = np.concatenate([rules, last]), mixture.class_fractions.T
    mode = MostProbableRegion.of(np.log(mixture.weights[placed]), rates[:, placed], splits, data.conditions)
    default = fractions[last[0]] if last.size else data.rule_list(antecedents[rules]).default_fractions
    return RuleSet.from_rules(data, antecedents[rules], np.vstack([fractions[rules], default]), mode)


def _default_alone(data: TrainingData) -> RuleSet:
    fractions = data.class_counts / data.n_samples
    return RuleSet.from_rules(data, np.empty((0, 0), dtype=np.int64), fractions[None], MostProbableRegion())
