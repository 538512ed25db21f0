"""`fit` with weights: what they reach, what refuses them, and what tables and documents show of them."""

import json

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rulekit
from rulekit.cli.rule_table import legend
from rulekit.core.errors import (
    ClassWithoutRuleWarning,
    InvalidParameterError,
    RuleSetFormatError,
    SampleWeightError,
    UnsupportedFitParameterError,
    WeightsNotSupportedError,
)
from rulekit.core.interfaces import ProbabilityEstimator, Score
from rulekit.probability.empirical import Empirical
from rulekit.search.scores import MacroF1


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 3)), columns=["age", "dose", "area"])
    y = np.where(X["age"] + 0.5 * rng.normal(size=300) > 1.2, "rare", "common")
    return X, y


@pytest.fixture(scope="module")
def weights():
    return np.random.default_rng(1).uniform(0.1, 3.0, 300)


@pytest.fixture(scope="module")
def forest(data):
    return RandomForestClassifier(10, max_depth=4, random_state=0).fit(*data)


@pytest.fixture(scope="module")
def fitted(data, forest, weights):
    return rulekit.build("rcprob", forest, class_weight="balanced").fit(*data, sample_weight=weights)


@pytest.fixture(scope="module")
def rare():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(2000, 3))
    y = (X[:, 0] > 1.8).astype(int) * (rng.random(2000) < 0.7)
    return X, y, RandomForestClassifier(10, max_depth=3, random_state=0).fit(X, y)


class TestCounts:
    def test_counts_are_those_of_samples(self, data, fitted):
        matches, truth = fitted.ruleset_.matches(data[0]), data[1] == "rare"
        counts = fitted.ruleset_.counts[:-1]
        assert counts[:, 1].tolist() == matches[:, truth].sum(axis=1).tolist()
        assert counts.sum(axis=1).tolist() == matches.sum(axis=1).tolist()
        assert fitted.ruleset_.answered_counts.sum() == 300

    def test_fractions_are_those_of_weights(self, data, weights, fitted):
        rule, covers = fitted.ruleset_[0], fitted.ruleset_.matches(data[0])[0]
        of_class = {label: 1 / weights[data[1] == label].sum() for label in ("common", "rare")}
        own = weights * [of_class[label] for label in data[1]] * weights.sum() / 2
        assert rule.coverage == pytest.approx(own[covers].sum() / weights.sum(), rel=1e-3)
        assert rule.precision == pytest.approx(
            own[covers & (data[1] == rule.label)].sum() / own[covers].sum(), rel=1e-3
        )

    def test_the_table_says_which_columns_are_weighted(self, fitted):
        assert "precision, coverage: fractions by weight; answered, samples: numbers of samples." in str(
            fitted.ruleset_
        )

    def test_without_weights_it_does_not(self, data, forest):
        assert "by weight" not in str(rulekit.build("rcprob", forest).fit(*data).ruleset_)

    def test_an_explanation_tells_the_precision_by_weight(self, data, fitted):
        assert "precision by weight" in str(fitted.explain(data[0].head(1)))

    def test_explanations_of_several_samples_have_the_precision_of_their_rules(self, data, fitted):
        frame = fitted.explain(data[0].head(20)).to_frame()
        rules = fitted.ruleset_
        assert frame["precision"].tolist() == pytest.approx([rules[rule - 1].precision for rule in frame["rule"]])
        assert frame["low"].tolist() == pytest.approx([rules[rule - 1].interval[0] for rule in frame["rule"]])


class TestDocuments:
    def test_a_document_keeps_counts_and_weights(self, fitted):
        again = rulekit.RuleSet.from_json(json.dumps(fitted.ruleset_.to_dict()))
        assert again == fitted.ruleset_
        assert again.weighted.counts.tolist() == fitted.ruleset_.weighted.counts.tolist()
        assert again[0].precision == fitted.ruleset_[0].precision

    def test_documents_without_weights_have_no_entries_for_them(self, data, forest):
        document = rulekit.build("rcprob", forest).fit(*data).ruleset_.to_dict()
        assert "total_weight" not in document
        assert set(document["rules"][0]) == {"conditions", "probabilities", "counts", "answered"}

    @pytest.mark.parametrize("damage", ["negative", "lacking", "total", "heavy"])
    def test_damaged_weights_are_rejected(self, fitted, damage):
        document = json.loads(json.dumps(fitted.ruleset_.to_dict()))
        if damage == "negative":
            document["rules"][0]["weights"][0] *= -1.0
        elif damage == "lacking":
            del document["rules"][0]["weights"]
        elif damage == "total":
            del document["total_weight"]
        else:
            document["rules"][0]["weights"][0] = 1e9
        with pytest.raises(RuleSetFormatError, match="weight"):
            rulekit.RuleSet.from_dict(document)


class TestEnsemble:
    def test_an_ensemble_that_is_fitted_here_gets_the_weights_of_samples_and_classes(self, data, weights):
        seen = []

        class Recording(GradientBoostingClassifier):
            def fit(self, X, y, sample_weight=None):
                seen.append(sample_weight)
                return super().fit(X, y, sample_weight)

        model = rulekit.build("rcprob", Recording(n_estimators=3), class_weight={"rare": 2.0})
        model.fit(*data, sample_weight=weights)
        assert seen[0] == pytest.approx(weights * np.where(data[1] == "rare", 2.0, 1.0), abs=2e-3)

    def test_copies_that_are_fitted_again_get_them_too(self, data):
        seen = []

        class Recording(GradientBoostingClassifier):
            def fit(self, X, y, sample_weight=None):
                seen.append(None if sample_weight is None else len(sample_weight))
                return super().fit(X, y, sample_weight)

        rulekit.build("rclist", Recording(n_estimators=3), class_weight="balanced").fit(*data)
        assert seen == [300, *[240] * 5]

    def test_the_last_step_of_a_pipeline_gets_them(self, data):
        pipeline = make_pipeline(StandardScaler(), GradientBoostingClassifier(n_estimators=3, random_state=0))
        plain = rulekit.build("rcprob", pipeline).fit(*data)
        weighted = rulekit.build("rcprob", pipeline, class_weight={"rare": 9}).fit(*data)
        assert plain.ensemble_.predict(data[0]).tolist() != weighted.ensemble_.predict(data[0]).tolist()

    def test_a_pipeline_in_a_calibration_would_not_get_them(self, data):
        calibrated = CalibratedClassifierCV(make_pipeline(StandardScaler(), GradientBoostingClassifier()), cv=2)
        message = "unfitted CalibratedClassifierCV, whose fit takes no sample_weight for the pipeline in it"
        with pytest.raises(WeightsNotSupportedError, match=message):
            rulekit.build("rcprob", calibrated, class_weight={"rare": 9}).fit(*data)

    def test_one_that_takes_no_weights_is_named(self, data):
        class Stubborn(GradientBoostingClassifier):
            def fit(self, X, y):
                return super().fit(X, y)

        with pytest.raises(WeightsNotSupportedError, match="unfitted Stubborn, whose fit takes no sample_weight"):
            rulekit.build("rcprob", Stubborn(), class_weight="balanced").fit(*data)


class TestComponents:
    def test_an_estimator_that_sees_counts_alone_is_used(self, data, forest):
        class Fractions(ProbabilityEstimator):
            def estimate(self, rules):
                return (rules.counts + 1.0) / (rules.support[:, None] + 2.0)

        model = rulekit.build("rcprob", forest, final_estimator=Fractions(), class_weight="balanced").fit(*data)
        own = rulekit.build("rcprob", forest, final_estimator="laplace", class_weight="balanced").fit(*data)
        assert model.ruleset_.probabilities[:-1] == pytest.approx(own.ruleset_.probabilities[:-1])

    def test_one_that_looks_at_the_samples_has_to_declare_it(self, data, forest):
        class Fitted(Empirical):
            def fit(self, data):
                return self

        class Declared(Fitted):
            supports_weights = True

        with pytest.raises(WeightsNotSupportedError, match=r"weights with final_estimator=Fitted\(\)"):
            rulekit.build("rcprob", forest, final_estimator=Fitted(), class_weight="balanced").fit(*data)
        assert rulekit.build("rcprob", forest, final_estimator=Fitted()).fit(*data).ruleset_
        assert rulekit.build("rcprob", forest, final_estimator=Declared(), class_weight="balanced").fit(*data).ruleset_

    def test_a_score_has_to_declare_it(self, data, forest):
        class Own(Score):
            def score(self, rules, context):
                return MacroF1().score(rules, context)

        class Derived(MacroF1):
            def score(self, rules, context):
                return super().score(rules, context)

        for score in (Own(), Derived()):
            with pytest.raises(WeightsNotSupportedError, match="weights with search_score="):
                rulekit.build("rcprob", forest, search_score=score, class_weight="balanced").fit(*data)

    def test_probabilities_that_do_not_sum_to_one_are_rejected(self, data, forest):
        """Written for counts, `max(support, 1)` guards against rules without samples, not against light ones."""

        class Guarded(ProbabilityEstimator):
            def estimate(self, rules):
                return rules.counts / np.maximum(rules.support[:, None], 1000)

        with pytest.raises(WeightsNotSupportedError, match=r"Guarded\(\).*do not sum to one"):
            rulekit.build("rcprob", forest, final_estimator=Guarded(), class_weight="balanced").fit(*data)

    @pytest.mark.parametrize("method", ["tree", "shrunk-tree"])
    def test_methods_that_count_samples_refuse_weights_by_name(self, data, weights, method):
        with pytest.raises(UnsupportedFitParameterError, match=r"Not supported: \w+\.fit with sample_weight"):
            rulekit.build(method).fit(*data, sample_weight=weights)

    def test_data_in_parts_refuses_class_weights(self, data, forest):
        table = data[0].assign(target=data[1])
        with pytest.raises(InvalidParameterError, match="fit_from does not support class_weight='balanced'"):
            rulekit.build("rcprob", forest, class_weight="balanced").fit_from([table], "target")


class TestTrainingData:
    def test_shared_data_are_weighed_as_each_model_asks(self, data, forest):
        plain, balanced = (rulekit.build("rcprob", forest, class_weight=weight) for weight in (None, "balanced"))
        shared = plain.prepare(*data)
        assert balanced.fit(shared, shared.y).ruleset_ == balanced.fit(*data).ruleset_
        assert plain.fit(shared, shared.y).ruleset_ == plain.fit(*data).ruleset_

    def test_shared_data_keep_the_weights_of_samples(self, data, forest, weights):
        model = rulekit.build("rcprob", forest)
        shared = model.prepare(*data, sample_weight=weights)
        assert model.fit(shared, shared.y).ruleset_ == model.fit(*data, sample_weight=weights).ruleset_
        with pytest.raises(SampleWeightError, match="has weights of its own"):
            model.fit(shared, shared.y, sample_weight=weights)

    def test_a_method_that_counts_samples_refuses_data_with_weights(self, data, forest, weights):
        shared = rulekit.build("rcprob", forest).prepare(*data, sample_weight=weights)
        with pytest.raises(UnsupportedFitParameterError, match="with sample_weight"):
            rulekit.build("shrunk-tree", forest.estimators_[0]).fit(shared, shared.y)


class TestRouting:
    def test_weights_reach_the_rules_through_a_search_and_a_pipeline(self, data, weights):
        with sklearn.config_context(enable_metadata_routing=True):
            model = rulekit.build("rcprob", RandomForestClassifier(3, max_depth=3, random_state=0))
            model.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
            search = GridSearchCV(make_pipeline(model), {"ruleextractor__min_coverage": [0.0]}, cv=2)
            found = search.fit(*data, sample_weight=weights).best_estimator_[-1]
        assert found.ruleset_ == model.fit(*data, sample_weight=weights).ruleset_


class TestRareClasses:
    def test_a_class_without_a_rule_is_warned_of(self, rare):
        X, y, forest = rare
        y = y * (np.random.default_rng(0).random(len(y)) < 0.5)
        message = r"No rule predicts the class 1 \(0\.0\d+ of the training samples\).*class_weight='balanced'"
        with pytest.warns(ClassWithoutRuleWarning, match=message):
            model = rulekit.build("rc+", forest, min_coverage=0.05).fit(X, y)
        assert not model.predict(X).any()
        assert rulekit.build("rc+", forest, class_weight="balanced").fit(X, y).predict(X)[y == 1].mean() > 0.8

    def test_a_limit_within_the_class_finds_it(self, rare):
        X, y, forest = rare
        model = rulekit.build("rc+", forest, min_class_coverage=0.05).fit(X, y)
        assert model.predict(X)[y == 1].mean() > 0.8
        assert all(rule.counts[rule.class_index] > 0.05 * (y == rule.label).sum() for rule in model.ruleset_[:-1])

    def test_weights_of_classes_find_it_too(self, rare):
        X, y, forest = rare
        model = rulekit.build("rc+", forest, min_coverage=0.05, class_weight="balanced").fit(X, y)
        assert model.predict(X)[y == 1].mean() > 0.8

    @pytest.mark.parametrize("limit", [0.02, 0.2])
    def test_leaves_that_no_rule_can_use_are_left_out_without_changing_the_rules(self, rare, limit, monkeypatch):
        X, y, forest = rare
        model = rulekit.build("rcprob", forest, min_class_coverage=limit)
        few = model.fit(X, y).ruleset_
        monkeypatch.setattr(type(model.cover), "obeys_coverage", False)
        assert model.fit(X, y).ruleset_ == few


@pytest.mark.parametrize(("method", "is_weighted"), [("fitted", True), ("plain", False)])
def test_the_command_lines_legend_says_which_columns_are_weighted(data, forest, fitted, method, is_weighted):
    model = fitted if method == "fitted" else rulekit.build("rcprob", forest).fit(*data)
    assert ("fractions by weight" in str(legend(model.ruleset_, 100))) == is_weighted
