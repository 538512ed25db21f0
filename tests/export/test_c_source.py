"""The C function, compiled with warnings as errors and run."""

import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from export.worlds import HOSTILE, assert_same, codes, rulesets, samples
from ruleset.handmade import BOTH, handmade

from rulekit.core.errors import ExportError
from rulekit.export import to_c
from rulekit.export.c_literals import string
from rulekit.inference.aggregate import Aggregate
from rulekit.ruleset import RuleSet

COMPILER = shutil.which("gcc")
FLAGS = ["-Wall", "-Wextra", "-Werror", "-std=c99", "-O1", "-shared", "-fPIC"]
TYPES = {"U": ctypes.c_char_p, "O": ctypes.c_char_p, "i": ctypes.c_longlong, "u": ctypes.c_longlong}
needs_compiler = pytest.mark.skipif(
    COMPILER is None and not os.environ.get("CI"), reason="needs gcc to compile the exported C source"
)


def compiled(sources: list[str], folder: Path) -> ctypes.CDLL:
    """All sources as one library: their names have different prefixes."""
    (folder / "rules.c").write_text("\n".join(sources), encoding="utf-8")
    subprocess.run([COMPILER or "gcc", *FLAGS, "rules.c", "-o", "rules.so"], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "rules.so"))


@pytest.fixture(scope="module")
def jobs() -> list[tuple[RuleSet, list[list[Any]]]]:
    return [(ruleset, samples(ruleset, seed)) for seed, ruleset in enumerate(rulesets(HOSTILE))]


@pytest.fixture(scope="module")
def library(jobs, tmp_path_factory) -> ctypes.CDLL:
    return compiled(
        [to_c(ruleset, name=f"r{position}") for position, (ruleset, _) in enumerate(jobs)], tmp_path_factory.mktemp("c")
    )


def run(library: ctypes.CDLL, name: str, ruleset: RuleSet, X: np.ndarray) -> tuple[list[int], np.ndarray]:
    predict = getattr(library, f"{name}_predict")
    pointer = ctypes.POINTER(ctypes.c_double)
    probabilities = np.full((len(X), len(ruleset.classes)), -1.0)
    positions = [
        predict(x.ctypes.data_as(pointer), out.ctypes.data_as(pointer)) for x, out in zip(X, probabilities, strict=True)
    ]
    return positions, probabilities


def class_labels(library: ctypes.CDLL, name: str, ruleset: RuleSet) -> list[Any]:
    kind = ruleset.classes.dtype.kind
    element = {**TYPES, "f": ctypes.c_double, "b": ctypes.c_int}[kind]
    listed = list((element * len(ruleset.classes)).in_dll(library, f"{name}_classes"))
    return [label.decode() if kind in "UO" else bool(label) if kind == "b" else label for label in listed]


@needs_compiler
def test_the_function_gives_the_same_answers(jobs, library):
    for position, (ruleset, rows) in enumerate(jobs):
        name = f"r{position}"
        positions, probabilities = run(library, name, ruleset, np.ascontiguousarray(codes(ruleset, rows)))
        labels = class_labels(library, name, ruleset)
        assert_same(ruleset, rows, [labels[position] for position in positions], probabilities)


def lookups(library: ctypes.CDLL, name: str, ruleset: RuleSet) -> Iterator[tuple[int, Any, float]]:
    """Each label of a column that rules test, and one that no column has, with the code that C gives it."""
    tested = {int(ruleset.conditions.features[row]) for rule in ruleset.antecedents for row in rule}
    for feature, known in ruleset.conditions.categories.by_feature.items():
        if feature not in tested:
            continue
        is_string = isinstance(known[0], str)
        look_up = getattr(library, f"{name}_code" if is_string else f"{name}_number_code")
        look_up.restype, look_up.argtypes = (
            ctypes.c_double,
            [ctypes.c_int, TYPES["U"] if is_string else ctypes.c_double],
        )
        for label in [*known, "never seen" if is_string else 987]:
            yield feature, label, look_up(feature, label.encode() if is_string else label)


@needs_compiler
def test_labels_get_the_codes_that_the_ruleset_gives_them(jobs, library):
    seen = 0
    for position, (ruleset, _) in enumerate(jobs):
        categories = ruleset.conditions.categories
        unknown = np.nan if categories.unknown_as_missing else -1.0
        for feature, label, code in lookups(library, f"r{position}", ruleset):
            known = {each: float(at) for at, each in enumerate(categories.by_feature[feature])}
            np.testing.assert_equal(code, known.get(label, unknown))
            seen += 1
    assert seen > 100


@needs_compiler
def test_names_of_features_survive(jobs, library):
    for position, (ruleset, _) in enumerate(jobs):
        listed = (ctypes.c_char_p * len(ruleset.feature_names)).in_dll(library, f"r{position}_features")
        assert [name.decode() for name in listed] == list(ruleset.feature_names)


@needs_compiler
@pytest.mark.parametrize("mode", [None, Aggregate()], ids=["decision-list", "aggregate"])
def test_values_that_the_ruleset_rejects_give_no_answer(mode, tmp_path):
    library = compiled([to_c(handmade(inference=mode))], tmp_path)
    X = np.array([BOTH, [np.nan, 20.0], [8.0, np.inf]])
    positions, probabilities = run(library, "rules", handmade(), X)
    assert positions == [1, -1, -1]
    assert (probabilities[1:] == -1.0).all()


@needs_compiler
def test_empty_and_equal_names_are_harmless(tmp_path):
    library = compiled([to_c(handmade(feature_names=("", "")))], tmp_path)
    assert run(library, "rules", handmade(), np.array([BOTH]))[0] == [1]


def test_a_prefix_that_is_not_an_identifier_is_rejected():
    with pytest.raises(ExportError, match=r"name must be a prefix of C identifiers: .* got '1; int'"):
        to_c(handmade(), name="1; int")


@pytest.mark.parametrize(
    ("value", "message"),
    [("a\0b", "Not supported in C: a NUL character in"), ("\ud800", "is not valid Unicode: surrogates not allowed")],
)
def test_strings_that_c_cannot_hold_are_rejected(value, message):
    with pytest.raises(ExportError, match=message):
        string(value)
