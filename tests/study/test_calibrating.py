"""Calibrated variants: a share of the samples set aside, the published protocol on it, and one fit for all of them."""

import attrs
import numpy as np
import pandas as pd
import pytest
from plugin.isolation import registry_put_back
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import StratifiedKFold
from study.made_up import contents, small_study, write_tables

import rulekit
from rulekit.calibration import Beta, Dirichlet, Temperature
from rulekit.core.interfaces import CalibrationMap
from rulekit.plugin.manager import plugins
from rulekit.ruleset import RuleSet
from rulekit.search.loop import Search
from rulekit.study import CrossValidation, Ensemble, Store, Variant, run_study
from rulekit.study.bundle import Bundle, bundled
from rulekit.study.bundle_work import run_bundle
from rulekit.study.calibrating import calibration_map, with_calibrations
from rulekit.study.checks import check_parts
from rulekit.study.data import load_datasets
from rulekit.study.errors import StudyDefinitionError
from rulekit.study.group_work import fit_group
from rulekit.study.parts import make_variant
from rulekit.study.plan import plan

FRACTION = CrossValidation(2, calibration=0.4)
GRID = {"min_precision": [0.3, 0.7]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The small tables, and one with samples enough to set some aside."""
    folder = write_tables(tmp_path_factory.mktemp("tables"))
    random = np.random.default_rng(1)
    X = random.integers(0, 9, size=(150, 3))
    target = np.digitize(X[:, 0] + X[:, 1] + random.integers(0, 7, size=150), [9, 13])
    table = pd.DataFrame(X, columns=["a", "b", "c"]).assign(target=np.array(["no", "so", "yes"])[target])
    table.to_csv(folder / "large.csv", index=False)
    return folder


@pytest.fixture
def worked(folder):
    """The samples, the cells of some variants on the first fold, the ensembles, and what came of the cells."""

    def of(*variants):
        study = small_study(folder, datasets=["large"], variants=variants, outer=FRACTION)
        samples = load_datasets(study)
        cells = plan(study, samples)[1 : 1 + len(variants)]
        fitted = fit_group(samples["large"], cells[0].group, None, True)
        (bundle,) = bundled(cells)
        return samples["large"], cells, fitted, run_bundle(samples["large"], bundle, fitted)

    return of


class TestTheFraction:
    @pytest.fixture
    def fold(self, folder):
        def of(**outer):
            study = small_study(folder, outer=CrossValidation(5, **outer))
            samples = load_datasets(study)
            return plan(study, samples)[0].group.split.outer(samples["one"].subset)

        return of

    def test_of_a_quarter_makes_60_20_and_20_percent(self, fold):
        parts = fold(calibration=0.25)
        assert [len(part) for part in (parts.train, parts.calibration, parts.test)] == [36, 12, 12]

    def test_leaves_the_test_part_as_it_is_and_divides_the_rest(self, fold):
        parts, whole = fold(calibration=0.25), fold()
        assert parts.test.X.index.tolist() == whole.test.X.index.tolist()
        assert whole.calibration is None
        divided = [*parts.train.X.index, *parts.calibration.X.index]
        assert sorted(divided) == whole.train.X.index.tolist()

    def test_has_the_classes_of_the_whole(self, fold):
        parts = fold(calibration=0.25)
        fractions = [np.bincount(part.y) / len(part) for part in (parts.train, parts.calibration)]
        np.testing.assert_allclose(*fractions, atol=1 / 12)

    def test_is_the_same_each_time(self, fold):
        first, second = fold(calibration=0.25), fold(calibration=0.25)
        assert first.calibration.X.index.tolist() == second.calibration.X.index.tolist()

    def test_changes_every_key(self, folder):
        studies = [small_study(folder, outer=CrossValidation(2, calibration=fraction)) for fraction in (None, 0.2, 0.3)]
        keys = [{cell.key for cell in plan(study, load_datasets(study))} for study in studies]
        assert len(set.union(*keys)) == sum(map(len, keys))

    @pytest.mark.parametrize(
        ("variant", "message"),
        [
            (
                Variant("rc+"),
                "with 2 outer splits and a fraction of 0.1 for calibration there may be only 0 .* but 1 are needed",
            ),
            (
                Variant("rc+", calibration="beta"),
                "there may be only 0 to calibrate with, but 3 are needed. Set a larger fraction",
            ),
        ],
    )
    def test_must_have_samples_of_each_class(self, tmp_path, variant, message):
        table = pd.DataFrame({"a": range(212), "target": [0, 1] * 100 + [2] * 12})
        table.to_csv(tmp_path / "own.csv", index=False)
        outer = CrossValidation(2, calibration=0.1)
        with pytest.raises(StudyDefinitionError, match=f"'own' has only 12 samples of class 2: .*{message}"):
            load_datasets(small_study(tmp_path, datasets=["own"], outer=outer, variants=[variant]))

    def test_does_not_take_the_last_sample_to_train_on(self, tmp_path):
        table = pd.DataFrame({"a": range(40), "target": [0, 1] * 18 + [2] * 4})
        table.to_csv(tmp_path / "own.csv", index=False)
        outer = CrossValidation(2, calibration=0.5)
        with pytest.raises(StudyDefinitionError, match=r"'own' has only 4 samples of class 2: .* none to train on"):
            load_datasets(small_study(tmp_path, datasets=["own"], outer=outer))


def by_hand(cell, fitted, samples, calibration, **settings):
    """Stated and calibrated probabilities of the held-out samples, with nothing but the maps themselves."""
    fold = cell.group.split.outer(samples.subset)
    plain = attrs.evolve(cell.variant, calibration=None)
    model = make_variant(plain, settings, fitted.outer, cell.seed).fit(fold.train.X, fold.train.y)
    own = fold.calibration
    predicted = model.predict_proba(own.X)
    folds = StratifiedKFold(3, shuffle=True, random_state=cell.seed).split(own.X, own.y)
    maps = [calibration().fit(predicted[rows], own.y[rows]) for rows, _ in folds]
    answers = model.predict_proba(fold.test.X)
    return answers, np.mean([each.transform(answers) for each in maps], axis=0)


class TestResults:
    @pytest.mark.parametrize("inference", ["decision-list", "aggregate"])
    @pytest.mark.parametrize(("name", "kind"), [("temperature", Temperature), ("dirichlet", Dirichlet), ("beta", Beta)])
    def test_are_those_of_the_published_protocol_by_hand(self, worked, inference, name, kind):
        variants = with_calibrations(Variant("rcprob", parameters={"inference": inference}, grid=GRID), [name])
        samples, cells, fitted, (plain, calibrated) = worked(*variants)
        predicted, expected = by_hand(cells[1], fitted, samples, kind, **plain.chosen)
        np.testing.assert_array_equal(plain.probabilities, predicted)
        np.testing.assert_allclose(calibrated.probabilities, expected, rtol=0, atol=1e-12)
        assert calibrated.chosen == plain.chosen

    def test_have_measures_of_the_calibrated_probabilities_and_sizes_of_the_rules(self, worked):
        *_, (plain, calibrated) = worked(*with_calibrations(Variant("rc+"), ["temperature"]))
        sizes = ["n_rules", "n_conditions", "n_distinct_conditions", "conditions_per_rule", "uniqueness"]
        assert [calibrated.measures[name] for name in sizes] == [plain.measures[name] for name in sizes]
        assert calibrated.measures.keys() == plain.measures.keys()
        of_truth = calibrated.probabilities[np.arange(calibrated.n_test), calibrated.truth]
        assert calibrated.measures["log_loss"] == pytest.approx(-np.log(of_truth).mean())
        assert calibrated.measures["log_loss"] < plain.measures["log_loss"]

    def test_of_temperature_scaling_have_the_same_decisions(self, worked):
        *_, (plain, calibrated) = worked(*with_calibrations(Variant("rcprob"), ["temperature"]))
        for name in ("accuracy", "macro_f1", "fidelity"):
            assert calibrated.measures[name] == plain.measures[name]

    def test_have_rules_that_state_the_calibrated_probabilities(self, worked):
        samples, cells, _, (plain, calibrated) = worked(*with_calibrations(Variant("rcprob"), ["dirichlet"]))
        test = cells[0].group.split.outer(samples.subset).test
        rules = RuleSet.from_dict(calibrated.ruleset)
        np.testing.assert_allclose(rules.predict_proba(test.X), calibrated.probabilities, atol=1e-12)
        assert rules.antecedents == RuleSet.from_dict(plain.ruleset).antecedents
        assert [each["probability"] for each in calibrated.diagnostics] == [rule.probability for rule in rules[:-1]]

    def test_of_aggregate_inference_have_rules_as_they_state_themselves(self, worked):
        """Their common answer is calibrated, none of them has a calibrated probability of its own."""
        variant = Variant("all", "rcprob", {"inference": "aggregate"})
        *_, (plain, calibrated) = worked(*with_calibrations(variant, ["dirichlet"]))
        assert calibrated.ruleset == plain.ruleset
        assert calibrated.measures["n_rules"] == plain.measures["n_rules"]
        assert not np.array_equal(calibrated.probabilities, plain.probabilities)

    def test_without_calibration_are_fitted_on_the_same_part(self, worked):
        samples, cells, fitted, (plain, _) = worked(*with_calibrations(Variant("rcprob"), ["beta"]))
        assert (plain.n_train, fitted.result.n_train, plain.n_test) == (45, 45, 75)
        train = cells[0].group.split.outer(samples.subset).train
        expected = rulekit.build("rcprob", fitted.outer).fit(train.X, train.y)
        assert RuleSet.from_dict(plain.ruleset).antecedents == expected.ruleset_.antecedents

    def test_do_not_depend_on_the_siblings(self, worked):
        variants = with_calibrations(Variant("rcprob", grid=GRID), ["temperature", Dirichlet(l2=0.1)])
        samples, cells, fitted, results = worked(*variants)
        for cell, result in zip(cells, results, strict=True):
            (alone,) = run_bundle(samples, Bundle((cell,)), fitted)
            np.testing.assert_array_equal(alone.probabilities, result.probabilities)
            assert (alone.measures, alone.ruleset) == (result.measures, result.ruleset)

    def test_of_one_map_that_fails_are_no_loss_for_the_others(self, worked):
        variants = with_calibrations(Variant("rcprob"), [{"method": "dirichlet", "l2": -1}, "beta"])
        *_, (plain, failed, other) = worked(*variants)
        assert failed.error.startswith("InvalidParameterError: Dirichlet: l2 must be")
        assert (plain.measures["n_rules"], other.measures["n_rules"]) == (plain.measures["n_rules"],) * 2


class Shrinking(CalibrationMap):
    """Part of the way to the fractions of the classes."""

    def __init__(self, weight=0.5):
        self.weight = weight

    def fit(self, probabilities, positions):
        self.fractions_ = np.bincount(positions) / len(positions)
        return self

    def transform(self, probabilities):
        return (1 - self.weight) * probabilities + self.weight * self.fractions_


@pytest.fixture
def shrinking():
    """A map that somebody has registered."""
    with registry_put_back():
        rulekit.register("calibration", "shrinking", Shrinking)
        yield


@pytest.mark.usefixtures("shrinking")
class TestARegisteredMap:
    @pytest.mark.parametrize("weight", [0.5, 0.25])
    def test_calibrates_a_variant(self, worked, weight):
        own = "shrinking" if weight == 0.5 else {"method": "shrinking", "weight": weight}
        samples, cells, fitted, (_, calibrated) = worked(*with_calibrations(Variant("rcprob"), [own]))
        _, expected = by_hand(cells[1], fitted, samples, lambda: Shrinking(weight))
        np.testing.assert_allclose(calibrated.probabilities, expected, rtol=0, atol=1e-12)

    def test_runs_in_a_study(self, folder, tmp_path):
        variants = with_calibrations(Variant("rcprob"), ["shrinking"])
        study = small_study(folder, datasets=["large"], variants=variants, outer=FRACTION)
        run_study(study, tmp_path / "store", n_jobs=1)
        assert set(Store(tmp_path / "store").results()["status"]) == {"done"}


class TestFits:
    def test_of_calibrated_siblings_are_one(self, worked, monkeypatch):
        n_fits, run = [], Search.run
        monkeypatch.setattr(Search, "run", lambda *given: n_fits.append(0) or run(*given))
        worked(*with_calibrations(Variant("rcprob", grid=GRID), ["temperature", "dirichlet", "beta"]))
        assert len(n_fits) == 2 * 2 + 1

    def test_of_a_method_without_rules_are_one_too(self, worked):
        n_fits = []

        class Counting(DummyClassifier):
            def fit(self, X, y):
                n_fits.append(0)
                return super().fit(X, y)

        rulekit.register("method", "dummy", lambda ensemble, **parameters: Counting(**parameters))
        try:
            *_, results = worked(*with_calibrations(Variant("dummy"), ["temperature", "dirichlet"]))
        finally:
            plugins.cache_clear()
        assert len(n_fits) == 1
        assert [each.ruleset for each in results] == [None] * 3


class TestParts:
    @pytest.mark.parametrize(
        ("calibration", "message"),
        [
            ("temprature", "No calibration map named 'temprature'. Did you mean 'temperature'?"),
            ({"method": "dirichlet", "l3": 1}, "Invalid parameter 'l3' for estimator Dirichlet()"),
        ],
    )
    def test_that_cannot_be_made_are_told_before_any_work(self, folder, calibration, message):
        study = small_study(folder, outer=FRACTION, variants=[Variant("mine", "rc+", calibration=calibration)])
        with pytest.raises(StudyDefinitionError) as raised:
            check_parts(study)
        assert str(raised.value).startswith(f"[variants.mine]: {message}")

    def test_have_the_parameters_that_were_given(self):
        assert calibration_map({"method": "dirichlet", "l2": 0.5}).get_params()["l2"] == 0.5
        assert calibration_map(Dirichlet(l2=0.5)).l2 == 0.5


def test_a_calibrated_study_runs_and_comes_back_the_same(folder, tmp_path):
    variants = with_calibrations(Variant("rcprob", grid=GRID), ["temperature"])
    variants += with_calibrations(Variant("dt", "tree"), ["dirichlet"])
    ensembles = [Ensemble("gbm", parameters={"n_estimators": 3})]
    study = small_study(folder, datasets=["one"], variants=variants, outer=FRACTION, ensembles=ensembles)
    for name, order in (("a", variants), ("b", variants[::-1])):
        run_study(attrs.evolve(study, variants=order), tmp_path / name, n_jobs=1)
    run_study(study, tmp_path / "b", n_jobs=1)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    results = Store(tmp_path / "a").results()
    assert (len(results), set(results["status"]), set(results["n_train"])) == (10, {"done"}, {18})
