"""What another extractor must offer so that it can be timed."""

import contextlib
import os
import warnings
from abc import ABC, abstractmethod
from importlib.util import find_spec
from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from benchmarks.timing import cpu_seconds_of, median

#: A rule as data: its conditions as (feature, is upper limit, threshold), and the class that it concludes.
PlainRule = tuple[frozenset[tuple[int, bool, float | None]], Any]

WARM_UP_TREES = 3
WARM_UP_SAMPLES = 200
#: Work that is slower than this is run once: noise matters less, and nobody wants to wait.
SECONDS_TO_REPEAT = 5.0


@attrs.frozen
class Finding:
    """What a peer did.

    Attributes
    ----------
    seconds : float
        Median CPU time.
    n_rules : int
    rules : list of PlainRule, or None
        In order, where they can be compared with those of rulekit.
    """

    seconds: float
    n_rules: int
    rules: list[PlainRule] | None = None


class Peer(ABC):
    """Another extractor.

    Attributes
    ----------
    name : str
    module : str
        What it is imported as.
    install : str
        The command that installs it.
    method : str
        The method of rulekit that it is held against.
    options : dict
        Parameters of that method that make the two comparable.
    settings : str
        What a reader should know of how it is run.
    time_limit : float
        Seconds after which it is stopped.
    """

    name: ClassVar[str]
    module: ClassVar[str]
    install: ClassVar[str]
    method: ClassVar[str] = "rcprob"
    options: ClassVar[dict[str, Any]] = {}
    settings: ClassVar[str] = ""
    time_limit: ClassVar[float] = 300.0

    @property
    def is_installed(self) -> bool:
        """Whether it can be imported, without importing it."""
        return find_spec(self.module) is not None

    def refuses(self, ensemble: str, n_classes: int) -> str:
        """Why it cannot run on an ensemble ("RF" or "GBM") of so many classes; empty if it can."""
        return ""

    @abstractmethod
    def extract(self, ensemble: Any, X: NDArray[np.float64], y: NDArray[Any]) -> Any:
        """Extract rules; this is what is timed."""

    @abstractmethod
    def n_rules(self, extracted: Any) -> int:
        """Number of rules that `extract` found."""

    def rules(self, extracted: Any) -> list[PlainRule] | None:
        """The rules as data, if they should equal those of rulekit."""
        return None


def run(peer: Peer, ensemble: Any, X: NDArray[np.float64], y: NDArray[Any], repeats: int) -> Finding:
    """Time a peer, after a run on a few trees and samples that does not count; all that it prints is dropped."""
    with open(os.devnull, "w") as nowhere, contextlib.ExitStack() as quiet:
        quiet.enter_context(contextlib.redirect_stdout(nowhere))
        quiet.enter_context(contextlib.redirect_stderr(nowhere))
        quiet.enter_context(warnings.catch_warnings(action="ignore"))
        _warm_up(peer, ensemble, X, y)
        results: list[Any] = []
        times = [cpu_seconds_of(lambda: results.append(peer.extract(ensemble, X, y)))]
        while times[0] < SECONDS_TO_REPEAT and len(times) < repeats:
            times.append(cpu_seconds_of(lambda: peer.extract(ensemble, X, y)))
        return Finding(median(times), peer.n_rules(results[0]), peer.rules(results[0]))


def _warm_up(peer: Peer, ensemble: Any, X: NDArray[np.float64], y: NDArray[Any]) -> None:
    # Every n-th sample, because some tables are sorted by class.
    some = slice(None, None, max(1, len(X) // WARM_UP_SAMPLES))
    few = clone(ensemble).set_params(n_estimators=WARM_UP_TREES).fit(X[some], y[some])
    peer.extract(few, X[some], y[some])
