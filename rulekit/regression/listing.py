"""Lists of rules for a number: the first rule that covers a sample answers with the mean of what it answers."""

from collections.abc import Iterator

import attrs
import numpy as np

from rulekit.core.arrays import FloatArray, IntArray
from rulekit.regression.fixed_point import FixedPoint
from rulekit.regression.pool import Pool

#: Statistics of a part: samples, sum of the target, sum of its squares.
N_STATISTICS = 3


@attrs.frozen
class Prices:
    """What a list must gain to change.

    Attributes
    ----------
    shrinkage : float
        Samples by which the mean of a part is drawn to the overall mean.
    min_answered : int
        Fewest samples that a new rule answers.
    replacement : float
        Nats that a replacement must gain; a new rule must gain the logarithm of the number of candidates.
    max_sweeps : int
        Most passes over the finished list that delete and replace rules.
    """

    shrinkage: float = 2.0
    min_answered: int = 10
    replacement: float = 0.5
    max_sweeps: int = 3


class ListSearch:
    """Greedy search for the list with the least leave-one-out error.

    A list splits the samples into parts: those that each rule answers, and those left to the default rule. The search
    minimises n / 2 * ln(sum of the squared leave-one-out errors of all parts).

    Parameters
    ----------
    pool : Pool
    target : ndarray of shape (n_samples,)
    prices : Prices
    """

    def __init__(self, pool: Pool, target: FloatArray, prices: Prices) -> None:
        self.pool = pool
        self.prices = prices
        self.n_samples = len(target)
        centred = target - target.mean()
        self.fixed = FixedPoint.of_sums(float(np.abs(centred).max(initial=0.0)), len(target), squared=True)
        whole = self.fixed.whole(centred)
        self._numbers = np.stack([np.ones_like(whole), whole, whole**2])
        self.rules: list[int] = []
        #: Index in the list of the rule that answers each sample; the default rule is the last.
        self.answering = np.zeros(self.n_samples, dtype=np.int64)
        #: Statistics of the samples that each candidate covers within each part, default rule last.
        self.tables = [self._table(np.arange(self.n_samples))]

    def grow(self, max_rules: int) -> Iterator[tuple[int, ...]]:
        """Insert one rule after the other while it is worth its price; one list of every length from 0 on."""
        yield tuple(self.rules)
        price = np.log(max(len(self.pool), 2))
        while len(self.rules) < min(max_rules, len(self.pool)):
            gain, rule, position = self._best_insertion()
            if gain < price:
                return
            self.insert(rule, position)
            yield tuple(self.rules)

    def sweep(self) -> bool:
        """Delete each rule that is not worth its price, or replace it by one that is worth more; whether any was."""
        has_changed, position = False, 0
        price = np.log(max(len(self.pool), 2))
        while position < len(self.rules):
            before, rule = self.loss(), self.rules[position]
            self.delete(position)
            lost = self.loss() - before
            gain, other, where = self._best_insertion()
            if gain - lost > self.prices.replacement and other != rule:
                self.insert(other, where)
                has_changed = True
            elif lost < price:
                has_changed = True
                continue
            else:
                self.insert(rule, position)
            position += 1
        return has_changed

    def insert(self, rule: int, position: int) -> None:
        """Insert a rule; it takes the samples that it covers from those behind it."""
        moved = np.flatnonzero(self.pool.covers(rule) & (self.answering >= position))
        self.rules.insert(position, rule)
        from_parts = self.answering[moved]
        self.answering[self.answering >= position] += 1
        self.tables.insert(position, np.zeros_like(self.tables[0]))
        self._move(moved, from_parts + 1, np.full(len(moved), position))

    def delete(self, position: int) -> None:
        """Delete a rule; its samples go to the next rules that cover them."""
        moved = np.flatnonzero(self.answering == position)
        to_parts = np.full(len(moved), len(self.rules))
        for other in range(len(self.rules) - 1, position, -1):
            to_parts[self.pool.covers(self.rules[other])[moved]] = other
        self._move(moved, np.full(len(moved), position), to_parts)
        del self.rules[position], self.tables[position]
        self.answering[self.answering > position] -= 1

    def loss(self) -> float:
        """Half the samples times the logarithm of the summed squared leave-one-out errors, in nats."""
        return self._nats(self._errors(self._of_parts()).sum())

    def _of_parts(self) -> FloatArray:
        """Statistics of each part, of shape (n_parts, 3)."""
        n_parts = len(self.rules) + 1
        sums = np.zeros((n_parts, N_STATISTICS), dtype=np.int64)
        np.add.at(sums, self.answering, self._numbers.T)
        return self._real(sums)

    def _best_insertion(self) -> tuple[float, int, int]:
        """The candidate and position that gain most, and the gain in nats; -inf if no candidate answers enough."""
        parts = self._of_parts()
        errors = self._errors(parts)
        total = errors.sum()
        # Inserted at a position, a candidate takes what it covers from every part from there on.
        before = np.concatenate([[0.0], np.cumsum(errors)])
        best = (-np.inf, -1, -1)
        taken = np.zeros((N_STATISTICS, len(self.pool)))
        rest = np.zeros(len(self.pool))
        is_used = np.zeros(len(self.pool), dtype=bool)
        is_used[self.rules] = True
        for position in range(len(parts) - 1, -1, -1):
            own = self._real(self.tables[position].T).T
            taken = taken + own
            rest = rest + self._errors(parts[position] - own.T)
            after = before[position] + rest + self._errors(taken.T)
            after[is_used | (taken[0] < self.prices.min_answered)] = np.inf
            rule = int(after.argmin())
            gain = self._nats(total) - self._nats(after[rule]) if np.isfinite(after[rule]) else -np.inf
            if gain > best[0]:
                best = (gain, rule, position)
        return best

    def _errors(self, statistics: FloatArray) -> FloatArray:
        """Summed squared leave-one-out errors of parts whose means are drawn to 0, from (n_parts, 3) to (n_parts,)."""
        n, sums, squares = statistics[..., 0], statistics[..., 1], statistics[..., 2]
        m = self.prices.shrinkage
        errors = ((n + m) ** 2 * squares - (n + 2 * m) * sums**2) / (n - 1 + m) ** 2
        return np.where(n > 0, np.maximum(errors, 0.0), 0.0)

    def _nats(self, errors: float) -> float:
        tiny = np.finfo(np.float64).tiny
        return float(self.n_samples / 2 * np.log(max(errors, tiny)))

    def _real(self, whole: IntArray) -> FloatArray:
        """Statistics in units of the target, of shape (..., 3)."""
        return whole * np.array([1.0, self.fixed.unit, self.fixed.unit**2])

    def _table(self, samples: IntArray) -> IntArray:
        return self.pool.sums_among(samples, self._numbers[:, samples])

    def _move(self, samples: IntArray, from_parts: IntArray, to_parts: IntArray) -> None:
        """Hand samples from some parts to others."""
        self.answering[samples] = to_parts
        for pair in np.unique(np.column_stack([from_parts, to_parts]), axis=0).tolist():
            some = samples[(from_parts == pair[0]) & (to_parts == pair[1])]
            change = self._table(some)
            self.tables[pair[0]] = self.tables[pair[0]] - change
            self.tables[pair[1]] = self.tables[pair[1]] + change


def found_lists(pool: Pool, target: FloatArray, max_rules: int, prices: Prices) -> list[tuple[int, ...]]:
    """A list of every length up to `max_rules` or to where more rules are not worth their price; the last is swept."""
    search = ListSearch(pool, target, prices)
    lists = list(search.grow(max_rules))
    for _ in range(prices.max_sweeps):
        if not search.sweep():
            break
    final = tuple(search.rules)
    return [*(each for each in lists if len(each) < len(final)), final]
