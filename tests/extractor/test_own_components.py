"""Parts of one's own, and thresholds and weights that reach them."""

import re
import warnings

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import rulekit
from rulekit.core.errors import FewRulesWarning, UnsupportedFitParameterError
from rulekit.core.interfaces import CombineStage, CoverStage, PriorCombiner, ProbabilityEstimator, SimplifyStage


class FirstHalf(CoverStage):
    """Keeps the first half of the candidates."""

    def cover(self, candidates, context):
        return candidates.take(np.arange((len(candidates) + 1) // 2))


class TreeAlone(CombineStage):
    """Forgets the rules so far."""

    def combine(self, rules, tree_rules, context):
        return tree_rules


class Untouched(SimplifyStage):
    """Leaves rules as they are."""

    def simplify(self, rules, context):
        return rules


class Left(PriorCombiner):
    """Takes the distribution of the rules so far."""

    def combine(self, left, right, left_support, right_support):
        return np.repeat(left[:, None, :], len(right), axis=1)


class Blend(ProbabilityEstimator):
    """Half the prior, half the samples."""

    def __init__(self, weight: float = 0.5) -> None:
        self.weight = weight

    def estimate(self, rules):
        fractions = rules.counts / np.maximum(rules.support, 1)[:, None]
        fractions = np.where(rules.support[:, None] > 0, fractions, rules.priors)
        return self.weight * rules.priors + (1 - self.weight) * fractions


class TestOwnComponents:
    OWN = (
        ("cover", FirstHalf()),
        ("combine", TreeAlone()),
        ("simplify", Untouched()),
        ("priors", Left()),
        ("search_estimator", Blend()),
        ("final_estimator", Blend(0.25)),
    )

    @pytest.mark.parametrize(("parameter", "component"), OWN)
    def test_an_own_class_takes_the_place_of_a_built_in_one(self, parameter, component, data, forest):
        model = rulekit.build("rc+", forest, **{parameter: component}).fit(*data)
        np.testing.assert_allclose(model.predict_proba(data[0]).sum(axis=1), 1.0)

    @pytest.mark.parametrize("stage", ["combine", "cover", "simplify"])
    @pytest.mark.parametrize("name", ["rc+", "rcprob"])
    def test_a_stage_can_be_left_out(self, name, stage, data, forest):
        model = rulekit.build(name, forest, **{stage: None}).fit(*data)
        np.testing.assert_allclose(model.predict_proba(data[0]).sum(axis=1), 1.0)

    def test_all_stages_can_be_left_out(self, data, forest):
        model = rulekit.build("rc+", forest, combine=None, cover=None, simplify=None).fit(*data)
        np.testing.assert_allclose(model.predict_proba(data[0]).sum(axis=1), 1.0)

    def test_an_own_probability_is_what_the_rules_state(self, data, forest):
        model = rulekit.build("rc+", forest, final_estimator=Blend(0.0)).fit(*data)
        fractions = model.ruleset_.counts / model.ruleset_.counts.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(fractions, model.ruleset_.probabilities)

    def test_an_own_parameter_nests(self, forest):
        assert (
            rulekit.build("rcprob", forest, final_estimator=Blend())
            .set_params(final_estimator__weight=0.1)
            .final_estimator.weight
            == 0.1
        )

    def test_an_own_class_can_be_registered_and_named(self, data, forest):
        rulekit.register("probability", "blend", Blend)
        by_name = rulekit.build("rcprob", forest, final_estimator="blend", final_estimator__weight=0.2).fit(*data)
        by_instance = rulekit.build("rcprob", forest, final_estimator=Blend(0.2)).fit(*data)
        assert by_instance.ruleset_ == by_name.ruleset_

    def test_a_decision_tree_answers_like_the_tree(self, iris):
        X, y = iris
        tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
        model = rulekit.build("tree", tree, final_estimator="empirical").fit(X, y)
        np.testing.assert_allclose(tree.predict_proba(X), model.predict_proba(X))

    def test_a_tree_without_a_split_is_only_a_default(self):
        """Its only leaf, a rule without conditions, stood before the default rule; `from_dict` then rejected it."""
        X, y = np.zeros((12, 2)), np.array([0, 1, 1] * 4)
        tree = DecisionTreeClassifier().fit(X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FewRulesWarning)
            model = rulekit.build("tree", tree).fit(X, y)
        assert len(model.ruleset_) == 1


class TestThresholds:
    def test_every_rule_is_more_precise_than_asked(self, data, forest):
        model = rulekit.build("rc+", forest, min_precision=0.8).fit(*data)
        assert all(rule.precision > 0.8 for rule in model.ruleset_[:-1])

    def test_every_rule_covers_more_than_asked(self, data, forest):
        model = rulekit.build("rcprob", forest, min_coverage=0.1).fit(*data)
        assert all(rule.coverage > 0.1 for rule in model.ruleset_[:-1])

    @pytest.mark.parametrize("order", ["support", "coverage", "precision"])
    def test_every_rule_order_gives_rules(self, order, data, forest):
        assert len(rulekit.build("rcprob", forest, rule_order=order).fit(*data).ruleset_) > 1

    def test_a_model_without_rules_warns_and_says_what_to_do(self, data, forest):
        message = (
            "No rule of the first tree passed min_precision=1.0 and min_coverage=0.0, so only the default rule is "
            "left. Lower these thresholds."
        )
        with pytest.warns(FewRulesWarning, match=f"^{re.escape(message)}$"):
            rulekit.build("rcprob", forest, min_precision=1.0).fit(*data)

    def test_a_model_without_rules_predicts_the_class_fractions(self, data, forest):
        with pytest.warns(FewRulesWarning):
            model = rulekit.build("rcprob", forest, min_precision=1.0).fit(*data)
        expected = np.tile(np.bincount(data[1]) / len(data[1]), (3, 1))
        np.testing.assert_array_equal(expected, model.predict_proba(data[0].head(3)))


class TestWeights:
    def test_no_weights_are_fine(self, data, forest):
        """Meta-estimators pass `sample_weight=None` to say that there are none."""
        assert rulekit.build("rcprob", forest).fit(*data, sample_weight=None).ruleset_

    def test_anything_else_is_rejected_by_name(self, data, forest):
        with pytest.raises(UnsupportedFitParameterError, match="takes X and y only, got groups"):
            rulekit.build("rcprob", forest).fit(*data, groups=np.ones(len(data[1])))
