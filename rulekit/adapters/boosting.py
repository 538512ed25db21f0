"""What adapters of boosting ensembles share."""

from typing import Literal

from rulekit.core.checks import check_choice
from rulekit.core.interfaces import Adapter


class BoostingAdapter(Adapter):
    """Reads a boosting ensemble, whose leaves say scores.

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
