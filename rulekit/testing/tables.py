"""The small tables that models and methods are fitted on."""

from typing import Any

import attrs
import numpy as np
import pandas as pd

from rulekit.core.arrays import LabelArray
from rulekit.testing.world import COLOURS, NAMES, locked, random_samples

NEW_COLOUR = "violet"


@attrs.frozen(eq=False)
class Table:
    """Samples with labels.

    Attributes
    ----------
    name : str
        Its name in messages.
    X : DataFrame or ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    """

    name: str
    X: Any
    y: LabelArray

    def as_array(self) -> "Table":
        """The same samples without names."""
        return attrs.evolve(self, X=self.X.to_numpy())

    def read_only(self) -> "Table":
        """The same samples in arrays that are read-only, as parallel workers get them."""
        return attrs.evolve(self, X=locked(np.asarray(self.X)), y=locked(self.y))

    @property
    def labels(self) -> LabelArray:
        """The classes, sorted; shape (n_classes,)."""
        return np.unique(self.y)


def numeric_tables() -> tuple[Table, ...]:
    """Two classes with string labels, three with integer labels; the columns have names."""
    return _table("two classes", 0, ["sick", "well"]), _table("three classes", 1, [2, 3, 7])


def table_with_gaps() -> Table:
    """Two classes, with missing values in every column."""
    return _table("missing values", 2, ["sick", "well"], gaps=0.15)


def table_with_categories() -> Table:
    """Two classes; the last column, `colour`, has pandas' type `category`."""
    table = _table("categories", 3, ["sick", "well"], categories={3: COLOURS})
    words = pd.Categorical([COLOURS[int(code)] for code in table.X[NAMES[3]]], list(COLOURS))
    return attrs.evolve(table, X=table.X.assign(**{NAMES[3]: words}))


def with_unknown_category(table: Table) -> pd.DataFrame:
    """The samples of a table with categories, each with a colour not seen in training."""
    words = pd.Categorical([NEW_COLOUR] * len(table.y), [*COLOURS, NEW_COLOUR])
    return table.X.assign(**{NAMES[3]: words})


def _table(name: str, seed: int, labels: list[Any], categories: Any = None, gaps: float = 0.0) -> Table:
    X, y = random_samples(np.random.default_rng(seed), len(labels), categories or {}, gaps)
    return Table(name, pd.DataFrame(X, columns=list(NAMES)), np.array(labels)[y])
