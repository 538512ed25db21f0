"""The data of the page's form: columns with their ranges, and the rules as tests of these columns."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rulekit.core.errors import ExportError
from rulekit.explain.check import plain
from rulekit.export.program import Column, Comparison, Membership, Program, program_of, tests_of
from rulekit.render.escaping import visible
from rulekit.report.ranges import range_of
from rulekit.report.subject import Subject
from rulekit.ruleset.condition import Condition
from rulekit.ruleset.rule import Rule


def form_of(subjects: Sequence[Subject], n_examples: int = 0) -> dict[str, Any]:
    """Columns, models and examples in plain types.

    Parameters
    ----------
    subjects : sequence of Subject
        With the same columns.
    n_examples : int, default=0
        Number of held-out samples to include as examples.

    Returns
    -------
    form : dict
        - `columns`: those that some rule tests, each with its `name`, and its `labels` or its range;
        - `models`: each with its `name`, `classes`, `mode` ("first", "sum" or None), `why` there is none, how it treats
          a column's values, and its `rules`;
        - `examples`: values by column, None for a missing one; a category by its index among the labels.
    """
    programs = [_program(subject) for subject in subjects]
    positions = sorted({column.position for program, _ in programs if program for column in program.used})
    labels = {
        position: _labels([program.columns[position] for program, _ in programs if program]) for position in positions
    }
    models = [
        _model(subject, program, why, positions, labels)
        for subject, (program, why) in zip(subjects, programs, strict=True)
    ]
    columns = [_column(subjects[0], position, labels[position]) for position in positions]
    examples = [
        [_example(subjects[0], position, labels[position], row) for position in positions]
        for row in range(min(n_examples, len(subjects[0].numbers)))
    ]
    return {"columns": columns, "models": models, "examples": examples}


def _program(subject: Subject) -> tuple[Program | None, str]:
    """The neutral form of the rules, or why there is none."""
    mode = subject.ruleset.inference
    if mode.combination is None:
        return None, (
            f"This page cannot predict a sample: the inference mode {type(mode).__name__} is implemented in Python "
            "only. Use model.explain(sample) in Python instead."
        )
    try:
        # The form rejects a value that is missing unexpectedly, whatever the rules would answer elsewhere.
        return program_of(subject.ruleset.with_unexpected_missing("error")), ""
    except ExportError as error:
        return None, f"This page cannot predict a sample: {error}"


def _labels(columns: Sequence[Column]) -> list[Any] | None:
    """Every label that some model knows; None for a numeric column."""
    if any(column.labels is None for column in columns):
        return None
    known = [label for column in columns for label in column.labels or ()]
    return list(dict.fromkeys(label for label in known if label is not None and label == label))


def _column(subject: Subject, position: int, labels: list[Any] | None) -> dict[str, Any]:
    name, values = visible(subject.ruleset.feature_names[position]), subject.numbers[:, position]
    if labels is None:
        found = range_of(values)
        return {"name": name, "low": found.low, "high": found.high, "step": found.step, "start": found.start}
    codes = values[values >= 0].astype(np.int64)
    most_frequent = int(np.bincount(codes).argmax()) if len(codes) else 0
    start = _position_of_code(subject, position, labels, most_frequent)
    return {"name": name, "labels": [visible(label) for label in labels], "start": start}


def _position_of_code(subject: Subject, position: int, labels: list[Any], code: int) -> int:
    known = subject.ruleset.conditions.categories.by_feature[position]
    return labels.index(known[code]) if code < len(known) and known[code] in labels else 0


def _example(subject: Subject, position: int, labels: list[Any] | None, row: int) -> float | int | None:
    value = float(subject.numbers[row, position])
    if value != value:
        return None
    if labels is None:
        return value
    return -1 if value < 0 else _position_of_code(subject, position, labels, int(value))


def _model(
    subject: Subject, program: Program | None, why: str, positions: list[int], labels: dict[int, list[Any] | None]
) -> dict[str, Any]:
    classes = [visible(label) for label in subject.ruleset.classes.tolist()]
    found: dict[str, Any] = {"name": subject.name, "classes": classes, "mode": None, "why": why}
    if program is None:
        return found
    at = {position: field for field, position in enumerate(positions)}
    return found | {
        "mode": "sum" if program.adds_up else "first",
        "columns": [_treatment(program.columns[position], labels[position]) for position in positions],
        "rules": [
            {
                "p": list(clause.probabilities),
                "best": clause.best,
                "asks": _asks(rule, program.columns, at, labels),
                "covered": rule.n_covered,
                "right": int(rule.counts[rule.class_index]),
                "interval": _rounded(rule.interval),
                "answered": None if rule.answered_counts is None else _answered(rule),
            }
            for rule, clause in zip(subject.ruleset, program.clauses, strict=True)
        ],
    }


def _answered(rule: Rule) -> dict[str, Any]:
    """The training samples that a rule answers."""
    interval = rule.answered_interval
    return {"n": rule.n_answered, "right": rule.n_right, "interval": None if interval is None else _rounded(interval)}


def _rounded(interval: tuple[float, float]) -> list[float]:
    return [round(end, 4) for end in interval]


def _treatment(column: Column, labels: list[Any] | None) -> dict[str, Any]:
    """How a model treats missing values and unknown labels."""
    known = (
        None
        if labels is None
        else [position for position, label in enumerate(labels) if label in (column.labels or ())]
    )
    return {"missing": column.may_be_missing, "unknownIsMissing": column.unknown_is_missing, "known": known}


def _asks(
    rule: Rule, columns: Sequence[Column], at: dict[int, int], labels: dict[int, list[Any] | None]
) -> list[dict[str, Any]]:
    """Each requirement of a rule, as a string and as tests."""
    return [
        {
            "text": str(asked),
            "tests": [
                _test(condition, test, at, labels)
                for condition in asked.conditions
                for test in tests_of(columns[condition.feature_index], condition.region)
            ],
        }
        for asked in rule.requirements
    ]


def _test(
    condition: Condition, test: Comparison | Membership, at: dict[int, int], labels: dict[int, list[Any] | None]
) -> dict[str, Any]:
    """A test in plain types.

    `cut` is compared and `shown` is displayed, `atLeast` as `>=`; `among` are numbers or indices of labels.
    """
    position = test.column.position
    found: dict[str, Any] = {"at": at[position], "orMissing": test.or_missing}
    if isinstance(test, Comparison):
        limits = {"cut": test.cutoff, "shown": condition.shown_limit}
        return found | {"upper": test.is_upper, "atLeast": condition.shown_operator == ">=", **limits}
    known = labels[position]
    among = test.codes if known is None else [known.index(label) for label in test.labels]
    return found | {"inside": test.is_inside, "among": [plain(member) for member in among]}
