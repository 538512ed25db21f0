"""What every inference mode promises."""

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inference.rulesets import PREDICTED, random_ruleset, two_rules

from rulekit.core.interfaces import InferenceMode
from rulekit.inference.aggregate import Aggregate
from rulekit.inference.decision_list import DecisionList

every_mode = pytest.mark.parametrize("mode", [DecisionList(), Aggregate()], ids=str)
quickly = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 2**32 - 1)


@every_mode
def test_the_default_answers_where_nothing_matches(mode):
    assert PREDICTED[[2]].tolist() == two_rules(mode).predict_proba([[0.0]]).tolist()


@every_mode
def test_the_default_does_not_answer_where_something_matches(mode):
    ruleset = two_rules(mode)
    other = attrs.evolve(ruleset, probabilities=np.vstack([PREDICTED[:2], [0.99, 0.01]]))
    samples = [[1.5], [3.0]]
    assert ruleset.predict_proba(samples).tolist() == other.predict_proba(samples).tolist()


@every_mode
def test_a_single_match_answers_alone(mode):
    np.testing.assert_allclose(two_rules(mode).predict_proba([[1.5]]), PREDICTED[[1]], rtol=1e-15)


@every_mode
@quickly
@given(seed=seeds)
def test_rows_sum_to_one(mode, seed):
    ruleset, drawn = random_ruleset(seed, mode)
    np.testing.assert_allclose(ruleset.predict_proba(drawn.X).sum(axis=1), np.ones(len(drawn.y)), rtol=1e-12)


@every_mode
@quickly
@given(seed=seeds)
def test_one_sample_at_a_time_gives_what_all_at_once_give(mode, seed):
    ruleset, drawn = random_ruleset(seed, mode)
    expected = [ruleset.predict_proba(sample[None])[0].tolist() for sample in drawn.X]
    assert expected == ruleset.predict_proba(drawn.X).tolist()


@every_mode
@quickly
@given(seed=seeds)
def test_the_answer_is_the_normalised_sum_of_what_the_answering_rules_predict(mode, seed):
    """Sample by sample; one rule alone is its own sum."""
    ruleset, drawn = random_ruleset(seed, mode)
    matches = ruleset.matches(drawn.X)
    behind = mode.answering(matches, drawn.X, ruleset)
    for sample, answer in enumerate(ruleset.predict_proba(drawn.X)):
        matching = [rule for rule in range(len(matches)) if matches[rule, sample]] or [len(matches)]
        expected = matching[:1] if mode.combination == "first" else matching
        assert np.flatnonzero(behind[:, sample]).tolist() == expected
        total = sum(ruleset.probabilities[rule] for rule in expected)
        np.testing.assert_allclose(answer, total / sum(total), rtol=1e-12)


class TestCombination:
    def test_is_none_for_a_mode_that_declares_nothing(self):
        class Own(InferenceMode):
            def infer(self, matches, ruleset):
                return ruleset.probabilities[:1]

        assert Own().combination is None

    @pytest.mark.parametrize("overridden", ["infer", "infer_samples"])
    def test_is_not_inherited_by_a_class_that_answers_otherwise(self, overridden):
        own = type("Own", (DecisionList,), {overridden: lambda self, *given: given[-1].probabilities[:1]})
        assert own().combination is None

    def test_is_inherited_by_a_class_that_answers_alike(self):
        class Own(DecisionList):
            def __init__(self, note=""):
                self.note = note

        assert Own().combination == "first"

    def test_can_be_declared_beside_what_is_overridden(self):
        class Own(DecisionList):
            combination = "first"

            def infer(self, matches, ruleset):
                return super().infer(matches, ruleset)

        assert Own().combination == "first"


@every_mode
@pytest.mark.parametrize("size", [1, 7, 79, 80, 81])
def test_chunks_give_what_the_whole_gives(mode, size, monkeypatch):
    ruleset, drawn = random_ruleset(0, mode)
    expected = ruleset.predict_proba(drawn.X).tolist()
    monkeypatch.setattr("rulekit.ruleset.ruleset.BLOCK_SAMPLES", size)
    assert expected == ruleset.predict_proba(drawn.X).tolist()


@every_mode
@quickly
@given(seed=seeds)
def test_the_order_of_the_samples_does_not_matter(mode, seed):
    ruleset, drawn = random_ruleset(seed, mode)
    order = np.random.default_rng(seed).permutation(len(drawn.y))
    assert ruleset.predict_proba(drawn.X)[order].tolist() == ruleset.predict_proba(drawn.X[order]).tolist()


@every_mode
def test_a_default_alone_answers_for_everything(mode):
    ruleset, drawn = random_ruleset(0, mode, n_rules=0)
    np.testing.assert_allclose(
        ruleset.predict_proba(drawn.X), np.tile(ruleset.probabilities, (len(drawn.y), 1)), rtol=1e-15
    )


@every_mode
def test_inferring_leaves_the_stated_probabilities_as_they_were(mode):
    ruleset, drawn = random_ruleset(1, mode)
    before = ruleset.probabilities.tolist()
    ruleset.predict_proba(drawn.X)[:] = 0.0
    assert before == ruleset.probabilities.tolist()


@every_mode
def test_no_samples_get_no_rows(mode):
    ruleset, _ = random_ruleset(1, mode)
    assert mode.infer(np.empty((8, 0), dtype=bool), ruleset).shape == (0, 3)
