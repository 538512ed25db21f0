"""Looking components up, and adding some in code."""

import re
from collections.abc import Iterator

import pytest
from plugin.isolation import registry_put_back

import rulekit
from rulekit.core.errors import ComponentTypeError, DuplicateComponentError, UnknownComponentError
from rulekit.core.interfaces import ProbabilityEstimator
from rulekit.plugin import make_component
from rulekit.plugin.kinds import KINDS


@pytest.fixture(autouse=True)
def _registry() -> Iterator[None]:
    with registry_put_back():
        yield


class Certain(ProbabilityEstimator):
    """States the prior."""

    def estimate(self, rules):
        return rules.priors


def names(kind: str) -> set[str]:
    return {component.name for component in rulekit.list_components(kind)}


class TestListComponents:
    def test_every_kind_is_there(self):
        """But for those of which rulekit itself ships none."""
        own = {each.kind for each in rulekit.list_components() if each.origin.startswith("rulekit-rcprob ")}
        assert own == set(KINDS) - {"study"}

    @pytest.mark.parametrize(
        ("kind", "expected"),
        [
            ("method", {"rc+", "rcprob", "rclist", "tree", "shrunk-tree", "distilled-tree"}),
            ("ensemble", {"rf", "gbm", "extra-trees", "bagging", "tree"}),
            ("adapter", {"sklearn-forest", "sklearn-bagging", "sklearn-gradient-boosting", "sklearn-tree"}),
            ("priors", {"product", "mean", "weighted-mean", "log-linear"}),
            (
                "probability",
                {"empirical", "laplace", "m-estimate", "ensemble-m-estimate", "naive-bayes", "hybrid", "answered"},
            ),
            ("combine", {"combine"}),
            ("cover", {"cover"}),
            ("simplify", {"simplify", "drop-redundant"}),
            ("inference", {"decision-list", "aggregate"}),
        ],
    )
    def test_what_ships_is_there(self, kind, expected):
        assert expected <= names(kind)

    def test_of_one_kind_only(self):
        assert {component.kind for component in rulekit.list_components("priors")} == {"priors"}

    def test_an_unknown_kind_suggests_the_nearest(self):
        with pytest.raises(
            UnknownComponentError, match=re.escape("No kind of component named 'prior'. Did you mean 'pri")
        ):
            rulekit.list_components("prior")

    def test_built_in_components_come_from_this_distribution(self):
        origins = {component.origin for component in rulekit.list_components("cover")}
        assert f"rulekit-rcprob {rulekit.__version__}" in origins

    @pytest.mark.parametrize("component", rulekit.list_components(), ids=lambda found: f"{found.kind} {found.name}")
    def test_each_has_one_line_that_ends_like_a_sentence(self, component):
        assert re.fullmatch(r"\S.*\.", component.summary)

    @pytest.mark.parametrize("component", rulekit.list_components(), ids=lambda found: f"{found.kind} {found.name}")
    def test_the_parameters_of_each_are_named(self, component):
        assert all(isinstance(name, str) for name in component.parameters)

    def test_parameters_come_with_their_defaults(self):
        hybrid = next(found for found in rulekit.list_components("probability") if found.name == "hybrid")
        assert hybrid.parameters == {"smoothing": 1.0, "strength": 5.0, "crossover": 50.0}

    def test_the_printed_component_says_where_it_comes_from(self):
        component = rulekit.list_components("cover")[0]
        expected = f"Component(kind='cover', name='cover', origin='rulekit-rcprob {rulekit.__version__}')"
        assert repr(component) == expected


class TestMakeComponent:
    def test_a_name_is_made_with_parameters(self):
        assert make_component("probability", "laplace", smoothing=0.5).smoothing == 0.5

    def test_an_instance_is_cloned_and_its_parameters_can_be_changed(self):
        given = make_component("priors", "log-linear", temperature=2.0)
        same, other = make_component("priors", given), make_component("priors", given, temperature=3.0)
        assert [each.temperature for each in (given, same, other)] == [2.0, 2.0, 3.0]
        assert given is not same

    def test_a_component_of_another_kind_is_told_apart(self):
        with pytest.raises(ComponentTypeError, match="must be the name of a prior combiner"):
            make_component("priors", Certain())


class TestRegister:
    def test_as_a_function(self):
        rulekit.register("probability", "certain", Certain)
        assert "certain" in names("probability")

    def test_as_a_decorator(self):
        rulekit.register("probability", "certain")(Certain)
        assert "certain" in names("probability")

    def test_the_decorator_returns_the_class(self):
        assert rulekit.register("probability", "certain")(Certain) is Certain

    def test_what_was_registered_can_be_built(self):
        rulekit.register("probability", "certain", Certain)
        assert type(rulekit.build("rcprob", final_estimator="certain").final_estimator) is Certain

    def test_a_method_by_decorator(self):
        @rulekit.register("method", "mine")
        def mine(ensemble, **parameters):
            """Made by hand."""
            return parameters

        assert rulekit.build("mine", depth=3) == {"depth": 3}

    def test_the_origin_is_the_code(self):
        rulekit.register("probability", "certain", Certain)
        assert rulekit.list_components("probability")[-1].origin == f"code in {__name__}"

    def test_the_origin_of_a_preset_is_not_rulekit(self):
        """A preset is an instance, so its `__module__` is that of its class: all seemed to come from rulekit."""
        rulekit.register("method", "mine", rulekit.Preset("Mine.", {}))
        assert "rulekit.plugin.preset" not in rulekit.list_components("method")[-1].origin

    def test_a_name_that_is_taken_names_both_origins(self):
        message = (
            f"Two probability estimators are named 'hybrid': one from rulekit-rcprob {rulekit.__version__}, "
            f"one from code in {__name__}."
        )
        with pytest.raises(DuplicateComponentError, match=f"^{re.escape(message)}"):
            rulekit.register("probability", "hybrid", Certain)

    @pytest.mark.parametrize("options", [{}, {"replace": True}])
    def test_a_cell_of_a_notebook_can_run_twice(self, options):
        rulekit.register("probability", "certain", Certain, **options)
        rulekit.register("probability", "certain", Certain, **options)
        assert "certain" in names("probability")

    @pytest.mark.parametrize("options", [{}, {"replace": True}])
    def test_a_decorator_can_run_twice(self, options):
        for _ in range(2):
            rulekit.register("probability", "certain", **options)(Certain)
        assert "certain" in names("probability")

    def test_the_second_run_replaces_the_first(self):
        """A cell is run again because something in it has changed."""
        code = "import rulekit\n@rulekit.register('method', 'mine')\ndef mine(ensemble): return {}"
        for version in (1, 2):
            exec(code.format(version), {"__name__": "__main__"})
        assert rulekit.build("mine") == 2

    def test_a_preset_can_be_registered_twice(self):
        for depth in (2, 3):
            rulekit.register("method", "mine", rulekit.Preset("Mine.", {"min_coverage": depth / 10}))
        assert rulekit.build("mine").min_coverage == 0.3

    def test_what_another_module_has_registered_is_not_replaced_by_chance(self):
        rulekit.register("probability", "certain", Certain)
        other = type("Certain", (Certain,), {"__module__": "somewhere.else"})
        with pytest.raises(DuplicateComponentError, match=r"one from code in somewhere\.else"):
            rulekit.register("probability", "certain", other)
        assert type(rulekit.build("rcprob", final_estimator="certain").final_estimator) is Certain

    def test_it_is_replaced_on_purpose(self):
        rulekit.register("probability", "certain", Certain)
        other = type("Certain", (Certain,), {"__module__": "somewhere.else"})
        rulekit.register("probability", "certain", other, replace=True)
        assert type(rulekit.build("rcprob", final_estimator="certain").final_estimator) is other

    def test_a_run_that_fails_leaves_what_was_registered_before(self):
        rulekit.register("probability", "certain", Certain)
        with pytest.raises(ComponentTypeError):
            rulekit.register("probability", "certain", type("Wrong", (), {"__module__": __name__}))
        assert type(rulekit.build("rcprob", final_estimator="certain").final_estimator) is Certain

    def test_a_wrong_class_is_rejected_at_once(self):
        with pytest.raises(ComponentTypeError, match=r"must be a subclass of rulekit\.plugin\.CoverStage"):
            rulekit.register("cover", "mine", Certain)

    def test_an_unknown_kind_suggests_the_nearest(self):
        with pytest.raises(UnknownComponentError, match="Did you mean 'probability'"):
            rulekit.register("probabilty", "mine", Certain)
