"""Rules that vote: against a slow twin, by hand, and by what must be true of any ruleset."""

from itertools import combinations

import attrs
import numpy as np
import pytest
import rulekit_evidence_voting
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from rulekit_evidence_voting import LEAST_PROBABILITY, EvidenceVoting, class_prior
from scipy.linalg import lstsq
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss

import rulekit
from rulekit.plugin import Conditions, InvalidParameterError, make_component
from rulekit.testing import parametrize_with_checks

# Conditions 0 and 1 are `x0 <= 3` and `x0 <= 5`; 2 is `x0 > 1`; the others are on columns of their own.
CONDITIONS = Conditions(
    features=np.array([0, 0, 0, 1, 2, 3]),
    is_upper=np.array([True, True, False, True, True, False]),
    thresholds=np.array([3.0, 5.0, 1.0, 0.0, 0.0, 0.0]),
    feature_names=("x0", "x1", "x2", "x3"),
)
X0_AT_MOST_3, X0_AT_MOST_5, X0_ABOVE_1, X1, X2, X3 = range(6)
SEEDS = st.integers(0, 2**32 - 1)
MODES = st.sampled_from([EvidenceVoting("side"), EvidenceVoting("condition")])


def ruleset_of(*antecedents, predicted=None, n_classes=2, seed=0, shared="condition"):
    """Rules with these conditions; what they state and how many samples they cover is random unless given."""
    rng = np.random.default_rng(seed)
    n_rules = len(antecedents) + 1
    return rulekit.RuleSet(
        conditions=CONDITIONS,
        antecedents=(*(tuple(antecedent) for antecedent in antecedents), ()),
        probabilities=rng.dirichlet(np.ones(n_classes), n_rules) if predicted is None else np.array(predicted),
        counts=rng.integers(0, 50, (n_rules, n_classes)),
        classes=np.arange(n_classes),
        n_samples=200,
        inference=EvidenceVoting(shared),
    )


def random_ruleset(seed, n_rules=7, n_classes=3):
    rng = np.random.default_rng(seed)
    sets = [set(combination) for size in (1, 2, 3, 4) for combination in combinations(range(6), size)]
    antecedents = [sets[position] for position in rng.choice(len(sets), size=n_rules, replace=False)]
    return ruleset_of(*antecedents, n_classes=n_classes, seed=seed)


def random_matches(seed, n_rules=7, n_samples=40):
    rng = np.random.default_rng(seed + 1)
    return rng.random((n_rules, n_samples)) < rng.random()


def answer_if_all_match(ruleset):
    all_samples = np.ones((len(ruleset) - 1, 1), dtype=bool)
    return ruleset.inference.infer(all_samples, ruleset)[0]


def evidence(ruleset, rule):
    return np.log(ruleset.probabilities[rule]) - np.log(class_prior(ruleset))


def expected_from(ruleset, total_evidence):
    unnormalised = class_prior(ruleset) * np.exp(total_evidence)
    return unnormalised / unnormalised.sum()


def slow(mode, matches, ruleset):
    """Sample by sample, rule by rule, as the README says it."""
    answers = []
    for sample in range(matches.shape[1]):
        fired = [rule for rule in range(len(ruleset) - 1) if matches[rule, sample]]
        if not fired:
            answers.append(ruleset.probabilities[-1])
            continue
        rests_on = []
        for rule in fired:
            keys = [ruleset.conditions.key(condition) for condition in ruleset.antecedents[rule]]
            rests_on.append({(key.feature, key.is_upper) if mode.shared == "side" else key for key in keys})
        equations = [[float(piece in pieces) for pieces in rests_on] for piece in sorted(set.union(*rests_on))]
        weights = lstsq(np.array(equations), np.ones(len(equations)))[0]
        total = sum(weight * evidence(ruleset, rule) for weight, rule in zip(weights, fired, strict=True))
        answers.append(expected_from(ruleset, total))
    return np.array(answers)


@parametrize_with_checks([EvidenceVoting(), EvidenceVoting(shared="condition")])
def test_it_keeps_what_inference_modes_promise(component, check):
    check(component)


@settings(max_examples=25, deadline=None)
@given(SEEDS, MODES)
def test_it_equals_its_slow_twin(seed, mode):
    ruleset, matches = random_ruleset(seed), random_matches(seed)
    np.testing.assert_allclose(mode.infer(matches, ruleset), slow(mode, matches, ruleset), rtol=1e-7, atol=1e-12)


def test_blocks_of_teams_give_what_all_at_once_give(monkeypatch):
    ruleset, matches = random_ruleset(3, n_rules=12), random_matches(3, n_rules=12, n_samples=300)
    at_once = EvidenceVoting().infer(matches, ruleset)
    monkeypatch.setattr(rulekit_evidence_voting, "BLOCK", 3)
    np.testing.assert_array_equal(EvidenceVoting().infer(matches, ruleset), at_once)


class TestAnswering:
    def test_all_matching_rules_are_behind_an_answer_and_the_default_where_there_is_none(self):
        ruleset, matches = ruleset_of([X1], [X2]), np.array([[True, True, False], [True, False, False]])
        behind = ruleset.inference.answering(matches, np.zeros((3, 4)), ruleset)
        assert behind.tolist() == [[True, True, False], [True, False, False], [False, False, True]]

    def test_a_rule_that_repeats_an_earlier_one_is_not(self):
        ruleset = ruleset_of([X1, X2], [X3], [X2, X1])
        behind = ruleset.inference.answering(np.ones((3, 1), dtype=bool), np.zeros((1, 4)), ruleset)
        assert behind[:, 0].tolist() == [True, True, False, False]


class TestWhatMustBeTrue:
    @settings(max_examples=30, deadline=None)
    @given(SEEDS, MODES)
    def test_one_matching_rule_answers_exactly_what_it_states(self, seed, mode):
        ruleset = random_ruleset(seed)
        alone = np.eye(7, dtype=bool)
        np.testing.assert_array_equal(mode.infer(alone, ruleset), ruleset.probabilities[:-1])

    @settings(max_examples=30, deadline=None)
    @given(SEEDS, MODES)
    def test_without_a_matching_rule_the_default_answers(self, seed, mode):
        ruleset, matches = random_ruleset(seed), random_matches(seed)
        unmatched = ~matches.any(axis=0)
        default = np.tile(ruleset.probabilities[-1], (unmatched.sum(), 1))
        np.testing.assert_array_equal(mode.infer(matches, ruleset)[unmatched], default)

    @settings(max_examples=30, deadline=None)
    @given(SEEDS, MODES, st.integers(0, 6))
    def test_a_rule_that_stands_twice_changes_nothing(self, seed, mode, rule):
        ruleset, matches = random_ruleset(seed), random_matches(seed)
        rows = [rule, *range(8)]
        doubled = attrs.evolve(
            ruleset,
            antecedents=tuple(ruleset.antecedents[row] for row in rows),
            probabilities=ruleset.probabilities[rows],
            counts=ruleset.counts[rows],
        )
        expected = mode.infer(matches, ruleset)
        np.testing.assert_allclose(mode.infer(matches[rows[:-1]], doubled), expected, rtol=1e-7, atol=1e-12)

    @settings(max_examples=30, deadline=None)
    @given(SEEDS, MODES)
    def test_the_order_of_the_rules_does_not_matter(self, seed, mode):
        ruleset, matches = random_ruleset(seed), random_matches(seed)
        order = np.random.default_rng(seed).permutation(7)
        rows = [*order, 7]
        reordered = attrs.evolve(
            ruleset,
            antecedents=tuple(ruleset.antecedents[row] for row in rows),
            probabilities=ruleset.probabilities[rows],
            counts=ruleset.counts[rows],
        )
        expected = mode.infer(matches, ruleset)
        np.testing.assert_allclose(mode.infer(matches[order], reordered), expected, rtol=1e-7, atol=1e-12)

    @settings(max_examples=30, deadline=None)
    @given(SEEDS, MODES)
    def test_every_answer_is_a_distribution_even_if_rules_state_certainties(self, seed, mode):
        ruleset, matches = random_ruleset(seed), random_matches(seed)
        certain = np.eye(3)[ruleset.probabilities.argmax(axis=1)]
        answers = mode.infer(matches, attrs.evolve(ruleset, probabilities=certain))
        assert (answers >= 0).all()
        np.testing.assert_allclose(answers.sum(axis=1), 1.0, rtol=1e-12)


class TestByHand:
    def test_rules_without_a_shared_condition_multiply_their_odds(self):
        ruleset = ruleset_of([X1], [X2, X3], n_classes=3)
        expected = expected_from(ruleset, evidence(ruleset, 0) + evidence(ruleset, 1))
        np.testing.assert_allclose(answer_if_all_match(ruleset), expected, rtol=1e-12)

    def test_of_a_rule_and_a_more_special_one_the_special_one_answers(self):
        ruleset = ruleset_of([X1, X2], [X1, X2, X3])
        np.testing.assert_allclose(answer_if_all_match(ruleset), ruleset.probabilities[1], rtol=1e-12)

    def test_two_special_cases_of_a_rule_add_up_what_each_adds_to_it(self):
        """As if the two further conditions were independent among the samples of the general rule."""
        ruleset = ruleset_of([X1], [X1, X2], [X1, X3])
        total = evidence(ruleset, 1) + evidence(ruleset, 2) - evidence(ruleset, 0)
        np.testing.assert_allclose(answer_if_all_match(ruleset), expected_from(ruleset, total), rtol=1e-12)

    def test_rules_that_share_one_of_two_conditions_weigh_two_thirds_each(self):
        ruleset = ruleset_of([X1, X2], [X1, X3])
        total = (evidence(ruleset, 0) + evidence(ruleset, 1)) * 2 / 3
        np.testing.assert_allclose(answer_if_all_match(ruleset), expected_from(ruleset, total), rtol=1e-12)

    def test_limits_on_the_same_side_are_shared_or_not_as_asked(self):
        rules = [X0_AT_MOST_3], [X0_AT_MOST_5], [X0_ABOVE_1]
        ruleset = ruleset_of(*rules, shared="side")
        first, second, other_side = (evidence(ruleset, rule) for rule in range(3))
        by_side = expected_from(ruleset, (first + second) / 2 + other_side)
        np.testing.assert_allclose(answer_if_all_match(ruleset), by_side, rtol=1e-12)
        by_condition = expected_from(ruleset, first + second + other_side)
        np.testing.assert_allclose(answer_if_all_match(ruleset_of(*rules)), by_condition, rtol=1e-12)

    def test_the_prior_comes_from_the_counts_of_all_rules(self):
        ruleset = attrs.evolve(ruleset_of([X1], [X2]), counts=np.array([[10, 0], [3, 4], [5, 6]]))
        np.testing.assert_allclose(class_prior(ruleset), [19 / 30, 11 / 30], rtol=1e-14)

    def test_a_certain_rule_can_be_argued_against_by_another_certain_one(self):
        ruleset = ruleset_of([X1], [X2], predicted=[[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
        prior = class_prior(ruleset)
        weighed = LEAST_PROBABILITY / prior
        np.testing.assert_allclose(answer_if_all_match(ruleset), weighed / weighed.sum(), rtol=1e-9)


def test_independent_evidence_is_weighed_as_bayes_would():
    """Four columns that are independent given the class, and a rule for either side of each."""
    rng = np.random.default_rng(0)
    y, y_new = rng.integers(0, 2, (2, 4000))
    X, X_new = (rng.normal(labels[:, None] - 0.5, 1.0, (4000, 4)) for labels in (y, y_new))
    conditions = Conditions(
        features=np.repeat(np.arange(4), 2),
        is_upper=np.tile([True, False], 4),
        thresholds=np.zeros(8),
        feature_names=("x0", "x1", "x2", "x3"),
    )
    matches = np.array([X[:, rule // 2] <= 0 if rule % 2 == 0 else X[:, rule // 2] > 0 for rule in range(8)])
    counts = np.array([np.bincount(y[fires], minlength=2) for fires in (*matches, np.ones(4000, dtype=bool))])

    def answers(inference):
        ruleset = rulekit.RuleSet(
            conditions=conditions,
            antecedents=(*((rule,) for rule in range(8)), ()),
            probabilities=counts / counts.sum(axis=1, keepdims=True),
            counts=counts,
            classes=np.arange(2),
            n_samples=4000,
            inference=inference,
        )
        return ruleset.predict_proba(X_new)

    side = scipy.stats.norm.cdf(0.5)  # of either class, this share lies on its own side of 0
    n_above = (X_new > 0).sum(axis=1)
    likelihoods = [(1 - side) ** n_above * side ** (4 - n_above), side**n_above * (1 - side) ** (4 - n_above)]
    exact = np.column_stack(likelihoods) / np.sum(likelihoods, axis=0)[:, None]
    np.testing.assert_allclose(answers(EvidenceVoting()), exact, atol=0.03)
    losses = [
        log_loss(y_new, each)
        for each in (answers(EvidenceVoting()), answers(make_component("inference", "aggregate")), exact)
    ]
    assert losses[0] < losses[2] + 0.001
    assert losses[1] > losses[2] + 0.08


def test_what_is_not_a_way_to_share_is_refused():
    ruleset = ruleset_of([X1], shared="feature")
    with pytest.raises(InvalidParameterError, match="shared must be one of 'side', 'condition', got 'feature'"):
        answer_if_all_match(ruleset)


class TestWithRulekit:
    def test_it_is_discovered_through_its_entry_point(self):
        (found,) = [each for each in rulekit.list_components("inference") if each.name == "evidence-voting"]
        assert found.origin == "rulekit-evidence-voting 0.1.0"

    def test_rules_of_an_ensemble_vote_with_it(self):
        X, y = load_breast_cancer(return_X_y=True)
        forest = RandomForestClassifier(10, max_depth=3, random_state=0)
        model = rulekit.build("rcprob", forest, inference="evidence-voting").fit(X, y)
        answers = slow(EvidenceVoting(), model.ruleset_.matches(X), model.ruleset_)
        np.testing.assert_allclose(model.predict_proba(X), answers, rtol=1e-7, atol=1e-12)
        assert (model.ruleset_.matches(X).sum(axis=0) > 1).any()

    def test_a_ruleset_with_it_survives_json(self):
        ruleset = ruleset_of([X1], [X2], shared="side")
        assert rulekit.RuleSet.from_dict(ruleset.to_dict()) == ruleset
