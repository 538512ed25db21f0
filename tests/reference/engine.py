"""The engine's operations, one sample and one condition at a time.

Sets of samples are Python sets of (word, bit); nothing is clever.
"""

import math

import numpy as np

from rulekit.core.engine.interface import Choices, Engine


class SlowEngine(Engine):
    """An engine to compare the fast ones with."""

    name = "slow"

    def pack(self, codes, rows, low, high, outside, bits):
        bits[:] = 0
        for i, row in enumerate(rows):
            for slot, code in enumerate(codes[row].tolist()):
                if (low[i] <= code <= high[i]) != outside[i]:
                    bits[i, slot // 64] |= np.uint64(1 << slot % 64)

    def count(self, bits):
        flat = [self._count(samples(row)) for row in bits.reshape(-1, self.n_words)]
        return self._array(flat).reshape(*bits.shape[:-1], self.n_classes)

    def conjoin(self, store, rows):
        return self._bits([self._covered(store, row) for row in rows.tolist()])

    def pair_counts(self, left, right):
        counts = [[self._count(samples(one) & samples(other)) for other in right] for one in left]
        return self._array(counts).reshape(len(left), len(right), self.n_classes)

    def moved_counts(self, parts, bits, first):
        counts = self._array(np.zeros((len(parts), len(bits) + 1, self.n_classes)))
        for i, part in enumerate(parts):
            left = samples(part)
            for rule in range(first + i + 1, len(bits)):
                counts[i, rule] = self._count(left & samples(bits[rule]))
                left -= samples(bits[rule])
            counts[i, -1] = self._count(left)
        return counts

    def removal_counts(self, store, rows):
        counts = [
            self._count(self._covered(store, row[:position] + row[position + 1 :]))
            for row in rows.tolist()
            for position in range(len(row))
            if row[position] != 0
        ]
        return self._array(counts).reshape(-1, self.n_classes)

    def unite(self, left, right, pad, words):
        sets = [sorted({*one, *other} - {pad}) for one, other in zip(left.tolist(), right.tolist(), strict=True)]
        width = max((len(row) for row in sets), default=0)
        united = [row + [pad] * (width - len(row)) for row in sets]
        hashes = [sum(int(words[condition]) for condition in row) % 2**64 for row in sets]
        return np.array(united, dtype=np.int64).reshape(len(sets), width), np.array(hashes, dtype=np.uint64)

    def drop_redundant(self, antecedents, conditions):
        def is_redundant(one, other):
            """Whether another condition on the same side of the same feature holds for fewer values."""
            if conditions.is_set[one] or conditions.is_set[other]:
                return False
            both = [conditions.key(condition) for condition in (one, other)]
            if (both[0].feature, both[0].is_upper) != (both[1].feature, both[1].is_upper) or one == other:
                return False
            return conditions.region(other).implies(conditions.region(one))

        rows = []
        for antecedent in antecedents.tolist():
            row = [condition for condition in antecedent if condition < len(conditions)]
            rows.append([one for one in row if not any(is_redundant(one, other) for other in row)])
        width = max((len(row) for row in rows), default=0)
        padded = [row + [len(conditions)] * (width - len(row)) for row in rows]
        return np.array(padded, dtype=np.int64).reshape(len(rows), width)

    def sums(self, table, conditions):
        totals = [[sum(row[c] for c in antecedent) for antecedent in conditions] for row in table]
        return np.array(totals, dtype=np.float64)

    def removal_sums(self, table, conditions, pad):
        return np.array(
            [
                [
                    sum(row[c] for position, c in enumerate(antecedent) if position != removed)
                    for antecedent in conditions
                    for removed in range(len(antecedent))
                    if antecedent[removed] != pad
                ]
                for row in table
            ],
            dtype=np.float64,
        )

    def shorten(self, antecedents, errors, active, classes, probabilities, support, of_class, z, pad):
        still_active, longest = [], 0
        removals = iter(zip(probabilities, support, strict=True))
        for i in active.tolist():
            row = [condition for condition in antecedents[i].tolist() if condition != pad]
            after = []
            for _, (predicted, n) in zip(row, removals, strict=False):
                error = 1.0 - predicted[classes[i]]
                after.append(of_class[classes[i]] if len(row) == 1 else upper_limit(n, error, z))
            least = min(after)
            if least <= errors[i]:
                del row[after.index(least)]
                antecedents[i] = row + [pad] * (antecedents.shape[1] - len(row))
                errors[i] = least
                if least > 0 and row:
                    still_active.append(i)
                    longest = max(longest, len(row))
        return np.array(still_active, dtype=np.int64), longest

    def choose(self, pairs, counts, classes, groups, limits, order, check_time):
        sets = [samples(row) for row in pairs.bits()]
        made = []
        for group in sorted(set(groups.tolist())):
            members = [i for i in range(len(sets)) if groups[i] == group]
            uncovered = frozenset().union(*(sets[i] for i in members))
            while True:
                now = {i: self._count(sets[i] & uncovered) for i in members}
                good = [i for i in members if exceeds(now[i], classes[i], limits)]
                if not good:
                    break
                best = max(good, key=lambda i: (merits(now[i], classes[i], order), -i))
                made.append((best, group, *merits(now[best], classes[best], order)))
                uncovered -= sets[best]
        columns = list(zip(*made, strict=True)) or [()] * 4
        dtypes = (np.int64, np.int64, np.float64, np.float64)
        return Choices(*(np.array(column, dtype=dtype) for column, dtype in zip(columns, dtypes, strict=True)))

    def sequence(self, bits, classes, uncovered, limits):
        left = samples(uncovered)
        kept, counts = [], []
        for row, class_ in zip(bits, classes, strict=True):
            counts.append(self._count(samples(row) & left))
            kept.append(exceeds(counts[-1], class_, limits))
            if kept[-1]:
                left -= samples(row)
        uncovered[:] = self._bits([left])[0]
        return np.array(kept, dtype=bool), self._array(counts).reshape(-1, self.n_classes)

    def _covered(self, store, row):
        return samples(store[0]).intersection(*(samples(store[position]) for position in row))

    def _count(self, some):
        counts, blocks = [0] * self.n_classes, self.blocks
        for word, _ in some:
            block = int(np.searchsorted(blocks.bounds, word, side="right")) - 1
            counts[blocks.classes[block]] += int(blocks.multipliers[block]) * blocks.unit
        return counts

    def _array(self, counts):
        """Whole numbers, unless weights are measured in fractions."""
        return np.array(counts, dtype=np.int64 if self.blocks.unit == 1 else np.float64)

    def _bits(self, sets):
        packed = np.zeros((len(sets), self.n_words), dtype=np.uint64)
        for i, some in enumerate(sets):
            for word, bit in some:
                packed[i, word] |= np.uint64(1 << bit)
        return packed


def samples(row):
    """Places of the bits that are set."""
    return frozenset((word, bit) for word, bits in enumerate(row.tolist()) for bit in range(64) if bits >> bit & 1)


def exceeds(counts, class_, limits):
    covered = sum(counts)
    precision = counts[class_] / covered if covered else 0.0
    in_class = counts[class_] / limits.of_classes(len(counts))[class_]
    is_general = covered / limits.n_samples > limits.min_coverage and in_class > limits.min_class_coverage
    return is_general and precision > limits.min_precision


def merits(counts, class_, order):
    own, covered = counts[class_], sum(counts)
    return {"support": (own, covered), "coverage": (covered, own), "precision": (own / covered, own)}[order]


def upper_limit(support, error, z):
    """Wilson's upper limit in percent, by the same operations in the same order as in all engines."""
    if support <= 0:
        return 0.0
    spread = z * math.sqrt(support * error * (1.0 - error) + z * z / 4.0)
    return 100.0 * ((support * error + z * z / 2.0 + spread) / (support + z * z))
