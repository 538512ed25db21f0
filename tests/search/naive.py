"""The stages as the method describes them: one rule, one sample at a time."""

import math
from statistics import NormalDist

import numpy as np
from core.training_sets import sets_of, spec_order

from rulekit.core.rules import RuleBatch


def admitted(counts, class_, context):
    """Whether counts exceed both limits strictly."""
    covered = sum(counts)
    return (
        covered > 0
        and counts[class_] / covered > context.min_precision
        and covered / context.index.n_samples > context.min_coverage
    )


def combine(found, leaves, bad, drawn, context):
    """Candidates as (antecedent, class, prior), in order; `bad` remembers what failed."""
    pad, n = context.index.pad, context.index.n_samples
    candidates = {}
    for i, j in pairs_by_class(found, leaves, drawn.n_classes):
        first, second = sets_of(found, pad)[i], sets_of(leaves, pad)[j]
        union = first | second
        if not first or not second or union in bad:
            continue
        n_first, n_second = len(drawn.covered(first)), len(drawn.covered(second))
        samples = drawn.covered(union)
        prior = context.priors.combine(
            found.priors[[i]], leaves.priors[[j]], np.array([n_first]), np.array([n_second])
        )[0, 0]
        class_ = max(range(drawn.n_classes), key=lambda y: (prior[y], -y))
        if context.search_estimator.uses_counts:
            passes = admitted(drawn.count(samples), class_, context)
        else:
            passes = (
                min(n_first, n_second) / n > context.min_coverage
                and predicted(union, context)[class_] > context.min_precision
                and n_first * n_second / n**2 > context.min_coverage
            )
        if samples and passes:
            candidates.setdefault((union, class_), prior.tolist())
        else:
            bad.add(union)
    return [(union, class_, prior) for (union, class_), prior in candidates.items()]


def pairs_by_class(found, leaves, n_classes):
    for first_class in range(n_classes):
        for second_class in range(n_classes):
            for i in np.flatnonzero(found.classes == first_class):
                for j in np.flatnonzero(leaves.classes == second_class):
                    yield int(i), int(j)


def predicted(antecedent, context, prior=None):
    """The search estimator's result for one antecedent alone, with its rule's prior if it uses one."""
    ids = np.array([sorted(antecedent)], dtype=np.int64)
    prior = np.full(context.index.n_classes, 1 / context.index.n_classes) if prior is None else prior
    return context.search_estimator.estimate(RuleBatch(context.index, ids, prior[None]))[0].tolist()


def support(antecedent, context):
    ids = np.array([sorted(antecedent)], dtype=np.int64)
    anything = np.full((1, context.index.n_classes), 1 / context.index.n_classes)
    return float(context.search_estimator.support(RuleBatch(context.index, ids, anything))[0])


def cover(candidates, drawn, context):
    """(antecedent, class) of the greedy choice, in order."""
    sets, classes = sets_of(candidates, context.index.pad), candidates.classes.tolist()
    remaining, uncovered, chosen = list(range(len(sets))), drawn.everything, []
    while uncovered:
        counts = {i: drawn.count(drawn.covered(sets[i]) & uncovered) for i in remaining}
        good = [i for i in remaining if admitted(counts[i], classes[i], context)]
        if not good:
            break
        best = min(good, key=lambda i: spec_order(counts[i][classes[i]], sum(counts[i]), sets[i], context.rule_order))
        chosen.append((sets[best], classes[best]))
        remaining.remove(best)
        uncovered -= drawn.covered(sets[best])
    return chosen


def without_redundant(antecedent, drawn):
    """The tightest condition for each feature and operator."""
    tightest = {}
    for condition in antecedent:
        feature, is_upper, threshold = drawn.triples[condition]
        tightness = -threshold if is_upper else threshold
        tightest[feature, is_upper] = max(tightest.get((feature, is_upper), (-math.inf, -1)), (tightness, condition))
    return frozenset(condition for _, condition in tightest.values())


def upper_limit(n, error, confidence):
    """Wilson's upper limit, in percent."""
    z = NormalDist().inv_cdf(1 - confidence / 2)
    root = math.sqrt(error * (1 - error) / n + z * z / (4 * n * n))
    return 100 * (error + z * z / (2 * n) + z * root) / (1 + z * z / n)


def error(antecedent, class_, drawn, context, prior=None):
    if not antecedent:
        n = context.index.n_samples
        return upper_limit(n, 1 - drawn.count(drawn.everything)[class_] / n, context.confidence)
    n = support(antecedent, context)
    return upper_limit(n, 1 - predicted(antecedent, context, prior)[class_], context.confidence) if n > 0 else 0.0


def generalise(antecedent, class_, drawn, context, prior=None):
    """Remove the least useful condition as long as the error does not grow, or there are too many conditions."""
    base, most = error(antecedent, class_, drawn, context, prior), context.max_conditions
    while antecedent and (base > 0 or (most and len(antecedent) > most)):
        after = [(error(antecedent - {c}, class_, drawn, context, prior), c) for c in sorted(antecedent)]
        least, weakest = min(after, key=lambda pair: pair[0])
        if least > base and not (most and len(antecedent) > most):
            break
        antecedent, base = antecedent - {weakest}, least
    return antecedent


def prune_in_order(sets, classes, drawn, context):
    """(index, counts) of the rules that still qualify on what the kept ones before them leave."""
    uncovered, kept = drawn.everything, []
    for position, (antecedent, class_) in enumerate(zip(sets, classes, strict=True)):
        counts = drawn.count(drawn.covered(antecedent) & uncovered)
        if admitted(counts, class_, context):
            kept.append((position, counts))
            uncovered -= drawn.covered(antecedent)
    return kept


def simplify(rules, drawn, context, drop_redundant=True):
    """(antecedent, class) of the shortened rules, in order."""
    sets, classes = sets_of(rules, context.index.pad), rules.classes.tolist()
    if drop_redundant:
        sets = [without_redundant(antecedent, drawn) for antecedent in sets]
    pairs = [
        (generalise(a, y, drawn, context, prior), y) for a, y, prior in zip(sets, classes, rules.priors, strict=True)
    ]
    pairs = [(a, y) for a, y in pairs if a and admitted(drawn.count(drawn.covered(a)), y, context)]
    kept = prune_in_order([a for a, _ in pairs], [y for _, y in pairs], drawn, context)
    kept.sort(key=lambda it: spec_order(it[1][pairs[it[0]][1]], sum(it[1]), pairs[it[0]][0], context.rule_order))
    return [pairs[position] for position, _ in kept]
