"""What a search starts from, whatever its parameters."""

import attrs

from rulekit.core.index import TrainingIndex
from rulekit.reading import Reading
from rulekit.search.leaves import LeafRules


@attrs.frozen(eq=False)
class Ground:
    """What a search starts from: the ensemble's leaves, and the records that they are counted on.

    Attributes
    ----------
    reading : Reading
    leaves : list of LeafRules
        One for each round of trees.
    index : TrainingIndex
    n_features : int
        Columns of the table that was passed.
    names : list of str or None
        Their names, if it has some.
    """

    reading: Reading
    leaves: list[LeafRules]
    index: TrainingIndex
    n_features: int
    names: list[str] | None
