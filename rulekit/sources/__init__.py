"""Samples that do not fit into memory: where they come from, and how they become parts of an index."""

from typing import TYPE_CHECKING

from rulekit.core.lazy import lazy_names

if TYPE_CHECKING:
    from rulekit.sources.partitions import Partitions
    from rulekit.sources.reading import Part, Reading

__all__ = ["Part", "Partitions", "Reading"]

_HOMES = {
    "Part": "rulekit.sources.reading",
    "Partitions": "rulekit.sources.partitions",
    "Reading": "rulekit.sources.reading",
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
