"""What adapters of boosting ensembles share."""

from typing import Literal

import numpy as np

from rulekit.core.arrays import FloatArray
from rulekit.core.checks import check_choice
from rulekit.core.interfaces import Adapter


class BoostingAdapter(Adapter):
    """Reads a boosting ensemble, whose leaves hold scores.

    Parameters
    ----------
    scores : {"raw", "shrunken"}, default="raw"
        Whether the rules' priors come from leaf scores before or after the learning rate is applied.
    """

    def __init__(self, scores: Literal["raw", "shrunken"] = "raw") -> None:
        self.scores = scores

    @property
    def _uses_raw_scores(self) -> bool:
        check_choice(self, "scores", ("raw", "shrunken"))
        return self.scores == "raw"


def at_column(scores: FloatArray, column: int, n_values: int) -> FloatArray:
    """Scores of one class's tree, from (n_nodes,) to (n_nodes, n_values): zero for the other classes."""
    values = np.zeros((len(scores), n_values))
    values[:, column] = scores
    return values
