"""Making a configuration that fails as simple as possible."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random
from typing import Any

import attrs

from rulekit.core.interfaces import Adapter
from rulekit.testing.fuzz.configuration import Configuration
from rulekit.testing.fuzz.outcome import FAILED, Outcome, outcome_of
from rulekit.testing.fuzz.space import ModelChoices, Space
from rulekit.testing.fuzz.table import Table

#: Models that may be fitted to make one failure simpler.
MOST_TRIES = 300


def shrunken(configuration: Configuration, outcome: Outcome, adapter: Adapter, space: Space) -> Configuration:
    """The simplest configuration found that fails in the same way, with one table to predict."""
    n_tries = 0

    def fails(simpler: Configuration) -> bool:
        nonlocal n_tries
        n_tries += 1
        found = outcome_of(simpler, adapter)
        return found.result == FAILED and found.kind == outcome.kind

    choices = next(own for own in space.models if own.model is configuration.model)
    current = _with_one_question(configuration, outcome, fails)
    ways = (partial(_simpler_model, choices=choices), partial(_fewer_columns, choices=choices), _fewer_samples)
    is_simpler = True
    while is_simpler:
        is_simpler = False
        for way in ways:
            while n_tries < MOST_TRIES and (simpler := next(filter(fails, way(current)), None)) is not None:
                current, is_simpler = simpler, True
    return current


def _with_one_question(
    configuration: Configuration, outcome: Outcome, fails: Callable[[Configuration], bool]
) -> Configuration:
    """The configuration with only the samples that show the failure, or else with the table that does."""
    plain = attrs.evolve(configuration, asks_thresholds=False)
    if not outcome.question or outcome.rows is None:
        return attrs.evolve(plain, asked=())
    asked = ((outcome.question, outcome.rows),)
    return attrs.evolve(plain, asked=asked) if fails(attrs.evolve(plain, asked=asked)) else configuration


def _simpler_model(current: Configuration, choices: ModelChoices) -> Iterator[Configuration]:
    """A model that is made in a simpler way."""
    if current.then:
        yield attrs.evolve(current, then="")
    if current.fit != choices.fits[0]:
        yield attrs.evolve(current, fit=choices.fits[0])
    for position, (name, value) in enumerate(current.parameters):
        others = current.parameters[:position], current.parameters[position + 1 :]
        if name not in choices.always:
            yield attrs.evolve(current, parameters=(*others[0], *others[1]))
        else:
            simplest = choices.always[name]
            if not callable(simplest) and value != simplest[0]:
                yield attrs.evolve(current, parameters=(*others[0], (name, simplest[0]), *others[1]))
    for position in range(len(current.adapter)):
        yield attrs.evolve(current, adapter=current.adapter[:position] + current.adapter[position + 1 :])
    if current.orders:
        yield attrs.evolve(current, orders=())
    if current.labels != "np.array({})":
        yield attrs.evolve(current, labels="np.array({})")


def _fewer_columns(current: Configuration, choices: ModelChoices) -> Iterator[Configuration]:
    for position in range(len(current.X.columns) if len(current.X.columns) > 1 else 0):
        asked = tuple((name, _without(table, position)) for name, table in current.asked)
        X = _without(current.X, position)
        yield attrs.evolve(current, X=X, asked=asked, parameters=_of_table(current, choices, X))


def _of_table(current: Configuration, choices: ModelChoices, X: Table) -> tuple[tuple[str, Any], ...]:
    """The parameters with those that depend on the table made anew."""
    depend = {name: own for name, own in choices.always.items() if callable(own)}
    values = {name: own(Random(0), X, len(set(current.y))) for name, own in depend.items()}
    others = [pair for pair in current.parameters if pair[0] not in depend]
    return (*others, *((name, value) for name, value in values.items() if value is not None))


def _without(table: Table, position: int) -> Table:
    return attrs.evolve(table, columns=table.columns[:position] + table.columns[position + 1 :])


def _fewer_samples(current: Configuration) -> Iterator[Configuration]:
    """Without half of the training samples, a quarter, and so on down to single ones."""
    size = len(current.y) // 2
    while size:
        for start in range(0, len(current.y), size):
            kept = [row for row in range(len(current.y)) if not start <= row < start + size]
            if kept:
                yield _with_samples(current, kept)
        size //= 2


def _with_samples(current: Configuration, rows: Sequence[int]) -> Configuration:
    return attrs.evolve(current, X=current.X.take(rows), y=tuple(current.y[row] for row in rows))
