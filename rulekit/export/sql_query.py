"""Rules as one SQL query of common table expressions and CASE, the same for SQLite, DuckDB and similar databases."""

from collections.abc import Sequence

from rulekit import __version__
from rulekit.export.program import Clause, Column, Comparison, Membership, Missing, Program, program_of
from rulekit.export.spelling import Names, column_names, one_line
from rulekit.export.sql_literals import identifier, literal, number
from rulekit.ruleset import RuleSet

#: Probabilities that one expression compares, each with those after it.
FEW = 8
#: Labels in one list: DuckDB makes a join of each list of five or more, which took 7 s to plan for 115 rules.
LIST = 4


def to_sql(
    ruleset: RuleSet, table: str = "samples", keep: Sequence[str] = (), columns: Sequence[str] | None = None
) -> str:
    """A query that predicts every sample of a table.

    Parameters
    ----------
    ruleset : RuleSet
        With the inference mode `decision-list` or `aggregate`.
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
        `p_` with the label for each class. All but those to keep are NULL where the ruleset rejects a missing value.
    """
    return _Query(program_of(ruleset), table, (keep,) if isinstance(keep, str) else tuple(keep), columns).query()


class _Query:
    """Steps that each read the one before, and the final SELECT from the last of them."""

    def __init__(self, program: Program, table: str, keep: tuple[str, ...], columns: Sequence[str] | None) -> None:
        self.program = program
        self.keep = keep
        self.columns = column_names(program, columns, "SQL", any_case=True)
        # Steps use column names of their own: SQLite loses the name of a column that is called true or false.
        self.values = {column: f"x_{position}" for position, column in enumerate(self.columns, start=1)}
        self.kept = [f"kept_{position}" for position in range(1, len(keep) + 1)]
        self.fires = [f"fires_{position}" for position in range(1, len(program.clauses))]
        self.sums = [f"sum_{position}" for position in range(1, len(program.classes) + 1)]
        answer = Names([*self.columns.values(), *keep])
        self.rule, self.label = identifier(answer.new("rule")), identifier(answer.new("class"))
        self.probabilities = [identifier(answer.new(f"p_{label}")) for label in program.classes]
        self.step_names = Names([table])
        self.steps: list[str] = []
        self.source = f'{identifier(table)} AS "t"'

    def query(self) -> str:
        self._source()
        answer = self._answer_of_sum() if self.program.adds_up else self._answer_of_first()
        return f"-- Rules exported by rulekit {__version__}.\nWITH {', '.join(self.steps)}\n{answer}\n"

    def _step(self, name: str, columns: list[str]) -> None:
        # MATERIALIZED keeps SQLite from copying one step's expressions into every use of the next, which multiplies.
        chosen, inside = identifier(self.step_names.new(name)), ",\n".join(f"    {column}" for column in columns)
        self.steps.append(f"{chosen} AS MATERIALIZED (\n  SELECT\n{inside}\n  FROM {self.source}\n)")
        self.source = chosen

    def _source(self) -> None:
        """The values that rules test: numbers as doubles; infinite numbers and unknown categories as NULL."""
        columns = [f'"t".{identifier(old)} AS {new}' for old, new in zip(self.keep, self.kept, strict=True)]
        for column, name in self.columns.items():
            value = _value(column, f'"t".{identifier(name)}')
            columns.append(f"{value} AS {self.values[column]}")
        self._step("source", columns or ["1 AS nothing"])

    def _rule_number(self, rejects: str, to_default: str, matches: list[str]) -> str:
        """The position of the first rule that matches, NULL for a sample that the ruleset rejects."""
        default = len(self.program.clauses)
        cases = [f"      WHEN {rejects} THEN NULL\n"] if rejects else []
        cases += [f"      WHEN {to_default} THEN {default}\n"] if to_default else []
        cases += [f"      WHEN {each} THEN {position}\n" for position, each in enumerate(matches, start=1)]
        position = f"CASE\n{''.join(cases)}      ELSE {default}\n    END" if cases else default
        return f"{position} AS {self.rule}"

    def _lacks(self, missing: Missing) -> str:
        """Whether a value is missing in a column that treats missing values like this; empty if there is none."""
        return " OR ".join(f"{name} IS NULL" for column, name in self.values.items() if column.missing == missing)

    def _answer_of_first(self) -> str:
        matches = [f"{self._all(clause)} -- {one_line(clause.antecedent)}\n       " for clause in self.program.rules]
        self._step(
            "matched", [*self.kept, self._rule_number(self._lacks("rejected"), self._lacks("to-default"), matches)]
        )
        clauses = self.program.clauses
        probabilities = [
            self._by_rule([number(clause.probabilities[position]) for clause in clauses], name)
            for position, name in enumerate(self.probabilities)
        ]
        labels = [literal(self.program.classes[clause.best]) for clause in clauses]
        return self._answer(self._by_rule(labels, self.label), probabilities)

    def _by_rule(self, values: list[str], name: str) -> str:
        whens = "".join(f"    WHEN {position} THEN {value}\n" for position, value in enumerate(values, start=1))
        return f"CASE {self.rule}\n{whens}  END AS {name}"

    def _answer_of_sum(self) -> str:
        """The class with the largest probability, the first of them if several are equal."""
        self._matched()
        self._summed()
        self._normalised()
        largest = self._largest()
        whens = "".join(
            f"    WHEN {probability} THEN {literal(label)}\n"
            for probability, label in zip(self.probabilities, self.program.classes, strict=True)
        )
        return self._answer(f"CASE {largest}\n{whens}  END AS {self.label}", self.probabilities)

    def _matched(self) -> None:
        """One column of 0 and 1 per rule, and one each for samples that are rejected or go to the default rule."""
        flags = [
            f"-- {one_line(clause.antecedent)}\n    CASE WHEN {self._all(clause)} THEN 1 ELSE 0 END AS {name}"
            for clause, name in zip(self.program.rules, self.fires, strict=True)
        ]
        lacks = {"rejected": self._lacks("rejected"), "to_default": self._lacks("to-default")}
        flags += [f"CASE WHEN {missing or '1 = 0'} THEN 1 ELSE 0 END AS {name}" for name, missing in lacks.items()]
        self._step("matched", [*self.kept, *flags])
        matches = [f"{flag} = 1" for flag in self.fires]
        number_of_rule = self._rule_number("rejected = 1", "to_default = 1", matches)
        self._step("numbered", [*self.kept, *self.fires, number_of_rule])

    def _summed(self) -> None:
        """The probabilities of the rules that match, added up in their order; the default rule's if none matches."""
        program, columns = self.program, [*self.kept, self.rule]
        for position, name in enumerate(self.sums):
            parts = "\n        + ".join(
                f"CASE {flag} WHEN 1 THEN {number(clause.probabilities[position])} ELSE 0e0 END"
                for clause, flag in zip(program.rules, self.fires, strict=True)
            )
            cases = [f"{self.rule} = {len(program.clauses)} THEN {number(program.default.probabilities[position])}"]
            cases += [f"{self.rule} IS NOT NULL THEN {parts}"] if parts else []
            whens = "".join(f"      WHEN {case}\n" for case in cases)
            columns.append(f"CASE\n{whens}    END AS {name}")
        self._step("summed", columns)

    def _normalised(self) -> None:
        """The sums divided by their total, which is computed in a step of its own."""
        self._step("with_whole", [*self.kept, self.rule, *self.sums, f"{' + '.join(self.sums)} AS whole"])
        probabilities = [
            f"{name} / whole AS {probability}" for name, probability in zip(self.sums, self.probabilities, strict=True)
        ]
        self._step("normalised", [*self.kept, self.rule, *probabilities])

    def _largest(self) -> str:
        """The column with the largest probability, in steps that compare a few columns: there are too many pairs."""
        left = self.probabilities
        while len(left) > 1:
            groups = [left[start : start + FEW] for start in range(0, len(left), FEW)]
            left = [f"largest_{position}_of_{len(groups)}" for position in range(1, len(groups) + 1)]
            found = [f"{_largest(group)} AS {name}" for group, name in zip(groups, left, strict=True)]
            self._step("compared", [*self.kept, self.rule, *self.probabilities, *found])
        return left[0]

    def _answer(self, label: str, probabilities: list[str]) -> str:
        kept = [f"{new} AS {identifier(old)}" for old, new in zip(self.keep, self.kept, strict=True)]
        columns = ",\n".join(f"  {column}" for column in [*kept, self.rule, label, *probabilities])
        return f"SELECT\n{columns}\nFROM {self.source}"

    def _all(self, clause: Clause) -> str:
        tests = [self._test(test) for test in clause.tests]
        if clause.needs_value:
            tests.append(f"({' OR '.join(f'{self.values[column]} IS NOT NULL' for column in clause.needs_value)})")
        return " AND ".join(tests)

    def _test(self, test: Comparison | Membership) -> str:
        """A test that NULL does not pass, unless the test includes missing values."""
        name = self.values[test.column]
        if isinstance(test, Comparison):
            core = f"{name} {'<=' if test.is_upper else '>'} {number(test.cutoff)}"
        elif test.codes:
            core = _among([literal(label) for label in test.labels], name, test.is_inside)
        else:
            core = "1 = 0" if test.is_inside else f"{name} IS NOT NULL"
        return f"({core} OR {name} IS NULL)" if test.or_missing else core


def _among(labels: list[str], name: str, is_inside: bool) -> str:
    """Whether a column has one of these labels, or none of them, in lists of a few."""
    operator, joined = ("IN", " OR ") if is_inside else ("NOT IN", " AND ")
    lists = [labels[start : start + LIST] for start in range(0, len(labels), LIST)]
    tests = joined.join(f"{name} {operator} ({', '.join(each)})" for each in lists)
    return f"({tests})" if len(lists) > 1 else tests


def _largest(names: list[str]) -> str:
    """The first of the largest: one that is at least as large as those after it, where none before it was."""
    *others, last = names
    whens = [
        f"WHEN {' AND '.join(f'{name} >= {other}' for other in names[position:])} THEN {name}"
        for position, name in enumerate(others, start=1)
    ]
    return f"CASE {' '.join(whens)} ELSE {last} END" if whens else last


def _value(column: Column, name: str) -> str:
    """A column as rules test it: numbers as doubles, NaN and unknown categories as NULL."""
    # NaN and infinity times zero are not zero, on every database that has them.
    double = f"CAST({name} AS DOUBLE PRECISION)"
    if column.labels is None:
        return f"CASE WHEN {double} * 0 = 0 THEN {double} END"
    if column.unknown_is_missing:
        known = [literal(label) for label in column.labels]
        return f"CASE WHEN {_among(known, name, is_inside=True)} THEN {name} END" if known else "NULL"
    return f"CASE WHEN {double} * 0 = 0 THEN {name} END" if column.kind in ("number", "integer") else name
