"""The Python function, run without NumPy or other packages."""

import json
import subprocess
import sys

import numpy as np
import pytest
from export.worlds import HOSTILE, PLAIN, assert_same, random_ruleset, rulesets, samples
from ruleset.handmade import handmade

from rulekit.export import to_python
from rulekit.ruleset import RuleSet

#: Runs many modules in one interpreter that sees the standard library alone; floats pass as their exact repr.
RUNNER = """
import json, sys
for line in sys.stdin:
    source, rows = json.loads(line)
    space = {}
    exec(compile(source, "rules", "exec"), space)
    answers = []
    for row in rows:
        by_position = space["predict"](row)
        by_name = space["predict"](dict(zip(space["FEATURES"], row)))
        assert repr(by_position) == repr(by_name)
        label, probabilities = by_position
        assert list(probabilities) == list(space["CLASSES"])
        answers.append([label, list(probabilities.values())])
    print(json.dumps(answers))
assert "numpy" not in sys.modules
"""


def run_alone(jobs: list[tuple[RuleSet, list]]) -> list[list]:
    lines = "".join(json.dumps([to_python(ruleset), rows]) + "\n" for ruleset, rows in jobs)
    run = subprocess.run([sys.executable, "-I", "-S", "-c", RUNNER], input=lines, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


@pytest.mark.parametrize("names", [PLAIN, HOSTILE], ids=["plain", "hostile"])
def test_the_function_gives_the_same_answers_alone(names):
    jobs = [(ruleset, samples(ruleset, seed)) for seed, ruleset in enumerate(rulesets(names))]
    for (ruleset, rows), answers in zip(jobs, run_alone(jobs), strict=True):
        assert_same(ruleset, rows, [label for label, _ in answers], [probabilities for _, probabilities in answers])


def predictor(ruleset: RuleSet):
    space: dict = {}
    exec(to_python(ruleset), space)
    return space["predict"]


def test_imports_nothing_but_math():
    assert [line for line in to_python(handmade()).splitlines() if "import" in line] == [
        "from math import isinf, isnan, nan"
    ]


def test_none_is_missing_too():
    ruleset = next(each for each in rulesets() if each.conditions.missing_features and len(each) > 1)
    position = min(ruleset.conditions.missing_features)
    rows = [[*row[:position], float("nan"), *row[position + 1 :]] for row in samples(ruleset)]
    predict = predictor(ruleset)
    assert [predict([*row[:position], None, *row[position + 1 :]]) for row in rows] == [predict(row) for row in rows]


def test_a_mapping_needs_only_the_columns_that_rules_test():
    assert predictor(handmade(feature_names=("Time", "age")))({"Time": 8, "age": 20})[0] == "yes"


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        ([None, 20.0], "'Time' is missing, but had no missing values in training."),
        ([float("nan"), 20.0], "'Time' is missing, but had no missing values in training."),
        ([float("inf"), 20.0], "'Time' is infinite, which is not supported."),
        ([8.0], "A sample must have 2 values, got 1."),
    ],
)
def test_rejects_what_the_ruleset_rejects(sample, message):
    with pytest.raises(ValueError, match=message):
        predictor(handmade())(sample)


def test_with_equal_names_samples_are_read_by_position_only():
    predict = predictor(handmade(feature_names=("a", "a")))
    assert predict([8.0, 20.0])[0] == "yes"
    with pytest.raises(ValueError, match=r"Several features are called 'a'\. Pass a sequence"):
        predict({"a": 8.0})


def test_an_empty_name_is_a_name():
    assert predictor(handmade(feature_names=("", "age")))({"": 8.0, "age": 20.0})[0] == "yes"


def test_numpy_scalars_among_the_labels_become_plain():
    classes = np.array([np.str_("no"), np.str_("yes")], dtype=object)
    assert type(predictor(handmade(labels=classes))([8.0, 20.0])[0]) is str


def test_worlds_have_every_kind_of_test():
    """The property tests above are only as good as the random rulesets."""
    keys = [each.conditions.key(row) for each in rulesets() for rule in each.antecedents for row in rule]
    kinds = {(key.codes is not None, key.is_upper, key.holds_missing) for key in keys}
    assert len(kinds) == 8
    assert any(np.isinf(key.threshold) for key in keys)
    assert any(each.conditions.categories.by_feature for each in rulesets())
    assert random_ruleset(0) == random_ruleset(0)
