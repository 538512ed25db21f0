"""Names: taken, unknown, and of the wrong kind."""

import re

import pytest

from rulekit.core.errors import ComponentTypeError, DuplicateComponentError, UnknownComponentError
from rulekit.core.interfaces import InferenceMode, PriorCombiner, ProbabilityEstimator
from rulekit.plugin.kinds import INTERFACES, KINDS
from rulekit.plugin.preset import Preset
from rulekit.plugin.registry import Registry


class Certain(ProbabilityEstimator):
    """States the prior.

    And more about it.
    """

    def __init__(self, strength: float = 2.0) -> None:
        self.strength = strength

    def estimate(self, rules):
        return rules.priors


class Unfinished(PriorCombiner):
    """Lacks what a prior combiner must do."""


@pytest.fixture
def registry() -> Registry:
    """A registry of its own, with one component."""
    registry = Registry()
    registry.add("probability", "certain", Certain, origin="here 1.0")
    return registry


class TestComponents:
    def test_one_is_found_by_kind_and_name(self, registry):
        assert registry.get("probability", "certain").factory is Certain

    def test_one_is_made_with_parameters(self, registry):
        assert registry.create("probability", "certain", strength=5.0).strength == 5.0

    def test_its_summary_is_one_line(self, registry):
        assert registry.get("probability", "certain").summary == "States the prior."

    def test_its_parameters_come_with_defaults(self, registry):
        assert registry.get("probability", "certain").parameters == {"strength": 2.0}

    def test_without_a_docstring_it_has_no_summary(self, registry):
        """It had that of its interface, which says nothing about the component."""
        silent = type("Silent", (ProbabilityEstimator,), {"estimate": Certain.estimate})
        registry.add("probability", "silent", silent, origin="here 1.0")
        assert registry.get("probability", "silent").summary == ""

    def test_the_summary_of_a_preset_is_its_own(self, registry):
        registry.add("method", "mine", Preset("Mine.", {"priors": "mean"}), origin="here")
        assert registry.get("method", "mine").summary == "Mine."

    def test_the_parameters_of_a_preset_are_its_own(self, registry):
        registry.add("method", "mine", Preset("Mine.", {"priors": "mean"}), origin="here")
        assert registry.get("method", "mine").parameters == {"priors": "mean"}

    def test_an_instance_has_the_name_of_its_class(self, registry):
        assert registry.name_of("probability", Certain()) == "certain"

    def test_an_instance_of_an_unregistered_class_has_no_name(self, registry):
        assert registry.name_of("inference", Certain()) is None

    def test_one_name_may_stand_for_different_kinds(self, registry):
        registry.add("ensemble", "certain", lambda: None, origin="here")
        assert [component.kind for component in registry] == ["ensemble", "probability"]

    def test_dropping_an_origin_drops_its_components(self, registry):
        registry.drop("here 1.0")
        assert list(registry) == []

    def test_dropping_an_origin_leaves_the_others(self, registry):
        registry.drop("there 1.0")
        assert [component.name for component in registry] == ["certain"]

    def test_every_kind_with_an_interface_is_a_kind(self):
        assert INTERFACES.keys() <= KINDS.keys()


class TestDuplicates:
    TEXT = (
        "Two probability estimators are named 'certain': one from here 1.0, one from there 2.0. "
        "Rename one of them, block one plugin with RULEKIT_BLOCK_PLUGINS, or register with replace=True."
    )

    def test_the_error_names_both_origins(self, registry):
        with pytest.raises(DuplicateComponentError, match=f"^{re.escape(self.TEXT)}$"):
            registry.add("probability", "certain", Certain, origin="there 2.0")

    def test_the_first_one_stays(self, registry):
        with pytest.raises(DuplicateComponentError):
            registry.add("probability", "certain", Certain, origin="there 2.0")
        assert registry.get("probability", "certain").origin == "here 1.0"

    def test_the_second_one_may_replace_the_first_on_purpose(self, registry):
        registry.add("probability", "certain", Certain, origin="there 2.0", replace=True)
        assert registry.get("probability", "certain").origin == "there 2.0"


class TestUnknownNames:
    def test_the_error_suggests_the_nearest_and_lists_the_known(self, registry):
        registry.add("probability", "another", Certain, origin="here 1.0")
        message = "No probability estimator named 'certan'. Did you mean 'certain'? Known: another, certain."
        with pytest.raises(UnknownComponentError, match=f"^{re.escape(message)}$"):
            registry.get("probability", "certan")

    def test_nothing_is_suggested_when_nothing_is_near(self, registry):
        with pytest.raises(UnknownComponentError, match=r"named 'zzz'\. Known: certain\.$"):
            registry.get("probability", "zzz")

    def test_an_unknown_kind_suggests_the_nearest(self, registry):
        message = "No kind of component named 'prior'. Did you mean 'priors'? Known: " + ", ".join(sorted(KINDS))
        with pytest.raises(UnknownComponentError, match=f"^{re.escape(message)}"):
            registry.add("prior", "mine", Certain, origin="here")

    def test_a_kind_without_components_says_so(self, registry):
        with pytest.raises(UnknownComponentError, match=r"No cover stage named 'cover'\. Known: none\.$"):
            registry.get("cover", "cover")


class TestFactories:
    @pytest.mark.parametrize(("kind", "interface"), INTERFACES.items())
    def test_a_class_without_the_interface_is_rejected(self, kind, interface, registry):
        message = (
            f"The {KINDS[kind]} 'odd' from there 2.0 must be a subclass of "
            f"rulekit.plugin.{interface.__name__}, got <class 'dict'>."
        )
        with pytest.raises(ComponentTypeError, match=f"^{re.escape(message)}$"):
            registry.add(kind, "odd", dict, origin="there 2.0")

    def test_a_class_of_another_kind_is_rejected(self, registry):
        with pytest.raises(ComponentTypeError, match=r"must be a subclass of rulekit\.plugin\.PriorCombiner"):
            registry.add("priors", "odd", Certain, origin="there 2.0")

    def test_an_instance_is_rejected(self, registry):
        with pytest.raises(ComponentTypeError, match=re.escape("got Certain().")):
            registry.add("probability", "odd", Certain(), origin="there 2.0")

    def test_a_missing_method_is_named(self, registry):
        message = "The prior combiner 'odd' from there 2.0 lacks combine, which its interface requires."
        with pytest.raises(ComponentTypeError, match=f"^{re.escape(message)}$"):
            registry.add("priors", "odd", Unfinished, origin="there 2.0")

    def test_an_interface_itself_is_rejected(self, registry):
        with pytest.raises(ComponentTypeError, match="lacks infer"):
            registry.add("inference", "odd", InferenceMode, origin="there 2.0")

    @pytest.mark.parametrize("kind", ["ensemble", "method"])
    def test_what_cannot_be_called_is_rejected(self, kind, registry):
        with pytest.raises(ComponentTypeError, match=f"The {kind} 'odd' from there 2.0 must be a function"):
            registry.add(kind, "odd", 42, origin="there 2.0")

    def test_a_preset_is_a_method_and_not_an_ensemble(self, registry):
        """It was accepted, and the error at its use advised a call of `rulekit.build` that could not work either."""
        with pytest.raises(ComponentTypeError, match="ensemble 'odd'"):
            registry.add("ensemble", "odd", Preset("Odd.", {}), origin="there 2.0")

    def test_a_preset_is_not_a_component(self, registry):
        with pytest.raises(ComponentTypeError, match="must be a subclass of"):
            registry.add("priors", "odd", Preset("Odd.", {}), origin="there 2.0")

    def test_nothing_is_added_when_rejected(self, registry):
        with pytest.raises(ComponentTypeError):
            registry.add("priors", "odd", dict, origin="there 2.0")
        assert list(registry.of_kind("priors")) == []
