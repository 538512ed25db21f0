"""Integers at the ends of what other languages hold: the label itself, or an error that says what to do."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from export.test_c_source import compiled, lookups, needs_compiler
from ruleset.handmade import BOTH, handmade

from rulekit.core.conditions import ConditionKey, Conditions
from rulekit.core.errors import ExportError
from rulekit.core.validation import Categories
from rulekit.export import to_c, to_onnx, to_python, to_sql
from rulekit.ruleset import RuleSet

SMALLEST, LARGEST, UNSIGNED = -(2**63), 2**63 - 1, 2**64 - 1


def of_classes(*labels: Any) -> RuleSet:
    return handmade(labels=np.array(labels, dtype=object))


def of_categories(*labels: Any) -> RuleSet:
    key = ConditionKey(0, True, 0.0, frozenset([0]), False)
    conditions = Conditions.of_keys([key] * 3, ("size",), np.float64, Categories({0: labels}), frozenset())
    return attrs.evolve(handmade(), conditions=conditions)


@pytest.mark.parametrize("target", [to_c, to_onnx])
@pytest.mark.parametrize("labels", [(-1, LARGEST + 1), (SMALLEST - 1, 0), (0, UNSIGNED + 1), (0, 10**30)])
def test_classes_that_no_64_bit_type_holds_are_rejected(target, labels):
    with pytest.raises(ExportError, match=rf"integer labels from {labels[0]} to {labels[1]}, which no 64-bit"):
        target(of_classes(*labels))


@pytest.mark.parametrize("label", [SMALLEST - 1, LARGEST + 1, UNSIGNED, 10**30])
def test_integers_that_sqlite_would_round_are_rejected(label):
    for ruleset in (of_classes(0, label), of_categories(label, 0)):
        with pytest.raises(
            ExportError, match=rf"{label}, which no signed 64-bit integer holds. Convert such labels to strings"
        ):
            to_sql(ruleset)


def test_integers_of_64_bits_come_back_from_sqlite():
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE samples (Time, age)")
        connection.execute("INSERT INTO samples VALUES (?, ?)", BOTH)
        query = to_sql(of_classes(SMALLEST, LARGEST), keep=["Time"])
        assert connection.execute(query).fetchone()[2] == LARGEST


@pytest.mark.parametrize("target", [to_c, to_onnx, to_python, to_sql])
@pytest.mark.parametrize("label", [2**53 + 1, 10**400], ids=["beyond 53 bits", "beyond all doubles"])
def test_an_integer_among_floats_must_be_a_double(target, label):
    with pytest.raises(ExportError, match=r"must be exact as doubles. Convert them to strings before fit"):
        target(of_classes(0.5, label))


def test_categories_that_c_could_not_distinguish_are_rejected():
    with pytest.raises(ExportError, match="Category 9007199254740993 of 'size' cannot be represented as a C double"):
        to_c(of_categories(2**53, 2**53 + 1))


@needs_compiler
def test_categories_that_are_doubles_keep_their_codes(tmp_path: Path):
    ruleset = of_categories(2**53 + 2, SMALLEST, 2**53)
    library = compiled([to_c(ruleset)], tmp_path)
    assert [code for _, _, code in lookups(library, "rules", ruleset)] == [0.0, 1.0, 2.0, -1.0]


def test_a_lone_surrogate_is_not_supported_in_a_label_of_a_graph():
    with pytest.raises(ExportError, match=r"is not valid Unicode: surrogates not allowed. Rename it before fit"):
        to_onnx(of_classes("no", "\ud800"))
