"""JSON that any reader accepts, that follows the published schema, and that is read back exactly."""

import json
from importlib.resources import files
from typing import Any

import jsonschema
import numpy as np
import pytest
from export.worlds import HOSTILE, answers, rulesets, samples
from ruleset.handmade import handmade
from ruleset.test_damaged_document import DAMAGES

from rulekit.core.errors import RuleSetFormatError
from rulekit.export import json_schema, to_json
from rulekit.ruleset import RuleSet
from rulekit.ruleset.format import RULESET


def reject(word: str) -> Any:
    raise AssertionError(f"{word} is not JSON")


def strictly(document: str) -> Any:
    return json.loads(document, parse_constant=reject)


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    jsonschema.Draft202012Validator.check_schema(json_schema())
    return jsonschema.Draft202012Validator(json_schema())


def test_the_ruleset_that_comes_back_is_equal_and_answers_the_same():
    for seed, ruleset in enumerate(rulesets(HOSTILE)):
        back = RuleSet.from_dict(strictly(to_json(ruleset)))
        assert back == ruleset
        rows = samples(ruleset, seed)
        assert answers(back, rows)[1].tobytes() == answers(ruleset, rows)[1].tobytes()


def test_every_document_follows_the_schema(validator):
    for ruleset in rulesets(HOSTILE):
        assert list(validator.iter_errors(strictly(to_json(ruleset)))) == []


def test_infinite_thresholds_occur_among_them():
    assert any("1e999" in to_json(ruleset) for ruleset in rulesets())


def test_a_label_that_looks_like_an_infinite_threshold_stays_a_label():
    labels = ['"threshold": Infinity', "yes"]
    assert strictly(to_json(handmade(labels=labels)))["classes"] == labels


def test_labels_of_numpy_among_objects_become_those_of_python():
    labels = np.empty(2, dtype=object)
    labels[:] = [np.int64(3), np.str_("yes")]
    assert strictly(to_json(handmade(labels=labels)))["classes"] == [3, "yes"]


CHANGES = {
    "another version": {"version": 2},
    "one class": {"classes": ["no"]},
    "no rules": {"rules": []},
    "no inference mode": {"inference": "decision-list"},
    "an unknown operator": {"conditions": [{"feature": 0, "operator": "<", "threshold": 1.0, "or_missing": False}]},
    "a threshold of categories": {
        "conditions": [{"feature": 0, "operator": "in", "threshold": 1, "or_missing": False}]
    },
    "a missing threshold": {"conditions": [{"feature": 0, "operator": "<=", "or_missing": False}]},
    "a string for a number": {"n_samples": "80"},
    "an unknown type": {"class_type": "datetime64[ns]"},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_the_schema_rejects(change, validator):
    assert not validator.is_valid(handmade().to_dict() | change)


def test_the_schema_asks_for_everything_that_a_document_has(validator):
    document = handmade().to_dict()
    assert sorted(json_schema()["required"]) == sorted(document)
    for key in document:
        assert not validator.is_valid({name: value for name, value in document.items() if name != key})


def test_the_shipped_file_is_the_schema_that_the_reader_checks_by():
    """Write it again: `json.dumps(rulekit.export.json_schema(), indent=2)`."""
    shipped = files("rulekit.export").joinpath("ruleset.schema.json").read_text(encoding="utf-8")
    assert shipped == json.dumps(json_schema(), indent=2) + "\n"


@pytest.mark.parametrize("name", sorted(DAMAGES))
def test_the_schema_rejects_what_the_reader_rejects_before_it_compares_parts(name, validator):
    document = DAMAGES[name][0](handmade().to_dict())
    try:
        written = strictly(json.dumps(document, allow_nan=False))
    except (TypeError, ValueError):  # not JSON at all
        return
    try:
        RULESET.check(document, "")
    except RuleSetFormatError:
        # JSON Schema cannot add up.
        assert name == "probabilities that sum to less" or not validator.is_valid(written)
    else:
        assert validator.is_valid(written)


def test_the_schema_allows_a_rounded_threshold(validator):
    document = handmade().to_dict()
    document["conditions"][0]["display"] = 8.1
    assert validator.is_valid(document)
