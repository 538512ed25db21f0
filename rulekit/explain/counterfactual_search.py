"""From a sample to its counterfactual: check what is asked for, search, and round what is found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, islice, takewhile
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs
import numpy as np
import numpy.typing as npt

from rulekit.core.arrays import BoolArray, FloatArray
from rulekit.core.errors import InvalidParameterError, NoCounterfactualError
from rulekit.core.regions import Numbers
from rulekit.explain.constraints import Constraints
from rulekit.explain.counterfactual import Change, Counterfactual
from rulekit.explain.samples import read_sample
from rulekit.explain.smallest_change import Found, cheapest_changes
from rulekit.explain.task import Changes, Task, threshold_ranges
from rulekit.ruleset.numbers import fewest_digits_towards

if TYPE_CHECKING:
    from rulekit.ruleset.ruleset import RuleSet

#: Class probabilities of changed samples, or None where the ensemble cannot predict them.
Ensemble: TypeAlias = Callable[[np.ndarray[Any, Any]], FloatArray | None]
#: Changes that the ensemble is asked about at a time, as long as it agrees with none of them.
BATCHES = (1, 8, 64, 192)
#: How far beyond the limit a rounded value may lie, in units of the feature's scale.
MAX_ROUNDING = 0.05


def counterfactual(
    ruleset: RuleSet,
    x: Any,
    target: Any,
    *,
    constraints: Constraints,
    scales: npt.ArrayLike | None,
    max_boxes: int,
    ensemble: Ensemble | None = None,
) -> Counterfactual:
    """The smallest change of a sample that changes the predicted class; see `RuleSet.counterfactual`.

    Parameters
    ----------
    ruleset, x, target, constraints, scales, max_boxes
        See `RuleSet.counterfactual`.
    ensemble : callable, optional
        The class probabilities, of shape (n_samples, n_classes), that the ensemble predicts for changed samples, given
        as users write them; None where it cannot. The smallest change with whose class it agrees is preferred.
    """
    # Conditions are left out for a missing value only, which no change of another value can express.
    ruleset = ruleset.with_unexpected_missing("error")
    values = read_sample(x, ruleset.feature_names, numbers_only=not ruleset.conditions.categories.by_feature)
    sample = tuple(ruleset.as_numbers(values)[0].tolist())
    before = int(ruleset.predict_proba(values)[0].argmax())
    task = Task(
        ruleset=ruleset,
        rules=list(ruleset),
        sample=sample,
        spaces=constraints.spaces(ruleset, sample),
        is_wanted=_wanted(ruleset, target, before),
        groups=constraints.groups(ruleset),
        scales=threshold_ranges(ruleset) if scales is None else _checked(scales, len(sample)),
    )
    candidates = cheapest_changes(task, max_boxes)
    try:
        smallest = next(candidates)
    except StopIteration as end:
        raise NoCounterfactualError(
            _failure(ruleset, target, before, constraints, is_certain=end.value, max_boxes=max_boxes)
        ) from None
    predicted, n_compared = None, 0
    for batch in _batches(chain([smallest], candidates)):
        shown = np.concatenate([_with(ruleset, values, _rounded(task, each)) for each in batch])
        answers = None if ensemble is None else ensemble(shown)
        if answers is None:
            break
        predicted = answers[0] if predicted is None else predicted
        agrees = answers.argmax(axis=1) == ruleset.predict_proba(shown).argmax(axis=1)
        if agrees.any():
            first = int(agrees.argmax())
            counterfactual = _assembled(task, values, before, batch[first])
            return attrs.evolve(counterfactual, ensemble=answers[first], n_passed_over=n_compared + first)
        n_compared += len(batch)
    return attrs.evolve(_assembled(task, values, before, smallest), ensemble=predicted, n_disagreeing=n_compared)


def _batches(candidates: Iterator[Found]) -> Iterator[list[Found]]:
    """Candidates in growing batches, because an ensemble takes about as long for many samples as for one."""
    batches = (list(islice(candidates, size)) for size in BATCHES)
    return takewhile(bool, batches)


def _assembled(task: Task, values: np.ndarray[Any, Any], before: int, found: Found) -> Counterfactual:
    ruleset, classes, nearest = task.ruleset, task.ruleset.classes.tolist(), found.changes
    sample, exact = (_with(ruleset, values, changes) for changes in (_rounded(task, found), nearest))
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
        is_smallest=found.is_smallest,
        classes=tuple(classes),
    )


def _rounded(task: Task, found: Found) -> Changes:
    """The changes with as few digits as possible, unless rounding would change the predicted class."""
    changes, box = found.changes, found.box
    shown = dict(changes)
    # Whole numbers are short already, and linked ones must change by the same amount.
    exact = task.whole.union(*task.groups)
    for feature, value in changes.items():
        side = box.side(feature)
        own = task.sample[feature]
        if feature in exact or not isinstance(side, Numbers) or np.isnan(own):
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


def _checked(scales: npt.ArrayLike, n_features: int) -> FloatArray:
    checked = np.asarray(scales, dtype=np.float64)
    if checked.shape != (n_features,) or not (np.isfinite(checked) & (checked > 0)).all():
        raise InvalidParameterError(f"scales must be {n_features} positive numbers, one per feature, got {scales!r}.")
    return checked


def _failure(
    ruleset: RuleSet, target: Any, before: int, constraints: Constraints, is_certain: bool, max_boxes: int
) -> str:
    own = ruleset.classes.tolist()[before]
    wanted = f"class {target!r}" if target is not None else f"a class other than {own!r}"
    if not is_certain:
        return (
            f"No change of the sample to {wanted} was found within max_boxes={max_boxes}. "
            "Increase max_boxes, or relax the constraints."
        )
    if not str(constraints):
        return f"No change of the sample leads to {wanted}: no reachable rule predicts it."
    return (
        f"No change of the sample leads to {wanted} with {constraints}: no reachable rule predicts it. "
        "Relax the constraints."
    )
