"""A classifier whose classes get other labels gives the same rules, about these labels."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from wrappers.models import BASES, table

import rulekit
from rulekit.core.errors import EnsembleMismatchError, UnfittedEnsembleError
from rulekit.model import find_adapter
from rulekit.wrappers.named_classes import NamedClasses

NAMES = ["zero", "one", "four"]  # not in alphabetical order


@pytest.mark.parametrize("base", [base for base in BASES if base != "exponential"])  # that one is for two classes
@pytest.mark.parametrize("method", ["rcprob", "rclist"])
def test_the_rules_are_the_same_but_for_the_names(base, method):
    X, y = table(0, 3)
    names, fitted = np.array(["a", "b", "c"]), BASES[base]().fit(X, y)
    expected = rulekit.build(method, fitted, random_state=0).fit(X, y)
    found = rulekit.build(method, NamedClasses(fitted, names), random_state=0).fit(X, names[y])
    assert found.classes_.tolist() == names.tolist()
    assert np.array_equal(found.predict(X), names[expected.predict(X)])
    np.testing.assert_array_equal(found.predict_proba(X), expected.predict_proba(X))


@pytest.mark.parametrize("base", [base for base in BASES if base != "exponential"])
def test_its_forest_has_the_names_in_any_order(base):
    X, y = table(0, 3)
    model = BASES[base]().fit(X, y)
    named = NamedClasses(model, NAMES)
    forest = find_adapter(named).forest(named).with_sorted_classes()
    assert forest.classes.tolist() == named.classes_.tolist() == sorted(NAMES)
    np.testing.assert_allclose(forest.predict_proba(np.asarray(X, dtype=float)), named.predict_proba(X), atol=1e-6)


def test_it_predicts_as_its_model():
    X, y = table(0, 3)
    model = BASES["forest"]().fit(X, y)
    named = NamedClasses(model, NAMES)
    assert np.array_equal(named.predict(X), np.array(NAMES)[model.predict(X)])
    np.testing.assert_array_equal(named.predict_proba(X), model.predict_proba(X)[:, np.argsort(NAMES)])


def test_the_forest_inside_still_knows_its_out_of_bag_samples():
    X, y = table(0, 3)
    named = NamedClasses(BASES["forest"]().fit(X, y), NAMES)
    assert rulekit.build("rclist", named).fit(X, np.array(NAMES)[y]).final_report_["honest"] == "out-of-bag"


def test_it_can_be_fitted_unless_its_model_is_frozen():
    X, y = table(0, 3)
    model = BASES["forest"]().fit(X, y)
    again = clone(NamedClasses(model, NAMES)).fit(X, np.array(NAMES)[y])
    np.testing.assert_array_equal(again.predict_proba(X), NamedClasses(model, NAMES).predict_proba(X))
    with pytest.raises(UnfittedEnsembleError, match=r"The .* cannot be fitted again"):
        NamedClasses(FrozenEstimator(model), NAMES).fit(X, y)


def test_it_may_be_the_last_step_of_a_pipeline():
    X, y = table(0, 3)
    plain = make_pipeline(StandardScaler(), BASES["forest"]()).fit(X, y)
    named = make_pipeline(plain[0], NamedClasses(plain[1], NAMES))
    found = rulekit.build("rcprob", named).fit(X, np.array(NAMES)[y])
    assert found.classes_.tolist() == sorted(NAMES)
    assert np.mean(found.predict(X) == np.array(NAMES)[plain.predict(X)]) > 0.8


def test_there_must_be_a_name_for_each_class():
    X, y = table(0, 3)
    with pytest.raises(EnsembleMismatchError, match=r"predicts 3 classes, .* but there are names for 2: "):
        rulekit.build("rcprob", NamedClasses(BASES["forest"]().fit(X, y), ["a", "b"])).fit(X, np.where(y, "a", "b"))
