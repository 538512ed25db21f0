"""Prediction through the linear model: an inference mode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.special import logit

from rulekit.plugin import InferenceMode, InvalidParameterError
from rulekit_rulefit.logistic import normalised

if TYPE_CHECKING:
    from rulekit import RuleSet
    from rulekit.plugin import BoolArray, FloatArray

#: Probabilities closer than this to 0 or 1 are clipped before taking log-odds.
EDGE: Final = 1e-12


class Linear(InferenceMode):
    """Log-odds of all matching rules, added up.

    Each class has the log-odds `intercept + sum of the weights of the matching rules + linear terms` against all
    others; the probabilities that belong to them are scaled to sum to one.

    Parameters
    ----------
    weights : sequence of shape (n_rules, n_classes) or None, default=None
        What each rule except the default adds to the log-odds of each class. None means its own log-odds minus those of
        the default rule, so that a rule that matches alone answers its own probabilities.
    intercepts : sequence of shape (n_classes,) or None, default=None
        Log-odds if no rule matches. None means those of the default rule.
    terms : sequence of mappings, default=()
        Linear terms, each with `feature` (a column), `low` and `high` (values are clipped to them), `centre` (is
        subtracted, and replaces missing values) and `weights` (per unit, one for each class).
    """

    def __init__(
        self,
        weights: Sequence[Sequence[float]] | None = None,
        intercepts: Sequence[float] | None = None,
        terms: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self.weights = weights
        self.intercepts = intercepts
        self.terms = terms

    def infer(self, matches: BoolArray, ruleset: RuleSet) -> FloatArray:
        """Class probabilities, of shape (n_samples, n_classes); linear terms need `infer_samples`."""
        if len(self.terms):
            raise InvalidParameterError("Linear: linear terms need the samples' values. Call infer_samples.")
        return np.exp(normalised(self._of_rules(matches, ruleset)))

    def infer_samples(self, matches: BoolArray, X: FloatArray, ruleset: RuleSet) -> FloatArray:
        """Class probabilities, of shape (n_samples, n_classes)."""
        log_odds = self._of_rules(matches, ruleset)
        for term in self.terms:
            values = np.clip(X[:, term["feature"]], term["low"], term["high"]) - term["centre"]
            log_odds += np.outer(np.nan_to_num(values), term["weights"])
        return np.exp(normalised(log_odds))

    def _of_rules(self, matches: BoolArray, ruleset: RuleSet) -> FloatArray:
        """Log-odds without linear terms, of shape (n_samples, n_classes)."""
        n_rules, n_classes = len(ruleset) - 1, len(ruleset.classes)
        own_log_odds = logit(np.clip(ruleset.probabilities, EDGE, 1 - EDGE))
        intercepts = own_log_odds[-1] if self.intercepts is None else np.asarray(self.intercepts, dtype=float)
        differences = own_log_odds[:-1] - own_log_odds[-1]
        weights = differences if self.weights is None else np.asarray(self.weights, dtype=float)
        if not weights.size:  # an empty list does not have the number of classes
            weights = weights.reshape(-1, n_classes)
        if weights.shape != (n_rules, n_classes) or intercepts.shape != (n_classes,):
            raise InvalidParameterError(
                f"Linear: weights must have the shape {(n_rules, n_classes)}, a row for each rule except the default, "
                f"and intercepts {(n_classes,)}; got {weights.shape} and {intercepts.shape}."
            )
        return matches.T @ weights + intercepts
