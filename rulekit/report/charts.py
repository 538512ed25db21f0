"""The charts of a report, from counts."""

import math

import numpy as np
from markupsafe import Markup

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.statistics import precision_interval
from rulekit.evaluation.reliability import bin_rows
from rulekit.report.facts import Facts, Fraction
from rulekit.report.subject import Subject
from rulekit.report.svg import Axis, axes, diagonal, picture, tag

WIDTH, HEIGHT = 420, 340
#: Number of rules in the overlap chart; more would be too small to distinguish.
MOST_IN_OVERLAP = 40


def reliability(subject: Subject) -> Markup:
    """Observed accuracy by predicted probability, above the fraction of samples in each bin."""
    x, y, fractions = Axis(0, 1, 52, 408), Axis(0, 1, 252, 12), Axis(0, 1, 332, 284)
    elements = axes(x, y, "", "observed accuracy")
    elements.append(diagonal(x, y))
    bins = bin_rows(subject.bins)
    low, high = precision_interval([round(hit * n) for _, n, _, hit, _ in bins], [n for _, n, *_ in bins])
    line = " ".join(f"{x(predicted):.1f},{y(hit):.1f}" for _, _, predicted, hit, _ in bins)
    elements.append(tag("polyline", class_="path", points=line))
    for (lower, n, predicted, hit, fraction), least, most in zip(bins, low.tolist(), high.tolist(), strict=True):
        about = f"{n} samples: predicted {predicted:.3f}, accuracy {hit:.3f} (95 % interval {least:.3f} to {most:.3f})"
        bar = tag(
            "rect",
            class_="bar",
            x=x(lower) + 1,
            width=x(0.1) - x(0) - 2,
            y=fractions(fraction),
            height=332 - fractions(fraction),
        )
        number = tag(
            "text", f"{fraction:.0%}", class_="tick", x=x(lower + 0.05), y=fractions(fraction) - 4, text_anchor="middle"
        )
        elements += [bar, number, _point(x(predicted), y, (hit, least, most), 4.0, about)]
    elements.append(tag("line", class_="axis", x1=x.start, x2=x.end, y1=332, y2=332))
    elements.append(
        tag("text", "fraction of samples, by predicted probability", class_="name", x=230, y=350, text_anchor="middle")
    )
    description = f"Reliability of {subject.name}: {len(bins)} bins of predicted probability, and the accuracy in each."
    return picture(WIDTH, HEIGHT + 16, description, elements)


def predicted_and_held_out(subject: Subject) -> Markup:
    """Each rule's predicted probability against its precision on the samples that it answers."""
    fired = subject.facts.fired
    predicted = subject.ruleset.probabilities.max(axis=1)
    x = Axis(math.floor(float(predicted.min()) * 10 - 1e-9) / 10, 1, 52, 408)
    y = Axis(0, 1, 292, 12)
    elements = [*axes(x, y, "predicted probability", "held-out precision"), diagonal(x, y)]
    low, high = fired.intervals
    elements += _rules(x, y, predicted, fired, fired.whole, (predicted < low) | (predicted > high))
    description = f"Predicted probability and held-out precision of each rule of {subject.name}, with 95 % intervals."
    return picture(WIDTH, HEIGHT, description, elements)


def trained_and_held_out(subject: Subject, what: str) -> Markup:
    """Each rule's coverage, or precision, on training samples against that on held-out samples."""
    facts = subject.facts
    before, after = _both(facts, what)
    values = np.concatenate([before.values, after.values])
    top = min(1.0, math.ceil(float(np.nanmax(values, initial=0.05)) * 20) / 20) if what == "coverage" else 1.0
    x, y = Axis(0, top, 52, 408), Axis(0, top, 292, 12)
    elements = [*axes(x, y, f"{what} in training", f"held-out {what}"), diagonal(x, y)]
    weights = np.where(before.whole > 0, facts.coverage.part, 0)
    elements += _rules(x, y, before.values, after, weights, after.differs_from(before))
    description = f"{what.capitalize()} of each rule of {subject.name} on training and on held-out samples."
    return picture(WIDTH, HEIGHT, description, elements)


def overlap(subject: Subject) -> Markup:
    """Fraction of the row's samples that the column's rule covers too; one colour for agreement, one for conflict."""
    facts, classes = subject.facts, subject.ruleset.probabilities.argmax(axis=1)
    covered = facts.coverage.part[:-1]
    chosen = np.sort(np.argsort(-covered, kind="stable")[:MOST_IN_OVERLAP]).tolist()
    cell = min(26.0, 380 / max(len(chosen), 1))
    size = 34 + cell * len(chosen)
    elements = []
    for row, one in enumerate(chosen):
        for column, other in enumerate(chosen):
            n, conflict = int(facts.shared[one, other]), classes[one] != classes[other]
            if not n or one == other:
                continue
            fraction = n / covered[one]
            about = f"{fraction:.1%} of the {covered[one]} samples of rule {one + 1} are covered by rule {other + 1}"
            about += ", which predicts another class" if conflict else ""
            elements.append(
                tag(
                    "rect",
                    tag("title", about),
                    class_="conflict" if conflict else "agree",
                    x=34 + cell * column,
                    y=30 + cell * row,
                    width=cell - 1,
                    height=cell - 1,
                    fill_opacity=0.15 + 0.85 * float(fraction),
                )
            )
        position = 30 + cell * (row + 0.5) + 4
        if row % math.ceil(14 / cell) == 0:
            elements.append(tag("text", str(one + 1), class_="tick", x=28, y=position, text_anchor="end"))
        if row % math.ceil(26 / cell) == 0:
            elements.append(tag("text", str(one + 1), class_="tick", x=position, y=24, text_anchor="middle"))
        elements.append(
            tag("rect", class_="own", x=34 + cell * row, y=30 + cell * row, width=cell - 1, height=cell - 1)
        )
    description = (
        f"Overlap of the rules of {subject.name}: fraction of the row's samples that the column's rule covers."
    )
    return picture(int(size) + 12, int(size), description, elements, class_="chart overlap")


def gauge(predicted: float, fraction: float, low: float, high: float) -> Markup:
    """A rule's row: the interval as a line, the precision as a dot, the predicted probability as a tick."""
    x = Axis(0, 1, 4, 96)
    return picture(
        100,
        14,
        f"held-out precision {fraction:.3f}, 95 % interval {low:.3f} to {high:.3f}, predicted {predicted:.3f}",
        [
            tag("line", class_="grid", x1=x(0), x2=x(1), y1=7, y2=7),
            tag("line", class_="interval", x1=x(low), x2=x(high), y1=7, y2=7),
            tag("circle", class_="dot", cx=x(fraction), cy=7, r=3),
            tag("line", class_="predicted", x1=x(predicted), x2=x(predicted), y1=1, y2=13),
        ],
        class_="gauge",
    )


def _both(facts: Facts, what: str) -> tuple[Fraction, Fraction]:
    if what == "coverage":
        return facts.trained_coverage, facts.coverage
    return facts.trained_precision, facts.precision


def _rules(x: Axis, y: Axis, across: FloatArray, up: Fraction, weights: IntArray, is_off: BoolArray) -> list[Markup]:
    """One dot with its interval for each rule that has samples; larger for more samples."""
    low, high = up.intervals
    found = []
    # Large ones first, so that small ones are not hidden behind them; the default rule is last in the ruleset.
    for position in np.argsort(-weights, kind="stable")[: np.count_nonzero(weights)].tolist():
        fraction, least, most = float(up.values[position]), float(low[position]), float(high[position])
        name = "Default rule" if position == len(weights) - 1 else f"Rule {position + 1}"
        about = f"{name}: {across[position]:.3f} and {fraction:.3f} ({up.part[position]} of {up.whole[position]})"
        radius = 2.5 + 4.5 * math.sqrt(weights[position] / weights.max())
        found.append(
            _point(x(float(across[position])), y, (fraction, least, most), radius, about, bool(is_off[position]))
        )
    return found


def _point(
    x: float, y: Axis, fractions: tuple[float, float, float], radius: float, about: str, is_off: bool = False
) -> Markup:
    fraction, least, most = fractions
    line = tag("line", class_="interval", x1=x, x2=x, y1=y(max(least, y.low)), y2=y(min(most, y.high)))
    dot = tag("circle", class_="dot", cx=x, cy=y(fraction), r=radius)
    return tag("g", tag("title", about), line, dot, class_="off" if is_off else None)
