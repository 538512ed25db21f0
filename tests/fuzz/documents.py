"""Rulesets as documents and as JSON: an equal ruleset, or `RuleSetFormatError`."""

import random
from functools import cache
from typing import Any

import numpy as np
from mutations import mutated, spliced
from sklearn.ensemble import RandomForestClassifier

import rulekit
from rulekit.core.errors import RuleSetFormatError
from rulekit.export import to_json


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


def document(rng: random.Random) -> str:
    changed = mutated(rng.choice(samples()), rng)
    try:
        ruleset = rulekit.RuleSet.from_dict(changed)
    except RuleSetFormatError:
        return "refused"
    return used(ruleset)


def json_text(rng: random.Random) -> str:
    text = spliced(to_json(rulekit.RuleSet.from_dict(rng.choice(samples()))), rng)
    try:
        ruleset = rulekit.RuleSet.from_json(text.encode("utf-8", "surrogatepass") if rng.random() < 0.5 else text)
    except RuleSetFormatError:
        return "refused"
    return used(ruleset)


def used(ruleset: rulekit.RuleSet) -> str:
    """Whatever was read goes back and forth, prints, and answers with distributions."""
    assert rulekit.RuleSet.from_dict(ruleset.to_dict()) == ruleset
    str(ruleset), ruleset.to_latex(), ruleset._repr_html_()
    answers = ruleset.predict_proba(np.zeros((2, max(1, len(ruleset.feature_names)))))
    assert np.isfinite(answers).all()
    assert np.allclose(answers.sum(axis=1), 1.0, atol=1e-6)
    return "read"
