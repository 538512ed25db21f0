"""From a method's name to an unfitted classifier."""

import re
from collections.abc import Iterator

import numpy as np
import pytest
from plugin.isolation import registry_put_back
from sklearn.base import is_classifier
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

import rulekit
from rulekit.adapters.sklearn_trees import SklearnForestAdapter
from rulekit.core.errors import ComponentTypeError, InvalidParameterError, UnknownComponentError
from rulekit.inference.aggregate import Aggregate
from rulekit.priors.mean import Mean
from rulekit.priors.product import Product
from rulekit.probability.empirical import Empirical
from rulekit.probability.hybrid import Hybrid
from rulekit.probability.laplace import Laplace
from rulekit.probability.m_estimate import MEstimate
from rulekit.probability.naive_bayes import NaiveBayes
from rulekit.search.combine import Combine
from rulekit.search.cover import Cover
from rulekit.search.simplify import DropRedundant, Simplify

PRESETS = ["rc+", "rcprob", "rclist"]
COMPONENT_PARAMETERS = {
    "adapter": "adapter",
    "priors": "prior combiner",
    "search_estimator": "probability estimator",
    "final_estimator": "probability estimator",
    "combine": "combine stage",
    "cover": "cover stage",
    "simplify": "simplify stage",
    "inference": "inference mode",
}


@pytest.fixture(autouse=True)
def _registry() -> Iterator[None]:
    with registry_put_back():
        yield


@pytest.fixture(scope="module")
def data() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(120, 3))
    return X, (X[:, 0] + 0.5 * generator.normal(size=120) > 0).astype(int)


def small_forest() -> RandomForestClassifier:
    return RandomForestClassifier(3, max_depth=2, random_state=0)


class TestWhatBuildReturns:
    @pytest.mark.parametrize("name", PRESETS)
    def test_a_scikit_learn_classifier(self, name):
        assert is_classifier(rulekit.build(name))

    @pytest.mark.parametrize("name", PRESETS)
    def test_a_classifier_that_is_not_fitted(self, name):
        with pytest.raises(NotFittedError):
            check_is_fitted(rulekit.build(name))

    def test_not_fitted_even_if_the_ensemble_is(self, data):
        with pytest.raises(NotFittedError):
            check_is_fitted(rulekit.build("rcprob", small_forest().fit(*data)))

    @pytest.mark.parametrize(
        ("name", "types"),
        [
            ("rc+", {"priors": Mean, "search_estimator": Empirical, "final_estimator": Empirical}),
            ("rcprob", {"priors": Product, "search_estimator": NaiveBayes, "final_estimator": Hybrid}),
        ],
    )
    def test_the_components_of_the_preset(self, name, types):
        parameters = rulekit.build(name).get_params(deep=False)
        assert {parameter: type(parameters[parameter]) for parameter in types} == types

    def test_an_extractor_without_parameters_is_rcprob(self, data):
        by_hand = rulekit.RuleExtractor(small_forest()).fit(*data)
        assert rulekit.build("rcprob", small_forest()).fit(*data).ruleset_ == by_hand.ruleset_

    def test_models_built_from_one_name_share_no_component(self):
        assert rulekit.build("rcprob").final_estimator is not rulekit.build("rcprob").final_estimator


class TestSwapping:
    @pytest.mark.parametrize(
        ("parameter", "name", "expected"),
        [
            ("priors", "mean", Mean),
            ("search_estimator", "laplace", Laplace),
            ("final_estimator", "m-estimate", MEstimate),
            ("simplify", "drop-redundant", DropRedundant),
            ("inference", "aggregate", Aggregate),
        ],
    )
    def test_by_registered_name(self, parameter, name, expected):
        assert type(getattr(rulekit.build("rcprob", **{parameter: name}), parameter)) is expected

    @pytest.mark.parametrize(
        ("parameter", "component"),
        [
            ("priors", Mean()),
            ("search_estimator", Laplace(2.0)),
            ("final_estimator", MEstimate(3.0)),
            ("inference", Aggregate()),
        ],
    )
    def test_by_instance(self, parameter, component):
        assert getattr(rulekit.build("rcprob", **{parameter: component}), parameter) is component

    @pytest.mark.parametrize("stage", ["combine", "cover", "simplify"])
    def test_a_stage_is_left_out_with_none(self, stage):
        assert getattr(rulekit.build("rcprob", **{stage: None}), stage) is None

    def test_a_threshold_is_set_by_value(self):
        assert rulekit.build("rc+", min_precision=0.8).min_precision == 0.8

    def test_a_nested_parameter_reaches_the_presets_component(self):
        assert rulekit.build("rcprob", final_estimator__crossover=20).final_estimator.crossover == 20

    def test_a_nested_parameter_reaches_a_component_given_by_name(self):
        assert (
            rulekit.build(
                "rcprob", final_estimator="m-estimate", final_estimator__strength=2.0
            ).final_estimator.strength
            == 2.0
        )

    def test_a_nested_parameter_does_not_change_the_instance_that_was_passed(self):
        mine = Hybrid()
        rulekit.build("rcprob", final_estimator=mine, final_estimator__crossover=20)
        assert mine.crossover == 50.0

    def test_a_nested_parameter_reaches_an_unfitted_ensemble(self):
        assert rulekit.build("rcprob", small_forest(), ensemble__max_depth=1).ensemble.max_depth == 1

    def test_a_nested_parameter_does_not_change_the_ensemble_that_was_passed(self):
        mine = small_forest()
        rulekit.build("rcprob", mine, ensemble__max_depth=1)
        assert mine.max_depth == 2

    def test_a_nested_parameter_reaches_an_ensemble_given_by_name(self, data):
        model = rulekit.build("rcprob", "gbm", ensemble__n_estimators=2, random_state=0).fit(*data)
        assert model.ensemble_.n_estimators == 2

    def test_a_nested_parameter_reaches_the_default_ensemble(self, data):
        model = rulekit.build("rcprob", ensemble__n_estimators=2, random_state=0).fit(*data)
        assert model.ensemble_.n_estimators == 2


class TestUnknownNames:
    def test_an_unknown_method_suggests_the_nearest(self):
        with pytest.raises(UnknownComponentError, match=re.escape("No method named 'rcprop'. Did you mean 'rcprob'?")):
            rulekit.build("rcprop")

    def test_an_unknown_method_lists_the_known_ones(self):
        with pytest.raises(UnknownComponentError, match=r"Known: .*rc\+, .*rcprob, .*tree"):
            rulekit.build("nothing like it")

    @pytest.mark.parametrize(("parameter", "called"), COMPONENT_PARAMETERS.items())
    def test_an_unknown_component_is_called_what_people_call_it(self, parameter, called):
        with pytest.raises(UnknownComponentError, match=f"^No {called} named 'betta'"):
            rulekit.build("rcprob", **{parameter: "betta"})

    def test_an_unknown_component_suggests_the_nearest_and_lists_the_rest(self):
        known = ", ".join(sorted(component.name for component in rulekit.list_components("probability")))
        message = f"No probability estimator named 'hibrid'. Did you mean 'hybrid'? Known: {known}."
        with pytest.raises(UnknownComponentError, match=f"^{re.escape(message)}$"):
            rulekit.build("rcprob", final_estimator="hibrid")

    def test_an_unknown_override_is_named_with_those_that_exist(self):
        known = ", ".join(sorted(rulekit.RuleExtractor().get_params(deep=False)))
        message = f"rulekit.build('rcprob') got unknown parameters: min_precison. Known: {known}."
        with pytest.raises(InvalidParameterError, match=f"^{re.escape(message)}$"):
            rulekit.build("rcprob", min_precison=0.8)

    def test_an_unknown_nested_parameter_is_named_with_those_that_exist(self):
        with pytest.raises(
            ValueError, match=r"Invalid parameter 'n1' for estimator Hybrid.*'crossover', 'smoothing', 'strength'"
        ):
            rulekit.build("rcprob", final_estimator__n1=3)

    def test_a_nested_parameter_of_nothing_is_named(self):
        with pytest.raises(ValueError, match="got unknown parameters: final_estimater__crossover"):
            rulekit.build("rcprob", final_estimater__crossover=3)

    def test_a_nested_parameter_of_a_stage_that_is_left_out_says_so(self):
        with pytest.raises(InvalidParameterError, match="cover"):
            rulekit.build("rcprob", cover=None, cover__anything=1)

    @pytest.mark.parametrize(
        ("parameter", "component"),
        [
            ("adapter", SklearnForestAdapter),
            ("priors", Mean),
            ("search_estimator", Empirical),
            ("final_estimator", Laplace),
            ("combine", Combine),
            ("cover", Cover),
            ("simplify", Simplify),
            ("inference", Aggregate),
        ],
    )
    def test_a_class_is_answered_with_a_call_of_it(self, parameter, component):
        with pytest.raises(ComponentTypeError, match=re.escape(f" Did you mean {component.__name__}()?")):
            rulekit.build("rcprob", **{parameter: component})

    @pytest.mark.parametrize("parameter", ["priors", "search_estimator", "final_estimator", "inference"])
    def test_a_component_that_is_needed_cannot_be_left_out(self, parameter):
        with pytest.raises(ComponentTypeError, match=f"^{parameter} must be the name of .* got None"):
            rulekit.build("rcprob", **{parameter: None})

    def test_an_instance_of_another_kind_is_rejected(self):
        message = "priors must be the name of a prior combiner or an instance of PriorCombiner, got Empirical()."
        with pytest.raises(ComponentTypeError, match=f"^{re.escape(message)}$"):
            rulekit.build("rcprob", priors=Empirical())


class TestEnsembles:
    def test_a_fitted_one_is_frozen_so_that_clones_keep_it(self, data):
        forest = small_forest().fit(*data)
        kept = rulekit.build("rcprob", forest).ensemble
        assert (type(kept), kept.estimator) == (FrozenEstimator, forest)

    def test_a_frozen_one_is_not_frozen_twice(self, data):
        forest = small_forest().fit(*data)
        assert rulekit.build("rcprob", FrozenEstimator(forest)).ensemble.estimator is forest

    def test_an_unfitted_one_is_taken_as_it_is(self):
        forest = small_forest()
        assert rulekit.build("rcprob", forest).ensemble is forest

    @pytest.mark.parametrize("name", ["rc+", "rcprob"])
    def test_none_means_a_random_forest(self, name, data):
        assert type(rulekit.build(name, random_state=0).fit(*data).ensemble_) is RandomForestClassifier

    def test_a_name_means_a_registered_one(self, data):
        assert type(rulekit.build("rc+", "gbm", random_state=0).fit(*data).ensemble_) is GradientBoostingClassifier

    def test_one_given_takes_the_place_of_the_presets(self, data):
        rulekit.register("method", "from-gbm", rulekit.Preset("Prefers boosting.", {"ensemble": "gbm"}, base="rcprob"))
        model = rulekit.build("from-gbm", small_forest()).fit(*data)
        assert type(model.ensemble_) is RandomForestClassifier

    def test_the_seed_reaches_one_given_by_name(self, data):
        assert rulekit.build("rcprob", "extra-trees", random_state=7).fit(*data).ensemble_.random_state == 7

    def test_an_unknown_name_lists_the_known_ones(self, data):
        message = "No ensemble named 'xgbost'."
        with pytest.raises(
            UnknownComponentError, match=f"^{re.escape(message)}.* Known: .*bagging, .*gbm, .*rf, .*tree"
        ):
            rulekit.build("rcprob", "xgbost").fit(*data)

    def test_a_registered_function_needs_no_seed(self, data):
        """A plugin's function that takes no `random_state` failed with a bare TypeError when `fit` passed one."""
        rulekit.register("ensemble", "stumps", lambda: RandomForestClassifier(2, max_depth=1, random_state=0))
        model = rulekit.build("rcprob", "stumps", min_precision=0.0).fit(*data)
        assert model.ensemble_.max_depth == 1


class TestPresets:
    def test_a_user_defines_one_in_two_lines(self, data):
        mine = rulekit.Preset(
            "RC+ that smooths.", {"priors": "mean", "search_estimator": "empirical", "final_estimator": "laplace"}
        )
        rulekit.register("method", "mine", mine)
        assert type(rulekit.build("mine", small_forest()).fit(*data).final_estimator) is Laplace

    def test_one_says_only_what_differs_from_its_base(self):
        rulekit.register("method", "cautious", rulekit.Preset("Asks for more.", {"min_precision": 0.9}, base="rc+"))
        model = rulekit.build("cautious")
        assert (model.min_precision, type(model.priors)) == (0.9, Mean)

    def test_one_may_set_nested_parameters(self):
        rulekit.register(
            "method", "mine", rulekit.Preset("Mixes early.", {"final_estimator__crossover": 5}, base="rcprob")
        )
        assert rulekit.build("mine").final_estimator.crossover == 5

    def test_an_override_beats_the_preset(self):
        rulekit.register("method", "mine", rulekit.Preset("Asks for more.", {"min_precision": 0.9}))
        assert rulekit.build("mine", min_precision=0.6).min_precision == 0.6

    def test_swapping_a_component_drops_the_presets_parameters_of_the_old_one(self):
        """`final_estimator__crossover` of the preset was set on the component that replaced the hybrid."""
        rulekit.register(
            "method", "mine", rulekit.Preset("Mixes early.", {"final_estimator__crossover": 5}, base="rcprob")
        )
        assert type(rulekit.build("mine", final_estimator="laplace").final_estimator) is Laplace

    def test_building_leaves_the_preset_as_it_is(self):
        mine = rulekit.Preset("Asks for more.", {"min_precision": 0.9})
        rulekit.register("method", "mine", mine)
        rulekit.build("mine", min_coverage=0.1, final_estimator__crossover=3)
        assert mine.parameters == {"min_precision": 0.9}

    def test_an_unknown_parameter_of_one_is_named(self):
        rulekit.register("method", "mine", rulekit.Preset("Wrong.", {"min_precison": 0.9}))
        with pytest.raises(
            InvalidParameterError, match=re.escape("rulekit.build('mine') got unknown parameters: min_")
        ):
            rulekit.build("mine")

    def test_an_unknown_base_suggests_the_nearest(self):
        rulekit.register("method", "mine", rulekit.Preset("Wrong.", {}, base="rcprop"))
        with pytest.raises(UnknownComponentError, match="Did you mean 'rcprob'"):
            rulekit.build("mine")

    def test_a_base_that_is_no_preset_is_rejected(self):
        rulekit.register("method", "function", lambda ensemble, **parameters: DecisionTreeClassifier())
        rulekit.register("method", "mine", rulekit.Preset("Wrong.", {}, base="function"))
        with pytest.raises(InvalidParameterError, match=re.escape("The base 'function' of a preset is not a preset.")):
            rulekit.build("mine")

    def test_a_preset_that_is_its_own_base_is_rejected(self):
        """Replacing a preset by one that builds on it, easily done in a notebook, ended in a RecursionError."""
        rulekit.register("method", "rcprob", rulekit.Preset("Mine.", {}, base="rcprob"), replace=True)
        with pytest.raises(InvalidParameterError, match="rcprob"):
            rulekit.build("rcprob")


class TestMethodsThatAreFunctions:
    def test_one_is_called_with_the_ensemble_and_the_overrides(self):
        calls = []
        rulekit.register("method", "mine", lambda ensemble, **parameters: calls.append((ensemble, parameters)))
        rulekit.build("mine", "rf", depth=3)
        assert calls == [("rf", {"depth": 3})]

    def test_what_it_returns_is_what_build_returns(self):
        made = DecisionTreeClassifier()
        rulekit.register("method", "mine", lambda ensemble, **parameters: made)
        assert rulekit.build("mine") is made
