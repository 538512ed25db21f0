"""Combine against its naive twin."""

import attrs
import numpy as np
import pytest
from core.training_sets import TrainingSet, antecedents_from, conditions_of, random_rules, random_training_set, sets_of
from hypothesis import given, settings
from hypothesis import strategies as st
from search import naive
from search.contexts import PARTS, context_of

from rulekit.core.conditions import ConditionKey, Conditions
from rulekit.core.context import Budget
from rulekit.core.rules import Rules
from rulekit.core.set_intersections import close_under_intersection
from rulekit.probability.hybrid import EnsembleMEstimate
from rulekit.search.combine import Combine, by_class, bytes_of_pair

pytestmark = pytest.mark.usefixtures("engine")

quickly = settings(max_examples=15, deadline=None)
seeds = st.integers(0, 2**32 - 1)
methods = st.sampled_from(list(PARTS))
# No fraction of few samples and no naive Bayes probability equals this: the twin's sums may differ in the last digit.
PRECISION = 0.4321


def three_trees(seed, method, **limits):
    """A context, rules found so far and the rules of three trees."""
    drawn = random_training_set(seed, n_splits=6)
    context = context_of(drawn, method, **{"min_precision": PRECISION, **limits})
    found = random_rules(drawn, context.index, seed, n_rules=8, longest=3)
    trees = [random_rules(drawn, context.index, seed + k, n_rules=6, longest=2) for k in (1, 2, 3)]
    return drawn, context, found, trees


def combined(context, found, trees):
    stage = Combine()
    stage.begin(context)
    return [stage.combine(found, tree, context) for tree in trees]


def everything_known_of(rules):
    fields = ("conditions", "priors", "classes", "bits", "counts", "groups")
    return {name: getattr(rules, name).tolist() for name in fields}


def listed(rules, pad):
    return list(zip(sets_of(rules, pad), rules.classes.tolist(), strict=True))


@quickly
@given(seeds, methods, st.sampled_from([0.0, 0.1, 0.2]))
def test_candidates_are_those_of_the_naive_loop_in_its_order(seed, method, min_coverage):
    drawn, context, found, trees = three_trees(seed, method, min_coverage=min_coverage)
    bad = set()
    expected = [
        [(union, class_) for union, class_, _ in naive.combine(found, tree, bad, drawn, context)] for tree in trees
    ]
    assert expected == [listed(rules, context.index.pad) for rules in combined(context, found, trees)]


@quickly
@given(seeds, methods)
def test_candidates_inherit_the_prior_of_the_first_pair_that_makes_them(seed, method):
    drawn, context, found, trees = three_trees(seed, method)
    expected = [prior for _, _, prior in naive.combine(found, trees[0], set(), drawn, context)]
    np.testing.assert_allclose(combined(context, found, trees)[0].priors, np.array(expected).reshape(-1, 3), rtol=1e-12)


@quickly
@given(seeds, methods, st.sampled_from([1, 2, 7]))
def test_work_in_blocks_of_pairs_changes_no_candidate(seed, method, n_pairs_at_once):
    """The memory for that many pairs: an eighth of what is allowed; rules of different lengths meet."""
    _, context, found, trees = three_trees(seed, method, min_coverage=0.02)
    limited = attrs.evolve(context, budget=Budget(max_bytes=8 * n_pairs_at_once * bytes_of_pair(found, trees[0])))
    at_once, in_blocks = (combined(each, found, trees) for each in (context, limited))
    assert [everything_known_of(rules) for rules in at_once] == [everything_known_of(rules) for rules in in_blocks]


@quickly
@given(seeds, st.sampled_from([0.0, 0.1]))
def test_search_estimators_may_use_the_candidates_own_prior(seed, min_coverage):
    """The m-estimate from each pair's counts and combined prior, by hand."""
    drawn, context, found, (tree, *_) = three_trees(seed, "rcprob", min_coverage=min_coverage)
    context = attrs.evolve(context, search_estimator=EnsembleMEstimate(3.0).fit(context.index))
    expected, failed = {}, set()
    for i, j in naive.pairs_by_class(found, tree, drawn.n_classes):
        first, second = sets_of(found, context.index.pad)[i], sets_of(tree, context.index.pad)[j]
        union, prior = first | second, found.priors[i] * tree.priors[j] / (found.priors[i] @ tree.priors[j])
        counts, class_ = np.array(drawn.count(drawn.covered(union))), int(prior.argmax())
        support = counts.sum()
        if not first or not second or union in failed or support / len(drawn.y) <= min_coverage:
            continue
        weight = min(3.0, support)
        if (counts[class_] + weight * prior[class_]) / (support + weight) > PRECISION:
            expected.setdefault((union, class_))
        else:
            failed.add(union)
    assert list(expected) == listed(combined(context, found, [tree])[0], context.index.pad)


@quickly
@given(seeds, methods)
def test_sets_of_one_feature_become_their_intersection(seed, method):
    """Of two features with categories: whatever covers the same by its sets is one antecedent."""
    rng = np.random.default_rng(seed)
    keys = [
        ConditionKey(int(feature), True, 0.0, frozenset(rng.choice(5, 3).tolist()), False)
        for feature in (0, 0, 0, 1, 1)
    ]
    listed_keys = list(dict.fromkeys(keys))
    conditions, ids = Conditions.in_string_order(
        listed_keys + close_under_intersection(listed_keys), ["a", "b"], np.float64
    )
    drawn = TrainingSet(rng.integers(0, 5, (80, 2)).astype(float), rng.integers(0, 2, 80), conditions, 2)
    # A conjunction without a sample of its class has a precision of 0, which is not above 0.
    context = context_of(drawn, method, min_precision=-1.0)
    pad, priors = context.index.pad, rng.dirichlet(np.ones(2), len(listed_keys))
    alone = Rules.of(ids[: len(listed_keys), None], priors, priors.argmax(axis=1), context.index, None)
    (rules,) = combined(context, alone, [alone])
    expected = {
        merged_by_hand([listed_keys[i], listed_keys[j]])
        for i in range(len(listed_keys))
        for j in range(len(listed_keys))
        if context.index.count(alone.bits[i] & alone.bits[j]).any()
    }
    found = [frozenset(conditions.key(condition) for condition in row) for row in sets_of(rules, pad)]
    assert expected == set(found)
    assert len({(row, class_) for row, class_ in zip(found, rules.classes.tolist(), strict=True)}) == len(found)


def merged_by_hand(keys):
    """One key for each feature: that of the codes which all of its keys have."""
    codes = {}
    for key in keys:
        codes[key.feature] = codes.get(key.feature, key.codes) & key.codes
    return frozenset(ConditionKey(feature, True, 0.0, common, False) for feature, common in codes.items())


@quickly
@given(seeds, methods)
def test_every_candidate_is_the_union_of_a_rule_and_a_leaf(seed, method):
    _, context, found, trees = three_trees(seed, method)
    pad = context.index.pad
    unions = {a | b for a in sets_of(found, pad) for b in sets_of(trees[0], pad) if a and b}
    assert set(sets_of(combined(context, found, trees)[0], pad)) <= unions


@quickly
@given(seeds, methods)
def test_every_candidate_has_a_sample(seed, method):
    drawn, context, found, trees = three_trees(seed, method)
    for rules in combined(context, found, trees):
        assert all(drawn.covered(antecedent) for antecedent in sets_of(rules, context.index.pad))


@quickly
@given(seeds, methods)
def test_no_antecedent_comes_twice_with_one_class(seed, method):
    _, context, found, trees = three_trees(seed, method)
    for rules in combined(context, found, trees):
        pairs = listed(rules, context.index.pad)
        assert len(pairs) == len(set(pairs))


@quickly
@given(seeds, methods)
def test_bits_and_counts_are_those_of_the_antecedents(seed, method):
    drawn, context, found, trees = three_trees(seed, method)
    rules = combined(context, found, trees)[0]
    assert drawn.counts_of(sets_of(rules, context.index.pad)) == rules.counts.tolist()
    assert context.index.cover(rules.conditions).tolist() == rules.bits.tolist()


@quickly
@given(seeds, methods)
def test_conditions_stand_ascending_with_pads_at_the_end(seed, method):
    _, context, found, trees = three_trees(seed, method)
    rows = combined(context, found, trees)[0].conditions
    assert np.sort(rows, axis=1).tolist() == rows.tolist()


@quickly
@given(seeds, methods)
def test_a_candidate_belongs_to_the_group_of_its_leaf(seed, method):
    """Each leaf has a condition that no other antecedent has, and a group of its own."""
    drawn = random_training_set(seed, n_splits=8)
    context = context_of(drawn, method, min_precision=0.0)
    pad = context.index.pad
    rng = np.random.default_rng(seed)
    leaf_conditions = rng.choice(pad, 3, replace=False).tolist()
    others = sorted(set(range(pad)) - set(leaf_conditions))
    priors = rng.dirichlet(np.ones(3), 9)
    classes = priors.argmax(axis=1)
    found_rows = antecedents_from([rng.choice(others, 2).tolist() for _ in range(6)], pad)
    found = Rules.of(found_rows, priors[:6], classes[:6], context.index, None)
    leaf_rows = antecedents_from([[c] for c in leaf_conditions], pad)
    leaves = Rules.of(leaf_rows, priors[6:], classes[6:], context.index, np.array([5, 6, 7]))
    rules = combined(context, found, [leaves])[0]
    expected = [
        5 + next(i for i, condition in enumerate(leaf_conditions) if condition in antecedent)
        for antecedent in sets_of(rules, pad)
    ]
    assert expected == rules.groups.tolist()


def disagreement(first_prior, second_prior):
    """One rule, and a leaf of the same antecedent: the candidate's class is that of the mean prior."""
    drawn = random_training_set(0, n_classes=2, n_features=2, n_splits=4)
    context = context_of(drawn)
    condition = next(c for c in range(context.index.pad) if 0 < len(drawn.holding[c]) < len(drawn.y))
    counts = drawn.count(drawn.holding[condition])
    majority = int(np.argmax(counts))
    rows = antecedents_from([[condition]], context.index.pad)

    def rule(fraction_of_majority):
        prior = np.empty((1, 2))
        prior[0, majority], prior[0, 1 - majority] = fraction_of_majority, 1 - fraction_of_majority
        return Rules.of(rows, prior, prior.argmax(axis=1), context.index, None)

    return context, rule(first_prior), rule(second_prior)


def test_a_rejected_antecedent_never_comes_back():
    context, good, bad = disagreement(1.0, 0.0)
    stage = Combine()
    stage.begin(context)
    assert len(stage.combine(bad, bad, context)) == 0
    assert len(stage.combine(good, good, context)) == 0


def test_a_new_search_forgets_what_was_rejected():
    context, good, bad = disagreement(1.0, 0.0)
    stage = Combine()
    stage.begin(context)
    stage.combine(bad, bad, context)
    stage.begin(context)
    assert len(stage.combine(good, good, context)) == 1


def test_a_candidate_stays_if_its_antecedent_fails_later():
    context, good, bad = disagreement(1.0, 0.0)
    stage = Combine()
    stage.begin(context)
    assert len(stage.combine(good, good, context)) == 1
    assert len(stage.combine(bad, bad, context)) == 0


def test_rules_without_conditions_are_not_combined():
    context, good, _ = disagreement(1.0, 0.0)
    index = context.index
    all_samples = Rules.of(np.empty((1, 0), dtype=np.int64), np.array([[1.0, 0.0]]), np.array([0]), index, None)
    assert [len(combined(context, left, [right])[0]) for left, right in ((all_samples, good), (good, all_samples))] == [
        0,
        0,
    ]


def test_no_rules_give_no_candidates():
    context, good, _ = disagreement(1.0, 0.0)
    nothing = good.take(np.array([], dtype=np.int64))
    assert [
        len(combined(context, left, [right])[0])
        for left, right in ((nothing, good), (good, nothing), (nothing, nothing))
    ] == [0, 0, 0]


def halves_and_thirds(method, min_coverage, min_precision=0.5):
    """The best of all candidates: of 60 samples, 30 are above 30 in one feature, 24 of them above 36 in another."""
    x = np.arange(1.0, 61.0)
    drawn = TrainingSet(np.column_stack([x, x]), (x > 30).astype(int), conditions_of([(0, 30.0), (1, 36.0)], 2), 2)
    context = context_of(drawn, method, min_coverage=min_coverage, min_precision=min_precision)
    above = [row for row, (_, upper, _) in enumerate(drawn.triples) if not upper]
    prior = np.array([[0.1, 0.9]])
    rules = [Rules.of(np.array([[row]]), prior, np.array([1]), context.index, None) for row in above]
    return len(combined(context, rules[0], rules[1:])[0])


def test_estimators_that_use_counts_need_the_exact_coverage():
    """24 of 60 is 0.4."""
    assert [halves_and_thirds("rc+", limit) for limit in (0.39, 0.4)] == [1, 0]


def test_estimators_without_counts_need_the_product_of_both_coverages():
    """30 of 60 times 24 of 60 is 0.2."""
    assert [halves_and_thirds("rcprob", limit) for limit in (0.19, 0.2)] == [1, 0]


def test_estimators_without_counts_keep_what_covers_fewer_than_expected():
    """Of 60 samples, 30 are above 30 and 32 at most 32: 2 are both, where 16 would be expected."""
    x = np.arange(1.0, 61.0)
    drawn = TrainingSet(np.column_stack([x, x]), (x > 30).astype(int), conditions_of([(0, 30.0), (1, 32.0)], 2), 2)
    context = context_of(drawn, "rcprob", min_coverage=0.2, min_precision=0.0)
    above, below = drawn.triples.index((0, False, 30.0)), drawn.triples.index((1, True, 32.0))
    prior = np.array([[0.1, 0.9]])
    left, right = (Rules.of(np.array([[row]]), prior, np.array([1]), context.index, None) for row in (above, below))
    assert combined(context, left, [right])[0].counts.tolist() == [[0, 2]]


def test_precision_must_be_exceeded_when_counts_state_it():
    """All 24 samples are of class 1."""
    assert [halves_and_thirds("rc+", 0.0, limit) for limit in (0.999, 1.0)] == [1, 0]


def test_precision_must_be_exceeded_when_the_search_estimator_predicts_it():
    """Of [30, 30] samples, [0, 30] and [0, 24] fulfil the conditions: 31/32 and 25/32 of class 1, 1/32 of class 0."""
    predicted = 31 * 25 / (31 * 25 + 1)
    assert [halves_and_thirds("rcprob", 0.0, limit) for limit in (predicted - 1e-9, predicted + 1e-9)] == [1, 0]


@quickly
@given(seeds)
def test_pairs_stand_by_class_then_by_place(seed):
    drawn = random_training_set(seed)
    index = drawn.index()
    found, leaves = (random_rules(drawn, index, seed + k, n_rules=6, shortest=1) for k in (0, 1))
    left, right = np.indices((6, 6)).reshape(2, -1)
    order = by_class(found.classes[left], leaves.classes[right], drawn.n_classes)
    expected = sorted(
        ((i, j) for i in range(6) for j in range(6)),
        key=lambda pair: (found.classes[pair[0]], leaves.classes[pair[1]], *pair),
    )
    assert expected == list(zip(left[order].tolist(), right[order].tolist(), strict=True))
