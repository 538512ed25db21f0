"""All matching rules answer together, and what they share counts once: an inference mode for rulekit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import rulekit
from rulekit.plugin import InferenceMode, check_choice, first_match

if TYPE_CHECKING:
    from rulekit import RuleSet
    from rulekit.plugin import BoolArray, FloatArray, IntArray

#: Rules that state less for a class are taken to state this, so that one rule's 0 can be argued against.
LEAST_PROBABILITY = 1e-12
#: Sets of rules whose weights are worked out at once.
BLOCK = 1024


class EvidenceVoting(InferenceMode):
    """Evidence of all matching rules, added up so that what several of them rest on counts once.

    `log p = log prior + sum_r w_r (log p_r - log prior)`, normalised. The weights `w_r` of the matching rules are the
    smallest for which every condition among them has a total weight of one, or as nearly so as can be.

    Parameters
    ----------
    shared : {"side", "condition"}, default="side"
        What counts as the same condition: all that bound a feature from the same side, such as `x <= 3` and `x <= 5`,
        or equal conditions only.
    """

    def __init__(self, shared: Literal["side", "condition"] = "side") -> None:
        self.shared = shared

    def infer(self, matches: BoolArray, ruleset: RuleSet) -> FloatArray:
        """Class probabilities, of shape (n_samples, n_classes)."""
        check_choice(self, "shared", ("side", "condition"))
        rows = different_rules(ruleset)
        prior, predicted = class_prior(ruleset), ruleset.probabilities[[*rows, -1]]
        evidence = np.log(np.maximum(predicted[:-1], LEAST_PROBABILITY)) - np.log(prior)
        teams, team_of_sample = distinct_columns(matches[rows])
        scores = np.log(prior) + weights(teams, pieces(ruleset, self.shared)[rows]) @ evidence
        answers: FloatArray = np.exp(scores - scores.max(axis=1, keepdims=True))
        answers /= answers.sum(axis=1, keepdims=True)
        # One rule alone has weight one, and where there is none the default rule answers: both without rounding.
        is_alone = teams.sum(axis=1) < 2
        answers[is_alone] = predicted[first_match(teams[is_alone].T)]
        return answers[team_of_sample]

    def answering(self, matches: BoolArray, X: FloatArray, ruleset: RuleSet) -> BoolArray:
        """All matching rules but those that repeat an earlier one; shape (n_rules + 1, n_samples)."""
        rows = different_rules(ruleset)
        behind = np.zeros((len(matches) + 1, matches.shape[1]), dtype=bool)
        behind[rows] = matches[rows]
        behind[-1] = ~behind.any(axis=0)
        return behind


def different_rules(ruleset: RuleSet) -> list[int]:
    """Rows of the rules, without the default rule and without any that has the same conditions as an earlier one."""
    seen: dict[frozenset[int], int] = {}
    for row, antecedent in enumerate(ruleset.antecedents[:-1]):
        seen.setdefault(frozenset(antecedent), row)
    return list(seen.values())


def class_prior(ruleset: RuleSet) -> FloatArray:
    """Class shares of the counts of all different rules, with one more sample of each class; shape (n_classes,).

    A ruleset does not know the class shares of its training samples; where rules do not overlap, these are nearly them.
    """
    counts = ruleset.counts[[*different_rules(ruleset), -1]].sum(axis=0) + 1
    return np.asarray(counts / counts.sum())


def pieces(ruleset: RuleSet, shared: Literal["side", "condition"]) -> FloatArray:
    """Which rule rests on which piece of evidence: 1 or 0, of shape (n_rules, n_pieces), without the default rule."""
    conditions = ruleset.conditions
    names = conditions.bounds[:-1] if shared == "side" else np.arange(len(conditions))
    different, piece_of_condition = np.unique(names, return_inverse=True)
    rests_on = np.zeros((len(ruleset) - 1, len(different)))
    for row, antecedent in zip(rests_on, ruleset.antecedents[:-1], strict=True):
        row[piece_of_condition[list(antecedent)]] = 1.0
    return rests_on


def distinct_columns(matches: BoolArray) -> tuple[BoolArray, IntArray]:
    """The different sets of rules that match some sample, and which of them each sample has.

    Returns
    -------
    teams : ndarray of shape (n_teams, n_rules)
    team_of_sample : ndarray of shape (n_samples,)
    """
    n_rules, n_samples = matches.shape
    if not n_rules:
        return np.zeros((1, 0), dtype=bool), np.zeros(n_samples, dtype=np.int64)
    rows = np.ascontiguousarray(np.packbits(matches, axis=0).T)
    keys = rows.view(f"V{rows.shape[1]}")[:, 0]
    _, first, team_of_sample = np.unique(keys, return_index=True, return_inverse=True)
    return matches.T[first], team_of_sample


def weights(teams: BoolArray, rests_on: FloatArray) -> FloatArray:
    """Weights of the rules of each team, 0 for other rules; shape (n_teams, n_rules).

    They are the smallest solution, by least squares, of one equation for each piece of evidence: the weights of the
    rules that rest on it add up to one.

    Parameters
    ----------
    teams : ndarray of shape (n_teams, n_rules)
    rests_on : ndarray of shape (n_rules, n_pieces)
    """
    found = np.zeros(teams.shape)
    n_members = teams.sum(axis=1)
    for size in np.unique(n_members[n_members > 0]).tolist():
        of_size = np.flatnonzero(n_members == size)
        for start in range(0, len(of_size), BLOCK):
            some = of_size[start : start + BLOCK]
            members = np.nonzero(teams[some])[1].reshape(-1, size)
            # A piece that no member rests on is a row of zeros, which asks nothing of the weights.
            inverse = np.linalg.pinv(rests_on[members], rcond=1e-8)
            found[some[:, None], members] = inverse.sum(axis=1)
    return found


@rulekit.hookimpl
def rulekit_register(registry: Any) -> None:
    """Make the inference mode known under its name."""
    registry.add("inference", "evidence-voting", EvidenceVoting)
