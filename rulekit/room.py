"""Whether records fit into a given memory, and what they leave of it."""

from collections.abc import Sequence

import numpy as np
from joblib import effective_n_jobs

from rulekit.core.conditions import Conditions
from rulekit.core.errors import MemoryBudgetError
from rulekit.core.index import MAX_CACHE_BYTES
from rulekit.core.memory import as_text, bytes_of_index
from rulekit.reading import Reading
from rulekit.search.leaves import LeafRules


def room_for_conditions(
    memory: int,
    reading: Reading,
    conditions: Conditions,
    leaves: Sequence[LeafRules],
    *,
    n_indices: int,
    n_jobs: int | None,
) -> int:
    """Bytes that an index may take for the bits of conditions: a quarter of what is free, 256 MB at most.

    Parameters
    ----------
    memory : int
        For all indices and the search together; raise `MemoryBudgetError` if these and the rules of the largest tree,
        before and after a stage, do not fit.
    reading, conditions, leaves
        What the index is about to be made from.
    n_indices : int
        2 if records are held back, and indexed a second time.
    n_jobs : int or None
    """
    n_records, n_features = len(reading.positions), len(np.unique(conditions.features))
    n_leaves = max(len(of_round.priors) for of_round in leaves)
    index = bytes_of_index(n_records, n_features, len(reading.forest.classes), effective_n_jobs(n_jobs))
    needed = n_indices * index + 2 * n_leaves * n_records // 8
    if needed > memory:
        raise MemoryBudgetError(
            f"max_memory is {as_text(memory)}, but {n_records:,} records with conditions on {n_features} features, and "
            f"trees of {n_leaves} leaves, take about {as_text(needed)}. Raise max_memory, use fewer records, or an "
            "ensemble with smaller trees."
        )
    return min(MAX_CACHE_BYTES, (memory - needed) // (4 * n_indices))
