"""Many explanations as one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulekit.core.statistics import hits, precision_interval
from rulekit.render.table import Table
from rulekit.ruleset.table import NUMERIC

if TYPE_CHECKING:
    from rulekit.explain.explanations import Explanations

#: Most samples to list; `Explanations.to_frame` has all of them.
MOST_LISTED = 20


def overview(explanations: Explanations) -> Table:
    """One row per sample: prediction, answering rule, other matching rules, and the ensemble's prediction."""
    listed = explanations[:MOST_LISTED]
    facts = listed.to_frame()
    ruleset, first = explanations.ruleset, listed.first
    name, verb, counts = "covered", "covers", ruleset.counts
    if ruleset.answered_counts is not None and ruleset.knows_answered:
        name, verb, counts = "answered", "answers", ruleset.answered_counts
    right, whole = hits(counts, ruleset.probabilities.argmax(axis=1))[first], counts.sum(axis=1)[first]
    low, high = precision_interval(right, whole)
    columns = {
        "sample": [str(name) for name in facts.index],
        "class": [str(label) for label in facts["class"]],
        "p": [f"{value:.3f}" for value in facts["probability"]],
        "rule": [str(position) for position in facts["rule"]],
        name: [f"{part} of {all_of_them}" for part, all_of_them in zip(right, whole, strict=True)],
        "interval": [f"{start:.3f} to {end:.3f}" for start, end in zip(low, high, strict=True)],
        "others": [
            f"{agree} of {number} agree" if number else "none"
            for agree, number in zip(facts["n_agreeing"], facts["n_others"], strict=True)
        ],
    }
    if explanations.ensemble is not None:
        columns["ensemble"] = [
            f"{label} ({value:.3f})"
            for label, value in zip(facts["ensemble_class"], facts["ensemble_probability"], strict=True)
        ]
    columns["if"] = [ruleset[position].antecedent or "(otherwise)" for position in first.tolist()]
    rows = list(zip(*columns.values(), strict=True))
    return Table(
        "explanations",
        _title(explanations),
        tuple(columns),
        rows,
        notes=[
            f"{name}: training samples of the rule's class, of all that it {verb}; interval: 95 % interval of this "
            "fraction."
        ],
        numeric=NUMERIC | {name},
        wraps_last=True,
    )


def _title(explanations: Explanations) -> str:
    number = len(explanations)
    shown = f"; the first {MOST_LISTED} are listed" if number > MOST_LISTED else ""
    mode = explanations.ruleset.inference
    which = "the first of those that answer" if mode.combination is None else "the first that matches"
    return f"{number} samples, answered by {type(mode).__name__}; the rule is {which}{shown}"
