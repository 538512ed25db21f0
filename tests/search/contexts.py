"""Search contexts over random samples, and rules whose groups share no sample."""

from collections.abc import Sequence

import attrs
import numpy as np
from core.training_sets import antecedents_from, random_priors

from rulekit.core.context import SearchContext
from rulekit.core.rules import Rules
from rulekit.priors.mean import Mean
from rulekit.priors.product import Product
from rulekit.probability.empirical import Empirical
from rulekit.probability.naive_bayes import NaiveBayes

# (prior combiner, search estimator) of the two published methods.
PARTS = {"rc+": (Mean, Empirical), "rcprob": (Product, NaiveBayes)}


def context_of(drawn, method="rc+", **options):
    data = drawn.data()
    priors, estimator = PARTS[method]
    return SearchContext(data, priors().fit(data), estimator().fit(data), **options)


def grouped_rules(drawn, index, seed, n_rules=40, longest=3):
    """Rules below up to six leaves that split one feature: rules of different leaves share no sample."""
    rng = np.random.default_rng(seed)
    feature = int(rng.choice(drawn.conditions.features))
    ids = {(upper, t): row for row, (column, upper, t) in enumerate(drawn.triples) if column == feature}
    thresholds = sorted({t for _, t in ids})[:5]
    above = [set(), *({ids[False, t]} for t in thresholds)]
    upto = [*({ids[True, t]} for t in thresholds), set()]
    groups = rng.integers(len(above), size=n_rules)
    rows = [
        above[group] | upto[group] | set(rng.choice(index.pad, int(rng.integers(0, longest + 1))).tolist())
        for group in groups.tolist()
    ]
    priors = random_priors(seed, n_rules, drawn.n_classes)
    return Rules.of(antecedents_from(rows, index.pad), priors, priors.argmax(axis=1), index, groups)


@attrs.frozen
class Ready:
    """A round of trees whose rules are there, whichever of them the loop asks for."""

    rules: Rules

    def all(self) -> Rules:
        return self.rules

    def large(self) -> Rules:
        return self.rules


def rounds_of(trees: Sequence[Rules]) -> list[Ready]:
    """What a loop takes, from the rules of each tree."""
    return [Ready(rules) for rules in trees]
