"""The tables of a report, as cells for the template."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rulekit.evaluation.held_out import registered_measures
from rulekit.render.escaping import visible
from rulekit.report.charts import gauge
from rulekit.report.facts import Fraction
from rulekit.report.subject import Subject
from rulekit.ruleset.table import answered

#: Pairs of rules, and rules that differ from training, that are listed.
MOST_PAIRS, MOST_DIFFERENT = 50, 100
BETTER = {True: "higher is better", False: "lower is better", None: ""}


def measure_rows(models: Sequence[Mapping[str, float]]) -> list[dict[str, Any]]:
    """One row per measure with the value of each model; the best of several is marked.

    Parameters
    ----------
    models : sequence of mapping of str to float
        The measures of each model.
    """
    rows = []
    for name, measure in registered_measures().items():
        values = [of_model.get(name) for of_model in models]
        if all(value is None for value in values):
            continue
        best = _best(values, measure.is_higher_better)
        cells = [(_measure(value, measure.decimals), value is not None and value == best) for value in values]
        better = BETTER[measure.is_higher_better]
        rows.append({"name": measure.heading, "meaning": measure.meaning, "better": better, "cells": cells})
    return rows


def rule_rows(subject: Subject) -> list[dict[str, Any]]:
    """One row per rule: its cells as they are shown and sorted."""
    facts, ruleset = subject.facts, subject.ruleset
    low, high = facts.fired.intervals
    fired = facts.fired.values
    rows = []
    for position, rule in enumerate(ruleset):
        has_fired = facts.fired.whole[position] > 0
        ends = float(fired[position]), float(low[position]), float(high[position])
        rows.append(
            {
                "position": rule.position,
                "label": visible(rule.label),
                "clauses": list(rule.clauses),
                "predicted": rule.probability,
                "held_out": float(fired[position]) if has_fired else None,
                "interval": f"{ends[1]:.3f} to {ends[2]:.3f}" if has_fired else "",
                "gauge": gauge(rule.probability, *ends) if has_fired else "",
                "n_fired": int(facts.fired.whole[position]),
                "trained_answered": "" if rule.answered_counts is None else answered(rule),
                "n_trained_answered": rule.n_answered,
                "trained_precision": _or_none(facts.trained_precision, position),
                "trained_coverage": _or_none(facts.trained_coverage, position),
                "coverage": _or_none(facts.coverage, position),
                "overlap": _or_none(facts.overlap, position),
                "conflict": _or_none(facts.conflict, position),
            }
        )
    return rows


def different_rows(subject: Subject) -> list[dict[str, Any]]:
    """Rules whose training and held-out coverage or precision have disjoint intervals, largest gap first."""
    facts, rows = subject.facts, []
    for what, before, after in (
        ("precision", facts.trained_precision, facts.precision),
        ("coverage", facts.trained_coverage, facts.coverage),
    ):
        for position in np.flatnonzero(after.differs_from(before)).tolist():
            rows.append(
                {
                    "position": position + 1,
                    "what": what,
                    "before": _counted(before, position),
                    "after": _counted(after, position),
                    "gap": float(after.values[position] - before.values[position]),
                }
            )
    return sorted(rows, key=lambda row: -abs(row["gap"]))


def pair_rows(subject: Subject, in_conflict: bool) -> list[dict[str, Any]]:
    """Pairs of rules of different classes, or of the same, that share held-out samples; most samples first."""
    facts, ruleset = subject.facts, subject.ruleset
    concluded = ruleset.probabilities.argmax(axis=1)[:-1]
    wanted = (concluded[:, None] != concluded[None, :]) == in_conflict
    first, second = np.nonzero(np.triu(wanted & (facts.shared > 0), k=1))
    order = np.argsort(-facts.shared[first, second], kind="stable")
    labels = [visible(label) for label in ruleset.classes.tolist()]
    covered = facts.coverage.part
    return [
        {
            "first": one + 1,
            "second": other + 1,
            "first_label": labels[concluded[one]],
            "second_label": labels[concluded[other]],
            "shared": int(facts.shared[one, other]),
            "fraction": float(facts.shared[one, other] / min(covered[one], covered[other])),
            "first_right": float(facts.right[one, other] / facts.shared[one, other]),
            "second_right": float(facts.right[other, one] / facts.shared[one, other]),
        }
        for one, other in zip(first[order].tolist(), second[order].tolist(), strict=True)
    ]


def _or_none(fraction: Fraction, position: int) -> float | None:
    return float(fraction.values[position]) if fraction.whole[position] else None


def _counted(fraction: Fraction, position: int) -> str:
    return f"{fraction.values[position]:.3f} ({fraction.part[position]} of {fraction.whole[position]})"


def _best(values: list[float | None], is_higher_better: bool | None) -> float | None:
    """The best of several values, if the measure has a direction."""
    known = [value for value in values if value is not None and not np.isnan(value)]
    if is_higher_better is None or len(known) < 2:
        return None
    return max(known) if is_higher_better else min(known)


def _measure(value: float | None, decimals: int) -> str:
    return "–" if value is None or np.isnan(value) else f"{value:.{decimals}f}"
