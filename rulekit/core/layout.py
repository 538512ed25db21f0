"""Where the bits of each training sample are, in the blocks that `rulekit.core.engine.interface` explains."""

from __future__ import annotations

from typing import Self

import attrs
import numpy as np

from rulekit.core.arrays import IntArray
from rulekit.core.engine.interface import Blocks
from rulekit.core.weights import Weights

WORD = 64
#: How many words of counting a block costs besides its own.
COST_OF_BLOCK = 4
#: Widest digit of a weight, in bits: weights of up to 65,536 different values can have a block for each.
WIDEST_DIGIT = 16


@attrs.frozen(eq=False)
class Layout:
    """The blocks of one training set, and the slots of its samples in them.

    A sample without a weight of its own has one slot, in the block of its class. Others have their weight written in
    digits of some bits each, and a slot for each digit that is not 0: in the block of its class for this digit at this
    place. So samples of few different weights have one slot each, and weights of 12 bits have two or three.

    Attributes
    ----------
    blocks : Blocks
    slots : ndarray of shape (n_slots,)
        Every slot that is taken.
    owners : ndarray of shape (n_slots,) or None
        The sample of each slot; None if each sample has one, in the order of the samples.
    first : ndarray of shape (n_samples,)
        One slot of each sample.
    """

    blocks: Blocks
    slots: IntArray
    owners: IntArray | None
    first: IntArray

    @classmethod
    def of(cls, y: IntArray, n_classes: int, weights: Weights | None) -> Self:
        """Lay out samples of these classes.

        Parameters
        ----------
        y : ndarray of shape (n_samples,)
        n_classes : int
        weights : Weights or None
        """
        factors = np.ones(n_classes, dtype=np.int64) if weights is None else weights.of_class
        unit = 1.0 if weights is None else weights.unit
        if weights is None or weights.units is None:
            blocks, slots = _in_blocks(y, n_classes)
            return cls(Blocks(blocks, np.arange(n_classes), factors, unit), slots, None, slots)
        keys, owners, classes, multipliers = [], [], [], []
        n_keys = 0
        for class_index in range(n_classes):
            members = np.flatnonzero(y == class_index)
            of_slots, places, of_keys = _digits(weights.units[members])
            keys.append(n_keys + of_slots)
            owners.append(members[places])
            classes += [class_index] * len(of_keys)
            multipliers += (of_keys * factors[class_index]).tolist()
            n_keys += len(of_keys)
        bounds, slots = _in_blocks(np.concatenate(keys), n_keys)
        owner = np.concatenate(owners)
        first = np.empty(len(y), dtype=np.int64)
        first[owner[::-1]] = slots[::-1]
        blocks_of_all = Blocks(bounds, np.array(classes), np.array(multipliers, dtype=np.int64), unit)
        return cls(blocks_of_all, slots, owner, first)


def _in_blocks(keys: IntArray, n_blocks: int) -> tuple[IntArray, IntArray]:
    """The first word of each block and the number of words, and a slot in its block for each entry of `keys`."""
    counts = np.bincount(keys, minlength=n_blocks)
    bounds = np.concatenate([[0], np.cumsum(-(-counts // WORD))])
    by_block = np.argsort(keys, kind="stable")
    first_of_block = np.concatenate([[0], np.cumsum(counts)[:-1]])
    position = np.empty(len(keys), dtype=np.int64)
    position[by_block] = np.arange(len(keys)) - first_of_block[keys[by_block]]
    return bounds, bounds[keys] * WORD + position


def _digits(units: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """The digits of some weights that are not 0: the block of each, its weight's position, and what blocks count as.

    A class without samples has one block.
    """
    if not len(units):
        nothing = np.empty(0, dtype=np.int64)
        return nothing, nothing, np.ones(1, dtype=np.int64)
    distinct, which, counts = np.unique(units, return_inverse=True, return_counts=True)
    n_bits = int(distinct[-1]).bit_length()
    candidates = [_split(distinct, n_bits, width) for width in range(1, min(n_bits, WIDEST_DIGIT) + 1)]
    best = min(candidates, key=lambda digits: _cost(digits, counts))
    blocks, keys = np.unique(best[best > 0], return_inverse=True)
    of_distinct = np.full(best.shape, -1)
    of_distinct[best > 0] = keys
    of_units = of_distinct[which]
    positions, places = np.nonzero(of_units >= 0)
    return of_units[positions, places], positions, blocks


def _split(distinct: IntArray, n_bits: int, width: int) -> IntArray:
    """What each digit of some numbers counts as, of shape (n_numbers, n_digits); they add up to the number."""
    shifts = np.arange(0, n_bits, width)
    return distinct[:, None] & ((2**width - 1) << shifts)


def _cost(digits: IntArray, counts: IntArray) -> int:
    """Words that numbers take in these digits, and what their blocks cost besides."""
    is_used = digits > 0
    _, keys = np.unique(digits[is_used], return_inverse=True)
    members = np.bincount(keys, weights=np.broadcast_to(counts[:, None], digits.shape)[is_used])
    return int(np.ceil(members / WORD).sum()) + COST_OF_BLOCK * len(members)
