"""The published study of RCProb: to run again, at several sizes, and to compare with what was published.

- `profiles`: the study as definitions that can be run;
- `datasets` and `loading`: the published datasets, and whether data at hand are these;
- `published`: the published figures, from a folder that the user has;
- `side_by_side`: these figures beside those of a study's results.
"""

from typing import Any

import rulekit
from rulekit_paper_study.study import PaperStudy

__all__ = ["PaperStudy"]


@rulekit.hookimpl
def rulekit_register(registry: Any) -> None:
    """Register the study as `paper`."""
    registry.add("study", "paper", PaperStudy)
