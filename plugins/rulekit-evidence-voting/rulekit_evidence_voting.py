"""All matching rules answer together, and shared conditions count once: an inference mode for rulekit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import rulekit
from rulekit.plugin import InferenceMode, check_choice, first_match

if TYPE_CHECKING:
    from rulekit import RuleSet
    from rulekit.plugin import BoolArray, FloatArray, IntArray

#: Smaller probabilities of rules are raised to this, so that other rules can outweigh one rule's 0.
LEAST_PROBABILITY = 1e-12
#: Sets of rules whose weights are computed at once.
BLOCK = 1024


class EvidenceVoting(InferenceMode):
    """Log-odds of all matching rules, added up so that conditions shared by several of them count once.

    `log p = log prior + sum_r w_r (log p_r - log prior)`, normalised. The weights `w_r` of the matching rules are the
    smallest for which every condition among them has a total weight of one, or as close to one as possible.

    Parameters
    ----------
    shared : {"side", "condition"}, default="side"
        Which conditions count as the same: all that bound a feature from the same side, such as `x <= 3` and `x <= 5`,
        or only equal conditions.
    """

    def __init__(self, shared: Literal["side", "condition"] = "side") -> None:
        self.shared = shared

    def infer(self, matches: BoolArray, ruleset: RuleSet) -> FloatArray:
        """Class probabilities, of shape (n_samples, n_classes)."""
        check_choice(self, "shared", ("side", "condition"))
        rows = different_rules(ruleset)
        prior, probabilities = class_prior(ruleset), ruleset.probabilities[[*rows, -1]]
        log_ratios = np.log(np.maximum(probabilities[:-1], LEAST_PROBABILITY)) - np.log(prior)
        teams, team_of_sample = distinct_columns(matches[rows])
        scores = np.log(prior) + weights(teams, pieces(ruleset, self.shared)[rows]) @ log_ratios
        answers: FloatArray = np.exp(scores - scores.max(axis=1, keepdims=True))
        answers /= answers.sum(axis=1, keepdims=True)
        # A single rule has weight one, and without any the default rule answers: both without rounding errors.
        is_alone = teams.sum(axis=1) < 2
        answers[is_alone] = probabilities[first_match(teams[is_alone].T)]
        return answers[team_of_sample]

    def answering(self, matches: BoolArray, X: FloatArray, ruleset: RuleSet) -> BoolArray:
        """All matching rules except those that repeat an earlier one; shape (n_rules + 1, n_samples)."""
        rows = different_rules(ruleset)
        answering = np.zeros((len(matches) + 1, matches.shape[1]), dtype=bool)
        answering[rows] = matches[rows]
        answering[-1] = ~answering.any(axis=0)
        return answering


def different_rules(ruleset: RuleSet) -> list[int]:
    """Rows of the rules, without the default rule and without any that has the same conditions as an earlier one."""
    seen: dict[frozenset[int], int] = {}
    for row, antecedent in enumerate(ruleset.antecedents[:-1]):
        seen.setdefault(frozenset(antecedent), row)
    return list(seen.values())


def class_prior(ruleset: RuleSet) -> FloatArray:
    """Class fractions of the counts of all different rules, with one more sample of each class; shape (n_classes,).

    A ruleset does not store the class fractions of its training samples; if rules do not overlap, these are close.
    """
    counts = ruleset.counts[[*different_rules(ruleset), -1]].sum(axis=0) + 1
    return np.asarray(counts / counts.sum())


def pieces(ruleset: RuleSet, shared: Literal["side", "condition"]) -> FloatArray:
    """Which rule has which condition, up to `shared`, as 1 or 0; shape (n_rules, n_pieces), without the default."""
    conditions = ruleset.conditions
    names = conditions.bounds[:-1] if shared == "side" else np.arange(len(conditions))
    different, piece_of_condition = np.unique(names, return_inverse=True)
    has_piece = np.zeros((len(ruleset) - 1, len(different)))
    for row, antecedent in zip(has_piece, ruleset.antecedents[:-1], strict=True):
        row[piece_of_condition[list(antecedent)]] = 1.0
    return has_piece


def distinct_columns(matches: BoolArray) -> tuple[BoolArray, IntArray]:
    """The different sets of rules that match some sample, and the set of each sample.

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


def weights(teams: BoolArray, has_piece: FloatArray) -> FloatArray:
    """Weights of the rules of each team, 0 for other rules; shape (n_teams, n_rules).

    They are the minimum-norm least-squares solution of one equation for each piece: the weights of the rules that have
    it add up to one.

    Parameters
    ----------
    teams : ndarray of shape (n_teams, n_rules)
    has_piece : ndarray of shape (n_rules, n_pieces)
    """
    found = np.zeros(teams.shape)
    n_members = teams.sum(axis=1)
    for size in np.unique(n_members[n_members > 0]).tolist():
        of_size = np.flatnonzero(n_members == size)
        for start in range(0, len(of_size), BLOCK):
            some = of_size[start : start + BLOCK]
            members = np.nonzero(teams[some])[1].reshape(-1, size)
            # A piece that no member has is a row of zeros, which does not constrain the weights.
            inverse = np.linalg.pinv(has_piece[members], rcond=1e-8)
            found[some[:, None], members] = inverse.sum(axis=1)
    return found


@rulekit.hookimpl
def rulekit_register(registry: Any) -> None:
    """Register the inference mode under its name."""
    registry.add("inference", "evidence-voting", EvidenceVoting)
