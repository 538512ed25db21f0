"""TE2Rules: rules that say when an ensemble predicts the positive class."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.peer import Peer

#: It joins the rules of this many trees at most. Without a bound it runs for hours.
N_STAGES = 2


class TE2Rules(Peer):
    """TE2Rules, bounded to pairs of trees."""

    name: ClassVar[str] = "te2rules"
    module: ClassVar[str] = "te2rules"
    install: ClassVar[str] = "pip install te2rules"
    settings: ClassVar[str] = f"bounded to {N_STAGES} stages"

    def refuses(self, ensemble: str, n_classes: int) -> str:
        """Anything but two classes."""
        return "knows two classes only" if n_classes > 2 else ""

    def extract(self, ensemble: Any, X: NDArray[np.float64], y: NDArray[Any]) -> list[str]:
        """Its rules as texts."""
        from te2rules.explainer import ModelExplainer

        explainer = ModelExplainer(ensemble, [f"x{feature}" for feature in range(X.shape[1])])
        return explainer.explain(X, ensemble.predict(X), num_stages=N_STAGES)

    def n_rules(self, extracted: list[str]) -> int:
        """Number of rules."""
        return len(extracted)
