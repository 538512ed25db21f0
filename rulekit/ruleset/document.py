"""A ruleset as a document of plain types, for JSON: exact both ways, and nothing in it is executed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from rulekit.core.arrays import LabelArray
from rulekit.core.conditions import Conditions
from rulekit.core.errors import RuleSetFormatError
from rulekit.plugin.manager import plugins
from rulekit.ruleset.ruleset import RuleSet

FORMAT = "rulekit-ruleset"
VERSION = 1
INPUT_DTYPES: Final[dict[str, type[np.floating]]] = {"float32": np.float32, "float64": np.float64}


def to_document(ruleset: RuleSet) -> dict[str, Any]:
    """Describe a ruleset in plain types; floats keep every bit through JSON."""
    conditions = ruleset.conditions
    return {
        "format": FORMAT,
        "version": VERSION,
        "classes": ruleset.classes.tolist(),
        "class_dtype": ruleset.classes.dtype.str if ruleset.classes.dtype != object else "object",
        "feature_names": list(ruleset.feature_names),
        "input_dtype": np.dtype(conditions.input_dtype).name,
        "n_records": int(ruleset.n_records),
        "inference": _inference(ruleset),
        "conditions": [
            {"feature": int(feature), "operator": "<=" if upper else ">", "threshold": float(threshold)}
            for feature, upper, threshold in zip(
                conditions.features, conditions.is_upper, conditions.thresholds, strict=True
            )
        ],
        "rules": [
            {"conditions": list(antecedent), "probabilities": stated.tolist(), "counts": counts.tolist()}
            for antecedent, stated, counts in zip(
                ruleset.antecedents, ruleset.probabilities, ruleset.counts, strict=True
            )
        ],
    }


def from_document(document: Mapping[str, Any]) -> RuleSet:
    """Rebuild a ruleset; raise `RuleSetFormatError` for anything else."""
    if not isinstance(document, Mapping) or document.get("format") != FORMAT:
        raise RuleSetFormatError(f"This is not a ruleset: its 'format' should be {FORMAT!r}.")
    if document.get("version") != VERSION:
        raise RuleSetFormatError(
            f"The ruleset has version {document.get('version')!r}; this rulekit reads version {VERSION}. "
            "Read it with the rulekit that wrote it, or write it again."
        )
    try:
        return _check(_rebuild(document))
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, OverflowError) as error:
        if isinstance(error, RuleSetFormatError):
            raise
        raise RuleSetFormatError(f"The ruleset is damaged: {type(error).__name__}: {error}.") from error


def _rebuild(document: Mapping[str, Any]) -> RuleSet:
    listed, rules = document["conditions"], document["rules"]
    conditions = Conditions(
        features=np.array([entry["feature"] for entry in listed], dtype=np.int64),
        is_upper=np.array([{"<=": True, ">": False}[entry["operator"]] for entry in listed], dtype=bool),
        thresholds=np.array([entry["threshold"] for entry in listed], dtype=np.float64),
        feature_names=tuple(document["feature_names"]),
        input_dtype=INPUT_DTYPES[document["input_dtype"]],
    )
    mode = document["inference"]
    return RuleSet(
        conditions=conditions,
        antecedents=tuple(tuple(rule["conditions"]) for rule in rules),
        probabilities=np.array([rule["probabilities"] for rule in rules], dtype=np.float64),
        counts=np.array([rule["counts"] for rule in rules], dtype=np.int64),
        classes=_labels(document["classes"], document["class_dtype"]),
        n_records=int(document["n_records"]),
        inference=plugins().registry.create("inference", mode["name"], **mode["parameters"]),
    )


def _check(ruleset: RuleSet) -> RuleSet:
    """Raise unless the parts fit together."""
    conditions, n_features = ruleset.conditions, len(ruleset.feature_names)
    shape = (len(ruleset), len(ruleset.classes))
    problems = {
        "it has no rules": not len(ruleset),
        "it has fewer than two classes": shape[1] < 2,
        "a condition names a feature that does not exist": not np.isin(conditions.features, range(n_features)).all(),
        "a threshold is not a number": np.isnan(conditions.thresholds).any(),
        "a rule names a condition that does not exist": any(
            not (isinstance(row, int) and 0 <= row < len(conditions)) for rule in ruleset.antecedents for row in rule
        ),
        "the last rule must be the only one without conditions": [bool(rule) for rule in ruleset.antecedents]
        != [True] * (len(ruleset) - 1) + [False],
        "every rule needs one probability and one count per class": (
            ruleset.probabilities.shape != shape or ruleset.counts.shape != shape
        ),
        "probabilities must lie between 0 and 1 and sum to 1": not (
            (ruleset.probabilities >= 0).all() and np.allclose(ruleset.probabilities.sum(axis=1), 1.0, atol=1e-9)
        ),
        "counts must not be negative": (ruleset.counts < 0).any() or ruleset.n_records < 1,
    }
    found = [problem for problem, is_there in problems.items() if is_there]
    if found:
        raise RuleSetFormatError(f"The ruleset is damaged: {'; '.join(found)}.")
    return ruleset


def _inference(ruleset: RuleSet) -> dict[str, Any]:
    name = plugins().registry.name_of("inference", ruleset.inference)
    if name is None:
        raise RuleSetFormatError(
            f"The inference mode {ruleset.inference!r} is not registered, so the document could not name it. "
            "Register its class with rulekit.register('inference', name, class)."
        )
    return {"name": name, "parameters": ruleset.inference.get_params(deep=False)}


def _labels(values: list[Any], dtype: str) -> LabelArray:
    if dtype != "object" and np.dtype(dtype).kind not in "biufU":
        raise RuleSetFormatError(f"Class labels of type {dtype!r} are not supported.")
    return np.array(values, dtype=dtype)
