"""The greedy choice against a twin that looks at one sample and one rule at a time."""

import attrs
import numpy as np
import pytest
from rulekit_set_cover.candidates import joined, precise
from rulekit_set_cover.cover import grow, prune
from rulekit_set_cover.samples import Samples
from sklearn.datasets import make_classification
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

import rulekit
from rulekit.plugin import make_component


class Twin:
    """Everything recomputed from the table, in plain loops."""

    def __init__(self, data, X, y, predicted, n_classes):
        self.conditions, self.pad = data.conditions, data.pad
        self.X, self.y, self.predicted, self.n_classes = X, y, predicted, n_classes

    def covers(self, antecedent, sample):
        for condition in antecedent:
            if condition != self.pad:
                key = self.conditions.key(int(condition))
                if (np.float32(self.X[sample, key.feature]) <= key.threshold) != key.is_upper:
                    return False
        return True

    def covered(self, antecedent):
        return {sample for sample in range(len(self.X)) if self.covers(antecedent, sample)}

    def majority(self, samples):
        return int(np.bincount(self.y[list(samples)], minlength=self.n_classes).argmax())

    def precise(self, antecedents, min_precision):
        for position, antecedent in enumerate(antecedents):
            samples = self.covered(antecedent)
            if samples:
                label = self.majority(samples)
                if sum(self.predicted[sample] == label for sample in samples) >= min_precision * len(samples):
                    yield position

    def agreed(self, sets, labels):
        left, right = set(range(len(self.X))), 0
        for samples, label in zip(sets, labels, strict=True):
            right += sum(self.predicted[sample] == label for sample in samples & left)
            left -= samples
        default = self.majority(left or range(len(self.X)))
        return left, right + sum(self.predicted[sample] == default for sample in left)

    def grow(self, antecedents, target, min_precision, costs):
        sets = [self.covered(antecedent) for antecedent in antecedents]
        labels = [self.majority(samples) for samples in sets]
        chosen = []
        while True:
            left, right = self.agreed(
                [sets[position] for position in chosen], [labels[position] for position in chosen]
            )
            if right >= target:
                return chosen, right
            best, best_profit = None, 0
            for position, samples in enumerate(sets):
                agree = sum(self.predicted[sample] == labels[position] for sample in samples & left)
                others = len(samples & left) - agree
                profit = (agree - others) / costs[position]
                if profit > best_profit and agree >= min_precision * (agree + others):
                    best, best_profit = position, profit
            if best is None:
                return chosen, right
            chosen.append(best)


@pytest.fixture(scope="module", params=[(0, 2), (1, 3), (2, 3), (3, 2)], ids=str)
def case(request):
    seed, n_classes = request.param
    X, y = make_classification(
        70,
        4,
        n_informative=3,
        n_redundant=0,
        n_classes=n_classes,
        n_clusters_per_class=1,
        flip_y=0.2,
        random_state=seed,
    )
    ensembles = (RandomForestClassifier(4, max_depth=3, random_state=seed), GradientBoostingClassifier(n_estimators=4))
    ensemble = ensembles[seed % 2].fit(X, y)
    data = rulekit.build("set-cover", ensemble).prepare(X, y)
    return data, Samples.of(data), Twin(data, X, y, ensemble.predict(X), n_classes)


@pytest.mark.parametrize("min_precision", [0.6, 0.9])
def test_candidates_are_those_that_agree_with_the_ensemble(case, min_precision):
    data, samples, twin = case
    antecedents = data.node_antecedents()
    candidates = precise(antecedents, samples, make_component("probability", "empirical"), min_precision, 10_000)
    assert candidates.antecedents.tolist() == antecedents[list(twin.precise(antecedents, min_precision))].tolist()


def test_of_too_many_candidates_those_that_agree_on_most_samples_stay(case):
    data, samples, twin = case
    antecedents = data.node_antecedents()
    every = precise(antecedents, samples, make_component("probability", "empirical"), 0.8, 10_000)
    agreed = [
        sum(twin.predicted[sample] == twin.majority(twin.covered(row)) for sample in twin.covered(row))
        for row in every.antecedents
    ]
    best = sorted(sorted(range(len(every)), key=lambda position: -agreed[position])[:5])
    assert (
        precise(antecedents, samples, make_component("probability", "empirical"), 0.8, 5).antecedents.tolist()
        == every.antecedents[best].tolist()
    )


@pytest.mark.parametrize("fraction", [0.7, 0.9, 1.0])
def test_the_greedy_choice_is_the_twins(case, fraction):
    data, samples, twin = case
    candidates = precise(data.node_antecedents(), samples, make_component("probability", "empirical"), 0.8, 10_000)
    costs = 1 + 0.1 * candidates.lengths(data.pad)
    target = int(fraction * len(twin.X))
    cover = grow(candidates, samples, target, 0.8, costs)
    assert (list(cover.rows), cover.n_agreed) == twin.grow(candidates.antecedents, target, 0.8, costs)


def test_pruning_stays_at_the_target_and_never_adds(case):
    data, samples, twin = case
    candidates = precise(data.node_antecedents(), samples, make_component("probability", "empirical"), 0.8, 10_000)
    target = int(0.85 * len(twin.X))
    grown = grow(candidates, samples, target, 0.8, np.ones(len(candidates)))
    pruned = prune(candidates, samples, min(target, grown.n_agreed), grown)
    sets = [twin.covered(candidates.antecedents[row]) for row in pruned.rows]
    assert set(pruned.rows) <= set(grown.rows)
    assert pruned.n_agreed >= min(target, grown.n_agreed)
    assert pruned.n_agreed == twin.agreed(sets, [twin.majority(samples) for samples in sets])[1]


def test_joins_are_intersections_of_two_antecedents(case):
    data, samples, twin = case
    antecedents = data.node_antecedents()
    pairs = joined(antecedents, samples, samples.predicted.all_samples, at_most=45)
    assert 0 < len(pairs) <= 45
    assert len({tuple(row) for row in pairs.tolist()}) == len(pairs)
    sets = [frozenset(twin.covered(row)) for row in antecedents]
    intersections = {first & second for first in sets for second in sets}
    assert {frozenset(twin.covered(row)) for row in pairs} <= intersections


def test_what_is_held_back_is_all_that_the_default_rule_counts(case):
    data, _, twin = case
    held = np.arange(len(twin.X)) % 3 == 0
    samples = Samples.of(attrs.evolve(data, held_back=held))
    expected = np.bincount(twin.y[held], minlength=twin.n_classes)
    assert samples.default_counts(samples.predicted.all_samples).tolist() == expected.tolist()
    batch = samples.counted.rule_list(np.full((1, 1), data.pad))
    assert batch.counts[0].tolist() == expected.tolist()
