"""Configurations one after the other: what came of them, and a script for each failure."""

from collections import Counter
from time import perf_counter
from typing import Any

import attrs
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from rulekit.core.errors import InvalidParameterError
from rulekit.core.interfaces import Adapter
from rulekit.model import find_adapter
from rulekit.testing.conformance import ConformanceError, called
from rulekit.testing.fuzz.configuration import Configuration
from rulekit.testing.fuzz.libraries import space_of
from rulekit.testing.fuzz.outcome import AGREES, FAILED, REJECTED, Outcome, outcome_of
from rulekit.testing.fuzz.shrinking import shrunken
from rulekit.testing.fuzz.space import Space

#: Failures that are made simpler, each of which fits many models; the others are counted.
MOST_SCRIPTS = 5


@attrs.frozen
class Failure:
    """A configuration at which rulekit and a library differ.

    Attributes
    ----------
    number : int
        With the seed, it gives the configuration again.
    kind : str
        What differs, "classes", "probabilities", "leaves" or "rules", or the class of an error that is not documented.
    message : str
    configuration : Configuration
        Shrunken, if it is among the first of its kind.
    script : str
        A program that shows it, in fewer than 20 lines.
    """

    number: int
    kind: str
    message: str
    configuration: Configuration
    script: str


@attrs.define
class FuzzReport:
    """What came of many configurations.

    Attributes
    ----------
    adapter : str
    seed : int
    n_agreed, n_rejected, n_documented : int
        Configurations that agree in all that was compared, that the library itself does not support, and for whose
        model rulekit raises a documented error.
    compared : Counter of str
        Tables that were compared, by what they ask.
    rejected : Counter of str
        Tables that the library does not support, by what they ask.
    documented : Counter of str
        Documented errors by class, for models and for tables.
    error_classes, warning_classes : set of type
        Classes of the documented errors and of the warnings of rulekit that were seen.
    failures : list of Failure
    seconds : float
    """

    adapter: str
    seed: int
    n_agreed: int = 0
    n_rejected: int = 0
    n_documented: int = 0
    compared: Counter[str] = attrs.field(factory=Counter)
    rejected: Counter[str] = attrs.field(factory=Counter)
    documented: Counter[str] = attrs.field(factory=Counter)
    error_classes: set[type] = attrs.field(factory=set)
    warning_classes: set[type] = attrs.field(factory=set)
    failures: list[Failure] = attrs.field(factory=list)
    seconds: float = 0.0

    @property
    def n_configurations(self) -> int:
        """Configurations that were tried."""
        return self.n_agreed + self.n_rejected + self.n_documented + len(self.failures)

    @property
    def script(self) -> str:
        """The script of the first failure; empty if there is none."""
        return self.failures[0].script if self.failures else ""

    def add(self, outcome: Outcome) -> None:
        """Count an outcome that is not a failure."""
        self.n_agreed += outcome.result == AGREES
        self.n_rejected += outcome.result == REJECTED
        self.n_documented += outcome.result not in (AGREES, REJECTED, FAILED)
        self.compared += outcome.compared
        self.rejected += outcome.rejected
        self.documented.update({kind.__name__: count for kind, count in outcome.documented.items()})
        self.error_classes.update(outcome.documented)
        self.warning_classes.update(outcome.warned)

    def raise_for_failures(self) -> None:
        """Raise a `ConformanceError` with the script of the first failure, if there is one."""
        if self.failures:
            raise ConformanceError(f"{self}\n\n{self.script}")

    def __str__(self) -> str:
        lines = [
            f"{self.adapter}: {self.n_configurations:,} configurations, seed {self.seed}, in {self.seconds:.0f} s: "
            f"{self.n_agreed:,} agree, {self.n_rejected:,} rejected by the library, {self.n_documented:,} with a "
            f"documented error, {len(self.failures)} failures.",
            f"  Tables compared: {_counted(self.compared)}.",
            f"  Tables rejected by the library: {_counted(self.rejected)}.",
            f"  Documented errors, of models and tables: {_counted(self.documented)}.",
        ]
        kinds = Counter((failure.kind, failure.configuration.model.__name__) for failure in self.failures)
        for (kind, model), count in kinds.items():
            first = next(each for each in self.failures if each.kind == kind)
            lines.append(f"  {count} times {kind} of {model}, first with number {first.number}: {first.message}")
        return "\n".join(lines)


def _counted(counter: Counter[str]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counter.most_common()) or "none"


def fuzz_adapter(
    adapter: Adapter,
    n: int = 1000,
    seed: int = 0,
    *,
    space: Space | None = None,
    first: int = 0,
    seconds: float | None = None,
    most_failures: int | None = None,
) -> FuzzReport:
    """Compare what an adapter reads with the library's own answers, over random configurations of the library.

    Each configuration is drawn from the seed and its number alone. Its model is read, and forest, leaves and rules are
    compared with the library at the training samples, at thresholds, with missing values, and with categories that are
    unseen or come in another order. Failures are made simpler, down to a script of fewer than 20 lines.

    Parameters
    ----------
    adapter : Adapter
    n : int
        Number of configurations.
    seed : int
    space : Space, optional
        What configurations are drawn from; by default those of the built-in libraries whose models the adapter accepts.
    first : int
        Number of the first configuration: `n=1` and the number of a failure repeat it.
    seconds : float, optional
        No configuration starts later than this.
    most_failures : int, optional
        Stop after so many failures.

    Returns
    -------
    report : FuzzReport
    """
    chosen = (space_of(adapter) if space is None else space).for_adapter(adapter)
    if not chosen.models:
        raise InvalidParameterError(f"fuzz_adapter: {called(adapter)} accepts none of the models of the space.")
    return run(chosen, n, seed, adapter=adapter, first=first, seconds=seconds, most_failures=most_failures)


def run(
    space: Space,
    n: int,
    seed: int,
    *,
    adapter: Adapter | None = None,
    name: str = "",
    first: int = 0,
    seconds: float | None = None,
    most_failures: int | None = None,
) -> FuzzReport:
    """Try configurations of a space, with one adapter or with the registered one of each model."""
    report, began = FuzzReport(name or called(adapter), seed), perf_counter()
    adapters = {own.model: adapter or find_adapter(own.model()) for own in space.models}
    shown: Counter[Any] = Counter()
    # Threads do not pay for tables of a few samples, and wait for each other.
    with threadpool_limits(1):
        for number in range(first, first + n):
            if seconds is not None and perf_counter() - began > seconds:
                break
            if most_failures is not None and len(report.failures) >= most_failures:
                break
            configuration = space.draw(seed, number)
            own = adapters[configuration.model]
            outcome = outcome_of(configuration, own)
            report.add(outcome)
            if outcome.result == FAILED:
                kind = (outcome.kind, configuration.model)
                shown[kind] += 1
                if shown[kind] == 1 and len(shown) <= MOST_SCRIPTS:
                    configuration = shrunken(configuration, outcome, own, space)
                script = configuration.script(own)
                report.failures.append(Failure(number, outcome.kind, outcome.message, configuration, script))
    report.seconds = perf_counter() - began
    return report
