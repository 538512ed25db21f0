"""RuleFit as a scikit-learn classifier."""

from numbers import Integral
from typing import Any, Final

import numpy as np
from scipy.sparse import csr_array, hstack
from sklearn.utils import check_random_state

from rulekit import RuleSet
from rulekit.plugin import (
    Adapter,
    FewRulesWarning,
    InvalidParameterError,
    RuleMethod,
    TrainingData,
    check_choice,
    check_number,
    warn_caller,
)
from rulekit_rulefit.candidates import SOURCES, Candidates, Source
from rulekit_rulefit.inference import Linear
from rulekit_rulefit.logistic import Weights, fit_weights, normalised
from rulekit_rulefit.penalty import Path, try_penalties, weakest_without_features
from rulekit_rulefit.report import feature_importances, importances, rule_deviations, weight_table
from rulekit_rulefit.terms import LinearTerms

#: Tolerance of the final model: its gradients are within a thousandth of those at the optimum.
TOLERANCE: Final = 1e-6


class RuleFit(RuleMethod):
    """Rules of a tree ensemble, weighted by an L1 logistic model: RuleFit (Friedman & Popescu, 2008).

    Every rule is a feature that is 1 for samples that it covers. The penalty leaves most rules without a weight; the
    others are the ruleset, the most important first, and the inference mode `linear` answers as the model does. A rule
    has the class fractions of the training samples that it covers, the default rule the model's probabilities for a
    sample that no rule covers.

    Parameters
    ----------
    ensemble : classifier, str or None, default=None
        See `rulekit.RuleClassifier`.
    rules : {"nodes", "leaves"}, default="nodes"
        Which nodes of the trees are rules: all except the roots, as in the paper, or only leaves.
    max_rules : int or None, default=1000
        If more rules differ in their samples, those with the steepest likelihood are kept, which the penalty would
        admit first; None keeps all.
    linear_terms : bool, default=False
        Whether the model also has the features themselves as terms; categories have none.
    winsorise : float, default=0.025
        Fraction of the samples on either side beyond which a linear term is constant.
    C : float or None, default=None
        Inverse strength of the penalty; None chooses it by cross-validation.
    one_standard_error : bool, default=True
        Choose the strongest penalty that is worse than the best by no more than a standard error, instead of the best.
    n_penalties : int, default=6
        Maximum number of penalties that are compared.
    n_folds : int, default=3
        Number of folds of the cross-validation.
    adapter : Adapter, str or None, default=None
        Reads the ensemble; None chooses the first adapter that accepts it.
    n_jobs : int or None, default=None
        Number of threads for operations on samples; the linear model uses one.
    random_state : int or None, default=None
        Seed of the folds and of the solver, and of an ensemble that is given by name or not at all.

    Attributes
    ----------
    ruleset_ : RuleSet
    weights_ : DataFrame
        For each rule, then for each linear term: its position, its weight in the log-odds of each class (linear terms:
        per unit of the feature), its importance, and its conditions or name.
    feature_importances_ : ndarray of shape (n_features,)
        Importances of the features; they sum to one.
    C_ : float
        Inverse strength of the penalty.
    path_ : Path or None
        The penalties that were compared, with their held-out losses; None if `C` was given.
    n_candidates_ : int
        Number of rules that the model could choose from.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import rulekit
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = rulekit.build("rulefit", random_state=0).fit(X, y)
    >>> model.predict(X.head(2)).tolist()
    [0, 0]
    """

    def __init__(
        self,
        ensemble: Any = None,
        *,
        rules: Source = "nodes",
        max_rules: int | None = 1000,
        linear_terms: bool = False,
        winsorise: float = 0.025,
        C: float | None = None,
        one_standard_error: bool = True,
        n_penalties: int = 6,
        n_folds: int = 3,
        adapter: Adapter | str | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        super().__init__(ensemble, adapter=adapter, n_jobs=n_jobs, random_state=random_state)
        self.rules = rules
        self.max_rules = max_rules
        self.linear_terms = linear_terms
        self.winsorise = winsorise
        self.C = C
        self.one_standard_error = one_standard_error
        self.n_penalties = n_penalties
        self.n_folds = n_folds

    def check_parameters(self) -> None:
        """Raise if a parameter has a value that it cannot have."""
        super().check_parameters()
        check_choice(self, "rules", SOURCES)
        check_number(self, "winsorise", 0, 0.5)
        if self.C is not None:
            check_number(self, "C", 0, above=True)
        if self.max_rules is not None:
            self._check_whole("max_rules", 1)
        self._check_whole("n_penalties", 1)
        self._check_whole("n_folds", 2)
        for name in ("linear_terms", "one_standard_error"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise InvalidParameterError(f"RuleFit: {name} must be True or False, got {getattr(self, name)!r}.")

    def extract(self, data: TrainingData, components: dict[str, Any]) -> RuleSet:
        """List candidates, choose the penalty, fit the model, and keep rules with a weight."""
        random = check_random_state(self.random_state)
        candidates = Candidates.of(data, self.rules, self.max_rules)
        terms = self._terms(data)
        features = csr_array(hstack([candidates.features(), terms.values(data.X)]))
        model = self._fitted(features, data, random)
        self.n_candidates_ = len(candidates)
        return self._ruleset(model, candidates, terms, data)

    def _terms(self, data: TrainingData) -> LinearTerms:
        if not self.linear_terms:
            return LinearTerms.none()
        return LinearTerms.of(data.X, self.winsorise, data.forest.categories)

    def _fitted(self, features: csr_array, data: TrainingData, random: np.random.RandomState) -> Weights:
        """The logistic model; sets `C_` and `path_`."""
        y, n_classes = data.y, data.n_classes
        self.path_: Path | None = None
        self.C_ = 1.0 if self.C is None else float(self.C)
        if self.C is None and np.isfinite(weakest_without_features(features, y, n_classes)):
            if np.bincount(y).max() < 2:
                raise InvalidParameterError(
                    "RuleFit: no class has two samples, so C cannot be chosen by cross-validation. Set C."
                )
            self.path_ = try_penalties(features, y, n_classes, self.n_penalties, self.n_folds, random)
            self.C_ = self.path_.choose(bool(self.one_standard_error))
        if not features.shape[1]:  # the solver needs at least one
            features = csr_array((len(y), 1))
        return fit_weights(features, y, n_classes, self.C_, TOLERANCE, random.randint(2**31 - 1))

    def _ruleset(self, model: Weights, candidates: Candidates, terms: LinearTerms, data: TrainingData) -> RuleSet:
        """The rules that have a weight, the most important first; sets `weights_` and `feature_importances_`."""
        of_candidates, of_terms = model.weights[: len(candidates)], model.weights[len(candidates) :][: len(terms)]
        fractions = candidates.covered / data.n_samples
        importance = importances(of_candidates, rule_deviations(fractions))
        kept = np.argsort(-importance, kind="stable")[: np.count_nonzero(importance)]
        rules, weights = candidates.take(kept), of_candidates[kept]
        if not len(rules):
            warn_caller(
                f"None of {len(candidates)} rules has a weight with C={self.C_:g}, so only the default rule is left. "
                "Raise C, or train an ensemble that separates the classes.",
                FewRulesWarning,
            )
        per_unit = of_terms * terms.scales[:, None]
        mode = Linear(weights.tolist(), model.intercepts.tolist(), terms.described(per_unit))
        default = np.exp(normalised(model.intercepts[None]))[0]
        probabilities = np.vstack([rules.counts / rules.covered[:, None], default])
        ruleset = RuleSet.from_rules(data, rules.antecedents, probabilities, mode)
        self.weights_ = weight_table(ruleset, terms, weights, per_unit)
        self.feature_importances_ = feature_importances(ruleset, terms, weights, per_unit)
        return ruleset

    def _check_whole(self, name: str, least: int) -> None:
        value = getattr(self, name)
        if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
            raise InvalidParameterError(f"RuleFit: {name} must be a whole number of at least {least}, got {value!r}.")
