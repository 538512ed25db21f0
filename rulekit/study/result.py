"""Outcomes of a cell."""

import platform
import traceback
from functools import cache
from typing import Any

import attrs
import numpy as np
import sklearn

from rulekit import __version__
from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.engine import engine_name
from rulekit.plugin.manager import plugins
from rulekit.study.code.parts import OWN_ORIGIN


@cache
def current_versions() -> dict[str, Any]:
    """Versions of the libraries that produce results here."""
    origins = {component.origin for component in plugins().registry}
    return {
        "rulekit": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
        "engine": engine_name(),
        "plugins": sorted(origin for origin in origins if not origin.startswith(OWN_ORIGIN)),
    }


@attrs.frozen(eq=False)
class Result:
    """The result of a finished cell.

    Attributes
    ----------
    chosen : dict
        Hyperparameters.
    seconds : float
        Of the final fit. What it shares with other variants counts in full, as if it were fitted alone.
    search_seconds : float
        Of the choice of hyperparameters. Again, what is shared with other variants counts in full.
    n_train, n_test : int
    measures : dict of str to float
    truth : ndarray of shape (n_test,)
        Classes of the held-out samples, as class indices.
    probabilities : ndarray of shape (n_test, n_classes)
    seed : int
    ruleset : dict or None
        From `RuleSet.to_dict`; None if there are no rules. So are the next two.
    diagnostics : list of dict or None
        From `rule_diagnostics`, one for each rule.
    use : dict or None
        From `rule_use`.
    warnings : tuple of str
    versions : dict
        Of what made it.
    """

    chosen: dict[str, Any]
    seconds: float
    search_seconds: float
    n_train: int
    n_test: int
    measures: dict[str, float]
    truth: IntArray
    probabilities: FloatArray
    seed: int
    ruleset: dict[str, Any] | None = None
    diagnostics: list[dict[str, Any]] | None = None
    use: dict[str, float] | None = None
    warnings: tuple[str, ...] = ()
    versions: dict[str, Any] = attrs.field(factory=current_versions)


@attrs.frozen
class Failure:
    """Why there is no result.

    Attributes
    ----------
    kind : str
        Class of the exception.
    message, traceback : str
    versions : dict
    """

    kind: str
    message: str
    traceback: str
    versions: dict[str, Any] = attrs.field(factory=current_versions)

    @property
    def error(self) -> str:
        """Class and message."""
        return f"{self.kind}: {self.message}"

    @classmethod
    def of(cls, error: BaseException) -> "Failure":
        """The failure that an exception means."""
        try:
            message = str(error)
        except Exception as worse:
            message = f"its message cannot be read ({type(worse).__name__})"
        return cls(type(error).__name__, _storable(message), _storable("".join(traceback.format_exception(error))))


def _storable(string: str) -> str:
    """A string with surrogates escaped, which cannot be written to a file."""
    return string.encode("utf-8", "backslashreplace").decode("utf-8")
