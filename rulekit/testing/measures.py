"""What measures promise."""

import math
from typing import Any

import attrs
import numpy as np

from rulekit.core.evaluated import Evaluated
from rulekit.core.interfaces import Measure
from rulekit.inference.decision_list import DecisionList
from rulekit.testing.comparison import Answer
from rulekit.testing.conformance import expect, promise
from rulekit.testing.every_component import Usage, check_inputs_are_not_written_to, fresh
from rulekit.testing.seam import Seam, bind, shared_checks
from rulekit.testing.world import World, locked, others, worlds

NEEDS = ("predictions", "rules", "ensemble")


@attrs.frozen(eq=False)
class Case:
    """Predictions to measure.

    Attributes
    ----------
    name : str
        Its name in messages.
    evaluated : Evaluated
        With rules and with an ensemble.
    """

    name: str
    evaluated: Evaluated

    @classmethod
    def of(cls, world: World) -> "Case":
        """Random predictions of a world's samples, by rules of that world."""
        rng = np.random.default_rng(0)
        probabilities = rng.dirichlet(np.ones(world.n_classes), len(world.y))
        # Some are certain, correctly or not, and some are ties.
        probabilities[:9] = np.eye(world.n_classes)[rng.integers(world.n_classes, size=9)]
        probabilities[9:12] = 1 / world.n_classes
        classes = world.forest.classes
        labels = classes[rng.integers(world.n_classes, size=len(world.y))]
        return cls(world.name, Evaluated(world.y, probabilities, classes, world.ruleset(DecisionList()), labels))

    def with_probabilities(self, name: str, probabilities: Any) -> "Case":
        """The same samples with other predicted probabilities."""
        return attrs.evolve(self, name=name, evaluated=attrs.evolve(self.evaluated, probabilities=probabilities))

    def take(self, name: str, rows: Any) -> "Case":
        """Only some of the samples."""
        whole = self.evaluated
        labels = None if whole.ensemble_predicted is None else whole.ensemble_predicted[rows]
        part = attrs.evolve(whole, y=whole.y[rows], probabilities=whole.probabilities[rows], ensemble_predicted=labels)
        return attrs.evolve(self, name=f"{self.name}, {name}", evaluated=part)

    def read_only(self) -> "Case":
        """The same predictions, in arrays that are read-only."""
        given = self.evaluated
        assert given.ensemble_predicted is not None
        return attrs.evolve(
            self,
            evaluated=attrs.evolve(
                given,
                y=locked(given.y),
                probabilities=locked(given.probabilities),
                classes=locked(given.classes),
                ensemble_predicted=locked(given.ensemble_predicted),
            ),
        )


@promise
def check_display_attributes(measure: Any) -> None:
    """`heading` and `meaning` are single lines, `decimals` is a count, the direction and `needs` are allowed values."""
    for name in ("heading", "meaning"):
        value = getattr(measure, name)
        is_line = isinstance(value, str) and value.strip() == value and len(value.splitlines()) == 1
        expect(is_line, f"{name} is {value!r}.")
    short, decimals, direction = measure.short_heading, measure.decimals, measure.is_higher_better
    expect(short is None or (isinstance(short, str) and short.strip()), f"short_heading is {short!r}.")
    expect(type(decimals) is int and decimals >= 0, f"decimals is {decimals!r}.")
    expect(direction is None or isinstance(direction, bool), f"is_higher_better is {direction!r}.")
    expect(measure.needs in NEEDS, f"needs is {measure.needs!r}, which is not one of {', '.join(NEEDS)}.")


@promise
def check_value(measure: Any) -> None:
    """`measure` returns a float, finite or NaN, even for one sample and for a class without samples."""
    for case in _cases():
        first = int(case.evaluated.y[0])
        parts = [case.take("one sample", slice(1)), case.take("one class", case.evaluated.y == first)]
        for each in (case, *parts):
            value = fresh(measure).measure(each.evaluated)
            expect(isinstance(value, float), f"{each.name}: an object of type {type(value).__name__}, not a float.")
            expect(not math.isinf(value), f"{each.name}: {value}.")


@promise
def check_declared_needs(measure: Any) -> None:
    """A measure uses the rules, or the ensemble's predictions, only if its `needs` declares it."""
    for case in _cases():
        whole, needed = case.evaluated, measure.needs
        least = attrs.evolve(
            whole,
            ruleset=whole.ruleset if needed == "rules" else None,
            ensemble_predicted=whole.ensemble_predicted if needed == "ensemble" else None,
        )
        expect(fresh(measure).applies_to(least), f"{case.name}: it does not apply.")
        values = [fresh(measure).measure(each) for each in (whole, least)]
        same = values[0] == values[1] or all(math.isnan(value) for value in values)
        expect(same, f"{case.name}: {values[1]} without what it does not need, {values[0]} with it.")


@promise
def check_direction(measure: Any) -> None:
    """For a measure of predictions, certain and correct ones are at least as good as certain and wrong ones."""
    if measure.needs != "predictions" or measure.is_higher_better is None:
        return
    for case in _cases():
        y, certain = case.evaluated.y, np.eye(len(case.evaluated.classes))
        right, wrong = (
            case.with_probabilities("right", certain[y]),
            case.with_probabilities("wrong", certain[(y + 1) % len(certain)]),
        )
        best, worst = (fresh(measure).measure(each.evaluated) for each in (right, wrong))
        gain = best - worst if measure.is_higher_better else worst - best
        expect(not gain < 0, f"{case.name}: {best} if everything is correct, {worst} if everything is wrong.")


def _answer(measure: Any, case: Case) -> Answer:
    return {"values": np.array([measure.measure(case.evaluated)])}


def _cases() -> tuple[Case, ...]:
    return tuple(Case.of(world) for world in (*worlds(), others()[0]))


USAGE = Usage(_cases, _answer, _answer)
SEAM = Seam(
    kind="measure",
    interface=Measure,
    checks=(
        *shared_checks(USAGE),
        bind(check_inputs_are_not_written_to, USAGE),
        check_display_attributes,
        check_value,
        check_declared_needs,
        check_direction,
    ),
)
