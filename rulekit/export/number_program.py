"""The neutral form of rules for numbers, of the same tests as that of rules for classes."""

import attrs
import numpy as np

from rulekit.core.errors import ExportError
from rulekit.export.program import Clauses, RuleTests, columns_of, rule_tests
from rulekit.regression.rules import RegressionRules


@attrs.frozen(kw_only=True)
class NumberClause(RuleTests):
    """A rule for a number.

    Attributes
    ----------
    value : float
        The weight that is added, or the number that is predicted.
    """

    value: float


#: Everything that a target needs for rules for numbers; the last clause is the intercept or the default rule.
NumberProgram = Clauses[NumberClause]


def number_program_of(rules: RegressionRules) -> NumberProgram:
    """The neutral form of rules for numbers; raise `ExportError` if the labels of a column are not supported."""
    if not np.isfinite(rules.values).all():
        raise ExportError("Not supported: rules with an infinite value. Scale the target before fit.")
    columns = columns_of(rules)
    program = NumberProgram(
        columns=columns,
        clauses=tuple(NumberClause(**rule_tests(rule, columns), value=rule.value) for rule in rules),
        adds_up=rules.combination == "sum",
    )
    _ = [column.kind for column in program.used]  # raises before a target starts
    return program
