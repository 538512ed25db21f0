"""An inference mode for overlapping regions: the region that a sample most probably belongs to answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from rulekit.plugin import InferenceMode, InvalidParameterError, first_match

if TYPE_CHECKING:
    from rulekit import RuleSet
    from rulekit.plugin import BoolArray, Conditions, FloatArray, IntArray
    from rulekit_defragtrees.splits import Splits


class Steps(TypedDict):
    """What one feature adds to the score of each region, in plain types: a step function of its value.

    Attributes
    ----------
    feature : int
    cutoffs : list of float or None
        Ascending; the cell of a value is the number of cutoffs below it. None for categories: a code is its own cell,
        and all other codes have the next one.
    scores : list of lists of float
        For each cell, and last for a missing value, what is added to the score of each region.
    """

    feature: int
    cutoffs: list[float] | None
    scores: list[list[float]]


class MostProbableRegion(InferenceMode):
    """The most probable of the matching rules answers: the one with the largest `alpha_k p(s|eta_k)`.

    If no rule matches, the default rule answers. If the default rule is itself a region, one without conditions, it
    competes everywhere.

    Parameters
    ----------
    weights : list of float or None, default=None
        The logarithm of `alpha_k p(s|eta_k)` for a sample that has all indicators 0; for each rule, with or without the
        default rule. None: nothing is known about the regions, and the first rule that matches answers.
    steps : list of Steps or None, default=None
        What the features add to it.
    """

    def __init__(self, weights: list[float] | None = None, steps: list[Steps] | None = None) -> None:
        self.weights = weights
        self.steps = steps

    @classmethod
    def of(
        cls, log_weights: FloatArray, rates: FloatArray, splits: Splits, conditions: Conditions
    ) -> MostProbableRegion:
        """The mode for regions in the order of their rules.

        Parameters
        ----------
        log_weights : ndarray of shape (n_regions,)
        rates : ndarray of shape (n_splits, n_regions)
            How often the indicator of each split is 1.
        splits : Splits
        conditions : Conditions
            Those that the splits consist of.
        """
        zeros = np.log1p(-rates)
        odds = np.log(rates) - zeros
        steps = []
        for feature in np.unique(splits.features).tolist():
            members = np.flatnonzero(splits.features == feature)
            make = _steps_of_categories if conditions.is_set[splits.right[members[0]]] else _steps_of_thresholds
            steps.append(make(feature, splits.right[members], odds[members], conditions))
        return cls((log_weights + zeros.sum(axis=0)).tolist(), steps)

    def infer(self, matches: BoolArray, ruleset: RuleSet) -> FloatArray:
        """Probabilities of the first matching rule: without the samples, the most probable region is not known."""
        return ruleset.probabilities[first_match(matches)]

    def infer_samples(self, matches: BoolArray, X: FloatArray, ruleset: RuleSet) -> FloatArray:
        """Class probabilities, of shape (n_samples, n_classes)."""
        return ruleset.probabilities[self.answering_rule(matches, X)]

    def answering(self, matches: BoolArray, X: FloatArray, ruleset: RuleSet) -> BoolArray:
        """The rule that answers each sample, marked in an array of shape (n_rules + 1, n_samples)."""
        return np.arange(len(matches) + 1)[:, None] == self.answering_rule(matches, X)

    def answering_rule(self, matches: BoolArray, X: FloatArray) -> IntArray:
        """The rule that answers each sample, the default rule being the last; shape (n_samples,).

        Parameters
        ----------
        matches : ndarray of shape (n_rules, n_samples)
            Without the default rule.
        X : ndarray of shape (n_samples, n_features)
        """
        answering = first_match(matches)
        if self.weights is None:
            return answering
        candidates = self._candidates(matches)
        contested = candidates.sum(axis=0) > 1
        scores = self.scores(X[contested])
        scores[~candidates[:, contested].T] = -np.inf
        answering[contested] = scores.argmax(axis=1)
        return answering

    def scores(self, X: FloatArray) -> FloatArray:
        """Log alpha_k p(s|eta_k) of samples and regions, of shape (n_samples, n_regions)."""
        scores = np.tile(np.array(self.weights), (len(X), 1))
        # Feature by feature, so that a sample's sum never depends on the other samples.
        for step in self.steps or ():
            of_cells = np.array(step["scores"])
            scores += of_cells[_cells(X[:, step["feature"]], step["cutoffs"], len(of_cells) - 1)]
        return scores

    def _candidates(self, matches: BoolArray) -> BoolArray:
        """Which regions may answer which samples, of shape (n_regions, n_samples)."""
        n_rules, n_regions = len(matches), len(self.weights or ())
        if n_regions not in (n_rules, n_rules + 1):
            raise InvalidParameterError(
                f"MostProbableRegion: weights must have one number for each of the {n_rules} rules, or one more for "
                f"the default rule, got {n_regions}. The mode belongs to the rules that it was fitted with."
            )
        everywhere = np.ones((n_regions - n_rules, matches.shape[1]), dtype=bool)
        return np.concatenate([matches, everywhere])


def _cells(column: FloatArray, cutoffs: list[float] | None, n_cells: int) -> IntArray:
    """The cell of each value, `n_cells` where it is missing; of shape (n_samples,)."""
    if cutoffs is None:
        # A number with decimals is not a category, and an unknown category has no code.
        has_cell = (column >= 0) & (column < n_cells - 1) & (column == np.floor(column))
        cells = np.where(has_cell, np.nan_to_num(column), n_cells - 1).astype(np.int64)
    else:
        cells = np.searchsorted(cutoffs, column, side="left")
    cells[np.isnan(column)] = n_cells
    return cells


def _steps_of_thresholds(feature: int, right: IntArray, odds: FloatArray, conditions: Conditions) -> Steps:
    """From the conditions `x > t`, and what satisfying each of them adds to the regions' scores."""
    order = np.argsort(conditions.cutoffs[right], kind="stable")
    from_cell_to_cell = np.vstack([np.zeros(odds.shape[1]), odds[order]]).cumsum(axis=0)
    scores = np.vstack([from_cell_to_cell, _where_missing(right, odds, conditions)])
    return Steps(feature=feature, cutoffs=conditions.cutoffs[right[order]].tolist(), scores=scores.tolist())


def _steps_of_categories(feature: int, right: IntArray, odds: FloatArray, conditions: Conditions) -> Steps:
    """From the conditions `x not in {…}`."""
    keys = [conditions.key(condition) for condition in right.tolist()]
    n_codes = 1 + max(code for key in keys for code in key.codes or ())
    satisfied = np.array([[code not in (key.codes or ()) for key in keys] for code in range(n_codes + 1)])
    scores = np.vstack([satisfied @ odds, _where_missing(right, odds, conditions)])
    return Steps(feature=feature, cutoffs=None, scores=scores.tolist())


def _where_missing(right: IntArray, odds: FloatArray, conditions: Conditions) -> Any:
    return odds[conditions.holds_missing[right]].sum(axis=0)
