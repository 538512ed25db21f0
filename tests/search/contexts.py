"""Search contexts over random records, and rules whose groups share no record."""

import numpy as np
from core.samples import antecedents_from, random_priors

from rulekit.core.context import SearchContext
from rulekit.core.rules import Rules
from rulekit.priors.mean import Mean
from rulekit.priors.product import Product
from rulekit.probability.empirical import Empirical
from rulekit.probability.naive_bayes import NaiveBayes

# (prior combiner, evidence) of the two published methods.
PARTS = {"rc+": (Mean, Empirical), "rcprob": (Product, NaiveBayes)}


def context_of(sample, method="rc+", **options):
    index = sample.index()
    priors, evidence = PARTS[method]
    return SearchContext(index, priors(), evidence().fit(index), **options)


def grouped_rules(sample, index, seed, n_rules=40, longest=3):
    """Rules below up to six leaves that split one feature: rules of different leaves share no record."""
    rng = np.random.default_rng(seed)
    feature = int(rng.choice(sample.conditions.features))
    ids = {(upper, t): row for row, (column, upper, t) in enumerate(sample.triples) if column == feature}
    thresholds = sorted({t for _, t in ids})[:5]
    above = [set(), *({ids[False, t]} for t in thresholds)]
    upto = [*({ids[True, t]} for t in thresholds), set()]
    groups = rng.integers(len(above), size=n_rules)
    rows = [
        above[group] | upto[group] | set(rng.choice(index.pad, int(rng.integers(0, longest + 1))).tolist())
        for group in groups.tolist()
    ]
    priors = random_priors(seed, n_rules, sample.n_classes)
    return Rules.of(antecedents_from(rows, index.pad), priors, priors.argmax(axis=1), index, groups)
