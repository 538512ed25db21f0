"""The second search of the list, one sample and one list at a time."""

from math import fsum, log

LEAST_GAIN = 0.5


class SlowRelist:
    """Lists are sequences of sets of samples; every list is judged from scratch.

    Parameters
    ----------
    y : sequence of int
    n_classes : int
    pool : sequence of frozensets of int
        Distinct sets of samples.
    weights : sequence of float, optional
        What each sample counts as: multiples of a power of two.
    of_one : sequence of float, optional
        What a sample of each class counts as; this much is left out of a part to predict a sample of the class.
    """

    def __init__(
        self,
        y,
        n_classes,
        pool,
        rule_cost=2.0,
        f1_weight=0.3,
        prior_strength=2.0,
        smoothing=0.5,
        weights=None,
        of_one=None,
    ):
        self.weights = [1] * len(y) if weights is None else weights
        self.of_one = [1] * n_classes if of_one is None else of_one
        self.y, self.n_classes, self.pool = y, n_classes, pool
        self.rule_cost, self.f1_weight = rule_cost, f1_weight
        self.prior_strength, self.smoothing = prior_strength, smoothing

    def parts(self, rows):
        """Class counts of what each rule and the default rule answer."""
        left, parts = set(range(len(self.y))), []
        for row in rows:
            parts.append(self.count(left & self.pool[row]))
            left -= self.pool[row]
        return [*parts, self.count(left)]

    def count(self, samples):
        counts = [0] * self.n_classes
        for sample in samples:
            counts[self.y[sample]] += self.weights[sample]
        return counts

    def fit(self, rows):
        """J without the price of the rules."""
        n, of_class = sum(self.weights), self.count(range(len(self.y)))
        logs, predicted, right = [], [0] * self.n_classes, [0] * self.n_classes
        for counts in self.parts(rows):
            own = counts.index(max(counts))
            predicted[own] += sum(counts)
            right[own] += counts[own]
            for cls, count in enumerate(counts):
                if count:
                    one, added = self.of_one[cls], self.prior_strength + self.smoothing * self.n_classes
                    below = max(sum(counts) - one, 0) + added
                    above = max(count - one, 0) + self.prior_strength * of_class[cls] / n + self.smoothing
                    logs.append(count * (log(above) - log(below)))
        f1 = [2 * r / (p + m) for r, p, m in zip(right, predicted, of_class, strict=True) if p + m]
        return fsum(logs) + self.f1_weight * n * fsum(f1) / len(f1)

    def value(self, rows):
        return self.fit(rows) - self.rule_cost * len(rows)

    def alive(self, rows):
        return [row for row, counts in zip(rows, self.parts(rows)[:-1], strict=True) if any(counts)]

    def best(self, lists, rows, judge):
        """The first of the lists that gains most, and its gain."""
        gains = [round(judge(other) - judge(rows), 9) for other in lists]
        most = max(gains)
        return lists[gains.index(most)], most

    def deletions(self, rows):
        return [rows[:p] + rows[p + 1 :] for p in range(len(rows))]

    def answering(self, lists, position):
        return [rows for rows in lists if any(self.parts(rows)[position])]

    def relist(self, rows, most, asked=None):
        found = self.searched(rows, most)
        if asked is None:
            return found
        lists = [self.searched(first, asked) for first in (found, rows, [])]
        values = [round(self.value(each), 9) for each in lists]
        return lists[values.index(max(values))]

    def searched(self, rows, most, max_sweeps=3):
        rows = self.alive(rows)
        while len(rows) > most:
            rows, _ = self.best(self.deletions(rows), rows, self.value)
        for _ in range(max_sweeps):
            before = rows
            rows = self.inserted(self.replaced(self.deleted(rows)), most)
            if rows == before:
                break
        return rows

    def deleted(self, rows):
        while rows:
            shorter, gain = self.best(self.deletions(rows), rows, self.value)
            if gain <= LEAST_GAIN:
                break
            rows = shorter
        return rows

    def replaced(self, rows):
        position = 0
        while position < len(rows):
            others = [[*rows[:position], row, *rows[position + 1 :]] for row in range(len(self.pool))]
            other, gain = self.best(self.answering(others, position), rows, self.value)
            if gain > log(len(self.pool)):
                rows = self.alive(other)
            position += 1
        return rows

    def inserted(self, rows, most):
        while len(rows) < most:
            others = []
            for p in range(len(rows) + 1):
                longer = [[*rows[:p], row, *rows[p:]] for row in range(len(self.pool))]
                others += self.answering(longer, p)
            if not others:
                break
            longer, gain = self.best(others, rows, self.fit)
            if gain <= self.rule_cost + log(len(self.pool)):
                break
            rows = self.alive(longer)
        return rows
