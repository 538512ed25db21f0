"""Pipelines in other models, other models in pipelines, and samplers, which act in training only."""

import numpy as np
import pytest
from imblearn.over_sampling import RandomOverSampler
from imblearn.pipeline import make_pipeline as make_imbalanced_pipeline
from imblearn.under_sampling import RandomUnderSampler
from lightgbm import LGBMClassifier
from pipelines.bank import forest, preprocessing, table
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import PCA
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, VotingClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBClassifier

import rulekit
from rulekit.core.errors import UnsupportedEnsembleError, WeightsNotSupportedError

X, LABELS = table(200)
#: XGBoost, inside other models, reads no labels but 0, 1, 2, ….
Y = (LABELS == "yes").astype(int)
BASES = {
    "forest": lambda: forest(n_estimators=3),
    "boosting": lambda: GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0),
    "hist-boosting": lambda: HistGradientBoostingClassifier(max_iter=3, max_depth=3),
    "xgboost": lambda: XGBClassifier(n_estimators=3, max_depth=2, n_jobs=1),
    "lightgbm": lambda: LGBMClassifier(n_estimators=3, max_depth=2, verbosity=-1, n_jobs=1),
}
WRAPPERS = {
    "pipeline": lambda base: make_pipeline(steps(), base),
    "pipeline of calibrated": lambda base: make_pipeline(steps(), CalibratedClassifierCV(base, cv=2)),
    "calibrated pipeline": lambda base: CalibratedClassifierCV(make_pipeline(steps(), base), cv=2),
    "one-vs-rest": lambda base: OneVsRestClassifier(make_pipeline(steps(), base)),
    "vote": lambda base: VotingClassifier(
        [("one", make_pipeline(steps(), base)), ("other", make_pipeline(steps(), forest(n_estimators=2)))],
        voting="soft",
    ),
}


def steps():
    return preprocessing().set_params(sparse_threshold=0)


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("base", BASES)
def test_every_combination_is_read_in_raw_columns(base, wrapper):
    model = WRAPPERS[wrapper](BASES[base]()).fit(X, Y)
    data = rulekit.build("rcprob", model).prepare(X, Y)
    assert data.conditions.feature_names == tuple(X.columns)
    np.testing.assert_allclose(data.ensemble_probabilities, model.predict_proba(X), atol=1e-6)
    unseen = X.assign(job="Astronaut")
    numbers = rulekit.build("rcprob", model).fit(data, data.y).ruleset_.as_numbers(unseen)
    np.testing.assert_allclose(data.forest.predict_proba(numbers), model.predict_proba(unseen), atol=1e-6)


def test_folds_that_lack_a_category_agree_on_the_codes_of_the_others():
    rare = X.copy()
    rare.loc[0, "job"] = "Aviator"  # first in the alphabet, and in one fold only
    model = CalibratedClassifierCV(make_pipeline(steps(), forest(n_estimators=3)), cv=2).fit(rare, Y)
    data = rulekit.build("rcprob", model).prepare(rare, Y)
    np.testing.assert_allclose(data.ensemble_probabilities, model.predict_proba(rare), atol=1e-12)


def test_the_folds_of_a_calibrated_pipeline_leave_honest_probabilities():
    model = CalibratedClassifierCV(make_pipeline(steps(), forest(n_estimators=3)), cv=2).fit(X, Y)
    found = rulekit.build("rclist", model).prepare(X, Y).out_of_bag_probabilities
    assert not np.isnan(found).any()


def test_steps_that_rules_cannot_express_belong_before_the_wrapper():
    inside = make_pipeline(StandardScaler(), PCA(1), forest(n_estimators=2))
    numbers = X[["age", "calls"]]
    with pytest.raises(UnsupportedEnsembleError, match=r"inside another model by PCA.*Put the preprocessing before"):
        rulekit.build("rcprob", CalibratedClassifierCV(inside, cv=2)).fit(numbers, Y)


class TestSamplers:
    @pytest.mark.parametrize("before", [True, False])
    def test_act_in_training_only(self, before):
        sampler = RandomUnderSampler(random_state=0)
        order = (sampler, steps()) if before else (steps(), sampler)
        model = make_imbalanced_pipeline(*order, forest(n_estimators=3)).fit(X, Y)
        data = rulekit.build("rcprob", model).prepare(X, Y)
        assert data.n_samples == len(X)
        np.testing.assert_allclose(data.ensemble_probabilities, model.predict_proba(X), atol=1e-12)

    def test_may_be_all_that_comes_before_the_ensemble(self):
        numbers = X[["age", "calls"]]
        model = make_imbalanced_pipeline(RandomOverSampler(random_state=0), forest(n_estimators=3)).fit(numbers, Y)
        found = rulekit.build("rcprob", model).fit(numbers, Y)
        assert found.transformer_ is None

    def test_have_no_weights_of_the_samples_that_they_draw(self):
        model = make_imbalanced_pipeline(steps(), RandomOverSampler(random_state=0), forest(n_estimators=3))
        with pytest.raises(WeightsNotSupportedError, match="an unfitted pipeline that has samplers"):
            rulekit.build("rcprob", model).fit(X, Y, sample_weight=np.arange(len(X)) + 1)

    def test_hide_which_samples_a_tree_has_seen(self):
        model = make_imbalanced_pipeline(steps(), RandomOverSampler(random_state=0), forest(n_estimators=3)).fit(X, Y)
        assert rulekit.build("rcprob", model).prepare(X, Y).out_of_bag_probabilities is None

    def test_act_in_copies_too(self):
        """A copy of a forest that is trained on balanced samples is trained on balanced samples."""
        rare = np.arange(len(X)) % 10 == 0
        pipeline = make_imbalanced_pipeline(
            StandardScaler(), RandomUnderSampler(random_state=0), forest(n_estimators=20, max_depth=1)
        )
        data = rulekit.build("rcprob", pipeline).prepare(X[["age", "calls"]], rare)
        copy = data.refit(np.arange(len(X)) < 2)
        assert copy(data.X)[:, 1].mean() == pytest.approx(0.5, abs=0.1)
