"""The engine's operations as plain loops, compiled by numba when this module is first imported, then cached on disk.

Each has its twin in `numpy_engine`; `interface` documents both. A call works on the rows from `start` up to `stop`:
threads divide the rows. Words are unsigned, and so are all numbers combined with them: numba converts mixtures
to floats.
"""

# mypy: disable-error-code="no-untyped-def, untyped-decorator"

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

BITS = "uint64[:, ::1]"
IDS = "int64[:, ::1]"
COUNTS = "int64[:, ::1]"
LIST = "int64[::1]"
TABLE = "float64[:, ::1]"
# A row for each block of words: first word, word after the last, class, and multiplier.
BLOCKS = "int64[:, ::1]"
ROWS = "int64, int64"


def kernel(signature: str) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function for one signature and cache the machine code on disk; it runs without the GIL."""

    def compiled(function: Callable[..., Any]) -> Any:
        try:
            return njit(signature, cache=True, nogil=True)(function)
        except RuntimeError:  # no folder is writable: every process compiles anew
            return njit(signature, nogil=True)(function)

    return compiled


ZERO, ONE = np.uint64(0), np.uint64(1)
ODD, PAIRS, NIBBLES = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
BYTES = np.uint64(0x0101010101010101)


@njit(inline="always")
def popcount(word):
    """Number of bits that are set; the compiler recognises this formula and emits the processor's own instruction."""
    word = word - ((word >> ONE) & ODD)
    word = (word & PAIRS) + ((word >> np.uint64(2)) & PAIRS)
    word = (word + (word >> np.uint64(4))) & NIBBLES
    return (word * BYTES) >> np.uint64(56)


@kernel(f"void({ROWS}, uint16[:, ::1], {LIST}, {LIST}, {LIST}, boolean[::1], {BITS})")
def pack(start, stop, codes, rows, low, high, outside, bits):
    """Slots whose code is inside an interval, or outside of it."""
    for i in range(start, stop):
        row, first, span, flip = codes[rows[i]], np.uint16(low[i]), np.uint16(high[i] - low[i]), outside[i]
        for w in range(bits.shape[1]):
            word = ZERO
            slots = row[64 * w : 64 * w + 64]
            for b in range(64):
                holds = (np.uint16(slots[b] - first) <= span) != flip
                word |= np.uint64(holds) << np.uint64(b)
            bits[i, w] = word


@kernel(f"void({ROWS}, {BITS}, {BLOCKS}, {COUNTS})")
def count(start, stop, bits, blocks, counts):
    """Samples of each class, in units; `counts` starts as zeros."""
    for i in range(start, stop):
        for k in range(len(blocks)):
            total = ZERO
            for word in bits[i, blocks[k, 0] : blocks[k, 1]]:
                total += popcount(word)
            counts[i, blocks[k, 2]] += np.int64(total) * blocks[k, 3]


@kernel(f"void({ROWS}, {BITS}, {IDS}, {BITS})")
def conjoin(start, stop, store, rows, bits):
    """The AND of several rows of the store."""
    for i in range(start, stop):
        both = bits[i]
        both[:] = store[0]
        for row in rows[i]:
            if row != 0:
                holds = store[row]
                for w in range(len(both)):
                    both[w] &= holds[w]


@kernel(f"void({ROWS}, {BITS}, {BITS}, {BLOCKS}, int64[:, :, ::1])")
def pair_counts(start, stop, left, right, blocks, counts):
    """Class counts of every intersection, in units; `counts` starts as zeros."""
    for i in range(start, stop):
        for j in range(len(right)):
            for k in range(len(blocks)):
                one, other = left[i, blocks[k, 0] : blocks[k, 1]], right[j, blocks[k, 0] : blocks[k, 1]]
                total = ZERO
                for w in range(len(one)):
                    total += popcount(one[w] & other[w])
                counts[i, j, blocks[k, 2]] += np.int64(total) * blocks[k, 3]


@kernel(f"void({ROWS}, {BITS}, {BITS}, int64, {BLOCKS}, int64[:, :, ::1])")
def moved_counts(start, stop, parts, bits, first, blocks, counts):
    """Class counts of what each later rule would take over from a deleted one, in units; `counts` starts as zeros."""
    for i in range(start, stop):
        for k in range(len(blocks)):
            cls, multiplier = blocks[k, 2], blocks[k, 3]
            for w in range(blocks[k, 0], blocks[k, 1]):
                left = parts[i, w]
                rule = first + i + 1
                while left != ZERO and rule < len(bits):
                    taken = left & bits[rule, w]
                    if taken != ZERO:
                        counts[i, rule, cls] += np.int64(popcount(taken)) * multiplier
                        left ^= taken
                    rule += 1
                if left != ZERO:
                    counts[i, len(bits), cls] += np.int64(popcount(left)) * multiplier


@kernel(f"{LIST}({IDS})")
def removals_before(rows):
    """How many removals the rows before each row have, and last how many all rows have."""
    first = np.zeros(len(rows) + 1, dtype=np.int64)
    for i in range(len(rows)):
        n = 0
        for row in rows[i]:
            n += row != 0
        first[i + 1] = first[i] + n
    return first


@kernel(f"void({ROWS}, {BITS}, {IDS}, {LIST}, {BLOCKS}, {COUNTS})")
def removal_counts(start, stop, store, rows, first, blocks, counts):
    """Class counts of antecedents without one of their conditions, in units; those of row i begin at `first[i]`.

    `counts` starts as zeros.
    """
    all_samples = store[0]
    once, more = np.empty_like(all_samples), np.empty_like(all_samples)
    for i in range(start, stop):
        once[:] = ZERO
        more[:] = ZERO
        for row in rows[i]:
            if row != 0:
                holds = store[row]
                for w in range(len(once)):
                    fails = ~holds[w]
                    more[w] |= once[w] & fails
                    once[w] |= fails
        for k in range(len(blocks)):
            covered = ZERO
            for w in range(blocks[k, 0], blocks[k, 1]):
                covered += popcount(all_samples[w] & ~once[w])
                once[w] &= all_samples[w] & ~more[w]
            alone = once[blocks[k, 0] : blocks[k, 1]]
            removal = first[i]
            for row in rows[i]:
                if row != 0:
                    # Without a condition, a rule gains the samples that fail that one and no other.
                    holds = store[row, blocks[k, 0] : blocks[k, 1]]
                    total = covered
                    for w in range(len(alone)):
                        total += popcount(alone[w] & ~holds[w])
                    counts[removal, blocks[k, 2]] += np.int64(total) * blocks[k, 3]
                    removal += 1


@kernel(f"void({ROWS}, {IDS}, {IDS}, int64, uint64[::1], {IDS}, uint64[::1], {LIST})")
def unite(start, stop, left, right, pad, words, united, hashes, lengths):
    """Unions of ascending rows of condition ids, and the sums of their words."""
    for i in range(start, stop):
        one, other, row = left[i], right[i], united[i]
        a = b = n = 0
        total = ZERO
        while True:
            first = one[a] if a < len(one) else pad
            second = other[b] if b < len(other) else pad
            least = min(first, second)
            if least == pad:
                break
            row[n] = least
            n += 1
            total += words[least]
            a += first == least
            b += second == least
        row[n:] = pad
        hashes[i], lengths[i] = total, n


@kernel(f"int64({IDS}, {LIST}, float64[::1], boolean[::1], int64, {IDS})")
def drop_redundant(antecedents, bounds, tightness, lets_in, pad, shorter):
    """Antecedents without the conditions that a tighter one with the same bound implies; the length of the longest."""
    longest = 0
    for i in range(len(antecedents)):
        row = antecedents[i]
        n = 0
        for one in row:
            if one == pad:
                break
            needed = True
            for other in row:
                if other == pad or not needed:
                    break
                if bounds[one] == bounds[other]:
                    if tightness[one] < tightness[other]:
                        needed = lets_in[other] and not lets_in[one]
                    elif tightness[one] == tightness[other]:
                        needed = lets_in[other] or not lets_in[one]
            if needed:
                shorter[i, n] = one
                n += 1
        shorter[i, n:] = pad
        longest = max(longest, n)
    return longest


@kernel(f"void({TABLE}, {IDS}, {TABLE})")
def sums(table, conditions, totals):
    """Sums of a table's entries over each antecedent."""
    for column in range(len(table)):
        entries = table[column]
        for i in range(len(conditions)):
            total = 0.0
            for condition in conditions[i]:
                total += entries[condition]
            totals[column, i] = total


@kernel(f"void({TABLE}, {IDS}, int64, {TABLE})")
def removal_sums(table, conditions, pad, totals):
    """The same sums without each of the conditions."""
    for column in range(len(table)):
        entries = table[column]
        removal = 0
        for row in conditions:
            whole = 0.0
            for condition in row:
                whole += entries[condition]
            for j in range(len(row)):
                if row[j] != pad:
                    rest = whole - entries[row[j]]
                    if not np.isfinite(whole):
                        rest = 0.0
                        for other in range(len(row)):
                            if other != j:
                                rest += entries[row[other]]
                    totals[column, removal] = rest
                    removal += 1


@kernel(
    f"UniTuple(int64, 2)({IDS}, float64[::1], {LIST}, {LIST}, {TABLE}, float64[::1], float64[::1], float64, int64,"
    f" {LIST})"
)
def shorten(antecedents, errors, active, classes, probabilities, support, of_class, z, pad, still_active):
    """Remove from each active rule the condition that leaves the lowest error, provided it does not increase."""
    square = z * z
    n_active = longest = removal = 0
    for i in active:
        row = antecedents[i]
        length = 0
        while length < len(row) and row[length] != pad:
            length += 1
        weakest, least = -1, np.inf
        for j in range(length):
            n, error = support[removal], 1.0 - probabilities[removal, classes[i]]
            removal += 1
            if length == 1:
                after = of_class[classes[i]]
            elif n > 0:
                spread = z * np.sqrt(n * error * (1.0 - error) + square / 4.0)
                after = 100.0 * ((n * error + square / 2.0 + spread) / (n + square))
            else:
                after = 0.0
            if after < least:
                weakest, least = j, after
        if least <= errors[i]:
            row[weakest : length - 1] = row[weakest + 1 : length].copy()
            row[length - 1] = pad
            errors[i] = least
            if least > 0 and length > 1:
                still_active[n_active] = i
                n_active += 1
                longest = max(longest, length - 1)
    return n_active, longest


@njit(inline="always")
def merits(own, covered, precision, order):
    """The two numbers that order rules: support first for 0, coverage first for 1, precision first for 2."""
    if order == 0:
        return own, covered
    if order == 1:
        return covered, own
    return precision, own


@njit
def words_by_position(members, left, left_rows, right, right_rows):
    """Non-empty words of candidates sorted by position in the row: start of each position, candidates, and words.

    Most candidates have samples in few words, so a choice affects few of the others.
    """
    starts = np.zeros(left.shape[1] + 1, dtype=np.int64)
    for i in members:
        one, other = left[left_rows[i]], right[right_rows[i]]
        for w in range(len(one)):
            starts[w + 1] += (one[w] & other[w]) != ZERO
    starts = np.cumsum(starts)
    owners, owned = np.empty(starts[-1], dtype=np.int64), np.empty(starts[-1], dtype=np.uint64)
    ends = starts.copy()
    for i in members:
        one, other = left[left_rows[i]], right[right_rows[i]]
        for w in range(len(one)):
            word = one[w] & other[w]
            if word != ZERO:
                owners[ends[w]], owned[ends[w]] = i, word
                ends[w] += 1
    return starts, owners, owned


@kernel(
    f"void({ROWS}, {BITS}, {LIST}, {BITS}, {LIST}, {COUNTS}, {LIST}, {LIST}, {BLOCKS}, float64, float64, float64,"
    f" float64, float64, float64[::1], int64, {LIST}, {LIST}, float64[::1], float64[::1])"
)
def choose(
    start,
    stop,
    left,
    left_rows,
    right,
    right_rows,
    counts,
    classes,
    first,
    blocks,
    unit,
    n_samples,
    min_coverage,
    min_precision,
    min_class_coverage,
    of_classes,
    order,
    n_chosen,
    chosen,
    primary,
    secondary,
):
    """Greedy covering of each group, whose rows are `first[g]` up to `first[g + 1]`.

    `counts`, in units, is modified in place; `n_samples` and `of_classes`, the counts of all samples, are in units too.
    """
    uncovered = np.empty(left.shape[1], dtype=np.uint64)
    for group in range(start, stop):
        members = np.arange(first[group], first[group + 1])
        starts, owners, owned = words_by_position(members, left, left_rows, right, right_rows)
        uncovered[:] = ~ZERO
        made = 0
        while True:
            best, best_primary, best_secondary = -1, -1.0, -1.0
            n_left = 0
            for i in members:
                covered = counts[i].sum()
                if covered == 0:
                    continue
                members[n_left] = i
                n_left += 1
                own = counts[i, classes[i]]
                precision = own / covered
                is_general = covered / n_samples > min_coverage and own / of_classes[classes[i]] > min_class_coverage
                if is_general and precision > min_precision:
                    one, two = merits(own * unit, covered * unit, precision, order)
                    if one > best_primary or (one == best_primary and two > best_secondary):
                        best, best_primary, best_secondary = i, one, two
            members = members[:n_left]
            if best < 0:
                break
            position = first[group] + made
            chosen[position], primary[position], secondary[position] = best, best_primary, best_secondary
            made += 1
            one, other = left[left_rows[best]], right[right_rows[best]]
            for k in range(len(blocks)):
                cls, multiplier = blocks[k, 2], blocks[k, 3]
                for w in range(blocks[k, 0], blocks[k, 1]):
                    taken = one[w] & other[w] & uncovered[w]
                    if taken != ZERO:
                        uncovered[w] ^= taken
                        for entry in range(starts[w], starts[w + 1]):
                            counts[owners[entry], cls] -= np.int64(popcount(owned[entry] & taken)) * multiplier
        n_chosen[group] = made


@kernel(
    f"void({BITS}, {LIST}, {BLOCKS}, uint64[::1], float64, float64, float64, float64, float64[::1], boolean[::1],"
    f" {COUNTS})"
)
def sequence(
    bits,
    classes,
    blocks,
    uncovered,
    n_samples,
    min_coverage,
    min_precision,
    min_class_coverage,
    of_classes,
    kept,
    counts,
):
    """Rules one after the other, on the samples that earlier kept rules leave uncovered.

    `counts` starts as zeros; they, `n_samples` and `of_classes`, the counts of all samples, are in units.
    """
    for i in range(len(bits)):
        row = bits[i]
        covered = 0
        for k in range(len(blocks)):
            total = ZERO
            for w in range(blocks[k, 0], blocks[k, 1]):
                total += popcount(row[w] & uncovered[w])
            units = np.int64(total) * blocks[k, 3]
            counts[i, blocks[k, 2]] += units
            covered += units
        own = counts[i, classes[i]]
        precision = own / max(covered, 1)
        is_general = covered / n_samples > min_coverage and own / of_classes[classes[i]] > min_class_coverage
        kept[i] = is_general and precision > min_precision
        if kept[i]:
            for w in range(len(row)):
                uncovered[w] &= ~row[w]
