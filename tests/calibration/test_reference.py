"""Nothing public is left out of the reference, and its defaults are the real ones."""

import ast
import inspect
import re
from pathlib import Path

import pytest

from rulekit import calibration
from rulekit.builtins import COMPONENTS

METHODS = COMPONENTS["calibration"]
LINES = (Path(__file__).parents[2] / "docs/reference/calibration.md").read_text(encoding="utf-8").splitlines()


def defaults(of):
    parameters = inspect.signature(of).parameters.values()
    return {each.name: each.default for each in parameters if each.default is not each.empty}


def shown_defaults(start):
    line = next(line for line in LINES if line.startswith(start))
    return {name: ast.literal_eval(value) for name, value in re.findall(r"(\w+)=([^,`)]+)", line)}


def test_every_public_name_is_in_the_reference():
    text = "\n".join(LINES)
    assert [name for name in calibration.__all__ if f"`{name}" not in text] == []


@pytest.mark.parametrize("name", METHODS)
def test_the_defaults_of_each_map_are_in_the_reference(name):
    assert shown_defaults(f"| `{name}` ") == defaults(METHODS[name])


def test_the_defaults_of_the_classifier_are_in_the_reference():
    assert shown_defaults("## `CalibratedRules(") == defaults(calibration.CalibratedRules)
