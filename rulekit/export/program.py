"""The neutral form of a ruleset that every export starts from: rules as tests of columns.

Codes, thresholds in the ensemble's precision and unknown labels are resolved here, once. A target then has only two
kinds of tests to write in its language.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Generic, Literal, TypeVar

import attrs
import numpy as np

from rulekit.core.errors import ExportError
from rulekit.core.regions import Codes, Region
from rulekit.core.validation import UNKNOWN
from rulekit.regression.rules import NumberRule
from rulekit.ruleset import Rule, RuleSet
from rulekit.ruleset.document import warn_of_missing_value
from rulekit.ruleset.labels import plain
from rulekit.ruleset.matching import Antecedents

Kind = Literal["string", "boolean", "integer", "number"]
Missing = Literal["tested", "rejected", "to-default", "left-out"]
#: What happens to a missing value in a column that had none in training.
UNEXPECTED: dict[str, Missing] = {
    "error": "rejected",
    "default-rule": "to-default",
    "other-conditions": "left-out",
}
LARGEST_DOUBLE = float(np.finfo(np.float64).max)


@attrs.frozen(cache_hash=True)  # columns are looked up for each test, and may have many labels
class Column:
    """A column of the samples.

    Attributes
    ----------
    position : int
        Its index among the columns.
    name : str
    labels : tuple or None
        Categories by code; None for a column of numbers.
    missing : {"tested", "rejected", "to-default", "left-out"}
        What happens to a missing value: the tests say it, where training had some; otherwise the sample is rejected,
        the default rule answers it, or tests of the column are left out.
    unknown_is_missing : bool
        Whether a category that is not listed counts as a missing value.
    """

    position: int
    name: str
    labels: tuple[Any, ...] | None
    missing: Missing
    unknown_is_missing: bool

    @property
    def may_be_missing(self) -> bool:
        """Whether the ruleset answers samples with a missing value in the column."""
        return self.missing != "rejected"

    @property
    def kind(self) -> Kind:
        """Type of the column's values."""
        return "number" if self.labels is None else kind_of(self.labels, f"The categories of {self.name!r}")

    @cached_property
    def codes(self) -> frozenset[int]:
        """The codes that labels have; of equal labels, the last one gives the code."""
        known = enumerate(self.labels or ())
        return frozenset({label: code for code, label in known if label is not None and label == label}.values())


@attrs.frozen
class Comparison:
    """`value <= cutoff` or `value > cutoff`; the cutoff is finite.

    Attributes
    ----------
    column : Column
    is_upper : bool
        True for `<=`, False for `>`.
    cutoff : float
    or_missing : bool
        Whether a missing value passes.
    """

    column: Column
    is_upper: bool
    cutoff: float
    or_missing: bool


@attrs.frozen
class Membership:
    """`value in {…}` or `value not in {…}`; the set may be empty.

    Attributes
    ----------
    column : Column
    is_inside : bool
        True for `in`, False for `not in`, which an unknown category passes.
    codes : tuple of int
        The set, ascending; numbers themselves if the column has no labels.
    or_missing : bool
        Whether a missing value passes.
    """

    column: Column
    is_inside: bool
    codes: tuple[int, ...]
    or_missing: bool

    @property
    def labels(self) -> tuple[Any, ...]:
        """The labels of the set's members."""
        known = self.column.labels
        return self.codes if known is None else tuple(known[code] for code in self.codes)


@attrs.frozen(kw_only=True)
class RuleTests:
    """When a rule matches.

    Attributes
    ----------
    tests : tuple of Comparison or Membership
        Empty for the default rule.
    antecedent : str
        The conditions as they are printed, for comments; `otherwise` for the default rule.
    needs_value : tuple of Column
        Columns of which at least one must have a value; empty if that follows from the tests.
    """

    tests: tuple[Comparison | Membership, ...]
    antecedent: str
    needs_value: tuple[Column, ...] = ()


@attrs.frozen(kw_only=True)
class Clause(RuleTests):
    """A rule for classes: its tests, its probabilities, and the index of its class.

    Attributes
    ----------
    probabilities : tuple of float
    best : int
        Index of the largest probability.
    """

    probabilities: tuple[float, ...]
    best: int


AnyClause = TypeVar("AnyClause", bound=RuleTests)


@attrs.frozen(kw_only=True)
class Clauses(Generic[AnyClause]):
    """Rules in order, whatever they answer.

    Attributes
    ----------
    columns : tuple of Column
    clauses : tuple
        In order; the last is the default rule.
    adds_up : bool
        True if all rules that match answer together, False if the first one does.
    """

    columns: tuple[Column, ...]
    clauses: tuple[AnyClause, ...]
    adds_up: bool

    @property
    def rules(self) -> tuple[AnyClause, ...]:
        """All clauses but the default rule."""
        return self.clauses[:-1]

    @property
    def default(self) -> AnyClause:
        """The default rule, which answers when no other does."""
        return self.clauses[-1]

    @property
    def used(self) -> tuple[Column, ...]:
        """The columns that at least one rule tests, in order."""
        positions = {test.column.position for clause in self.clauses for test in clause.tests}
        return tuple(column for column in self.columns if column.position in positions)

    @property
    def to_default(self) -> tuple[Column, ...]:
        """The columns without whose value the default rule answers."""
        return tuple(column for column in self.used if column.missing == "to-default")


@attrs.frozen(kw_only=True)
class Program(Clauses[Clause]):
    """Everything that a target needs for rules for classes.

    Attributes
    ----------
    classes : tuple
        Labels in Python's built-in types.
    """

    classes: tuple[Any, ...]

    def guarded(self) -> Program:
        """The program for a target without another way to the default rule: all rules test for these values."""
        has_value = tuple(Membership(column, False, (), False) for column in self.to_default)
        guarded = [attrs.evolve(clause, tests=(*has_value, *clause.tests)) for clause in self.rules]
        return attrs.evolve(self, clauses=(*guarded, self.default))

    @property
    def class_kind(self) -> Kind:
        """Type of the class labels."""
        return kind_of(self.classes, "The class labels")


def program_of(ruleset: RuleSet) -> Program:
    """The neutral form of a ruleset; raise `ExportError` if its inference mode or labels are not supported."""
    mode = ruleset.inference
    if mode.combination is None:
        raise ExportError(
            f"Not supported: exporting the inference mode {type(mode).__name__} as code, because only Python knows how "
            'it combines rules. Use decision-list, aggregate or another mode whose combination is "first" or "sum", or '
            "export to json, csv or excel, which support any mode."
        )
    warn_of_missing_value(ruleset)
    columns = columns_of(ruleset)
    program = Program(
        columns=columns,
        clauses=tuple(
            Clause(**rule_tests(rule, columns), probabilities=tuple(rule.probabilities.tolist()), best=rule.class_index)
            for rule in ruleset
        ),
        classes=plain(ruleset.classes),
        adds_up=mode.combination == "sum",
    )
    _ = program.class_kind, [column.kind for column in program.used]  # raises before a target starts
    return program


def columns_of(rules: Antecedents) -> tuple[Column, ...]:
    """All columns of the samples."""
    return tuple(_column(rules, position) for position in range(len(rules.feature_names)))


def rule_tests(rule: Rule | NumberRule, columns: tuple[Column, ...]) -> dict[str, Any]:
    """The attributes of `RuleTests` for a rule."""
    tests = [
        test for condition in rule.conditions for test in tests_of(columns[condition.feature_index], condition.region)
    ]
    tested = tuple(dict.fromkeys(test.column for test in tests))
    are_left_out = bool(tested) and all(column.missing == "left-out" for column in tested)
    if are_left_out and len(tested) == 1:
        # A rule needs at least one value, which can only be this one.
        tests = [attrs.evolve(test, or_missing=False) for test in tests]
    return {
        "tests": tuple(tests),
        "antecedent": rule.antecedent or "otherwise",
        "needs_value": tested if are_left_out and len(tested) > 1 else (),
    }


def kind_of(labels: Sequence[Any], name: str) -> Kind:
    """The common type of all labels; raise `ExportError` if there is none."""
    types = {type(label) for label in labels}
    if types <= {str}:
        return "string"
    if types == {bool}:
        return "boolean"
    if types == {int}:
        return "integer"
    if types <= {int, float} and all(is_double(label) for label in labels):
        return "number"
    found = ", ".join(sorted(each.__name__ for each in types))
    mixed = " Integers among other numbers must be exact as doubles." if types == {int, float} else ""
    raise ExportError(
        f"{name} must be all strings, all booleans or all finite numbers to be exported, got {found}.{mixed} "
        "Convert them to strings before fit."
    )


def is_double(number: float) -> bool:
    """Whether a number is finite and exact as a double."""
    return abs(number) <= LARGEST_DOUBLE and float(number) == number


def _column(rules: Antecedents, position: int) -> Column:
    categories = rules.conditions.categories
    labels = categories.by_feature.get(position)
    return Column(
        position=position,
        name=rules.feature_names[position],
        labels=None if labels is None else plain(labels),
        missing="tested" if position in rules.conditions.missing_features else UNEXPECTED[rules.unexpected_missing],
        unknown_is_missing=categories.unknown_as_missing and labels is not None,
    )


def tests_of(column: Column, region: Region) -> tuple[Comparison | Membership, ...]:
    """Tests of a column that a value passes exactly if it belongs to a condition's region.

    A missing value passes tests that are left out for it.
    """
    or_missing = region.missing if column.missing == "tested" else column.missing == "left-out"
    if column.labels is not None:
        return (_among_labels(column, region, or_missing),)
    if isinstance(region, Codes):
        return (Membership(column, region.is_inside, tuple(sorted(region.codes)), or_missing),)
    if not region.intervals:
        return (Membership(column, True, (), or_missing),)
    ((low, high),) = region.intervals
    above = [Comparison(column, False, low, or_missing)] if low > -math.inf else []
    up_to = [Comparison(column, True, high, or_missing)] if high < math.inf else []
    # Without a finite end, the region only separates missing values from the others.
    return (*above, *up_to) or (Membership(column, False, (), or_missing),)


def _among_labels(column: Column, region: Region, or_missing: bool) -> Membership:
    """A test of a category's code as a set that contains only codes of labels."""
    unknown_holds = region.holds(UNKNOWN)
    codes = tuple(sorted(code for code in column.codes if region.holds(code) != unknown_holds))
    return Membership(column, not unknown_holds, codes, or_missing)
