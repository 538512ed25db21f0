"""The rules that the linear model may choose from: nodes of the trees, each set of records only once."""

from typing import Final, Literal, Self

import attrs
import numpy as np
from scipy.sparse import csr_array, vstack

from rulekit.core.arrays import BitArray, FloatArray, IntArray, row_sums
from rulekit.core.index import TrainingIndex
from rulekit.ground import Ground

Source = Literal["nodes", "leaves"]
SOURCES: Final = ("nodes", "leaves")
#: Rules whose records are looked at as truth values at the same time.
BLOCK: Final = 256


@attrs.frozen(eq=False)
class Candidates:
    """Antecedents with their training records.

    Attributes
    ----------
    antecedents : ndarray of shape (n_rules, width)
        Condition ids, padded with the index's `pad`.
    bits : ndarray of shape (n_rules, n_words)
        Records that satisfy each antecedent.
    counts : ndarray of shape (n_rules, n_classes)
        How many of them are of each class.
    index : TrainingIndex
    """

    antecedents: IntArray
    bits: BitArray
    counts: IntArray
    index: TrainingIndex

    def __len__(self) -> int:
        return len(self.antecedents)

    @classmethod
    def of(cls, ground: Ground, source: Source, max_rules: int | None) -> Self:
        """Rules of an ensemble that differ in their training records; if there are too many, the most telling ones.

        Parameters
        ----------
        ground : Ground
        source : {"nodes", "leaves"}
        max_rules : int or None
            None keeps all.
        """
        antecedents = ground.node_antecedents() if source == "nodes" else ground.leaf_rules().conditions
        bits = ground.index.cover(antecedents)
        rules = cls(antecedents, bits, ground.index.count(bits), ground.index)._different()
        if max_rules is None or len(rules) <= max_rules:
            return rules
        return rules.take(np.sort(np.argsort(-rules.scores, kind="stable")[:max_rules]))

    def take(self, rows: IntArray) -> Self:
        """Only these rules, in this order."""
        return type(self)(self.antecedents[rows], self.bits[rows], self.counts[rows], self.index)

    @property
    def covered(self) -> IntArray:
        """Records that satisfy each antecedent, of shape (n_rules,)."""
        return row_sums(self.counts)

    @property
    def lengths(self) -> IntArray:
        """Conditions of each rule, of shape (n_rules,)."""
        return np.count_nonzero(self.antecedents != self.index.pad, axis=1)

    @property
    def scores(self) -> FloatArray:
        """How steeply the likelihood rises with a rule's weight, from weights of 0; of shape (n_rules,).

        That is the surplus of a class among the rule's records, over what its share of all records would give: the
        largest of all classes. The L1 penalty lets rules in by this number, as long as no other rule is in.
        """
        index = self.index
        expected = np.outer(self.covered, index.class_counts / index.n_records)
        return np.abs(self.counts - expected).max(axis=1, initial=0.0)

    def features(self) -> csr_array:
        """The rules as features of the records: 1 where an antecedent holds, of shape (n_records, n_rules)."""
        starts = range(0, max(len(self), 1), BLOCK)
        blocks = [csr_array(self.index.records(self.bits[start : start + BLOCK]), dtype=float) for start in starts]
        return csr_array(vstack(blocks).T)

    def _different(self) -> Self:
        """One rule for all that cover the same records, or exactly the others: to a linear model they are the same.

        The shortest stays; of equally short ones the one that covers fewer records.
        """
        everyone, covered = self.index.everyone, self.covered
        rows = np.lexsort((covered, self.lengths))
        rows = rows[(covered[rows] > 0) & (covered[rows] < self.index.n_records)]
        bits = self.bits[rows]
        holds_first = (bits[:, :1] & np.uint64(1)) != 0  # there always is a record at the first place
        _, first = np.unique(np.where(holds_first, everyone ^ bits, bits), axis=0, return_index=True)
        return self.take(np.sort(rows[first]))
