"""The checks as tests of pytest, and what happens to things that cannot be checked."""

import subprocess
import sys

import pytest
from testing.test_every_component import Estimator
from testing.test_priors import LeansLeft, Mean
from testing.test_probability import Favours

from rulekit.core.errors import ComponentTypeError, InvalidParameterError
from rulekit.inference.decision_list import DecisionList
from rulekit.probability.laplace import Laplace
from rulekit.testing import (
    ConformanceError,
    check_adapter,
    check_inference_mode,
    check_method,
    check_prior_combiner,
    check_probability_estimator,
    check_score,
    check_stage,
    checks_for,
    parametrize_with_checks,
)

pytest_plugins = ["pytester"]
FUNCTIONS = [
    check_adapter,
    check_inference_mode,
    check_method,
    check_prior_combiner,
    check_probability_estimator,
    check_score,
    check_stage,
]


def parameters(*components, **options):
    """What pytest is given: for each test its id, its component and its marks."""
    return parametrize_with_checks(components, **options).args[1]


class TestItems:
    def test_there_is_one_for_each_component_and_each_of_its_checks(self):
        components = [Estimator(), Mean()]
        expected = [(component, name) for component in components for name, _ in checks_for(component)]
        assert expected == [(item.values[0], item.values[1].__name__) for item in parameters(*components)]

    def test_their_names_show_component_and_check(self):
        assert "Laplace(smoothing=0.5)-check_rows_sum_to_one" in [
            item.id for item in parameters(Laplace(smoothing=0.5))
        ]

    def test_a_component_that_cannot_print_itself_goes_by_its_class(self):
        class Mute(Mean):
            def __init__(self, weight=1.0):
                pass

        assert "Mute(...)-check_clone" in [item.id for item in parameters(Mute())]

    def test_none_is_expected_to_fail_by_default(self):
        assert [item for item in parameters(Estimator()) if item.marks] == []


class TestExpectedFailures:
    def test_are_strict_and_carry_their_reason(self):
        items = parameters(LeansLeft(), expected_failures={"check_symmetry": "leans to the left"})
        ((mark,),) = [item.marks for item in items if item.marks]
        assert mark.kwargs == {"reason": "leans to the left", "strict": True, "raises": ConformanceError}

    def test_may_come_from_a_function_of_the_component(self):
        def expected(component):
            return {"check_symmetry": "leans to the left"} if isinstance(component, LeansLeft) else {}

        items = parameters(Mean(), LeansLeft(), expected_failures=expected)
        assert [item.id for item in items if item.marks] == ["LeansLeft()-check_symmetry"]

    def test_that_are_not_run_are_an_error_with_a_hint(self):
        with pytest.raises(
            InvalidParameterError, match=r"'check_simetry', which is not a check of .* mean 'check_symmetry'"
        ):
            parameters(Mean(), expected_failures={"check_simetry": "misspelt"})

    def test_that_the_component_does_not_run_are_an_error_too(self):
        with pytest.raises(InvalidParameterError, match=r"'check_symmetry', which is not a check of Estimator\(\)"):
            parameters(Mean(), Estimator(), expected_failures=lambda component: {"check_symmetry": "who knows"})

    def test_of_one_kind_among_several_are_none(self):
        items = parameters(Mean(), Estimator(), expected_failures={"check_symmetry": "leans"})
        assert [item.id for item in items if item.marks] == ["Mean()-check_symmetry"]

    @pytest.mark.parametrize("reason", ["", " ", None, True])
    def test_need_a_reason(self, reason):
        with pytest.raises(InvalidParameterError, match=r"must give a reason for check_symmetry, got"):
            parameters(Mean(), expected_failures={"check_symmetry": reason})


PLUGIN_TESTS = """
from testing.test_priors import LeansLeft, Mean
from rulekit.testing import parametrize_with_checks

@parametrize_with_checks([LeansLeft()], expected_failures={"check_symmetry": "leans to the left"})
def test_known(component, check):
    check(component)

@parametrize_with_checks([LeansLeft()])
def test_unknown(component, check):
    check(component)

@parametrize_with_checks([Mean()], expected_failures={"check_symmetry": "was repaired long ago"})
def test_repaired(component, check):
    check(component)
"""


def test_pytest_reports_failures_expected_ones_and_ones_that_no_longer_happen(pytester):
    pytester.makepyfile(PLUGIN_TESTS)
    n_checks = len(list(checks_for(Mean())))
    result = pytester.runpytest_inprocess("-rA", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=3 * n_checks - 3, xfailed=1, failed=2)
    result.stdout.fnmatch_lines(
        [
            "*Promise: Left and right can be exchanged, unless the class has `is_symmetric = False`.",
            "*Got: 2 classes, exchanged: entry (0, 0) is [[]0.3, 0.7[]] instead of [[]0.7, 0.3[]].",
            "[[]XPASS(strict)[]] was repaired long ago",
            "XFAIL *test_known[[]LeansLeft()-check_symmetry[]] - leans to the left",
            "FAILED *test_unknown[[]LeansLeft()-check_symmetry[]]*",
            "FAILED *test_repaired[[]Mean()-check_symmetry[]]*",
        ]
    )


class TestWhatIsChecked:
    @pytest.mark.parametrize("check", FUNCTIONS)
    def test_a_class_is_rejected_with_a_hint(self, check):
        with pytest.raises(
            ComponentTypeError, match=r"^Checks need an instance, got the class Laplace. Pass Laplace\(\).$"
        ):
            check(Laplace)

    def test_so_is_a_class_among_the_components_of_a_test(self):
        with pytest.raises(
            ComponentTypeError, match=r"^Checks need an instance, got the class Laplace. Pass Laplace\(\)"
        ):
            parametrize_with_checks([Mean(), Laplace])

    @pytest.mark.parametrize("thing", [3, "rcprob", object()])
    def test_other_things_are_rejected(self, thing):
        with pytest.raises(ComponentTypeError, match=r"^Checks are for instances of an interface of"):
            list(checks_for(thing))

    def test_a_component_of_another_kind_is_rejected(self):
        expected = (
            r"^These checks are for the kinds: prior combiner. Laplace\(\) is of the kind: probability estimator.$"
        )
        with pytest.raises(ComponentTypeError, match=expected):
            check_prior_combiner(Laplace())

    def test_a_stage_may_be_of_four_kinds(self):
        with pytest.raises(
            ComponentTypeError, match=r"combine stage, cover stage, simplify stage, refine stage\. DecisionList"
        ):
            check_stage(DecisionList())

    def test_the_first_broken_promise_is_raised(self):
        with pytest.raises(ConformanceError, match=r"^Favours\(\) fails check_order_of_classes.\nPromise: .*\nGot: "):
            check_probability_estimator(Favours())


def test_rulekit_does_not_load_the_kit_nor_the_kit_pytest():
    code = "import sys, rulekit; rulekit.build; a = 'rulekit.testing' in sys.modules; import rulekit.testing"
    run = [sys.executable, "-c", f"{code}; print(a, 'rulekit.testing' in sys.modules, 'pytest' in sys.modules)"]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout.split() == ["False", "True", "False"]
