"""Rulesets from untrusted sources: an equal ruleset or `RuleSetFormatError`, soon, and nothing is executed."""

import json
import re
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ruleset.handmade import handmade

import rulekit
from rulekit.core.errors import RuleSetFormatError
from rulekit.export import to_json
from rulekit.ruleset import RuleSet, limits

VALID = to_json(handmade())


def with_categories() -> RuleSet:
    """A document that has every kind of entry: sets, missing values, rounded thresholds."""
    document = handmade().to_dict()
    document["categories"] = {"1": ["old", "young"]}
    document["conditions"][1] = {"feature": 1, "operator": "in", "categories": [0], "or_missing": True}
    document["conditions"][0]["display"] = 8.1
    document["missing_features"] = [1]
    return RuleSet.from_dict(document)


def read(document: str | bytes) -> RuleSet | None:
    try:
        return RuleSet.from_json(document)
    except RuleSetFormatError:
        return None


def rejection(document: str | bytes) -> str:
    start = perf_counter()
    with pytest.raises(RuleSetFormatError) as caught:
        RuleSet.from_json(document)
    assert perf_counter() - start < 2
    message = str(caught.value)
    assert len(message) < 1000
    return message


def changed(**entries: Any) -> str:
    return json.dumps(handmade().to_dict() | entries)


def test_what_was_written_is_read():
    assert RuleSet.from_json(VALID) == handmade()
    assert RuleSet.from_json(VALID.encode()) == handmade()
    assert RuleSet.from_json(to_json(with_categories())) == with_categories()


class TestJson:
    @pytest.mark.parametrize("opening", ["[", '{"a":', '{"format": "rulekit-ruleset", "version": ['])
    def test_nested_without_end(self, opening):
        assert "nested too deeply" in rejection(opening * 200_000)

    @pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
    @pytest.mark.parametrize("depth", [100, 1_000, 5_000, 100_000])
    @pytest.mark.parametrize("position", ["rules", "classes", "n_samples", "format", "inference.parameters.weights"])
    def test_nested_at_a_position(self, position, depth, opening, closing):
        """Where the parser takes thousands of levels, as from Python 3.12 on, the check of the parameters did not."""
        here = "<here>"
        mode = {"name": "aggregate", "parameters": {"weights": here}}
        document = changed(inference=mode) if position.startswith("inference") else changed(**{position: here})
        rejection(document.replace(json.dumps(here), opening * depth + "1" + closing * depth))

    def test_nested_deeply_but_closed(self):
        nested = "[" * 900 + "]" * 900
        assert "rules must be a list" not in rejection(VALID.replace('"n_samples": 80', f'"n_samples": {nested}'))

    @pytest.mark.parametrize("key", ["format", "rules", "n_samples"])
    def test_a_key_twice(self, key):
        twice = VALID.replace(f'"{key}"', f'"{key}": 1, "{key}"', 1)
        assert rejection(twice) == f"The ruleset is damaged: an object has the key '{key}' twice."

    @pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
    def test_numbers_that_json_does_not_have(self, word):
        assert rejection(VALID.replace("8.125", word)) == f"The ruleset is damaged: {word} is not a number in JSON."

    def test_a_number_of_a_million_digits(self):
        assert "a number has 1000000 digits" in rejection(
            VALID.replace('"n_samples": 80', f'"n_samples": {"9" * 10**6}')
        )

    @pytest.mark.parametrize("label", [10**20, -(10**20)])
    def test_a_label_of_more_digits_than_json_may_have(self, label):
        """A document could have one, and the JSON that was written from it was rejected."""
        document = handmade().to_dict() | {"categories": {"1": [label]}}
        with pytest.raises(RuleSetFormatError, match="finite number of at most 20 digits"):
            RuleSet.from_dict(document)
        nearest = RuleSet.from_dict(document | {"categories": {"1": [label - 1 if label > 0 else label + 1]}})
        assert RuleSet.from_json(to_json(nearest)) == nearest

    @pytest.mark.parametrize(
        ("labels", "problem"),
        [
            (["old", None], "categories[1][1] must be bool or float or int or str; got None"),
            (["old", "old"], "categories[1] must have different labels"),
            ([1, True], "categories[1] must have different labels"),
        ],
    )
    def test_labels_that_no_sample_can_have(self, labels, problem):
        """None is a missing value, and of two equal labels the second was looked up."""
        assert problem in rejection(changed(categories={"1": labels}))

    def test_a_fraction_of_a_million_digits(self):
        assert read(VALID.replace("8.125", "8.125" + "0" * 10**6)) == handmade()

    @pytest.mark.parametrize("document", ["", "nothing", "{", "\ufeff{}", "[1,]", "'a'", "{}{}", b"\xff\xfe{\x00"])
    def test_invalid_json(self, document):
        assert rejection(document).startswith("This is not valid JSON")

    @pytest.mark.parametrize("document", ["null", "3", "true", '"rulekit-ruleset"', "[]", "{}"])
    def test_json_of_something_else(self, document):
        assert rejection(document) == "This is not a ruleset: 'format' must be 'rulekit-ruleset'."

    def test_a_file_that_is_too_large(self, monkeypatch):
        monkeypatch.setattr("rulekit.ruleset.json_reading.MAX_FILE_BYTES", 100)
        assert rejection(VALID) == f"The ruleset is too large: {len(VALID):,} bytes (limit 100)."

    @pytest.mark.parametrize("unit", ["[]", "{}", "0", "[[]]"])
    def test_more_values_than_memory_holds(self, unit):
        """A list in every third byte took thirty times the size of the file, before any check."""
        document = f"[{','.join([unit] * limits.MAX_FILE_VALUES)},0]"
        assert rejection(document).startswith("The ruleset is too large: ")
        assert rejection(document).endswith(" values (limit 10,000,000).")

    @pytest.mark.parametrize("given", [None, Path("rules.json"), 3, handmade().to_dict()], ids=type)
    def test_neither_a_string_nor_bytes(self, given):
        with pytest.raises(TypeError, match=r"expects a string or bytes, got .*\(Path\('rules.json'\).read_bytes\(\)"):
            RuleSet.from_json(given)


class TestSizes:
    def test_too_many_rules(self):
        rules = [{}] * 100_001
        assert "rules must be a list of at most 100000; got 100001" in rejection(changed(rules=rules))

    def test_too_many_probabilities(self):
        rules = handmade().to_dict()["rules"][:1] * 1_001
        document = changed(rules=rules, classes=list(range(10_000)), class_type="int64")
        assert "at most 10000000 probabilities in all; got 10010000" in rejection(document)

    def test_a_name_without_end(self):
        name = "a" * (limits.MAX_STRING + 1)
        assert "feature_names[1] must be" in rejection(changed(feature_names=["Time", name]))

    def test_a_label_without_end(self):
        assert "classes[0] must be" in rejection(changed(classes=["a" * 10**6, "b"]))

    def test_a_hundred_thousand_conditions_of_one_rule(self):
        rules = handmade().to_dict()["rules"]
        rules[0]["conditions"] = list(range(3)) * 40_000
        assert "rules[0].conditions must be a list of at most 10000; got 120000" in rejection(changed(rules=rules))

    @pytest.mark.parametrize("name", ["<U268435456", "a", "V9999999", "i4,f8", "longdouble", "O"])
    def test_types_of_labels_are_few_and_of_small_size(self, name):
        """NumPy accepts many strings as types, and warned about one."""
        message = rejection(changed(class_type=name))
        assert "class_type must be one of str, object, bool, int8, " in message
        assert message.endswith(f"; got {name!r}.")


class TestTypes:
    @pytest.mark.parametrize(
        ("entries", "where"),
        [
            ({"n_samples": True}, "n_samples"),
            ({"n_samples": 80.0}, "n_samples"),
            ({"n_samples": -1}, "n_samples"),
            ({"n_samples": 10**19}, "n_samples"),
            ({"unknown_as_missing": 0}, "unknown_as_missing"),
            ({"missing_features": [True]}, "missing_features[0]"),
            ({"missing_features": [2]}, "missing_features[0]"),
            ({"categories": {"-1": []}}, "categories"),
            ({"categories": {"²": []}}, "categories"),
            ({"categories": {"7": []}}, "categories"),
            ({"categories": {"0": [[]]}}, "categories[0][0]"),
        ],
        ids=str,
    )
    def test_the_message_says_where(self, entries, where):
        assert rejection(changed(**entries)).startswith(f"The ruleset is damaged: {where} ")

    @pytest.mark.parametrize("counts", [[True, False], [2.0, 30], [-1, 31], ["2", 30], [2**60, 1], [None, 1]])
    def test_counts_that_are_not_counts(self, counts):
        rules = handmade().to_dict()["rules"]
        rules[0]["counts"] = counts
        assert "rules[0].counts[0] must be a whole number" in rejection(changed(rules=rules))

    @pytest.mark.parametrize("probabilities", [[True, False], [1e308, 1e308], [0.5, 0.5001], [1.5, -0.5], [0.5, "0.5"]])
    def test_probabilities_that_are_not_a_distribution(self, probabilities):
        rules = handmade().to_dict()["rules"]
        rules[1]["probabilities"] = probabilities
        assert "rules[1].probabilities" in rejection(changed(rules=rules))


class TestInference:
    @pytest.mark.parametrize(
        "name", ["os.system", "builtins.eval", "rulekit.inference.aggregate.Aggregate", "", "rcprob"]
    )
    def test_only_registered_modes_can_be_named(self, name):
        message = rejection(changed(inference={"name": name, "parameters": {}}))
        assert f"No inference mode named {name!r}" in message

    @pytest.mark.parametrize(("name", "parameters"), [("a" * 9999, {}), ("aggregate", {"a" * 9999: [[object()]]})])
    def test_long_names_are_cut_in_messages(self, name, parameters):
        mode = {"name": name, "parameters": parameters}
        with pytest.raises(RuleSetFormatError, match="aaa…") as caught:
            RuleSet.from_dict({**handmade().to_dict(), "inference": mode})
        assert len(str(caught.value)) < 500

    @pytest.mark.parametrize("depth", [11, 5_000])
    def test_parameters_nested_deeply_are_rejected_in_a_document_too(self, depth):
        value: Any = 1
        for _ in range(depth):
            value = [value]
        document = {**handmade().to_dict(), "inference": {"name": "aggregate", "parameters": {"weights": value}}}
        with pytest.raises(RuleSetFormatError, match="must not be nested more than 10 levels deep"):
            RuleSet.from_dict(document)

    @pytest.mark.parametrize(
        ("value", "where"),
        [(b"x", "[0]"), ({1}, "[0]"), ([0.5, len], "[1]"), ({"a": [[object()]]}, ".a[0][0]"), ([float("inf")], "[0]")],
    )
    def test_only_plain_values_can_be_parameters(self, value, where):
        mode = {"name": "aggregate", "parameters": {"weights": value}}
        with pytest.raises(RuleSetFormatError, match=re.escape(f"inference.parameters.weights{where} must be")):
            RuleSet.from_dict({**handmade().to_dict(), "inference": mode})

    @pytest.mark.parametrize("name", ["__class__", "self", "ruleset"])
    def test_only_its_own_parameters_can_be_set(self, name):
        assert "damaged" in rejection(changed(inference={"name": "aggregate", "parameters": {name: 1}}))


# Strings that break careless readers, at any position.
NASTY = st.sampled_from(
    ["NaN", "-Infinity", "1e999", "-0", "1E-400", "null", "{}", "[]", '""', '"\\ud800"', "9" * 30, "true"]
)
SPLICES = NASTY | st.text('{}[]",:0123456789.eE-+ \\untrue', max_size=8)


class TestAnyJson:
    @settings(max_examples=300, deadline=2000, suppress_health_check=[HealthCheck.too_slow])
    @given(st.data())
    def test_spliced_is_rejected_or_read_exactly(self, data):
        document = data.draw(st.sampled_from([VALID, to_json(with_categories())]))
        start = data.draw(st.integers(0, len(document)))
        stop = min(len(document), start + data.draw(st.integers(0, 12)))
        ruleset = read(document[:start] + data.draw(SPLICES) + document[stop:])
        if ruleset is None:
            return
        assert RuleSet.from_json(to_json(ruleset)) == ruleset
        answers = ruleset.predict_proba(np.zeros((1, len(ruleset.feature_names))))
        np.testing.assert_allclose(answers.sum(axis=1), 1.0, atol=1e-6)

    @settings(max_examples=200, deadline=2000)
    @given(st.binary(max_size=200))
    def test_any_bytes_are_rejected(self, content):
        assert read(content) is None


@pytest.mark.parametrize("values", [[np.inf, -np.inf], [1j, 0], [np.nan, 0]], ids=str)
@pytest.mark.parametrize("rules", [handmade, with_categories])
def test_values_that_no_rule_compares_are_rejected_without_a_warning(rules, values):
    """Infinities of both signs, and complex numbers beside categories, used to leak NumPy's warnings."""
    with pytest.raises(ValueError, match=r"infinity|Complex|NaN|missing"):
        rules().predict_proba(np.array([values]))


def test_an_extracted_ruleset_is_within_the_limits(tmp_path):
    X = np.random.default_rng(0).normal(size=(200, 3))
    ruleset = rulekit.build("rcprob", random_state=0).fit(X, X[:, 0] * X[:, 1] > 0).ruleset_
    ruleset.export(tmp_path / "rules.json")
    assert RuleSet.from_json((tmp_path / "rules.json").read_bytes()) == ruleset


def test_an_unknown_label_that_counts_as_missing_is_reported_with_its_column():
    """scikit-learn said that the input contains NaN, and it did not."""
    document = with_categories().to_dict() | {"unknown_as_missing": True, "missing_features": []}
    ruleset = RuleSet.from_dict(document)
    with pytest.raises(ValueError, match="X has missing values in 'age', which had none in training"):
        ruleset.predict_proba(np.array([[1.0, "middle"]], dtype=object))
    assert ruleset.predict_proba(np.array([[1.0, "old"]], dtype=object)).shape == (1, 2)
