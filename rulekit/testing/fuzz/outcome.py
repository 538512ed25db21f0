"""What comes of one configuration: agreement, an error of the library, a documented error, or a failure."""

import io
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

import attrs
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from rulekit.core.errors import RulekitError
from rulekit.core.interfaces import Adapter
from rulekit.testing.conformance import Broken
from rulekit.testing.fuzz.agreement import ComparedModel, Difference
from rulekit.testing.fuzz.configuration import Configuration
from rulekit.testing.fuzz.table import Table
from rulekit.testing.fuzz.thresholds import table_at_thresholds

AGREES, REJECTED, DOCUMENTED, FAILED = "agrees", "rejected by the library", "documented error", "failed"
#: Packages whose checks of samples raise errors on rulekit's behalf.
CHECKING = ("rulekit", "sklearn.utils")


@attrs.define
class Outcome:
    """What came of a configuration.

    Attributes
    ----------
    result : {"agrees", "rejected by the library", "documented error", "failed"}
    kind : str
        For a failure what differs, or the class of the undocumented error and where it was raised; otherwise the class
        of the error.
    message : str
    question : str
        Name of the table that a failure was found with; empty if the model could not be read.
    rows : Table or None
        The samples that show a failure.
    compared : Counter of str
        Tables that were compared, by name.
    rejected : Counter of str
        Tables that the library does not support, by name.
    documented : Counter of type
        Errors that rulekit raised for the model or a table.
    warned : Counter of type
        Warnings that rulekit gave.
    """

    result: str = AGREES
    kind: str = ""
    message: str = ""
    question: str = ""
    rows: Table | None = None
    compared: Counter[str] = attrs.field(factory=Counter)
    rejected: Counter[str] = attrs.field(factory=Counter)
    documented: Counter[type] = attrs.field(factory=Counter)
    warned: Counter[type] = attrs.field(factory=Counter)

    def fail(self, error: Exception, question: str = "", table: Table | None = None) -> None:
        """Note a difference, or an error that is not documented."""
        self.result, self.question = FAILED, question
        self.kind = error.kind if isinstance(error, Difference) else _raised(error)
        self.message = error.message if isinstance(error, Difference) else f"{type(error).__name__}: {error}"
        rows = error.rows if isinstance(error, Difference) else ()
        self.rows = table.take(rows) if table is not None and rows else table


def outcome_of(configuration: Configuration, adapter: Adapter) -> Outcome:
    """Fit the model of a configuration, read it, and compare all answers."""
    outcome = Outcome()
    own: Adapter = clone(adapter).set_params(**dict(configuration.adapter))
    with quiet():
        try:
            names = fitted(configuration)
        except Exception as error:  # whatever the library raises: it does not support the configuration
            outcome.result, outcome.kind, outcome.message = REJECTED, type(error).__name__, str(error)
            return outcome
    compared = _read(outcome, own, names)
    if compared is None:
        return outcome
    for question, table in _questions(configuration, compared):
        _compare(outcome, compared, question, table)
        if outcome.result == FAILED:
            return outcome
    if not outcome.compared:
        outcome.result = DOCUMENTED if outcome.documented else REJECTED
    return outcome


def _questions(configuration: Configuration, compared: ComparedModel) -> list[tuple[str, Table]]:
    """The tables to predict, by name."""
    training = ("training samples", configuration.X)
    if not configuration.asks_thresholds:
        return list(configuration.asked) or [training]
    return [training, *configuration.asked, ("thresholds", table_at_thresholds(compared.forest, configuration.X))]


def fitted(configuration: Configuration) -> dict[str, Any]:
    """The names that a configuration's lines define: `X`, `y` and `model`."""
    names = configuration.namespace()
    lines = (*configuration.data_lines, *configuration.model_lines, *configuration.reading_lines)
    exec("\n".join(lines), names)
    return names


def _read(outcome: Outcome, adapter: Adapter, names: dict[str, Any]) -> ComparedModel | None:
    with noting(outcome):
        try:
            return ComparedModel.read(adapter, names["model"], names["X"], names["y"])
        except Exception as error:
            if is_documented(error):
                outcome.result, outcome.kind, outcome.message = DOCUMENTED, type(error).__name__, str(error)
                outcome.documented[type(error)] += 1
            elif _is_of_the_library(error):
                outcome.result, outcome.kind, outcome.message = REJECTED, type(error).__name__, str(error)
            else:
                outcome.fail(error)
    return None


def _compare(outcome: Outcome, compared: ComparedModel, question: str, table: Table) -> None:
    names: dict[str, Any] = {}
    with quiet():
        exec(f"import numpy as np\nimport pandas as pd\nasked = {table.code}", names)
        try:
            answers = compared.library_answers(names["asked"])
        except Exception:  # whatever the library raises: it does not support the samples
            outcome.rejected[question] += 1
            return
    with noting(outcome):
        try:
            compared.compare(names["asked"], answers)
        except Exception as error:
            if is_documented(error):
                outcome.documented[type(error)] += 1
            else:
                outcome.fail(error, question, table)
        else:
            outcome.compared[question] += 1


def is_documented(error: Exception) -> bool:
    """Whether an error is rulekit's own, or a `ValueError` or `TypeError` that a check of the samples raises."""
    if isinstance(error, RulekitError | NotFittedError):
        return True
    raised_in = _module(error)
    is_checked = isinstance(error, ValueError | TypeError) and raised_in.startswith(CHECKING)
    return is_checked and not isinstance(error, Broken)


def _is_of_the_library(error: Exception) -> bool:
    """Whether a library raised an error when rulekit asked it to fit a clone of a model."""
    frames = traceback.extract_tb(error.__traceback__)
    return any(frame.name == "fitted_clone" for frame in frames)


def _raised(error: Exception) -> str:
    """The class of an error and the function that raised it, which tell causes apart."""
    return f"{type(error).__name__} in {traceback.extract_tb(error.__traceback__)[-1].name}"


def _module(error: Exception) -> str:
    """The name of the module that raised an error."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return "" if step is None else str(step.tb_frame.f_globals.get("__name__", ""))


@contextmanager
def quiet() -> Iterator[None]:
    """Without the warnings and prints of libraries."""
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


@contextmanager
def noting(outcome: Outcome) -> Iterator[None]:
    """Count the warnings that rulekit defines; others are the libraries'."""
    with warnings.catch_warnings(record=True) as caught, redirect_stdout(io.StringIO()):
        warnings.simplefilter("always")
        yield
    own = [warning.category for warning in caught if warning.category.__module__.startswith("rulekit")]
    outcome.warned.update(own)
