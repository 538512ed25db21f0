"""What a search starts from, whatever its parameters."""

import attrs
import numpy as np

from rulekit.core.arrays import BoolArray, FloatArray, IntArray
from rulekit.core.index import TrainingIndex
from rulekit.core.interfaces import InferenceMode
from rulekit.core.rules import Rules, concatenate
from rulekit.reading import Reading
from rulekit.ruleset import RuleSet
from rulekit.ruleset.display import with_displays
from rulekit.search.every_node import node_antecedents
from rulekit.search.leaves import LeafRules


@attrs.frozen(eq=False)
class Ground:
    """What a search starts from: the ensemble's leaves, and the records that they are counted on.

    Attributes
    ----------
    reading : Reading
        The ensemble as a neutral `Forest`, and the records as it compares them.
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

    def leaf_rules(self) -> Rules:
        """Every leaf of every tree as a rule with its training records, tree by tree."""
        rules = concatenate([leaves.on(self.index) for leaves in self.leaves], self.index.pad)
        return attrs.evolve(rules, groups=np.zeros(len(rules), dtype=np.int64))

    def node_antecedents(self) -> IntArray:
        """What leads to each node of each tree, inner ones too, as condition ids of shape (n_antecedents, width).

        Roots are left out, redundant conditions too; each antecedent is there once. Padded with `index.pad`.
        """
        return node_antecedents(self.reading.forest, self.index.conditions)

    def divided(self, held_back: BoolArray | None) -> tuple[TrainingIndex, TrainingIndex]:
        """The records to search with, and those to judge by: all of them for both, unless some are held back."""
        if held_back is None:
            return self.index, self.index
        return self._index_of(~held_back), self._index_of(held_back)

    def ruleset(
        self,
        antecedents: IntArray,
        probabilities: FloatArray,
        inference: InferenceMode,
        default: FloatArray | None = None,
    ) -> RuleSet:
        """A ruleset from antecedents in the order in which they are to be tried.

        Parameters
        ----------
        antecedents : ndarray of shape (n_rules, width)
            Condition ids, padded with `index.pad`; none is empty.
        probabilities : ndarray of shape (n_rules, n_classes)
            What each rule states.
        inference : InferenceMode
        default : ndarray of shape (n_classes,), optional
            What the default rule states: by default the class shares of the records that no rule covers, or of all
            records if there are none.
        """
        index = self.index
        bits = index.cover(antecedents)
        covered = np.bitwise_or.reduce(bits, axis=0, initial=0) if len(bits) else np.zeros_like(index.everyone)
        uncovered = index.class_counts - index.count(covered)
        rest = uncovered if uncovered.any() else index.class_counts
        used = np.unique(antecedents[antecedents != index.pad])
        rows = (row[row != index.pad] for row in antecedents)
        stated = np.vstack([probabilities, rest / rest.sum() if default is None else default])
        return RuleSet(
            conditions=with_displays(index.conditions.take(used), self.reading.X),
            antecedents=(*(tuple(np.searchsorted(used, row).tolist()) for row in rows), ()),
            # Rounding may carry a share past one, and scikit-learn's scores then refuse all of them.
            probabilities=np.clip(stated, 0.0, 1.0),
            counts=np.vstack([index.count(bits), rest]),
            classes=self.reading.forest.classes,
            n_records=index.n_records,
            inference=inference,
        )

    def scales(self, features: IntArray) -> FloatArray:
        """Standard deviations of some columns, 1 for others and for those that never vary; shape (n_columns,)."""
        scales = np.ones(self.reading.X.shape[1])
        for feature in np.unique(features).tolist():
            scales[feature] = _standard_deviation(self.reading.X[:, feature]) or 1.0
        return scales

    def _index_of(self, records: BoolArray) -> TrainingIndex:
        index, reading = self.index, self.reading
        return TrainingIndex(
            reading.X[records],
            reading.positions[records],
            index.conditions,
            index.n_classes,
            max_cache_bytes=index.max_cache_bytes,
            n_jobs=index.n_jobs,
            leaves=index.leaves,
        )


def _standard_deviation(column: FloatArray) -> float:
    """Of the values that are not missing; 0 if there are none, or all are the same."""
    values = column[~np.isnan(column)]
    if not len(values):
        return 0.0
    # Squares of 1e300 overflow, those of 1e-300 vanish. Powers of two change no digit on the way there and back.
    _, exponent = np.frexp(np.abs(values).max())
    with np.errstate(under="ignore"):
        return float(np.ldexp(np.ldexp(values, -exponent).std(), exponent))
