"""Rules as one SQL query of common table expressions and CASE, the same for SQLite, DuckDB and their relatives."""

from collections.abc import Sequence

from rulekit._version import __version__
from rulekit.export.program import Clause, Column, Comparison, Membership, Program, program_of
from rulekit.export.spelling import column_names, one_line, unique
from rulekit.export.sql_words import identifier, literal, number
from rulekit.ruleset import RuleSet


def to_sql(
    ruleset: RuleSet, table: str = "records", keep: Sequence[str] = (), columns: Sequence[str] | None = None
) -> str:
    """A query that answers for every record of a table.

    Parameters
    ----------
    ruleset : RuleSet
        With the inference mode `decision-list` or `aggregate`.
    table : str
        Name of the table or view with the records; only columns that rules test are read.
    keep : sequence of str
        Columns of the table to hand on, such as its key.
    columns : sequence of str, optional
        The table's names for the ruleset's columns, in order; without it, they are the ruleset's.

    Returns
    -------
    query : str
        A SELECT without a final semicolon. Its columns are those to keep, `rule` (the first that matches), `class`, and
        `p_` with the label for each class. All but the first are NULL where the ruleset refuses a missing value.
    """
    return _Query(program_of(ruleset), table, (keep,) if isinstance(keep, str) else tuple(keep), columns).text()


class _Query:
    """Names that do not collide, and the parts of the query that are made of them."""

    def __init__(self, program: Program, table: str, keep: tuple[str, ...], columns: Sequence[str] | None) -> None:
        self.program = program
        self.table = table
        self.keep = keep
        self.columns = column_names(program, columns, "SQL", any_case=True)
        taken = list(self.columns.values())
        self.kept = [self._new(f"kept_{place}", taken) for place in range(1, len(keep) + 1)]
        self.fires = [self._new(f"fires_{place}", taken) for place in range(1, len(program.clauses))]
        self.sums = [self._new(f"sum_{place}", taken) for place in range(1, len(program.classes) + 1)]
        self.rule, self.label = self._new("rule", taken := [*taken, *keep]), self._new("class", taken)
        self.shares = [self._new(f"p_{label}", taken) for label in program.classes]
        steps = [table]
        self.steps = {name: self._new(name, steps) for name in ("source", "fired", "summed", "shared")}

    @staticmethod
    def _new(name: str, taken: list[str]) -> str:
        taken.append(chosen := unique(name, taken))
        return chosen

    def text(self) -> str:
        program, head = self.program, f"-- Rules exported by rulekit {__version__}.\nWITH "
        if not program.adds_up:
            return f"{head}{self._source()}, {self._first()}\n{self._answer_of_first()}\n"
        return f"{head}{self._source()}, {self._fired()}, {self._summed()}, {self._shared()}\n{self._answer_of_sum()}\n"

    def _step(self, name: str, columns: list[str], source: str) -> str:
        # MATERIALIZED keeps SQLite from copying one step's expressions into every use of the next, which multiplies.
        inside = ",\n".join(f"    {column}" for column in columns)
        return f"{identifier(self.steps[name])} AS MATERIALIZED (\n  SELECT\n{inside}\n  FROM {source}\n)"

    def _source(self) -> str:
        """The values that rules test: numbers as doubles, whatever is no finite number or known category as NULL."""
        alias = identifier(unique("t", self.steps.values()))
        columns = [
            f"{alias}.{identifier(old)} AS {identifier(new)}" for old, new in zip(self.keep, self.kept, strict=True)
        ]
        for column, name in self.columns.items():
            columns.append(f"{_value(column, f'{alias}.{identifier(name)}')} AS {identifier(name)}")
        return self._step("source", columns or ["1 AS nothing"], f"{identifier(self.table)} AS {alias}")

    def _first(self) -> str:
        return self._step("fired", [*map(identifier, self.kept), self._rule_number()], identifier(self.steps["source"]))

    def _rule_number(self) -> str:
        """The position of the first rule that matches, NULL for a record that the ruleset refuses."""
        whens = [
            f"      -- {one_line(clause.text)}\n      WHEN {self._all(clause)} THEN {position}\n"
            for position, clause in enumerate(self.program.rules, start=1)
        ]
        refused = [f"{identifier(name)} IS NULL" for column, name in self.columns.items() if not column.may_be_missing]
        refusal = f"      WHEN {' OR '.join(refused)} THEN NULL\n" if refused else ""
        cases, default = "".join([refusal, *whens]), str(len(self.program.clauses))
        position = f"CASE\n{cases}      ELSE {default}\n    END" if cases else default
        return f"{position} AS {identifier(self.rule)}"

    def _answer_of_first(self) -> str:
        clauses = self.program.clauses
        labels = [literal(self.program.classes[clause.best]) for clause in clauses]
        columns = [*self._kept_names(), identifier(self.rule), self._by_rule(labels, self.label)]
        for place, name in enumerate(self.shares):
            columns.append(self._by_rule([number(clause.probabilities[place]) for clause in clauses], name))
        return f"SELECT\n{_lines(columns)}\nFROM {identifier(self.steps['fired'])}"

    def _by_rule(self, values: list[str], name: str) -> str:
        whens = "".join(f"    WHEN {position} THEN {value}\n" for position, value in enumerate(values, start=1))
        return f"CASE {identifier(self.rule)}\n{whens}  END AS {identifier(name)}"

    def _fired(self) -> str:
        """One column of 0 and 1 for each rule."""
        flags = [
            f"-- {one_line(clause.text)}\n    CASE WHEN {self._all(clause)} THEN 1 ELSE 0 END AS {identifier(name)}"
            for clause, name in zip(self.program.rules, self.fires, strict=True)
        ]
        columns = [*map(identifier, self.kept), *flags, self._rule_number()]
        return self._step("fired", columns, identifier(self.steps["source"]))

    def _summed(self) -> str:
        """What the rules that match state, added up in their order; what the default states if none does."""
        program, rule = self.program, identifier(self.rule)
        columns = [*map(identifier, self.kept), rule]
        for place, name in enumerate(self.sums):
            parts = "\n        + ".join(
                f"CASE {identifier(flag)} WHEN 1 THEN {number(clause.probabilities[place])} ELSE 0e0 END"
                for clause, flag in zip(program.rules, self.fires, strict=True)
            )
            cases = [f"{rule} = {len(program.clauses)} THEN {number(program.default.probabilities[place])}"]
            cases += [f"{rule} IS NOT NULL THEN {parts}"] if parts else []
            whens = "".join(f"      WHEN {case}\n" for case in cases)
            columns.append(f"CASE\n{whens}    END AS {identifier(name)}")
        return self._step("summed", columns, identifier(self.steps["fired"]))

    def _shared(self) -> str:
        whole = " + ".join(map(identifier, self.sums))
        shares = [
            f"{identifier(name)} / ({whole}) AS {identifier(share)}"
            for name, share in zip(self.sums, self.shares, strict=True)
        ]
        columns = [*map(identifier, self.kept), identifier(self.rule), *shares]
        return self._step("shared", columns, identifier(self.steps["summed"]))

    def _answer_of_sum(self) -> str:
        """The first of the largest shares names the class."""
        names = [identifier(share) for share in self.shares]
        whens = "".join(
            f"    WHEN {' AND '.join(f'{name} >= {other}' for other in names if other != name)} THEN {literal(label)}\n"
            for name, label in zip(names, self.program.classes, strict=True)
        )
        chosen = f"CASE\n{whens}  END AS {identifier(self.label)}"
        columns = [*self._kept_names(), identifier(self.rule), chosen, *names]
        return f"SELECT\n{_lines(columns)}\nFROM {identifier(self.steps['shared'])}"

    def _kept_names(self) -> list[str]:
        return [f"{identifier(new)} AS {identifier(old)}" for old, new in zip(self.keep, self.kept, strict=True)]

    def _all(self, clause: Clause) -> str:
        return " AND ".join(self._test(test) for test in clause.tests)

    def _test(self, test: Comparison | Membership) -> str:
        """A test that is not true for NULL unless it says so."""
        name = identifier(self.columns[test.column])
        if isinstance(test, Comparison):
            core = f"{name} {'<=' if test.is_upper else '>'} {number(test.cutoff)}"
        elif test.codes:
            labels = ", ".join(literal(label) for label in test.labels)
            core = f"{name} {'IN' if test.is_inside else 'NOT IN'} ({labels})"
        else:
            core = "1 = 0" if test.is_inside else f"{name} IS NOT NULL"
        return f"({core} OR {name} IS NULL)" if test.or_missing else core


def _value(column: Column, name: str) -> str:
    """A column as rules test it: numbers as doubles, NaN and unknown categories as NULL."""
    # NaN and infinity times zero are not zero, on every database that has them.
    double = f"CAST({name} AS DOUBLE PRECISION)"
    if column.labels is None:
        return f"CASE WHEN {double} * 0 = 0 THEN {double} END"
    if column.unknown_is_missing:
        known = ", ".join(literal(label) for label in column.labels)
        return f"CASE WHEN {name} IN ({known}) THEN {name} END" if known else "NULL"
    return f"CASE WHEN {double} * 0 = 0 THEN {name} END" if column.kind in ("number", "integer") else name


def _lines(columns: list[str]) -> str:
    return ",\n".join(f"  {column}" for column in columns)
