"""Rulesets as documents and as JSON: an equal ruleset, or `RuleSetFormatError`."""

import random
from functools import cache
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

import rulekit
from rulekit.core.errors import RuleSetFormatError
from rulekit.export import to_json

from .mutations import mutated, spliced
from .outcome import check_probabilities
from .slow_reading import slow_answers

#: By as much may the probabilities of a rule in a file miss a sum of 1, whoever rounded them; a mean of such as well.
ROUNDING = 1.01e-8


@cache
def samples() -> list[Any]:
    """Documents of rulesets: numbers; missing values and categories; many classes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = np.array(["no", "perhaps", "yes"])[(X[:, 0] > 0).astype(int) + (X[:, 1] * X[:, 2] > 0)]
    plain = rulekit.build("rcprob", RandomForestClassifier(5, max_depth=3, random_state=0)).fit(X, y).ruleset_.to_dict()
    document: dict[str, Any] = (
        rulekit.build("rc+", RandomForestClassifier(3, max_depth=2, random_state=0))
        .fit(X, y == "no")
        .ruleset_.to_dict()
    )
    document["categories"] = {"1": ["blue", "red"]}
    document["missing_features"] = [1]
    document["inference"] = {"name": "aggregate", "parameters": {}}
    for condition in document["conditions"]:
        if condition["feature"] == 1:
            del condition["threshold"], condition["display"]
            condition |= {"operator": "in", "categories": [0], "or_missing": True}
    return [plain, document]


@cache
def texts() -> list[str]:
    """The same documents as JSON."""
    return [to_json(rulekit.RuleSet.from_dict(sample)) for sample in samples()]


def document(rng: random.Random) -> str:
    """A document with some changes is refused, or is that of a ruleset."""
    return described(mutated(rng.choice(samples()), rng))


def json_text(rng: random.Random) -> str:
    """So is a text."""
    text = spliced(rng.choice(texts()), rng)
    return read(text.encode("utf-8", "surrogatepass") if rng.random() < 0.5 else text)


def described(document: Any) -> str:
    """Rebuild a ruleset, and use it."""
    try:
        ruleset = rulekit.RuleSet.from_dict(document)
    except RuleSetFormatError:
        return "refused"
    check_use(ruleset)
    return "read"


def read(text: str | bytes) -> str:
    """Read a ruleset, and use it."""
    try:
        ruleset = rulekit.RuleSet.from_json(text)
    except RuleSetFormatError:
        return "refused"
    check_use(ruleset)
    return "read"


def check_use(ruleset: rulekit.RuleSet) -> None:
    """Whatever was read goes back and forth, prints, and answers as a slow reading of its rules."""
    assert rulekit.RuleSet.from_dict(ruleset.to_dict()) == ruleset
    assert rulekit.RuleSet.from_json(to_json(ruleset)) == ruleset
    str(ruleset), ruleset.to_latex(), ruleset._repr_html_()
    X = _samples(ruleset)
    if X is None:
        return
    predicted = ruleset.predict_proba(X)
    check_probabilities(predicted, most=1 + ROUNDING, rounding=ROUNDING)
    expected = slow_answers(ruleset, X, ruleset.conditions.input_dtype)
    np.testing.assert_allclose(predicted, expected, rtol=0, atol=1e-12)


def _samples(ruleset: rulekit.RuleSet) -> np.ndarray | None:
    """Four samples at the limits of the rules: thresholds, labels, and missing values where they may be.

    None if there can be no sample: a column of categories may have none, and no missing values either.
    """
    columns, categories = [], ruleset.conditions.categories
    for position in range(len(ruleset.feature_names)):
        conditions = [each for rule in ruleset for each in rule.conditions if each.feature_index == position]
        limits = [each.threshold for each in conditions if each.threshold is not None and np.isfinite(each.threshold)]
        labels, may_lack = categories.by_feature.get(position), position in ruleset.conditions.missing_features
        values = [0.0, *limits[:2]] if labels is None else list(labels[:2])
        if labels is not None and (may_lack or not categories.unknown_as_missing):
            values.append("no label")
        values += [np.nan] if may_lack else []
        if not values:
            return None
        columns.append(np.resize(np.array(values, dtype=object), 4))
    return np.column_stack(columns) if columns else np.zeros((4, 0))
