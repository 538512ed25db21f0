"""The neutral form: what cannot be exported is rejected, with what can be."""

import attrs
import numpy as np
import pytest
from export.worlds import rulesets
from ruleset.handmade import handmade

from rulekit.core.conditions import ConditionKey, Conditions
from rulekit.core.errors import ExportError
from rulekit.core.interfaces import InferenceMode
from rulekit.core.validation import Categories
from rulekit.export import to_c, to_onnx, to_pmml, to_python, to_sql
from rulekit.export.program import Column, Comparison, Membership, program_of
from rulekit.inference.decision_list import DecisionList
from rulekit.ruleset import RuleSet

TARGETS = [to_c, to_onnx, to_pmml, to_python, to_sql]


class Cautious(DecisionList):
    """A custom mode that does not declare that the first rule that matches answers."""

    def infer(self, matches, ruleset):
        return super().infer(matches, ruleset)


class FirstComeFirstServed(InferenceMode):
    """A custom mode that declares it."""

    combination = "first"

    def infer(self, matches, ruleset):
        padded = np.vstack([matches, np.ones(matches.shape[1], dtype=bool)])
        return ruleset.probabilities[padded.argmax(axis=0)]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.__name__)
def test_another_inference_mode_is_rejected_with_those_that_can_be_exported(target):
    with pytest.raises(ExportError, match=r"the inference mode Cautious as code, .* Use decision-list, aggregate or"):
        target(handmade(inference=Cautious()))


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.__name__)
def test_another_inference_mode_is_exported_if_it_declares_that_the_first_rule_answers(target):
    own, known = (target(handmade(inference=mode)) for mode in (FirstComeFirstServed(), DecisionList()))
    assert own == known


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.__name__)
@pytest.mark.parametrize("labels", [[1, "one"], [None, "one"], [0.5, np.inf]], ids=str)
def test_labels_of_several_types_are_rejected(target, labels):
    with pytest.raises(ExportError, match="The class labels must be all strings, all booleans or all finite numbers"):
        target(handmade(labels=np.array(labels, dtype=object)))


def of_categories(key: ConditionKey, labels: tuple, **options) -> RuleSet:
    conditions = Conditions.of_keys(
        [key, key, key], ("colour",), np.float64, Categories({0: labels}, **options), frozenset()
    )
    return attrs.evolve(handmade(), conditions=conditions)


def test_categories_of_several_types_are_rejected_with_their_column():
    ruleset = of_categories(ConditionKey(0, True, 0.0, frozenset([0]), False), ("red", 2))
    with pytest.raises(ExportError, match=r"The categories of 'colour' must be all strings.* got int, str"):
        program_of(ruleset)


def only_test(ruleset: RuleSet) -> Comparison | Membership:
    return program_of(ruleset).rules[0].tests[0]


def test_a_threshold_among_codes_becomes_a_set_of_labels():
    test = only_test(of_categories(ConditionKey(0, False, 0.5, None, False), ("red", "blue", "green")))
    assert (test.is_inside, test.labels) == (True, ("blue", "green"))


def test_what_an_unknown_category_passes_is_written_as_an_exclusion():
    test = only_test(of_categories(ConditionKey(0, True, 0.5, None, False), ("red", "blue", "green")))
    assert (test.is_inside, test.labels) == (False, ("blue", "green"))


def test_many_labels_are_hashed_once_however_many_tests_use_their_column():
    class Counted(str):
        n_hashed = 0

        def __hash__(self) -> int:
            Counted.n_hashed += 1
            return super().__hash__()

    column = Column(0, "colour", tuple(map(Counted, range(100))), missing="rejected", unknown_is_missing=False)
    tests = [Membership(column, True, (code,), or_missing=False) for code in column.codes]
    assert len(dict.fromkeys(tests)) == 100
    assert Counted.n_hashed == 200  # once for their codes, once for their column


def test_cutoffs_are_exact_and_finite():
    for ruleset in rulesets():
        conditions = ruleset.conditions
        for clause, antecedent in zip(program_of(ruleset).clauses, ruleset.antecedents, strict=True):
            for test, row in zip(clause.tests, antecedent, strict=True):
                if isinstance(test, Comparison):
                    assert test.cutoff == conditions.cutoffs[row]
                    assert np.isfinite(test.cutoff)


def test_only_columns_that_rules_test_are_used():
    ruleset = handmade(feature_names=("Time", "age"))
    first_only = attrs.evolve(ruleset, antecedents=((0,), (2,), ()))
    assert [column.name for column in program_of(first_only).used] == ["Time"]
