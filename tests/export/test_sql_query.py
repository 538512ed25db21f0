"""The query, run by SQLite and by DuckDB."""

import math
import sqlite3
import struct
from contextlib import closing
from functools import partial
from typing import Any

import attrs
import duckdb
import numpy as np
import pyarrow as pa
import pytest
from export.worlds import HOSTILE, assert_same, rulesets, samples
from ruleset.handmade import BOTH, FIRST, NONE, SECOND, handmade

from rulekit.core.conditions import ConditionKey, Conditions
from rulekit.core.errors import ExportError
from rulekit.core.validation import Categories
from rulekit.export import to_sql
from rulekit.export.sql_literals import number
from rulekit.inference.aggregate import Aggregate
from rulekit.inference.decision_list import DecisionList
from rulekit.ruleset import RuleSet

CONNECTION = duckdb.connect(config={"threads": 1})
#: Words with a meaning in SQL, or in one database, unless they are quoted, and sometimes even then.
WORDS = ("true", "False", "null", "current_date", "rowid", "NaN", "select", "x_1", "x_2", "whole")
ARROW = {str: pa.string(), bool: pa.bool_(), int: pa.int64(), float: pa.float64()}


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def run_sqlite(ruleset: RuleSet, rows: list[list[Any]], names: list[str], **options: Any) -> list[tuple]:
    with closing(sqlite3.connect(":memory:")) as connection:
        columns = ", ".join(quoted(name) for name in names)
        connection.execute(f'CREATE TABLE "samples" ("the id", {columns})')
        marks = ", ".join("?" * (len(names) + 1))
        connection.executemany(
            f'INSERT INTO "samples" VALUES ({marks})', [(position, *row) for position, row in enumerate(rows)]
        )
        return sorted(connection.execute(to_sql(ruleset, keep=["the id"], **options)).fetchall())


def run_duckdb(ruleset: RuleSet, rows: list[list[Any]], names: list[str], **options: Any) -> list[tuple]:
    """Like `run_sqlite`; missing numbers are NaN in every second sample and NULL in the others."""
    labels = ruleset.conditions.categories.by_feature
    arrays = [pa.array(range(len(rows)))]
    for position in range(len(names)):
        kind = ARROW[type(labels[position][0]) if position in labels else float]
        is_float = kind == pa.float64()
        values = [
            None if value != value and not (is_float and at % 2) else float(value) if is_float else value
            for at, value in enumerate(row[position] for row in rows)
        ]
        arrays.append(pa.array(values, type=kind, from_pandas=False))
    CONNECTION.register("samples", pa.table(dict(zip(["the id", *names], arrays, strict=True))))
    return sorted(CONNECTION.execute(to_sql(ruleset, keep=["the id"], **options)).fetchall())


@pytest.mark.parametrize("run", [run_sqlite, run_duckdb])
def test_the_query_gives_the_same_answers(run):
    for seed, ruleset in enumerate(rulesets(HOSTILE)):
        rows = samples(ruleset, seed)
        answers = run(ruleset, rows, list(ruleset.feature_names))
        assert [answer[0] for answer in answers] == list(range(len(rows)))
        labels = [answer[2] for answer in answers]
        if run is run_sqlite and ruleset.classes.dtype == bool:
            labels = [bool(label) for label in labels]  # SQLite's booleans are 0 and 1
        assert_same(ruleset, rows, labels, [answer[3:] for answer in answers])


@pytest.mark.parametrize("run", [run_sqlite, run_duckdb])
@pytest.mark.parametrize("mode", [DecisionList, Aggregate])
def test_the_query_names_the_first_rule_that_matches(run, mode):
    assert [answer[1] for answer in run(handmade(inference=mode()), [BOTH, NONE], ["Time", "age"])] == [1, 3]


@pytest.mark.parametrize("run", [run_sqlite, run_duckdb])
@pytest.mark.parametrize("mode", [DecisionList, Aggregate])
def test_where_the_ruleset_rejects_a_sample_the_query_returns_null(run, mode):
    rows = [[math.nan, 20.0], [8.0, math.nan]]
    assert run(handmade(inference=mode()), rows, ["Time", "age"]) == [(0, *[None] * 4), (1, *[None] * 4)]


@pytest.mark.parametrize("run", [run_sqlite, run_duckdb])
def test_columns_gives_the_names_that_the_table_has(run):
    ruleset = handmade(feature_names=("", "A"))
    assert run(ruleset, [BOTH], ["time in s", "a"], columns=["time in s", "a"])[0][2] == "yes"


def test_the_columns_of_the_answer_are_named():
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute('CREATE TABLE "patients" ("Time", "age", "class")')
        found = connection.execute(to_sql(handmade(labels=("A", "a")), table="patients", keep=["class"]))
        assert [column[0] for column in found.description] == ["class", "rule", "class_2", "p_A", "p_a_2"]


@pytest.mark.parametrize("run", [run_sqlite, run_duckdb])
@pytest.mark.parametrize("mode", [DecisionList, Aggregate])
@pytest.mark.parametrize("names", [WORDS[position : position + 2] for position in range(len(WORDS) - 1)], ids="-".join)
def test_columns_and_classes_may_be_called_like_words_of_the_language(run, mode, names):
    ruleset, rows = handmade(names, names, mode()), [BOTH, FIRST, SECOND, NONE]
    answers = run(ruleset, rows, list(names))
    assert_same(ruleset, rows, [answer[2] for answer in answers], [answer[3:] for answer in answers])


@pytest.mark.parametrize("mode", [DecisionList, Aggregate])
@pytest.mark.parametrize("connect", [partial(sqlite3.connect, ":memory:"), duckdb.connect], ids=["sqlite", "duckdb"])
def test_columns_that_are_kept_may_be_called_like_words_of_the_language(connect, mode):
    values = [*range(len(WORDS)), *BOTH]
    with closing(connect()) as connection:
        columns = ", ".join(f"{quoted(name)} double" for name in [*WORDS, "Time", "age"])
        connection.execute(f"CREATE TABLE samples ({columns})")
        connection.execute(f"INSERT INTO samples VALUES ({', '.join(map(str, values))})")
        found = connection.execute(to_sql(handmade(labels=("false", "true"), inference=mode()), keep=WORDS))
        assert [column[0] for column in found.description] == [*WORDS, "rule", "class", "p_false", "p_true"]
        assert found.fetchone()[: len(WORDS) + 1] == (*range(len(WORDS)), 1)


def many_classes(n_classes: int) -> RuleSet:
    """Two rules with few different probabilities, so that many classes have the largest one."""
    weights = np.random.default_rng(0).integers(0, 4, (3, n_classes)) + np.eye(3, n_classes)
    ruleset = handmade(inference=Aggregate())
    return attrs.evolve(
        ruleset,
        probabilities=weights / weights.sum(axis=1, keepdims=True),
        counts=np.zeros((3, n_classes), dtype=np.int64),
        classes=np.arange(n_classes),
    )


@pytest.mark.parametrize("run", [run_sqlite, run_duckdb])
@pytest.mark.parametrize("n_classes", [8, 9, 65, 200])
def test_the_first_of_many_classes_with_the_largest_probability_is_predicted(run, n_classes):
    ruleset, rows = many_classes(n_classes), [BOTH, FIRST, SECOND, NONE]
    answers = run(ruleset, rows, ["Time", "age"])
    assert_same(ruleset, rows, [answer[2] for answer in answers], [answer[3:] for answer in answers])


def test_the_query_grows_with_the_number_of_classes_not_with_its_square():
    few, many = (len(to_sql(many_classes(n_classes))) for n_classes in (100, 800))
    assert many < 10 * few


def of_sets(n_rules: int, inference: Any) -> RuleSet:
    """Rules with two sets of up to 14 categories each, of several columns with missing values."""
    rng = np.random.default_rng(0)
    labels = tuple(f"label {position}" for position in range(20))
    keys = [
        ConditionKey(
            int(feature), bool(row % 2), 0.0, frozenset(rng.permutation(20)[: row % 15].tolist()), row % 3 == 0
        )
        for row, feature in enumerate(rng.integers(0, 5, 2 * n_rules))
    ]
    names = tuple("abcde")
    categories = Categories(dict.fromkeys(range(5), labels))
    return RuleSet(
        conditions=Conditions.of_keys(keys, names, np.float64, categories, frozenset({0, 1})),
        antecedents=(*((2 * rule, 2 * rule + 1) for rule in range(n_rules)), ()),
        probabilities=rng.dirichlet(np.ones(2), n_rules + 1),
        counts=np.ones((n_rules + 1, 2), dtype=np.int64),
        classes=np.array(["no", "yes"]),
        n_samples=2 * n_rules + 2,
        inference=inference,
    )


@pytest.mark.parametrize("mode", [DecisionList, Aggregate])
def test_duckdb_makes_no_join_of_a_list_of_categories(mode):
    """DuckDB turns each list of five or more labels into a join: 115 rules took 7 s to plan, and longer to start."""
    ruleset = of_sets(60, mode())
    rows = [
        list(np.random.default_rng(seed).permutation(ruleset.conditions.categories.by_feature[0])) for seed in (0, 1)
    ]
    rows = [row[:5] for row in rows]
    answers = run_duckdb(ruleset, rows, list("abcde"))
    assert_same(ruleset, rows, [answer[2] for answer in answers], [answer[3:] for answer in answers])
    plan = CONNECTION.execute("EXPLAIN " + to_sql(ruleset)).fetchall()[0][1]
    assert "CTE" in plan
    assert "join" not in plan.lower()


def test_integers_that_doubles_cannot_hold_are_rounded_as_numpy_rounds_them():
    ruleset = handmade()
    rows = [[2**53 + 1, 20.0]]
    assert run_sqlite(ruleset, rows, ["Time", "age"])[0][2] == ruleset.predict(np.array(rows, dtype=float))[0]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("a", "A"), "Not supported in SQL: the column names 'a' and 'A', which are the same. Pass columns="),
        (("", "b"), "Not supported in SQL: an empty column name. Pass columns="),
        (("a\0", "b"), "Not supported in SQL: a NUL character in"),
    ],
)
def test_names_that_no_table_can_have_are_rejected(names, message):
    with pytest.raises(ExportError, match=message):
        to_sql(handmade(feature_names=names))


def test_columns_must_name_every_column():
    with pytest.raises(ExportError, match="one name for each of the 2 features, got \\['a'\\]"):
        to_sql(handmade(), columns=["a"])


def test_every_double_is_written_exactly():
    """SQLite reads some decimals of seventeen digits as their neighbours, so numbers are written as ratios."""
    rng = np.random.default_rng(0)
    bits = struct.unpack("2000d", rng.integers(0, 2**64, 2000, dtype=np.uint64).tobytes())
    values = [value for value in bits if math.isfinite(value)] + rng.normal(size=2000).round(2).tolist()
    values += [0.0, 5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1e22, 1e23, 0.1, 1 / 3]
    query = "SELECT " + " UNION ALL SELECT ".join(number(value) for value in values[-400:])
    with closing(sqlite3.connect(":memory:")) as connection:
        assert [row[0] for row in connection.execute(query)] == values[-400:]
        assert [connection.execute(f"SELECT {number(value)}").fetchone()[0] for value in values] == values
    many = ", ".join(f"({position}, {number(value)})" for position, value in enumerate(values))
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT * FROM (VALUES {many}) ORDER BY 1").fetchall()
    assert [value for _, value in found] == values
