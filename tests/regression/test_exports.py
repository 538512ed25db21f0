"""Rules for numbers as JSON, SQL, Python and C: the same numbers, to the last bit."""

import ctypes
import itertools
import json
import re
import sqlite3
from contextlib import closing

import attrs
import numpy as np
import pytest
from export.test_c_source import compiled, needs_compiler
from export.test_sql_query import run_duckdb, run_sqlite
from export.worlds import HOSTILE, as_array, codes, random_ruleset, samples

from rulekit import RegressionRules
from rulekit.core.errors import ExportError, RuleSetFormatError
from rulekit.export import to_c, to_json, to_python, to_sql

N_RULESETS = 40


def rules_of(seed):
    """Rules for numbers with the conditions of a random ruleset, and the samples that find its weak points."""
    ruleset = attrs.evolve(random_ruleset(seed, HOSTILE), unexpected_missing="error")
    rng, n_rules = np.random.default_rng(seed), len(ruleset)
    counts = rng.integers(0, 50, n_rules)
    rules = RegressionRules(
        conditions=ruleset.conditions,
        antecedents=ruleset.antecedents,
        combination=("sum", "first")[seed % 2],
        # Of so different sizes that the order of the sum shows.
        values=rng.normal(size=n_rules) * 10.0 ** rng.integers(-3, 4, n_rules),
        scales=rng.random(n_rules),
        n_covered=counts,
        n_answered=counts,
        n_samples=int(counts.sum()),
        quantiles=np.append(np.linspace(0, 3, 990), np.full(10, np.inf)) if seed % 3 else None,
    )
    return rules, samples(ruleset, seed)


@pytest.fixture(scope="module")
def worlds():
    found = [rules_of(seed) for seed in range(N_RULESETS)]
    return [(rules, rows, rules.predict(as_array(rules, rows)).tolist()) for rules, rows in found]


@pytest.fixture(scope="module")
def rejecting(worlds):
    """Rules that test a column without missing values in training, a sample without its value, and the column."""
    return [
        (rules, [*rows[0][:position], float("nan"), *rows[0][position + 1 :]], position)
        for rules, rows, _ in worlds
        for position in rules.tested_features
        if position not in rules.conditions.missing_features
    ]


def predictor(rules):
    space = {}
    exec(to_python(rules), space)
    return space["predict"]


def test_worlds_have_categories_and_missing_values(worlds):
    tested = [(rules, position) for rules, _, _ in worlds for position in rules.tested_features]
    assert sum(position in rules.conditions.categories.by_feature for rules, position in tested) > 10
    assert sum(position in rules.conditions.missing_features for rules, position in tested) > 10
    assert sum(len(set(predicted)) > 2 for _, _, predicted in worlds) > 10


def test_the_order_of_the_sum_shows(worlds):
    """Otherwise, the tests of the exports would not notice another order."""
    sums = [rules for rules, _, _ in worlds if rules.combination == "sum" and len(rules) > 3]
    assert any(len({sum(order) for order in itertools.permutations(rules.values[:4].tolist())}) > 1 for rules in sums)


def test_the_python_function_predicts_the_same_numbers(worlds):
    for rules, rows, expected in worlds:
        predict = predictor(rules)
        assert np.array([predict(row) for row in rows]).tobytes() == np.array(expected).tobytes()
        if len(set(rules.feature_names)) == len(rules.feature_names):
            assert predict(dict(zip(rules.feature_names, rows[0], strict=True))) == expected[0]


def test_the_python_function_rejects_what_the_rules_reject(rejecting):
    assert len(rejecting) > 10
    for rules, row, _ in rejecting:
        with pytest.raises(ValueError, match="is missing, but had no missing values in training"):
            predictor(rules)(row)


@pytest.mark.parametrize("run", [run_sqlite, run_duckdb])
def test_the_query_predicts_the_same_numbers(worlds, run):
    for rules, rows, expected in worlds:
        answers = run(rules, rows, list(rules.feature_names))
        assert [answer[0] for answer in answers] == list(range(len(rows)))
        assert [answer[-1] for answer in answers] == expected
        if rules.combination == "first":
            assert [answer[1] - 1 for answer in answers] == rules.first_matches(as_array(rules, rows)).tolist()
        else:
            assert {len(answer) for answer in answers} == {2}


@pytest.mark.parametrize("run", [run_sqlite, run_duckdb])
def test_the_query_returns_null_where_the_rules_reject_a_sample(rejecting, run):
    for rules, row, _ in rejecting[:20]:
        assert {*run(rules, [row], list(rules.feature_names))[0][1:]} == {None}


def test_the_columns_of_the_answer_are_named(worlds):
    rules = next(rules for rules, _, _ in worlds if rules.combination == "first" and rules.tested_features)
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f'CREATE TABLE "houses" ("prediction", {", ".join(f"c{at}" for at in range(9))})')
        columns = [f"c{at}" for at in range(len(rules.feature_names))]
        found = connection.execute(to_sql(rules, "houses", "prediction", columns))
        assert [column[0] for column in found.description] == ["prediction", "rule", "prediction_2"]


@needs_compiler
def test_the_c_function_predicts_the_same_numbers(worlds, rejecting, tmp_path):
    library = compiled([to_c(rules, f"r{at}") for at, (rules, _, _) in enumerate(worlds)], tmp_path)
    pointer = ctypes.POINTER(ctypes.c_double)

    def predict(at, sample):
        number = ctypes.c_double(-1.0)
        return getattr(library, f"r{at}_predict")(sample.ctypes.data_as(pointer), ctypes.byref(number)), number.value

    for at, (rules, rows, expected) in enumerate(worlds):
        numbers = np.ascontiguousarray(codes(rules, rows))
        assert [predict(at, sample) for sample in numbers] == [(0, value) for value in expected]
    at, (rules, rows, _) = next((at, world) for at, world in enumerate(worlds) if world[0] is rejecting[0][0])
    sample = codes(rules, rows)[0].copy()
    sample[rejecting[0][2]] = np.nan
    assert predict(at, sample) == (-1, -1.0)


def test_json_comes_back_exactly(worlds):
    for rules, _, _ in worlds:
        text = to_json(rules)
        json.loads(text, parse_constant=pytest.fail)
        again = RegressionRules.from_json(text)
        assert again.to_dict() == rules.to_dict()
        assert RegressionRules.from_json(text.encode()).values.tobytes() == rules.values.tobytes()


def test_a_name_that_looks_like_an_infinite_number_survives(worlds):
    rules = worlds[2][0]
    names = ('say "x": Infinity', "Infinity", *map(str, range(9)))[: len(rules.feature_names)]
    named = attrs.evolve(rules, conditions=attrs.evolve(rules.conditions, feature_names=names))
    assert RegressionRules.from_json(to_json(named)).feature_names == names


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace('"combination"', '"n_samples": 3, "combination"'), "twice"),
        (lambda text: text.replace('"scale": ', '"scale": NaN, "x": ', 1), "NaN is not a number"),
        (lambda text: text.replace('"scale": ', '"scale": -1', 1), "a scale is negative"),
        (lambda text: re.sub('"value": [^,]+', '"value": 1e999', text, count=1), "a value is infinite"),
        (lambda text: text.replace('"covered": ', '"covered": 9999', 1), "covers more than n_samples"),
        (lambda text: text.replace('"quantiles": [', '"quantiles": [9e9, ').replace(",\n    1e999", "", 1), "ascend"),
        (lambda text: text.replace("rulekit-regression-rules", "rulekit-ruleset"), "format"),
        (lambda text: "[" * 100_000, "nested too deeply"),
        (lambda text: text[:-9], "not valid JSON"),
    ],
)
def test_damaged_json_is_rejected(worlds, change, message):
    rules = next(rules for rules, _, _ in worlds if rules.quantiles is not None and len(rules) > 2)
    with pytest.raises(RuleSetFormatError, match=message):
        RegressionRules.from_json(change(to_json(rules)))


@pytest.mark.parametrize("suffix", [".json", ".py", ".sql", ".c"])
def test_export_writes_what_the_function_returns(worlds, suffix, tmp_path):
    function = {".json": to_json, ".py": to_python, ".sql": to_sql, ".c": to_c}[suffix]
    worlds[0][0].export(tmp_path / f"rules{suffix}")
    assert (tmp_path / f"rules{suffix}").read_bytes() == function(worlds[0][0]).encode()


@pytest.mark.parametrize("suffix", [".pmml", ".onnx", ".csv", ".xlsx"])
def test_formats_without_rules_for_numbers_say_which_have_them(worlds, suffix, tmp_path):
    with pytest.raises(ExportError, match=r"rules for numbers in the format '\w+'\. Choose json, python, sql, c"):
        worlds[0][0].export(tmp_path / f"rules{suffix}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("function", [to_python, to_sql, to_c])
def test_infinite_values_are_rejected(worlds, function):
    rules = worlds[0][0]
    with pytest.raises(ExportError, match="an infinite value"):
        function(attrs.evolve(rules, values=np.full(len(rules), np.inf)))


def test_a_path_is_no_json(tmp_path):
    with pytest.raises(TypeError, match=r"^from_json expects a string or bytes, got "):
        RegressionRules.from_json(tmp_path)
