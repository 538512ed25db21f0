"""Common table expressions that find out which rules match, the same for whatever the rules answer."""

from collections.abc import Sequence
from typing import Generic

from rulekit import __version__
from rulekit.export.program import AnyClause, Clauses, Column, Comparison, Membership, Missing, RuleTests
from rulekit.export.spelling import Names, column_names, one_line
from rulekit.export.sql_literals import identifier, literal, number

#: Labels in one list: DuckDB makes a join of each list of five or more, which took 7 s to plan for 115 rules.
LIST = 4


class Steps(Generic[AnyClause]):
    """Steps that each read the one before; a query is these and a SELECT from the last of them.

    Parameters
    ----------
    program : Clauses
    table : str
        Name of the table or view with the samples.
    keep : sequence of str
        Columns of the table to include in the result.
    columns : sequence of str or None
        The table's names of the features, in order; None means the ruleset's names.
    """

    def __init__(
        self, program: Clauses[AnyClause], table: str, keep: Sequence[str], columns: Sequence[str] | None
    ) -> None:
        self.program = program
        self.keep = (keep,) if isinstance(keep, str) else tuple(keep)
        self.columns = column_names(program, columns, "SQL", any_case=True)
        # Steps use column names of their own: SQLite loses the name of a column that is called true or false.
        self.values = {column: f"x_{position}" for position, column in enumerate(self.columns, start=1)}
        self.kept = [f"kept_{position}" for position in range(1, len(self.keep) + 1)]
        self.fires = [f"fires_{position}" for position in range(1, len(program.clauses))]
        #: Names in the result.
        self.names = Names([*self.columns.values(), *self.keep])
        self.rule = identifier(self.names.new("rule"))
        self.step_names = Names([table])
        self.steps: list[str] = []
        self.source = f'{identifier(table)} AS "t"'

    def with_answer(self, answer: list[str]) -> str:
        """The whole query, from the columns that follow those to keep."""
        kept = [f"{new} AS {identifier(old)}" for old, new in zip(self.keep, self.kept, strict=True)]
        columns = ",\n".join(f"  {column}" for column in [*kept, *answer])
        steps = f"-- Rules exported by rulekit {__version__}.\nWITH {', '.join(self.steps)}"
        return f"{steps}\nSELECT\n{columns}\nFROM {self.source}\n"

    def step(self, name: str, columns: list[str]) -> None:
        """Add a step that selects these columns from the one before."""
        # MATERIALIZED keeps SQLite from copying one step's expressions into every use of the next, which multiplies.
        chosen, inside = identifier(self.step_names.new(name)), ",\n".join(f"    {column}" for column in columns)
        self.steps.append(f"{chosen} AS MATERIALIZED (\n  SELECT\n{inside}\n  FROM {self.source}\n)")
        self.source = chosen

    def read(self) -> None:
        """The values that rules test: numbers as doubles; infinite numbers and unknown categories as NULL."""
        columns = [f'"t".{identifier(old)} AS {new}' for old, new in zip(self.keep, self.kept, strict=True)]
        for column, name in self.columns.items():
            value = _value(column, f'"t".{identifier(name)}')
            columns.append(f"{value} AS {self.values[column]}")
        self.step("source", columns or ["1 AS nothing"])

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

    def first_match(self) -> None:
        """A step with the number of the first rule that matches."""
        matches = [f"{self._all(clause)} -- {one_line(clause.antecedent)}\n       " for clause in self.program.rules]
        self.step(
            "matched", [*self.kept, self._rule_number(self._lacks("rejected"), self._lacks("to-default"), matches)]
        )

    def all_matches(self) -> None:
        """A step with a column of 0 and 1 per rule, and one each for samples that are rejected or go to the default."""
        flags = [
            f"-- {one_line(clause.antecedent)}\n    CASE WHEN {self._all(clause)} THEN 1 ELSE 0 END AS {name}"
            for clause, name in zip(self.program.rules, self.fires, strict=True)
        ]
        lacks = {"rejected": self._lacks("rejected"), "to_default": self._lacks("to-default")}
        flags += [f"CASE WHEN {missing or '1 = 0'} THEN 1 ELSE 0 END AS {name}" for name, missing in lacks.items()]
        self.step("matched", [*self.kept, *flags])

    def number_of_first(self) -> None:
        """A step that adds the number of the first rule that matches to the columns of `all_matches`."""
        matches = [f"{flag} = 1" for flag in self.fires]
        number_of_rule = self._rule_number("rejected = 1", "to_default = 1", matches)
        self.step("numbered", [*self.kept, *self.fires, number_of_rule])

    def added_up(self, values: Sequence[float], start: Sequence[float] = ()) -> str:
        """The sum of some numbers and of one number for each rule that matches, in order; empty without any."""
        parts = [number(value) for value in start]
        parts += [
            f"CASE {flag} WHEN 1 THEN {number(value)} ELSE 0e0 END"
            for value, flag in zip(values, self.fires, strict=True)
        ]
        return "\n        + ".join(parts)

    def by_rule(self, values: list[str], name: str) -> str:
        """A column with one of these values, by the number of the rule."""
        whens = "".join(f"    WHEN {position} THEN {value}\n" for position, value in enumerate(values, start=1))
        return f"CASE {self.rule}\n{whens}  END AS {name}"

    def _all(self, clause: RuleTests) -> str:
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
