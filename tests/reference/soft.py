"""Growing a list from honest probabilities, one sample and one list at a time."""

from math import fsum, log


class SlowSoft:
    """Lists are sequences of sets of samples; every list is judged from scratch.

    Parameters
    ----------
    y : sequence of int
        Of the training samples, which come first.
    honest : sequence of sequences of float, or None
        Honest probabilities of the training samples, then of the virtual ones; None where there are none.
    pool : sequence of frozensets of int
        Training and virtual samples that each rule covers.
    n_each : int
        Virtual samples that were wanted of each training sample.
    weights : sequence of float, optional
        What each sample, real or virtual, counts as.
    of_one : sequence of float, optional
        What a sample of each class counts as; this much is left out of a part to predict a sample of the class.
    """

    def __init__(
        self,
        y,
        honest,
        pool,
        n_classes,
        n_each,
        honest_weight=2.0,
        prior_strength=2.0,
        smoothing=0.5,
        weights=None,
        of_one=None,
    ):
        self.weights = [1] * len(honest) if weights is None else weights
        self.of_one = [1] * n_classes if of_one is None else of_one
        self.y, self.pool, self.n_classes, self.honest_weight = y, pool, n_classes, honest_weight
        # In whole units, so that sums have no rounding errors.
        self.units = [
            None if row is None else [round(w * p / (1 + n_each) * 2**30) for p in row]
            for row, w in zip(honest, self.weights, strict=True)
        ]
        of_class = self.labels(range(len(y)))
        self.priors = [prior_strength * of_class[c] / sum(of_class) + smoothing for c in range(n_classes)]

    def parts(self, rows):
        """What each rule and the default rule answer."""
        left, parts = set(range(len(self.units))), []
        for row in rows:
            parts.append(left & self.pool[row])
            left -= self.pool[row]
        return [*parts, left]

    def labels(self, part):
        return [sum(self.weights[i] for i in part if i < len(self.y) and self.y[i] == c) for c in range(self.n_classes)]

    def worth(self, part):
        """The likelihood of a part's labels and honest probabilities; each label is predicted without itself."""
        own = 1 / (1 + self.honest_weight)
        n = self.labels(part)
        e = [sum(self.units[i][c] for i in part if self.units[i] is not None) / 2**30 for c in range(self.n_classes)]
        mass = [own * n[c] + (1 - own) * e[c] + self.priors[c] for c in range(self.n_classes)]
        terms = [(1 - own) * e[c] * log(mass[c] / sum(mass)) for c in range(self.n_classes)]
        one = [own * min(n[c], self.of_one[c]) for c in range(self.n_classes)]
        terms += [own * n[c] * log((mass[c] - one[c]) / (sum(mass) - one[c])) for c in range(self.n_classes) if n[c]]
        return fsum(terms)

    def value(self, rows):
        return fsum(self.worth(part) for part in self.parts(rows))

    def alive(self, rows):
        return [row for row, part in zip(rows, self.parts(rows)[:-1], strict=True) if any(self.labels(part))]

    def grown(self, most):
        """The lists that the search passes through."""
        path = [[]]
        while len(path[-1]) < most:
            rows = path[-1]
            others = [[*rows[:p], row, *rows[p:]] for p in range(len(rows) + 1) for row in range(len(self.pool))]
            others = [
                other for i, other in enumerate(others) if any(self.labels(self.parts(other)[i // len(self.pool)]))
            ]
            gains = [round(self.value(other) - self.value(rows), 9) for other in others]
            if not gains or max(gains) <= 0:
                break
            longer = self.alive(others[gains.index(max(gains))])
            if round(self.value(longer), 9) <= round(self.value(rows), 9):
                break
            path.append(longer)
        return path
