"""RuleOpt: rules of a trained ensemble, chosen and weighted by linear programming."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.peer import Peer


class RuleOpt(Peer):
    """Its RUX classifier with the solver that comes along."""

    name: ClassVar[str] = "ruleopt"
    module: ClassVar[str] = "ruleopt"
    install: ClassVar[str] = "pip install ruleopt"
    settings: ClassVar[str] = "its rules are whole leaves with weights"

    def refuses(self, ensemble: str, n_classes: int) -> str:
        """Boosting of several classes: it reads one tree of each round only."""
        return "reads one tree of each round only" if ensemble == "GBM" and n_classes > 2 else ""

    def extract(self, ensemble: Any, X: NDArray[np.float64], y: NDArray[Any]) -> Any:
        """Its fitted classifier."""
        from ruleopt import RUXClassifier

        return RUXClassifier(trained_ensemble=ensemble, random_state=0).fit(X, y)

    def n_rules(self, extracted: Any) -> int:
        """Number of rules with a weight."""
        return len(extracted.decision_rules_)
