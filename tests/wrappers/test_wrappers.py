"""A model made of others is read as what it predicts: compared with its own `predict_proba`, also at thresholds."""

import numpy as np
import pytest
from imblearn.ensemble import BalancedBaggingClassifier, BalancedRandomForestClassifier, EasyEnsembleClassifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier, StackingClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from wrappers.models import BASES, WRAPPERS, table
from xgboost import XGBClassifier

import rulekit
from rulekit.core.errors import UnfittedEnsembleError, UnsupportedEnsembleError
from rulekit.model import find_adapter
from rulekit.testing.forests import samples_at_thresholds

#: XGBoost adds up scores in float32, and an isotonic curve may be steep.
TOLERANCE = 1e-5


def assert_same_probabilities(model, X):
    forest = find_adapter(model).forest(model)
    samples = np.vstack([X, samples_at_thresholds(forest, X)])
    np.testing.assert_allclose(forest.predict_proba(samples), model.predict_proba(samples), atol=TOLERANCE)
    assert np.array_equal(forest.classes, model.classes_)
    for tree in (tree for trees in forest.rounds for tree in trees):
        np.testing.assert_allclose(tree.priors[tree.features < 0].sum(axis=1), 1.0)


# scikit-learn's AdaBoost in a bag that lacks samples.
@pytest.mark.filterwarnings("ignore:divide by zero encountered in log:RuntimeWarning")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("base", BASES)
def test_its_forest_predicts_its_own_probabilities(base, wrapper, n_classes):
    if base == "exponential" and n_classes > 2 and wrapper != "one-vs-rest":
        pytest.skip("this loss is for two classes only")
    X, y = table(n_classes, n_classes)
    assert_same_probabilities(WRAPPERS[wrapper](BASES[base]()).fit(X, y), X)


@pytest.mark.parametrize(
    "model",
    [
        BalancedRandomForestClassifier(4, max_depth=3, random_state=0),
        BalancedBaggingClassifier(n_estimators=3, random_state=0),
        BalancedBaggingClassifier(BASES["boosting"](), n_estimators=2, random_state=0),
        EasyEnsembleClassifier(2, BASES["adaboost"](), random_state=0),
        CalibratedClassifierCV(BASES["forest"](), method="temperature", cv=2),
        CalibratedClassifierCV(BASES["hist-boosting"](), method="temperature", cv=2),
        CalibratedClassifierCV(FrozenEstimator(BASES["forest"]().fit(*table(0)))),
        VotingClassifier([("a", BASES["lightgbm"]()), ("b", "drop"), ("c", BASES["hist-boosting"]())], voting="soft"),
        OneVsRestClassifier(BalancedRandomForestClassifier(3, max_depth=2, random_state=0)),
        CalibratedClassifierCV(VotingClassifier([("a", BASES["forest"]()), ("b", BASES["boosting"]())], voting="soft")),
        BaggingClassifier(OneVsRestClassifier(BASES["forest"]()), 2, max_features=0.7, random_state=0),
    ],
    ids=str,
)
def test_so_does_that_of_other_models_and_of_nested_ones(model):
    X, y = table(0)
    # A smaller class gives samplers something to do.
    rows = np.flatnonzero((y > 0) | (np.arange(len(y)) % 3 == 0))
    labels = y if isinstance(getattr(model, "estimator", None), FrozenEstimator) else np.array(["10", "9", "low"])[y]
    assert_same_probabilities(model.fit(X[rows], labels[rows]), X)


def test_an_average_of_equal_forests_is_one_forest_of_their_trees():
    X, y = table(0)
    model = BalancedBaggingClassifier(n_estimators=3, random_state=0).fit(X, y)
    assert not find_adapter(model).forest(model).parts


def test_each_fold_of_a_calibrated_model_predicts_its_samples_honestly():
    X, y = table(0)
    model = CalibratedClassifierCV(BASES["boosting"](), cv=3).fit(X, y)
    expected = np.empty((len(X), 3))
    for fold, (_, test) in zip(model.calibrated_classifiers_, StratifiedKFold(3).split(X, y), strict=True):
        expected[test] = fold.predict_proba(X[test])
    data = rulekit.build("rclist", model).prepare(X, y)
    np.testing.assert_allclose(data.out_of_bag_probabilities, expected, atol=1e-12)


@pytest.mark.parametrize("cv", [3, StratifiedKFold(3, shuffle=True, random_state=1)], ids=str)
def test_there_are_no_such_probabilities_if_the_samples_come_in_another_order(cv):
    X, y = table(0)
    model = CalibratedClassifierCV(BASES["forest"](), cv=cv).fit(X, y)
    rows = np.random.default_rng(0).permutation(len(X))
    known = rulekit.build("rclist", model).prepare(X, y).out_of_bag_probabilities
    assert known is not None
    assert rulekit.build("rclist", model).prepare(X[rows], y[rows]).out_of_bag_probabilities is None


def test_nor_if_the_folds_were_drawn_without_a_seed():
    X, y = table(0)
    model = CalibratedClassifierCV(BASES["forest"](), cv=StratifiedKFold(3, shuffle=True)).fit(X, y)
    assert rulekit.build("rclist", model).prepare(X, y).out_of_bag_probabilities is None


def test_a_calibrated_frozen_model_is_not_fitted_again_since_its_copies_would_know_every_sample():
    X, y = table(0)
    frozen = FrozenEstimator(BASES["boosting"]().fit(X, y))
    data = rulekit.build("rclist", CalibratedClassifierCV(frozen).fit(X, y)).prepare(X, y)
    assert (data.out_of_bag_probabilities, data.refit) == (None, None)


def test_out_of_bag_probabilities_of_voting_forests_average_those_of_the_voters():
    X, y = table(0)
    voters = [RandomForestClassifier(20, max_depth=3, oob_score=True, random_state=seed) for seed in range(2)]
    model = VotingClassifier(list(zip("ab", voters, strict=True)), voting="soft", weights=[1, 3]).fit(X, y)
    of_voters = [voter.oob_decision_function_ for voter in model.estimators_]
    found = rulekit.build("rclist", model).prepare(X, y).out_of_bag_probabilities
    np.testing.assert_allclose(found, np.average(of_voters, axis=0, weights=[1, 3]), atol=1e-12)


def test_rules_come_out_of_an_unfitted_one_too():
    X, y = table(0)
    model = rulekit.build("rcprob", CalibratedClassifierCV(BASES["forest"]()), random_state=0).fit(X, y)
    assert len(model.ruleset_) > 1
    assert type(model.ensemble_).__name__ == "CalibratedClassifierCV"


def vote(voting):
    return VotingClassifier([("forest", BASES["forest"]())], voting=voting).fit(*table(0))


def test_a_hard_vote_is_not_supported_and_the_error_says_how_to_make_it_soft():
    with pytest.raises(UnsupportedEnsembleError, match=r"set_params\(voting='soft'\).*vote\.estimators_\[0\]"):
        rulekit.build("rcprob", vote("hard")).fit(*table(0))
    model = vote("hard").set_params(voting="soft")
    assert_same_probabilities(model, table(0)[0])


def test_a_stack_is_not_supported_and_the_error_names_what_to_pass():
    stack = StackingClassifier([("forest", BASES["forest"]())], LogisticRegression()).fit(*table(0))
    expected = (
        "^Not supported: a StackingClassifier, whose answer is no average of trees. Pass an ensemble in it, such as "
        r"its estimators_\[0\]\.$"
    )
    with pytest.raises(UnsupportedEnsembleError, match=expected):
        rulekit.build("rcprob", stack).fit(*table(0))
    rulekit.build("rcprob", stack.estimators_[0]).fit(*table(0))


def test_a_wrapped_model_without_trees_is_not_supported():
    model = CalibratedClassifierCV(LogisticRegression()).fit(*table(0))
    with pytest.raises(UnsupportedEnsembleError, match="LogisticRegression is not known to be made of trees"):
        rulekit.build("rcprob", model).fit(*table(0))


def test_a_voter_without_trees_is_not_supported_and_the_error_names_one_that_can_be_passed():
    voters = [("own", LogisticRegression()), ("forest", BASES["forest"]())]
    model = VotingClassifier(voters, voting="soft").fit(*table(0))
    expected = (
        "^Not supported: one of the models in the VotingClassifier is a LogisticRegression, which is not made of "
        r"trees. Pass one that is, such as its estimators_\[1\]\.$"
    )
    with pytest.raises(UnsupportedEnsembleError, match=expected):
        rulekit.build("rcprob", model).fit(*table(0))
    rulekit.build("rcprob", model.estimators_[1]).fit(*table(0))


def test_the_folds_of_calibrated_boosting_of_single_precision_are_recognised():
    """XGBoost's probabilities have 24 bits, with which scikit-learn's optimiser stops elsewhere, by up to 2e-4."""
    X, y = load_breast_cancer(return_X_y=True)
    model = CalibratedClassifierCV(XGBClassifier(n_estimators=10, n_jobs=1), cv=3).fit(X, y)
    data = rulekit.build("rclist", model).prepare(X, y)
    assert data.out_of_bag_probabilities is not None
    others = rulekit.build("rclist", model).prepare(X[::-1].copy(), y[::-1].copy())
    assert others.out_of_bag_probabilities is None


def test_preprocessing_inside_each_part_is_not_supported_and_the_error_says_where_to_put_it():
    model = BaggingClassifier(make_pipeline(StandardScaler(), BASES["forest"]()), 2).fit(*table(0))
    with pytest.raises(UnsupportedEnsembleError, match=r"make_pipeline\(preprocessing, BaggingClassifier\(…\)\)"):
        rulekit.build("rcprob", model).fit(*table(0))


def test_weights_of_zero_leave_no_ensemble():
    model = VotingClassifier([("forest", BASES["forest"]())], voting="soft", weights=[0.0]).fit(*table(0))
    with pytest.raises(UnsupportedEnsembleError, match="All weights of the VotingClassifier are zero"):
        find_adapter(model).forest(model)


def test_an_unfitted_search_is_reported():
    from sklearn.model_selection import GridSearchCV

    with pytest.raises(UnfittedEnsembleError, match=r"is not fitted.*search\.estimator"):
        rulekit.build("rcprob", GridSearchCV(BASES["forest"](), {"max_depth": [2]}))
