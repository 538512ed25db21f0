"""The published study of RCProb: to run again, at several sizes, and to compare with what was published."""

from rulekit.study.paper.profiles import DOUBTFUL, PROFILES, missing_methods, profile, with_aggregate
from rulekit.study.paper.published import Published, PublishedFiguresError, read_published
from rulekit.study.paper.side_by_side import side_by_side

__all__ = [
    "DOUBTFUL",
    "PROFILES",
    "Published",
    "PublishedFiguresError",
    "missing_methods",
    "profile",
    "read_published",
    "side_by_side",
    "with_aggregate",
]
