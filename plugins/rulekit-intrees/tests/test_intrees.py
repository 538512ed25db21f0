"""inTrees: every step against a slow twin that knows masks and loops only, and the examples of the paper."""

from collections import deque

import numpy as np
import pytest
from rulekit_intrees import InTrees, selection
from rulekit_intrees.extraction import candidate_antecedents, limited
from rulekit_intrees.measured import MeasuredRules
from rulekit_intrees.pruning import decay, prune
from rulekit_intrees.selection import select
from rulekit_intrees.summary import summarise
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import GridSearchCV

import rulekit
from rulekit.plugin import FewRulesWarning, InvalidParameterError
from rulekit.testing import parametrize_with_checks
from rulekit.testing.tables import table_with_categories, table_with_gaps

DATA = {"two classes": load_breast_cancer, "three classes": load_wine}


def noisy(data, seed=0):
    """Eight columns, and a tenth of the labels drawn anew, so that rules make errors."""
    X, y = DATA[data](return_X_y=True)
    random = np.random.default_rng(seed)
    wrong = random.random(len(y)) < 0.1
    return X[:, :8].astype(np.float32).astype(float), np.where(wrong, random.permutation(y), y)


def small_forest(max_depth=4):
    return RandomForestClassifier(12, max_depth=max_depth, random_state=0)


# The slow twin. A condition is (feature, sign, threshold), a rule a tuple of conditions in order and a class.


def covers(rule, X):
    mask = np.ones(len(X), dtype=bool)
    for feature, sign, threshold in rule:
        mask &= X[:, feature] <= threshold if sign == "<=" else X[:, feature] > threshold
    return mask


def leaf_paths(tree, max_depth):
    """From the root to each leaf, or to where `max_depth` splits have been passed."""
    paths, open_nodes = [], [(0, ())]
    while open_nodes:
        node, path = open_nodes.pop()
        if tree.children_left[node] < 0 or len(path) == max_depth:
            paths.append(path)
            continue
        feature, threshold = int(tree.feature[node]), float(tree.threshold[node])
        open_nodes.append((tree.children_left[node], (*path, (feature, "<=", threshold))))
        open_nodes.append((tree.children_right[node], (*path, (feature, ">", threshold))))
    return paths


def error_of(mask, label, y):
    return (y[mask] != label).sum() / mask.sum() if mask.any() else 1.0


def slowly_pruned(rule, label, X, y, max_decay, decay_type):
    rule, error = list(rule), error_of(covers(rule, X), label, y)
    for condition in reversed(list(rule)):
        if len(rule) == 1:
            break
        shorter = [each for each in rule if each != condition]
        without = error_of(covers(shorter, X), label, y)
        rise = without - error
        if (rise / max(error, 1e-6) if decay_type == "relative" else rise) <= max_decay:
            rule, error = shorter, without
    return tuple(rule)


def slowly_summarised(rules, X, y, min_freq):
    """Ordered rules, each with the samples that it answers for."""
    left, found = np.ones(len(y), dtype=bool), []
    while left.any():
        ranked = []
        for position, (rule, label) in enumerate(rules):
            mask = covers(rule, X) & left
            if mask.any() and mask.sum() / len(y) >= min_freq:
                ranked.append((error_of(mask, label, y), -mask.sum(), len(rule), position))
        default_error = 1 - np.bincount(y[left]).max() / left.sum()
        if not ranked or min(ranked)[0] >= default_error:
            break
        rule, label = rules[min(ranked)[3]]
        found.append((rule, label, covers(rule, X) & left))
        left &= ~covers(rule, X)
    return found


def slowly_selected(rules, X, y, base, weight, random):
    """Positions of the rules that matter in a regularised forest of 50 trees with ten leaves."""
    masks = [covers(rule, X) for rule, _ in rules]
    longest = max(len(rule) for rule, _ in rules)
    order = sorted(
        range(len(rules)),
        key=lambda position: (
            error_of(masks[position], rules[position][1], y),
            -masks[position].sum(),
            len(rules[position][0]),
        ),
    )
    in_use, importance = set(), dict.fromkeys(order, 0.0)

    def impurity(mask):
        return mask.sum() * (1 - ((np.bincount(y[mask]) / mask.sum()) ** 2).sum()) if mask.any() else 0.0

    for _ in range(50):
        root = np.zeros(len(y), dtype=bool)
        root[random.choice(len(y), int(np.ceil(0.632 * len(y))), replace=False)] = True
        nodes, n_leaves = deque([root]), 1
        while nodes and n_leaves < 10:
            node = nodes.popleft()
            if len(np.unique(y[node])) < 2:
                continue
            new = np.array([rank for rank, position in enumerate(order) if position not in in_use])
            n_drawn = min(len(new), max(1, round(0.5 * len(order))))
            drawn = {order[rank] for rank in random.choice(new, n_drawn, replace=False)}
            best, best_gain, best_compared = None, 0.0, 1e-12 * node.sum()
            for position in order:
                if position not in in_use and position not in drawn:
                    continue
                gain = impurity(node) - impurity(node & masks[position]) - impurity(node & ~masks[position])
                coefficient = 1.0 if position in in_use else base * (1 - weight * len(rules[position][0]) / longest)
                if coefficient * gain > best_compared * (1 + 1e-9):
                    best, best_gain, best_compared = position, gain, coefficient * gain
            if best is not None:
                in_use.add(best)
                importance[best] += best_gain
                nodes += [node & masks[best], node & ~masks[best]]
                n_leaves += 1
    return [position for position in range(len(rules)) if importance[position] > 0.01 * max(importance.values())]


def readable(antecedents, data):
    """Antecedents as the twin writes them, conditions in the order in which they stand."""
    keys = [data.conditions.key(row) for row in range(len(data.conditions))]
    as_condition = [(key.feature, "<=" if key.is_upper else ">", key.threshold) for key in keys]
    return [tuple(as_condition[row] for row in rule if row != data.pad) for rule in antecedents]


def as_pairs(rules):
    return list(zip(readable(rules.antecedents, rules.data), rules.classes.tolist(), strict=True))


@pytest.fixture(params=DATA, scope="module")
def extracted(request):
    X, y = noisy(request.param)
    data = InTrees(small_forest()).prepare(X, y)
    candidates = candidate_antecedents(data, None, np.random.default_rng(0))
    return MeasuredRules.of(candidates, data), X, y


@parametrize_with_checks([InTrees(), InTrees(select=False, decay_type="absolute", max_depth=2, min_freq=0.05)])
def test_it_keeps_what_methods_promise(component, check):
    check(component)


class TestAgainstTheSlowTwin:
    @pytest.mark.parametrize("max_depth", [None, 6, 2])
    @pytest.mark.parametrize("max_trees", [None, 5])
    @pytest.mark.parametrize("data", DATA)
    def test_conditions_are_those_on_the_way_to_leaves_of_the_first_trees(self, data, max_trees, max_depth):
        X, y = noisy(data)
        data = limited(InTrees(small_forest()).prepare(X, y), max_trees, max_depth)
        found = readable(candidate_antecedents(data, None, np.random.default_rng(0)), data)
        trees = data.ensemble.estimators_[:max_trees]
        paths = {frozenset(path) for tree in trees for path in leaf_paths(tree.tree_, max_depth)}
        assert len(found) == len(set(found))
        assert {frozenset(rule) for rule in found} == {path for path in paths if path and covers(path, X).any()}

    def test_classes_frequencies_errors_and_lengths(self, extracted):
        rules, X, y = extracted
        for position, rule in enumerate(readable(rules.antecedents, rules.data)):
            mask = covers(rule, X)
            assert rules.classes[position] == np.bincount(y[mask]).argmax()
            assert rules.frequencies[position] == pytest.approx(mask.mean(), rel=1e-12)
            assert rules.errors[position] == pytest.approx(error_of(mask, rules.classes[position], y), rel=1e-12)
            assert rules.lengths[position] == len(rule)

    @pytest.mark.parametrize("decay_type", ["relative", "absolute"])
    @pytest.mark.parametrize("max_decay", [0.0, 0.01, 0.05, 1.0])
    def test_pruning_decisions(self, extracted, max_decay, decay_type):
        rules, X, y = extracted
        pruned = {
            (frozenset(slowly_pruned(rule, label, X, y, max_decay, decay_type)), label)
            for rule, label in as_pairs(rules)
        }
        found = as_pairs(prune(rules, max_decay, decay_type))
        assert len(found) == len(pruned)
        assert {(frozenset(rule), label) for rule, label in found} == pruned

    @pytest.mark.parametrize("coefficients", [(0.5, 0.01), (0.9, 0.5), (1.0, 0.0)])
    def test_selection_by_a_regularised_forest(self, extracted, coefficients):
        rules, X, y = extracted
        few = rules.take(np.arange(0, len(rules), 5))
        found = select(few, *coefficients, np.random.default_rng(5))
        expected = slowly_selected(as_pairs(few), X, y, *coefficients, np.random.default_rng(5))
        assert as_pairs(found) == [as_pairs(few)[position] for position in expected]

    @pytest.mark.parametrize("min_freq", [0.0, 0.01, 0.1])
    def test_the_ordered_list(self, extracted, min_freq):
        rules, X, y = extracted
        found, answered = summarise(rules, min_freq)
        expected = slowly_summarised(as_pairs(rules), X, y, min_freq)
        assert as_pairs(found) == [(rule, label) for rule, label, _ in expected]
        n_classes = len(rules.data.class_counts)
        assert answered.tolist() == [np.bincount(y[mask], minlength=n_classes).tolist() for *_, mask in expected]

    @pytest.mark.parametrize("max_decay", [0.05, 0.01])
    @pytest.mark.parametrize("data", DATA)
    def test_the_whole_method_without_selection(self, data, max_decay):
        X, y = noisy(data)
        model = InTrees(small_forest(), select=False, max_decay=max_decay, min_freq=0.02, random_state=0).fit(X, y)
        data = model.prepare(X, y)
        rules = MeasuredRules.of(candidate_antecedents(data, None, np.random.default_rng(0)), data)
        order = {condition: position for position, condition in enumerate(readable([range(data.pad)], data)[0])}
        pruned = {(slowly_pruned(rule, label, X, y, max_decay, "relative"), label) for rule, label in as_pairs(rules)}
        # The twin may not know in which order equally good rules come; they come in that of their conditions.
        ids = {rule: [*map(order.get, rule[0])] for rule in pruned}
        pad = [data.pad]
        ranked = sorted(pruned, key=lambda rule: (ids[rule] + pad * (9 - len(ids[rule])), rule[1]))
        frequent = [rule for rule in ranked if covers(rule[0], X).mean() >= 0.02]
        expected = slowly_summarised(frequent, X, y, 0.02)
        shown = [
            tuple((each.feature_index, each.operator, each.threshold) for each in rule.conditions)
            for rule in model.ruleset_[:-1]
        ]
        assert shown == [rule for rule, _, _ in expected]
        for rule, (_, _, mask) in zip(model.ruleset_, expected, strict=False):
            np.testing.assert_allclose(
                rule.probabilities, np.bincount(y[mask], minlength=len(rule.probabilities)) / mask.sum(), rtol=1e-12
            )


class TestProbabilities:
    @pytest.mark.parametrize("min_freq", [0.01, 0.1])
    @pytest.mark.parametrize("data", DATA)
    def test_rules_and_default_state_the_class_shares_of_the_samples_they_answer_for(self, data, min_freq):
        X, y = noisy(data)
        ruleset = InTrees(small_forest(), min_freq=min_freq, random_state=0).fit(X, y).ruleset_
        answering = ruleset.first_matches(X)
        assert len(ruleset) > 2
        for position, rule in enumerate(ruleset):
            counts = np.bincount(y[answering == position], minlength=len(ruleset.classes))
            np.testing.assert_allclose(rule.probabilities, counts / counts.sum(), rtol=1e-12)
            assert rule.is_default or counts.sum() / len(y) >= min_freq


class TestExamplesOfThePaper:
    def test_the_worked_decays_of_section_5(self):
        """E0 = 0.1; without the third pair 0.2, without the second 0.104; then without the first 0.3."""
        without, error = np.array([0.2, 0.104, 0.3]), np.array([0.1, 0.1, 0.104])
        np.testing.assert_allclose(decay(without, error, "relative"), [1.0, 0.04, 0.196 / 0.104], rtol=1e-9)
        np.testing.assert_allclose(decay(without, error, "absolute"), [0.1, 0.004, 0.196], rtol=1e-9)

    def test_two_players_who_win_if_one_of_them_plays_are_found_among_twenty(self):
        """Section 10: of twenty players the first two decide, and the rules name nobody else."""
        random = np.random.default_rng(0)
        X = random.integers(0, 2, (300, 20)).astype(float)
        y = np.where(X[:, 0] != X[:, 1], "win", "lose")
        model = InTrees(RandomForestClassifier(100, max_depth=6, random_state=0), random_state=0).fit(X, y)
        assert model.score(X, y) == 1.0
        for rule in model.ruleset_[:-1]:
            assert sorted(condition.feature_index for condition in rule.conditions) == [0, 1]
            assert rule.precision == 1.0
        assert model.n_rules_["selected"] <= 4


class TestSelection:
    def test_a_rule_is_selected_once_however_often_it_comes(self, extracted):
        rules, _, _ = extracted
        doubled = rules.take(np.repeat(np.arange(0, len(rules), 5), 3))
        found = select(doubled, 0.5, 0.01, np.random.default_rng(0))
        assert len({row.tobytes() for row in found.bits}) == len(found)

    def test_the_smaller_the_coefficient_the_fewer_rules_are_taken_up(self, extracted):
        rules, _, _ = extracted

        def size(base):
            return np.mean([len(select(rules, base, 0.0, np.random.default_rng(seed))) for seed in range(5)])

        assert size(0.3) < size(1.0) < len(rules)

    def test_long_rules_are_held_back_if_their_length_weighs(self, extracted):
        rules, _, _ = extracted
        lengths = [select(rules, 0.9, weight, np.random.default_rng(0)).lengths.mean() for weight in (0.0, 1.0)]
        assert lengths[1] < lengths[0]

    def test_gains_are_decreases_of_the_impurity(self):
        parent, covered = np.array([6, 2]), np.array([[6, 0], [3, 1], [0, 0]])
        before = 8 * (1 - (6 / 8) ** 2 - (2 / 8) ** 2)
        np.testing.assert_allclose(selection.gini_gains(parent, covered), [before, 0.0, 0.0], atol=1e-12)


class TestAsAnEstimator:
    def test_it_is_discovered_through_its_entry_point(self):
        (found,) = [each for each in rulekit.list_components("method") if each.name == "intrees"]
        assert found.origin == "rulekit-intrees 0.1.0"

    def test_the_published_settings_can_be_searched_and_parameters_nest(self):
        X, y = noisy("two classes")
        model = rulekit.build("intrees", "rf", ensemble__n_estimators=5, random_state=0)
        grid = {"max_decay": [0.05, 0.01], "min_freq": [0.1, 0.01], "ensemble__max_depth": [2]}
        search = GridSearchCV(clone(model), grid, cv=2).fit(X, y)
        assert search.best_params_.keys() == grid.keys()
        assert len(search.best_estimator_.ensemble_.estimators_) == 5

    def test_the_seed_decides_and_threads_change_nothing(self):
        X, y = noisy("three classes")
        forest = small_forest().fit(X, y)
        first, again, threads, other = (
            InTrees(forest, max_rules=40, n_jobs=n_jobs, random_state=seed).fit(X, y).ruleset_
            for seed, n_jobs in ((1, None), (1, None), (1, 2), (2, None))
        )
        assert first == again == threads
        assert first != other

    def test_it_counts_the_rules_after_each_step(self):
        X, y = noisy("two classes")
        model = InTrees(small_forest(), max_rules=50, random_state=0).fit(X, y)
        counts = list(model.n_rules_.values())
        assert list(model.n_rules_) == ["extracted", "pruned", "frequent", "selected", "summarised"]
        assert counts[0] == 50
        assert counts == sorted(counts, reverse=True)
        assert counts[-1] == len(model.ruleset_) - 1

    def test_missing_values_and_categories_are_taken_as_the_ensemble_takes_them(self):
        for table in (table_with_gaps(), table_with_categories()):
            ensemble = HistGradientBoostingClassifier(
                max_iter=5, min_samples_leaf=5, categorical_features="from_dtype", random_state=0
            )
            model = InTrees(ensemble, max_depth=3, random_state=0).fit(table.X, table.y)
            assert model.score(table.X, table.y) > 0.75
            assert len(model.ruleset_) > 2

    def test_rounds_of_multiclass_boosting_are_cut_like_trees(self):
        X, y = noisy("three classes")
        boosted = GradientBoostingClassifier(n_estimators=6, max_depth=3, random_state=0).fit(X, y)
        data = InTrees(boosted).prepare(X, y)
        cut = limited(data, 2, 1)
        assert len(cut.leaves) == 2
        assert all(len(rule) == 1 for rule in readable(candidate_antecedents(cut, None, np.random.default_rng()), cut))

    def test_without_a_rule_the_default_is_left_and_a_warning_says_so(self):
        X, y = noisy("two classes")
        with pytest.warns(
            FewRulesWarning, match=r"None of \d+ rules was better than the default rule with min_freq=1\.0"
        ) as caught:
            model = InTrees(small_forest(), min_freq=1.0).fit(X, y)
        assert caught[0].filename == __file__
        assert len(model.ruleset_) == 1

    def test_trees_without_splits_leave_the_default_with_the_class_shares(self):
        X, y = np.ones((40, 2)), np.repeat([0, 1, 2], [20, 15, 5])
        with pytest.warns(FewRulesWarning, match="None of 0 rules was better"):
            model = InTrees(small_forest(), random_state=0).fit(X, y)
        assert model.predict_proba(X[:1]).tolist() == [[0.5, 0.375, 0.125]]

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"max_decay": -1}, "max_decay must be a number of at least 0, got -1"),
            ({"decay_type": "both"}, "decay_type must be one of 'relative', 'absolute', got 'both'"),
            ({"min_freq": 2}, "min_freq must be a number of at least 0 and at most 1, got 2"),
            ({"base_coefficient": 0}, "base_coefficient must be a number above 0 and at most 1, got 0"),
            ({"length_weight": 1.5}, "length_weight must be a number of at least 0 and at most 1, got 1.5"),
            ({"max_trees": 0}, "max_trees must be None or a whole number of at least 1, got 0"),
            ({"max_depth": 1.5}, "max_depth must be None or a whole number of at least 1, got 1.5"),
            ({"max_rules": True}, "max_rules must be None or a whole number of at least 1, got True"),
            ({"select": "yes"}, "select must be True or False, got 'yes'"),
        ],
    )
    def test_what_a_parameter_cannot_be_is_refused(self, parameters, message):
        with pytest.raises(InvalidParameterError, match=f"InTrees: {message}"):
            InTrees(small_forest(), **parameters).fit([[0.0], [1.0]], [0, 1])
