"""What a worker does with one group and one cell."""

import pickle

import attrs
import numpy as np
import pytest
from study.made_up import small_study, write_tables

import rulekit
from rulekit.core.interfaces import ProbabilityEstimator
from rulekit.model import read_model
from rulekit.plugin.code_components import CodeComponents
from rulekit.plugin.manager import plugins
from rulekit.ruleset import RuleSet
from rulekit.study import Ensemble, Selection, Variant
from rulekit.study.bundle import Bundle
from rulekit.study.bundle_work import run_bundle
from rulekit.study.checks import check_parts
from rulekit.study.data import load_datasets
from rulekit.study.errors import StudyDefinitionError
from rulekit.study.group_work import fit_group
from rulekit.study.parts import make_ensemble, make_variant
from rulekit.study.plan import plan
from rulekit.study.result import Failure


def run_cell(samples, cell, fitted, code=None):
    """What comes of a cell that is alone in its bundle."""
    (outcome,) = run_bundle(samples, Bundle((cell,)), fitted, code)
    return outcome


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_tables(tmp_path_factory.mktemp("tables"))


@pytest.fixture
def worked(folder):
    """The samples, the cell and the result of a variant on the first fold of a dataset."""

    def of(variant, dataset="two", **changes):
        study = small_study(folder, datasets=[dataset], variants=[variant], **changes)
        samples = load_datasets(study)[dataset]
        cell = plan(study, {dataset: samples})[1]
        fitted = fit_group(samples, cell.group, None, True) if cell.uses_ensemble else None
        return samples, cell, fitted, run_cell(samples, cell, fitted)

    return of


class TestCell:
    def test_has_the_rules_of_an_extractor_fitted_by_hand(self, worked):
        samples, cell, fitted, result = worked(Variant("rcprob"))
        fold = cell.group.split.outer(samples.subset)
        labels = samples.labels[fold.train.y]
        forest = make_ensemble(cell.group.ensemble, fitted.result.chosen, cell.seed).fit(fold.train.X, labels)
        expected = rulekit.build("rcprob", forest).fit(fold.train.X, labels)
        assert RuleSet.from_dict(result.ruleset) == expected.ruleset_
        np.testing.assert_array_equal(result.probabilities, expected.predict_proba(fold.test.X))

    def test_has_all_measures_of_the_rules(self, worked):
        measures = worked(Variant("rcprob"))[-1].measures
        assert set(measures) == {
            *("log_loss", "brier", "confidence_ece", "classwise_ece", "accuracy", "macro_f1", "fidelity"),
            *("balanced_accuracy", "roc_auc", "average_precision", "ks", "lift_at_10", "rarest_class_recall"),
            *("n_rules", "n_conditions", "n_distinct_conditions", "conditions_per_rule", "uniqueness"),
        }

    def test_has_no_fidelity_where_the_variant_brings_its_own_ensemble(self, worked):
        assert "fidelity" not in worked(Variant("dt", "tree"))[-1].measures

    def test_has_what_held_out_samples_say_of_each_rule(self, worked):
        result = worked(Variant("rcprob"))[-1]
        assert len(result.diagnostics) == result.measures["n_rules"] - 1
        assert {each["class"] for each in result.diagnostics} <= {"no", "so", "yes"}
        assert result.use["n_non_default_rules"] == len(result.diagnostics)

    def test_has_the_first_configuration_without_a_search_if_there_is_one_only(self, worked):
        result = worked(Variant("rcprob", grid={"confidence": [0.1]}))[-1]
        assert (result.chosen, result.search_seconds) == ({"confidence": 0.1}, 0.0)

    def test_chooses_the_configuration_that_is_best_on_the_inner_folds(self, worked):
        variant = Variant("rcprob", grid={"min_precision": [0.3, 0.6, 0.99], "min_coverage": [0.0, 0.3]})
        samples, cell, fitted, result = worked(variant, selection=Selection(variant="brier"))
        folds = cell.group.split.inner(cell.group.split.outer(samples.subset).train, cell.group.inner)

        def mean(configuration):
            from rulekit.evaluation import evaluate

            scores = []
            for fold, forest in zip(folds, fitted.inner, strict=True):
                model = make_variant(variant, configuration, forest, cell.seed).fit(fold.train.X, fold.train.y)
                scores.append(evaluate(model, fold.test.X, fold.test.y)["brier"])
            return np.mean(scores)

        tried = [{"min_precision": p, "min_coverage": c} for p in (0.3, 0.6, 0.99) for c in (0.0, 0.3)]
        with pytest.warns(rulekit.core.errors.FewRulesWarning):
            assert result.chosen == min(tried, key=mean)

    def test_never_fits_an_ensemble(self, worked, monkeypatch):
        from sklearn.ensemble import RandomForestClassifier

        samples, cell, fitted, expected = worked(Variant("rcprob", grid={"min_precision": [0.5, 0.75]}))
        monkeypatch.setattr(RandomForestClassifier, "fit", None)
        assert run_cell(samples, cell, fitted).ruleset == expected.ruleset

    def test_reads_each_inner_ensemble_once_for_the_whole_grid(self, worked, monkeypatch):
        calls = []
        monkeypatch.setattr("rulekit.classifier.read_model", lambda *given: calls.append(0) or read_model(*given))
        worked(Variant("rcprob", grid={"min_precision": [0.3, 0.5, 0.75], "confidence": [0.1, 0.25]}))
        assert len(calls) == 2 + 1  # two inner folds, and the final fit

    def test_reads_each_ensemble_of_a_variant_that_varies_it(self, worked, monkeypatch):
        calls = []
        monkeypatch.setattr("rulekit.classifier.read_model", lambda *given: calls.append(0) or read_model(*given))
        worked(
            Variant(
                "dt", "rcprob", {"ensemble": "tree"}, {"ensemble__max_depth": [1, 2, 3], "min_precision": [0.3, 0.5]}
            )
        )
        assert len(calls) == 2 * 3 + 1

    def test_is_the_same_for_the_same_seed(self, worked):
        variant = Variant("dt", "tree", grid={"max_depth": [1, 2, 3]})
        assert worked(variant)[-1].ruleset == worked(variant)[-1].ruleset

    def test_keeps_warnings(self, worked):
        result = worked(Variant("rcprob", parameters={"min_coverage": 0.9}))[-1]
        assert [each.partition(":")[0] for each in result.warnings] == ["FewRulesWarning"]

    def test_says_what_made_it(self, worked):
        versions = worked(Variant("rcprob"))[-1].versions
        assert (versions["rulekit"], versions["numpy"]) == (rulekit.__version__, np.__version__)

    def test_that_fails_says_how(self, worked):
        result = worked(Variant("rcprob", parameters={"min_precision": 2}))[-1]
        assert isinstance(result, Failure)
        assert result.error.startswith("InvalidParameterError: RuleExtractor: min_precision must be a number")
        assert result.traceback.splitlines()[0] == "Traceback (most recent call last):"

    def test_of_a_group_that_failed_fails_with_it(self, worked):
        ensembles = [Ensemble("rf", parameters={"max_depth": -1})]
        *_, fitted, result = worked(Variant("rcprob"), ensembles=ensembles)
        assert isinstance(result, Failure)
        assert result is fitted


class TestSharedTrainingData:
    """What a grid shares: the ensemble is read and the samples are indexed once, then each model searches."""

    @pytest.mark.parametrize("has_names", [True, False])
    def test_gives_the_model_that_fitting_alone_gives(self, folder, has_names):
        subset = load_datasets(small_study(folder))["two"].subset
        X = subset.X if has_names else subset.X.to_numpy()
        forest = make_ensemble(Ensemble("rf", parameters={"n_estimators": 4}), {}, seed=0).fit(X, subset.y)
        data = rulekit.build("rcprob", forest).prepare(X, subset.y)
        for settings in ({"min_precision": 0.3}, {"min_precision": 0.7, "final_estimator__crossover": 20}):
            shared = rulekit.build("rcprob", forest, **settings).fit(data, data.y)
            alone = rulekit.build("rcprob", forest, **settings).fit(X, subset.y)
            assert shared.ruleset_ == alone.ruleset_
            assert {name for name in vars(shared) if name.endswith("_")} == {
                name for name in vars(alone) if name.endswith("_")
            }
            assert shared.n_features_in_ == alone.n_features_in_
            assert list(getattr(shared, "feature_names_in_", ())) == list(getattr(alone, "feature_names_in_", ()))


class TestGroup:
    def test_with_what_was_chosen_before_fits_the_same_without_a_search(self, worked):
        samples, cell, fitted, _ = worked(Variant("rcprob"))
        again = fit_group(samples, cell.group, fitted.result.chosen, True)
        assert (again.result.chosen, again.result.search_seconds) == (fitted.result.chosen, 0.0)
        subset = samples.subset
        for ours, theirs in zip((again.outer, *again.inner), (fitted.outer, *fitted.inner), strict=True):
            np.testing.assert_array_equal(ours.predict_proba(subset.X), theirs.predict_proba(subset.X))

    def test_keeps_no_inner_ensembles_that_nobody_needs(self, worked):
        samples, cell, *_ = worked(Variant("rcprob"))
        assert fit_group(samples, cell.group, None, False).inner == ()


class Shy(ProbabilityEstimator):
    """States what the ensemble says."""

    def estimate(self, rules):
        return rules.priors


def as_sent():
    """The components of this process as another one receives them."""
    return attrs.evolve(pickle.loads(pickle.dumps(CodeComponents.of_this_process())), process="another")


class TestCode:
    @pytest.fixture(autouse=True)
    def _forgotten(self):
        yield
        plugins.cache_clear()

    def test_of_this_process_reaches_a_worker_that_does_not_know_it(self, worked):
        rulekit.register("probability", "shy", Shy)
        samples, cell, fitted, expected = worked(Variant("shy", "rcprob", {"final_estimator": "shy"}))
        code = as_sent()
        plugins.cache_clear()  # as in a worker
        assert run_cell(samples, cell, fitted).error.startswith("UnknownComponentError: No probability estimator")
        assert run_cell(samples, cell, fitted, code).ruleset == expected.ruleset

    def test_takes_the_place_of_an_earlier_version(self, worked):
        rulekit.register("probability", "shy", Shy)
        samples, cell, fitted, expected = worked(Variant("shy", "rcprob", {"final_estimator": "shy"}))
        code = as_sent()
        rulekit.register("probability", "shy", type("Other", (Shy,), {"estimate": None}), replace=True)
        assert run_cell(samples, cell, fitted, code).ruleset == expected.ruleset


class TestParts:
    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            (
                {"ensembles": [Ensemble("gmb")]},
                r"\[ensembles.gmb\]: No ensemble named 'gmb'. Did you mean 'gbm'\?",
            ),
            (
                {"ensembles": [Ensemble("rf", grid={"max_dept": [3]})]},
                r"\[ensembles.rf\]: Invalid parameter 'max_dept' for estimator RandomForestClassifier",
            ),
            (
                {"variants": [Variant("rcpro")]},
                r"\[variants.rcpro\]: No method named 'rcpro'. Did you mean 'rcprob'\?",
            ),
            (
                {"variants": [Variant("rcprob", parameters={"priors": "men"})]},
                r"\[variants.rcprob\]: No prior combiner named 'men'. Did you mean 'mean'\?",
            ),
            (
                {"variants": [Variant("rcprob", grid={"final_estimator__n1": [3]})]},
                r"\[variants.rcprob\]: Invalid parameter 'n1' for estimator Hybrid",
            ),
            (
                {"variants": [Variant("rcprob", grid={"ensemble__max_depth": [3]})]},
                r"\[variants.rcprob\]: ensemble__max_depth is a parameter of the ensemble, which all variants share",
            ),
            (
                {"selection": Selection(variant="fidelity")},
                r"\[variants.dt\]: it has its own ensemble, so its hyperparameters cannot be chosen by fidelity",
            ),
        ],
    )
    def test_that_cannot_be_made_are_told_before_any_work(self, folder, changes, message):
        with pytest.raises(StudyDefinitionError, match=message):
            check_parts(small_study(folder, **changes))

    def test_take_parameters_that_the_registered_function_does_not_name(self):
        model = make_ensemble(Ensemble("rf", parameters={"min_samples_leaf": 2}), {"max_depth": None}, seed=3)
        assert (model.min_samples_leaf, model.max_depth, model.random_state) == (2, None, 3)

    def test_take_the_ensemble_that_a_variant_names_instead_of_the_study_s(self, worked):
        """It used to be passed twice."""
        result = worked(Variant("own", "rcprob", {"ensemble": "tree"}, {"ensemble__max_depth": [1, 2]}))[-1]
        assert "fidelity" not in result.measures
        assert make_variant(Variant("own", "rcprob", {"ensemble": "tree"}), {}, "rf", seed=0).ensemble == "tree"

    def test_of_a_plugin_are_seeded_if_they_take_a_seed(self):
        from sklearn.dummy import DummyClassifier

        rulekit.register("method", "dummy", lambda ensemble, **parameters: DummyClassifier(**parameters))
        try:
            assert make_variant(Variant("dummy"), {}, None, seed=5).random_state == 5
            assert make_variant(Variant("dummy", parameters={"random_state": 1}), {}, None, seed=5).random_state == 1
        finally:
            plugins.cache_clear()

    def test_of_a_plugin_may_make_no_rules(self, worked):
        from sklearn.dummy import DummyClassifier

        rulekit.register("method", "dummy", lambda ensemble, **parameters: DummyClassifier(**parameters))
        try:
            result = worked(Variant("dummy"))[-1]
        finally:
            plugins.cache_clear()
        assert (result.ruleset, "n_rules" in result.measures, "fidelity" in result.measures) == (None, False, True)
