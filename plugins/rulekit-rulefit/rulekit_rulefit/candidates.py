"""The rules that the linear model may choose from: nodes of the trees, each set of samples only once."""

from typing import Final, Literal, Self

import attrs
import numpy as np
from scipy.sparse import csr_array, vstack

from rulekit.plugin import BitArray, FloatArray, IntArray, TrainingData, row_sums

Source = Literal["nodes", "leaves"]
SOURCES: Final = ("nodes", "leaves")
#: Rules whose samples are converted to booleans at the same time.
BLOCK: Final = 256


@attrs.frozen(eq=False)
class Candidates:
    """Antecedents with their training samples.

    Attributes
    ----------
    antecedents : ndarray of shape (n_rules, width)
        Condition ids, padded with `data.pad`.
    bits : ndarray of shape (n_rules, n_words)
        Samples that satisfy each antecedent.
    counts : ndarray of shape (n_rules, n_classes)
        How many of them are of each class.
    data : TrainingData
    """

    antecedents: IntArray
    bits: BitArray
    counts: IntArray
    data: TrainingData

    def __len__(self) -> int:
        return len(self.antecedents)

    @classmethod
    def of(cls, data: TrainingData, source: Source, max_rules: int | None) -> Self:
        """Rules of an ensemble that differ in their training samples; if there are too many, the most informative ones.

        Parameters
        ----------
        data : TrainingData
        source : {"nodes", "leaves"}
        max_rules : int or None
            None keeps all.
        """
        antecedents = data.node_antecedents() if source == "nodes" else data.leaf_rules().conditions
        bits = data.cover(antecedents)
        rules = cls(antecedents, bits, data.count(bits), data)._different()
        if max_rules is None or len(rules) <= max_rules:
            return rules
        return rules.take(np.sort(np.argsort(-rules.scores, kind="stable")[:max_rules]))

    def take(self, rows: IntArray) -> Self:
        """Only these rules, in this order."""
        return type(self)(self.antecedents[rows], self.bits[rows], self.counts[rows], self.data)

    @property
    def covered(self) -> IntArray:
        """Samples that satisfy each antecedent, of shape (n_rules,)."""
        return row_sums(self.counts)

    @property
    def lengths(self) -> IntArray:
        """Conditions of each rule, of shape (n_rules,)."""
        return np.count_nonzero(self.antecedents != self.data.pad, axis=1)

    @property
    def scores(self) -> FloatArray:
        """Derivative of the likelihood with respect to a rule's weight, at weights of 0; of shape (n_rules,).

        That is the surplus of a class among the rule's samples over its fraction of all samples: the largest of all
        classes. The L1 penalty admits rules in the order of this number, as long as no other rule has a weight.
        """
        expected = np.outer(self.covered, self.data.class_counts / self.data.n_samples)
        return np.abs(self.counts - expected).max(axis=1, initial=0.0)

    def features(self) -> csr_array:
        """The rules as features of the samples: 1 if a rule covers a sample, of shape (n_samples, n_rules)."""
        starts = range(0, max(len(self), 1), BLOCK)
        blocks = [csr_array(self.data.samples(self.bits[start : start + BLOCK]), dtype=float) for start in starts]
        return csr_array(vstack(blocks).T)

    def _different(self) -> Self:
        """One rule for all that cover the same samples or their complement: to a linear model they are the same.

        The shortest is kept; of equally short ones the one that covers fewer samples.
        """
        all_samples, covered = self.data.all_samples, self.covered
        rows = np.lexsort((covered, self.lengths))
        rows = rows[(covered[rows] > 0) & (covered[rows] < self.data.n_samples)]
        bits = self.bits[rows]
        covers_first = (bits[:, :1] & np.uint64(1)) != 0  # the first bit is always that of a sample
        _, first = np.unique(np.where(covers_first, all_samples ^ bits, bits), axis=0, return_index=True)
        return self.take(np.sort(rows[first]))
