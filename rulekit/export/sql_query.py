"""Rules as one SQL query of common table expressions and CASE, the same for SQLite, DuckDB and similar databases."""

from collections.abc import Sequence

from rulekit.export.number_program import NumberClause, number_program_of
from rulekit.export.program import Clause, Program, program_of
from rulekit.export.sql_literals import identifier, literal, number
from rulekit.export.sql_steps import Steps
from rulekit.regression.rules import RegressionRules
from rulekit.ruleset import RuleSet

#: Probabilities that one expression compares, each with those after it.
FEW = 8


def to_sql(
    ruleset: RuleSet | RegressionRules,
    table: str = "samples",
    keep: Sequence[str] = (),
    columns: Sequence[str] | None = None,
) -> str:
    """A query that predicts every sample of a table.

    Parameters
    ----------
    ruleset : RuleSet or RegressionRules
        A ruleset needs the inference mode `decision-list` or `aggregate`.
    table : str
        Name of the table or view with the samples; only columns that rules test are read.
    keep : sequence of str
        Columns of the table to include in the result, such as its key.
    columns : sequence of str, optional
        The table's names of the ruleset's features, in order; by default, the ruleset's names.

    Returns
    -------
    query : str
        A SELECT without a final semicolon. Its columns are those to keep, `rule` (the first that matches), `class`, and
        `p_` with the label for each class; of rules for numbers, those to keep and `prediction`, and `rule` where the
        first one answers. All but those to keep are NULL where the ruleset rejects a missing value.
    """
    if isinstance(ruleset, RegressionRules):
        return _NumberQuery(number_program_of(ruleset), table, keep, columns).query()
    return _ClassQuery(program_of(ruleset), table, keep, columns).query()


class _NumberQuery(Steps[NumberClause]):
    """A query for the predicted numbers."""

    def query(self) -> str:
        self.read()
        prediction, program = identifier(self.names.new("prediction")), self.program
        if not program.adds_up:
            self.first_match()
            return self.with_answer(
                [self.rule, self.by_rule([number(clause.value) for clause in program.clauses], prediction)]
            )
        self.all_matches()
        total = self.added_up([clause.value for clause in program.rules], [program.default.value])
        return self.with_answer([f"CASE rejected WHEN 0 THEN {total} END AS {prediction}"])


class _ClassQuery(Steps[Clause]):
    """A query for the predicted classes and probabilities."""

    program: Program

    def __init__(self, program: Program, table: str, keep: Sequence[str], columns: Sequence[str] | None) -> None:
        super().__init__(program, table, keep, columns)
        self.sums = [f"sum_{position}" for position in range(1, len(program.classes) + 1)]
        self.label = identifier(self.names.new("class"))
        self.probabilities = [identifier(self.names.new(f"p_{label}")) for label in program.classes]

    def query(self) -> str:
        self.read()
        return self.with_answer(self._answer_of_sum() if self.program.adds_up else self._answer_of_first())

    def _answer_of_first(self) -> list[str]:
        self.first_match()
        clauses = self.program.clauses
        probabilities = [
            self.by_rule([number(clause.probabilities[position]) for clause in clauses], name)
            for position, name in enumerate(self.probabilities)
        ]
        labels = [literal(self.program.classes[clause.best]) for clause in clauses]
        return [self.rule, self.by_rule(labels, self.label), *probabilities]

    def _answer_of_sum(self) -> list[str]:
        """The class with the largest probability, the first of them if several are equal."""
        self.all_matches()
        self.number_of_first()
        self._summed()
        self._normalised()
        largest = self._largest()
        whens = "".join(
            f"    WHEN {probability} THEN {literal(label)}\n"
            for probability, label in zip(self.probabilities, self.program.classes, strict=True)
        )
        return [self.rule, f"CASE {largest}\n{whens}  END AS {self.label}", *self.probabilities]

    def _summed(self) -> None:
        """The probabilities of the rules that match, added up in their order; the default rule's if none matches."""
        program, columns = self.program, [*self.kept, self.rule]
        for position, name in enumerate(self.sums):
            parts = self.added_up([clause.probabilities[position] for clause in program.rules])
            cases = [f"{self.rule} = {len(program.clauses)} THEN {number(program.default.probabilities[position])}"]
            cases += [f"{self.rule} IS NOT NULL THEN {parts}"] if parts else []
            whens = "".join(f"      WHEN {case}\n" for case in cases)
            columns.append(f"CASE\n{whens}    END AS {name}")
        self.step("summed", columns)

    def _normalised(self) -> None:
        """The sums divided by their total, which is computed in a step of its own."""
        self.step("with_whole", [*self.kept, self.rule, *self.sums, f"{' + '.join(self.sums)} AS whole"])
        probabilities = [
            f"{name} / whole AS {probability}" for name, probability in zip(self.sums, self.probabilities, strict=True)
        ]
        self.step("normalised", [*self.kept, self.rule, *probabilities])

    def _largest(self) -> str:
        """The column with the largest probability, in steps that compare a few columns: there are too many pairs."""
        left = self.probabilities
        while len(left) > 1:
            groups = [left[start : start + FEW] for start in range(0, len(left), FEW)]
            left = [f"largest_{position}_of_{len(groups)}" for position in range(1, len(groups) + 1)]
            found = [f"{_largest(group)} AS {name}" for group, name in zip(groups, left, strict=True)]
            self.step("compared", [*self.kept, self.rule, *self.probabilities, *found])
        return left[0]


def _largest(names: list[str]) -> str:
    """The first of the largest: one that is at least as large as those after it, where none before it was."""
    *others, last = names
    whens = [
        f"WHEN {' AND '.join(f'{name} >= {other}' for other in names[position:])} THEN {name}"
        for position, name in enumerate(others, start=1)
    ]
    return f"CASE {' '.join(whens)} ELSE {last} END" if whens else last
