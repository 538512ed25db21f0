"""A ruleset as a document of plain types, for JSON: exact in both directions, and nothing in it is executed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from rulekit.core.arrays import LabelArray
from rulekit.core.conditions import ConditionKey, Conditions
from rulekit.core.errors import MissingValueWarning, RulekitError, RuleSetFormatError
from rulekit.core.messages import cut, short, warn_caller
from rulekit.core.validation import Categories
from rulekit.plugin.manager import plugins
from rulekit.ruleset.format import FORMAT, VERSION, check_document
from rulekit.ruleset.labels import foreign_labels, plain
from rulekit.ruleset.ruleset import RuleSet
from rulekit.ruleset.weighted import WeightedCounts


def to_document(ruleset: RuleSet) -> dict[str, Any]:
    """Describe a ruleset in plain types; floats keep every bit through JSON."""
    if foreign := foreign_labels(ruleset):
        raise RuleSetFormatError(f"Not supported in JSON: {foreign}. Convert them to strings before fit.")
    warn_of_missing_value(ruleset)
    return {"format": FORMAT, "version": VERSION, **describe(ruleset), "inference": _inference(ruleset)}


def warn_of_missing_value(ruleset: RuleSet) -> None:
    """Warn that a number which the ruleset treats as a missing value is an ordinary number after export."""
    missing = ruleset.conditions.categories.missing_value
    if missing is not None:
        warn_caller(
            f"These rules treat {missing:g} as a missing value, but exported rules do not: replace {missing:g} by a "
            "missing value (NaN, NULL) in their input.",
            MissingValueWarning,
        )


def describe(ruleset: RuleSet) -> dict[str, Any]:
    """Everything but the inference mode, in plain types."""
    return {
        "classes": list(plain(ruleset.classes)),
        "class_type": "str" if ruleset.classes.dtype.kind == "U" else ruleset.classes.dtype.name,
        "n_samples": int(ruleset.n_samples),
        **({} if ruleset.weighted is None else {"total_weight": float(ruleset.weighted.total)}),
        **describe_conditions(ruleset.conditions),
        **({} if ruleset.unexpected_missing == "error" else {"unexpected_missing": ruleset.unexpected_missing}),
        "rules": _rules(ruleset),
    }


def describe_conditions(conditions: Conditions) -> dict[str, Any]:
    """The conditions of rules, and the features that they are about, in plain types."""
    return {
        "feature_names": list(conditions.feature_names),
        "input_dtype": np.dtype(conditions.input_dtype).name,
        "categories": {
            str(feature): list(plain(labels)) for feature, labels in conditions.categories.by_feature.items()
        },
        "unknown_as_missing": conditions.categories.unknown_as_missing,
        "missing_features": sorted(conditions.missing_features),
        **({"whole_features": sorted(conditions.whole_features)} if conditions.whole_features else {}),
        "conditions": [
            conditions.key(row).to_plain(display) for row, display in enumerate(conditions.displays.tolist())
        ],
    }


def _rules(ruleset: RuleSet) -> list[dict[str, Any]]:
    columns = {
        "conditions": [list(antecedent) for antecedent in ruleset.antecedents],
        "probabilities": ruleset.probabilities.tolist(),
        "counts": ruleset.counts.tolist(),
    }
    if ruleset.answered_counts is not None:
        columns["answered"] = ruleset.answered_counts.tolist()
    if ruleset.weighted is not None:
        columns["weights"] = ruleset.weighted.counts.tolist()
        if ruleset.weighted.answered is not None:
            columns["answered_weights"] = ruleset.weighted.answered.tolist()
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def from_document(document: Mapping[str, Any]) -> RuleSet:
    """Rebuild a ruleset; raise `RuleSetFormatError` for any other document."""
    if not isinstance(document, Mapping) or not _is(document.get("format"), FORMAT):
        raise RuleSetFormatError(f"This is not a ruleset: 'format' must be {FORMAT!r}.")
    if not _is(document.get("version"), VERSION):
        raise RuleSetFormatError(
            f"The ruleset has version {short(document.get('version'))}; this rulekit reads version {VERSION}. "
            "Read it with the rulekit that wrote it, or export the rules again."
        )
    check_document(document)
    try:
        ruleset = _rebuild(document)
        problems = _problems(ruleset)
        again = to_document(ruleset)
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError, RulekitError) as error:
        raise RuleSetFormatError(f"The ruleset is damaged: {type(error).__name__}: {cut(str(error), 400)}.") from error
    # Arrays convert numbers silently, so a value of a wrong type shows in what is written back.
    problems += [f"{key!r} has values of the wrong type" for key in again if again[key] != document[key]]
    if problems:
        raise RuleSetFormatError(f"The ruleset is damaged: {'; '.join(problems)}.")
    return ruleset


def _is(value: Any, expected: str | int) -> bool:
    """Whether a value is the expected one and of its type: True is not 1, and an array is never equal."""
    return type(value) is type(expected) and bool(value == expected)


def _rebuild(document: Mapping[str, Any]) -> RuleSet:
    rules = document["rules"]
    mode = document["inference"]
    return RuleSet(
        conditions=conditions_of(document),
        antecedents=tuple(tuple(rule["conditions"]) for rule in rules),
        probabilities=np.array([rule["probabilities"] for rule in rules], dtype=np.float64),
        counts=np.array([rule["counts"] for rule in rules], dtype=np.int64),
        classes=_labels(document["classes"], document["class_type"]),
        n_samples=int(document["n_samples"]),
        inference=plugins().registry.create("inference", mode["name"], **mode["parameters"]),
        answered_counts=_column(rules, "answered", np.int64),
        weighted=_weighted(document),
        unexpected_missing=document.get("unexpected_missing", "error"),
    )


def _column(rules: Sequence[Mapping[str, Any]], key: str, dtype: type[np.generic]) -> Any:
    return np.array([rule[key] for rule in rules], dtype=dtype) if key in rules[0] else None


def _weighted(document: Mapping[str, Any]) -> WeightedCounts | None:
    rules = document["rules"]
    counts, answered = (_column(rules, key, np.float64) for key in ("weights", "answered_weights"))
    if counts is None or "total_weight" not in document:
        if answered is not None or counts is not None or "total_weight" in document:
            raise RuleSetFormatError("rules have 'weights' if and only if the document has a 'total_weight'")
        return None
    return WeightedCounts(counts, answered, float(document["total_weight"]))


def conditions_of(document: Mapping[str, Any]) -> Conditions:
    """The conditions that a document describes."""
    conditions = Conditions.of_keys(
        [ConditionKey.from_plain(entry) for entry in document["conditions"]],
        feature_names=tuple(document["feature_names"]),
        input_dtype=np.dtype(document["input_dtype"]).type,
        categories=Categories(
            {int(feature): tuple(labels) for feature, labels in document["categories"].items()},
            bool(document["unknown_as_missing"]),
        ),
        missing_features=frozenset(document["missing_features"]),
    )
    displays = np.array([entry.get("display", np.nan) for entry in document["conditions"]], dtype=np.float64)
    whole_features = frozenset(document.get("whole_features", ()))
    return attrs.evolve(conditions, displays=displays, whole_features=whole_features)


def _problems(ruleset: RuleSet) -> list[str]:
    """Parts that contradict each other."""
    default_last = [True] * (len(ruleset) - 1) + [False]
    answered = ruleset.answered_counts
    checks = {
        "the last rule must be the only one without conditions": default_last
        != [bool(rule) for rule in ruleset.antecedents],
        "a rule covers more than n_samples samples": (ruleset.counts.sum(axis=1) > ruleset.n_samples).any(),
        "a rule answers samples that it does not cover": answered is not None and (answered > ruleset.counts).any(),
        "the rules must answer n_samples samples together": answered is not None
        and answered.sum() != ruleset.n_samples,
        "weights must be 0 where there are no samples, and positive where there are some": not _fit(
            ruleset.weighted, ruleset
        ),
    }
    return [problem for problem, is_there in checks.items() if is_there]


def _fit(weighted: WeightedCounts | None, ruleset: RuleSet) -> bool:
    """Whether the weights belong to the samples."""
    if weighted is None:
        return True
    if (weighted.answered is None) != (ruleset.answered_counts is None):
        return False
    return all(
        bool(((weights > 0) == (counts > 0)).all() and (weights >= 0).all() and (weights <= weighted.total).all())
        for weights, counts in ((weighted.counts, ruleset.counts), (weighted.answered, ruleset.answered_counts))
        if weights is not None and counts is not None
    )


def _inference(ruleset: RuleSet) -> dict[str, Any]:
    name = plugins().registry.name_of("inference", ruleset.inference)
    if name is None:
        raise RuleSetFormatError(
            f"The inference mode {ruleset.inference!r} is not registered, so a document cannot refer to it by name. "
            "Register its class with rulekit.register('inference', name, class)."
        )
    return {"name": name, "parameters": ruleset.inference.get_params(deep=False)}


def _labels(values: list[Any], class_type: str) -> LabelArray:
    labels = np.array(values, dtype=class_type)
    if [type(label) is bool for label in labels.tolist()] != [type(value) is bool for value in values]:
        raise RuleSetFormatError(f"class_type is {class_type!r}, but the class labels are {short(values)}.")
    return labels
