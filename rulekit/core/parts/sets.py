"""Sets of samples that are described instead of listed."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from rulekit.core.arrays import IntArray


class SampleSets:
    """Sets of samples, each given by an antecedent that exactly its samples satisfy.

    They take the place of an array of bits of shape (n_sets, n_words) wherever the samples are in parts: rows are
    selected by `sets[rows]`, and intersected by `&`.

    Parameters
    ----------
    antecedents : ndarray of shape (n_sets, width)
        Condition ids, padded with `pad`, in any order.
    pad : int
    """

    def __init__(self, antecedents: IntArray, pad: int) -> None:
        self.antecedents = antecedents
        self.pad = pad

    def __len__(self) -> int:
        return len(self.antecedents)

    def __getitem__(self, rows: IntArray | slice) -> Self:
        return type(self)(self.antecedents[rows], self.pad)

    def __and__(self, other: "SampleSets") -> Self:
        return type(self)(np.hstack([self.antecedents, other.antecedents]), self.pad)

    @classmethod
    def joined(cls, parts: "Sequence[SampleSets]") -> Self:
        """All sets of several batches, in order."""
        pad = parts[0].pad
        return cls(stacked([part.antecedents for part in parts], pad), pad)


class UncoveredSamples:
    """The samples that satisfy none of some antecedents; without antecedents these are all samples.

    Parameters
    ----------
    antecedents : ndarray of shape (n_antecedents, width)
    pad : int
    """

    def __init__(self, antecedents: IntArray, pad: int) -> None:
        self.antecedents = antecedents
        self.pad = pad

    def __getitem__(self, key: Any) -> SampleSets:
        """A row of all samples, as `bits[None]` makes one of bits."""
        assert key is None, "only a row of all samples is asked for"
        assert not len(self.antecedents), "only all samples are a set that an antecedent describes"
        return SampleSets(np.full((1, 1), self.pad), self.pad)

    def copy(self) -> Self:
        """The same samples, to remove some from."""
        return type(self)(self.antecedents, self.pad)

    def remove(self, sets: SampleSets) -> None:
        """Remove the samples of these sets."""
        self.antecedents = stacked([self.antecedents, sets.antecedents], self.pad)


def stacked(antecedents: Sequence[IntArray], pad: int) -> IntArray:
    """Rows of several widths as one array, padded at the end."""
    width = max(rows.shape[1] for rows in antecedents)
    return np.vstack([np.pad(rows, ((0, 0), (0, width - rows.shape[1])), constant_values=pad) for rows in antecedents])
