"""From a sample to its counterfactual: check what is asked for, search, and round what is found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rulekit.core.arrays import BoolArray, FloatArray
from rulekit.core.errors import InvalidParameterError, NoCounterfactualError
from rulekit.core.regions import Numbers
from rulekit.explain.boxes import Box
from rulekit.explain.counterfactual import Change, Counterfactual
from rulekit.explain.samples import read_sample
from rulekit.explain.smallest_change import smallest_change
from rulekit.explain.task import Changes, Task, spaces, threshold_ranges
from rulekit.ruleset.numbers import fewest_digits_towards

if TYPE_CHECKING:
    from rulekit.ruleset.ruleset import RuleSet

#: How far beyond the limit a rounded value may lie, in units of the feature's scale.
MAX_ROUNDING = 0.05


def counterfactual(
    ruleset: RuleSet,
    x: Any,
    target: Any,
    *,
    immutable: Sequence[str],
    scales: npt.ArrayLike | None,
    max_boxes: int,
) -> Counterfactual:
    """The smallest change of a sample that changes the predicted class; see `RuleSet.counterfactual`."""
    values = read_sample(x, ruleset.feature_names, numbers_only=not ruleset.conditions.categories.by_feature)
    sample = tuple(ruleset.as_numbers(values)[0].tolist())
    before = int(ruleset.predict_proba(values)[0].argmax())
    task = Task(
        ruleset=ruleset,
        rules=list(ruleset),
        sample=sample,
        spaces=spaces(ruleset, sample),
        is_wanted=_wanted(ruleset, target, before),
        fixed=_positions(immutable, ruleset.feature_names),
        scales=threshold_ranges(ruleset) if scales is None else _checked(scales, len(sample)),
    )
    changes, box, is_smallest = smallest_change(task, max_boxes)
    if changes is None or box is None:
        raise NoCounterfactualError(_failure(ruleset, target, before, immutable, is_smallest, max_boxes))
    return _assembled(task, values, before, changes, _rounded(task, changes, box), is_smallest)


def _assembled(
    task: Task, values: np.ndarray[Any, Any], before: int, nearest: Changes, shown: Changes, is_smallest: bool
) -> Counterfactual:
    ruleset, classes = task.ruleset, task.ruleset.classes.tolist()
    sample, exact = (_with(ruleset, values, changes) for changes in (shown, nearest))
    probabilities, numbers = ruleset.predict_proba(sample)[0], ruleset.as_numbers(sample)
    behind = ruleset.inference.answering(ruleset.matches_of(numbers), numbers, ruleset)
    return Counterfactual(
        before=classes[before],
        label=classes[probabilities.argmax()],
        probabilities=probabilities,
        changes=tuple(
            Change(
                ruleset.feature_names[position],
                position,
                *(row[0].tolist()[position] for row in (values, sample, exact)),
            )
            for position in sorted(nearest)
        ),
        rule=ruleset[int(behind[:, 0].argmax())],
        sample=tuple(sample[0].tolist()),
        nearest=tuple(exact[0].tolist()),
        feature_names=ruleset.feature_names,
        distance=task.cost(nearest)[1],
        is_smallest=is_smallest,
    )


def _rounded(task: Task, changes: Changes, box: Box) -> Changes:
    """The changes with as few digits as possible, unless rounding would change the predicted class."""
    shown = dict(changes)
    for feature, value in changes.items():
        side = box.sides[feature]
        own = task.sample[feature]
        if not isinstance(side, Numbers) or np.isnan(own):
            continue
        step = MAX_ROUNDING * float(task.scales[feature])
        # Beyond the limit as seen from the sample, and still within the box.
        low, high = side.around(value)
        end = min(value + step, high) if value > own else max(value - step, np.nextafter(low, np.inf))
        shown[feature] = fewest_digits_towards(value, float(end))
    label, _ = task.answer(task.moved(shown))
    return shown if label == task.answer(task.moved(changes))[0] else changes


def _with(ruleset: RuleSet, values: np.ndarray[Any, Any], changes: Changes) -> np.ndarray[Any, Any]:
    """The sample with changes, as users write it: labels instead of codes."""
    categories = ruleset.conditions.categories
    changed = values.copy()
    for feature, value in changes.items():
        is_label = feature in categories.by_feature
        changed[0, feature] = categories.labels(feature, [int(value)])[0] if is_label else value
    return changed


def _wanted(ruleset: RuleSet, target: Any, before: int) -> BoolArray:
    classes = ruleset.classes
    if target is None:
        return np.arange(len(classes)) != before
    is_wanted = np.array([label == target for label in classes.tolist()])
    if not is_wanted.any():
        raise InvalidParameterError(f"target must be one of the classes {classes.tolist()}, got {target!r}.")
    if is_wanted[before]:
        raise InvalidParameterError(
            f"target is {target!r}, which is already the predicted class of the sample. Choose another class."
        )
    return is_wanted


def _positions(names: Sequence[str], feature_names: Sequence[str]) -> frozenset[int]:
    names = [names] if isinstance(names, str) else list(names)
    unknown = [name for name in names if name not in feature_names]
    if unknown:
        raise InvalidParameterError(
            f"immutable names unknown features: {', '.join(map(repr, unknown))}. The ruleset has the features "
            f"{', '.join(map(repr, feature_names))}."
        )
    return frozenset(position for position, name in enumerate(feature_names) if name in names)


def _checked(scales: npt.ArrayLike, n_features: int) -> FloatArray:
    checked = np.asarray(scales, dtype=np.float64)
    if checked.shape != (n_features,) or not (np.isfinite(checked) & (checked > 0)).all():
        raise InvalidParameterError(f"scales must be {n_features} positive numbers, one per feature, got {scales!r}.")
    return checked


def _failure(
    ruleset: RuleSet, target: Any, before: int, immutable: Sequence[str], is_certain: bool, max_boxes: int
) -> str:
    own = ruleset.classes.tolist()[before]
    wanted = f"class {target!r}" if target is not None else f"a class other than {own!r}"
    if not is_certain:
        return (
            f"No change of the sample to {wanted} was found within max_boxes={max_boxes}. "
            "Increase max_boxes, or make fewer features immutable."
        )
    if not immutable:
        return f"No change of the sample leads to {wanted}: no reachable rule predicts it."
    fixed = ", ".join(map(repr, [immutable] if isinstance(immutable, str) else immutable))
    return (
        f"No change of the sample leads to {wanted} without changing {fixed}: no reachable rule predicts it. "
        "Make fewer features immutable."
    )
