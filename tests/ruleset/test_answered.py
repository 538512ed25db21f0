"""The training samples that each rule answers: counted one by one, in every form in which rules are shown."""

import copy
import csv
import io
import re
from xml.etree import ElementTree

import attrs
import numpy as np
import openpyxl
import pandas as pd
import pytest
from ruleset.handmade import BOTH, COUNTS, SECOND, handmade
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier

import rulekit
from rulekit.calibration import CalibratedRules
from rulekit.core.errors import RuleSetFormatError
from rulekit.export import to_csv, to_excel, to_pmml
from rulekit.inference.aggregate import Aggregate
from rulekit.inference.decision_list import DecisionList

PRESETS = ("rc+", "rcprob", "rclist", "tree")
#: Rule 1 has samples of another class, rule 2 answers nothing but covers 40, and the default rule answers the rest.
SOME = [[2, 30], [0, 0], [36, 12]]


def inside() -> rulekit.RuleSet:
    """Rule 2, age > 16.5 and Time <= 8.125, lies inside rule 1, Time <= 20; and all samples satisfy rule 1."""
    return attrs.evolve(
        handmade(answered=[[38, 42], [0, 0], [0, 0]]),
        antecedents=((2,), (0, 1), ()),
        counts=np.array([[38, 42], [5, 20], [38, 42]]),
    )


def one_by_one(ruleset: rulekit.RuleSet, numbers: np.ndarray, y: np.ndarray) -> list[list[int]]:
    """Each sample counts for the first rule whose conditions all hold for it."""
    counts = [[0] * len(ruleset.classes) for _ in ruleset]
    classes, rules = ruleset.classes.tolist(), list(ruleset)
    for sample, label in zip(numbers, y.tolist(), strict=True):
        first = next(r for r in rules if all(c.holds(sample[c.feature_index]) for c in r.conditions))
        counts[first.position - 1][classes.index(label)] += 1
    return counts


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X, load_iris().target_names[y]


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:300], y[:300]


class TestCounts:
    @pytest.mark.parametrize("method", PRESETS)
    def test_are_those_of_the_first_rule_that_each_training_sample_satisfies(self, iris, method):
        X, y = iris
        ruleset = rulekit.build(method, random_state=0).fit(X, y).ruleset_
        assert ruleset.answered_counts.tolist() == one_by_one(ruleset, X.to_numpy(), y)

    def test_of_missing_values(self, cancer):
        X, y = cancer
        X = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
        ensemble = HistGradientBoostingClassifier(max_iter=5, max_leaf_nodes=4, random_state=0)
        ruleset = rulekit.build("rcprob", ensemble).fit(X, y).ruleset_
        assert ruleset.answered_counts.tolist() == one_by_one(ruleset, X, y)

    def test_include_samples_that_the_final_estimator_holds_back(self, cancer):
        X, y = cancer

        class HoldsBack(rulekit.plugin.ProbabilityEstimator):
            def hold_back(self, y):
                return np.arange(len(y)) % 2 == 0

            def estimate(self, rules):
                return (rules.counts + 1) / (rules.counts + 1).sum(axis=1, keepdims=True)

        model = rulekit.build("rcprob", random_state=0, final_estimator=HoldsBack()).fit(X, y)
        assert model.ruleset_.answered_counts.tolist() == one_by_one(model.ruleset_, X, y)

    def test_stay_with_calibrated_rules(self, cancer):
        X, y = cancer
        calibrated = CalibratedRules(rulekit.build("rc+", random_state=0), random_state=0).fit(X, y)
        assert calibrated.ruleset_.answered_counts.tolist() == one_by_one(calibrated.ruleset_, X, y)

    def test_rules_of_another_mode_have_none_but_keep_them_for_the_decision_list(self, iris):
        X, y = iris
        ruleset = rulekit.build("rcprob", random_state=0, inference="aggregate").fit(X, y).ruleset_
        assert not ruleset.knows_answered
        assert all(rule.n_answered is None for rule in ruleset)
        ordered = attrs.evolve(ruleset, inference=DecisionList())
        assert [rule.answered_counts.tolist() for rule in ordered] == one_by_one(ordered, X.to_numpy(), y)


class TestRule:
    def test_its_figures(self):
        rule = handmade(answered=SOME)[0]
        assert (rule.n_answered, rule.n_right, rule.answered_precision) == (32, 30, 30 / 32)
        assert rule.answered_interval == handmade()[0].interval

    def test_without_answered_samples(self):
        rule = handmade(answered=SOME)[1]
        assert (rule.n_answered, rule.n_right, rule.answered_precision, rule.answered_interval) == (0, 0, None, None)

    def test_where_they_are_unknown(self):
        rule = handmade()[0]
        assert (rule.n_answered, rule.n_right, rule.answered_precision, rule.answered_interval) == (None,) * 4

    def test_it_knows_the_earlier_rule_that_it_lies_inside(self):
        assert [rule.inside for rule in inside()] == [None, 1, None]
        assert [rule.inside for rule in handmade(answered=SOME)] == [None, None, None]

    def test_other_answered_samples_make_another_rule(self):
        assert handmade(answered=COUNTS)[0] != handmade()[0]
        assert handmade(answered=COUNTS)[1] != handmade(answered=SOME)[1]
        assert handmade(answered=COUNTS)[1] == handmade(answered=COUNTS)[1]

    def test_it_prints_them(self):
        assert str(inside()[1]).endswith("(p = 0.875, answers none and covers 25 of 80 samples)")


def test_a_rule_inside_an_earlier_one_answers_nothing_anywhere(cancer):
    """What tables call `never` is decided by the conditions alone: no sample, of training or not, contradicts it."""
    X, y = cancer
    data = rulekit.build("rcprob", RandomForestClassifier(3, max_depth=3, random_state=0)).prepare(X, y)
    rng = np.random.default_rng(0)
    # Conditions on few features, so that many rules lie inside others.
    near = np.flatnonzero(np.isin(data.conditions.features, np.unique(data.conditions.features)[:3]))
    antecedents = np.sort(np.array([rng.choice(near, 2, replace=False) for _ in range(40)]), axis=1)
    ruleset = rulekit.RuleSet.from_rules(data, antecedents, np.tile([0.4, 0.6], (41, 1)), DecisionList())
    never = [rule for rule in ruleset if rule.inside is not None]
    assert len(never) > 5
    assert all(rule.n_answered == 0 and rule.inside < rule.position for rule in never)
    drawn = ruleset.matches(rng.uniform(X.min(axis=0), X.max(axis=0), (2000, X.shape[1])))
    for rule in never:
        assert not (drawn[rule.position - 1] & ~drawn[rule.inside - 1]).any()


@pytest.mark.parametrize("limit", ["MOST_COMPARED_RULES", "MOST_COMPARED_VALUES"])
def test_rules_of_very_large_rulesets_are_not_compared_but_still_marked(monkeypatch, limit):
    """The comparison takes time and memory in proportion to the square of their number."""
    monkeypatch.setattr(f"rulekit.ruleset.ruleset.{limit}", 2)
    assert [rule.inside for rule in inside()] == [None, None, None]
    assert "none: earlier rules answer all training samples" in str(inside())


class TestTables:
    def test_the_marks_stand_in_the_column_and_are_explained_below(self):
        for made, cells, mark in (
            (handmade(answered=SOME), ["30 of 32", "none", "36 of 48"], "none: earlier rules answer all training"),
            (inside(), ["42 of 80", "never", "none"], "never: the rule lies inside an earlier one"),
        ):
            ruleset = attrs.evolve(made, probabilities=np.array([[0.1, 0.9], [0.9, 0.1], [0.7, 0.3]]))
            for shown in (ruleset.to_text(), ruleset.to_markdown(), ruleset.to_latex(), ruleset._repr_html_()):
                assert re.search(".*".join(map(re.escape, cells)), shown, re.DOTALL)
                assert mark in shown

    def test_without_such_rules_the_marks_are_not_explained(self):
        shown = handmade(answered=COUNTS).to_text()
        assert "none:" not in shown
        assert "never:" not in shown

    @pytest.mark.parametrize("ruleset", [handmade(), handmade(inference=Aggregate(), answered=COUNTS)])
    def test_there_is_no_column_where_it_has_no_meaning(self, ruleset):
        forms = (ruleset.to_text(), ruleset.to_markdown(), ruleset.to_latex(), ruleset._repr_html_(), to_csv(ruleset))
        assert not any("answered" in shown for shown in (*forms, *ruleset.to_frame()))

    def test_the_frame_has_them_as_numbers(self):
        frame = inside().to_frame()
        assert frame["n_answered"].tolist() == [80, 0, 0]
        assert frame["n_right"].tolist() == [42, 0, 0]
        assert frame["inside"].tolist() == [pd.NA, 1, pd.NA]
        assert frame["answered_counts"].tolist() == [[38, 42], [0, 0], [0, 0]]

    def test_a_spreadsheet_has_them(self):
        ruleset = inside()
        book = openpyxl.load_workbook(saved(to_excel(ruleset)))
        for rows in (list(csv.reader(io.StringIO(to_csv(ruleset)))), list(book["rules"].iter_rows(values_only=True))):
            header, *body = rows
            columns = [
                "answered",
                "answered of its class",
                "inside rule",
                "answered samples of no",
                "answered samples of yes",
            ]
            at = [header.index(name) for name in columns]
            cells = [[None if row[c] in ("", None) else int(row[c]) for c in at] for row in body]
            assert cells == [[80, 42, None, 38, 42], [0, 0, 1, 0, 0], [0, 0, None, 0, 0]]

    def test_pmml_has_them_as_extensions(self):
        rules = ElementTree.fromstring(to_pmml(inside())).iter("{http://www.dmg.org/PMML-4_4}SimpleRule")
        found = [{e.get("name"): e.get("value") for e in rule if e.tag.endswith("Extension")} for rule in rules]
        assert found == [{"answered": a, "answeredCorrect": c} for a, c in (("80", "42"), ("0", "0"), ("0", "0"))]


def saved(workbook) -> io.BytesIO:
    content = io.BytesIO()
    workbook.save(content)
    return content


class TestDocument:
    def test_keeps_them(self):
        document = inside().to_dict()
        assert [rule["answered"] for rule in document["rules"]] == [[38, 42], [0, 0], [0, 0]]
        again = rulekit.RuleSet.from_dict(document)
        assert again == inside()
        assert again[1].inside == 1

    def test_without_them_is_read_as_before(self, iris):
        ruleset = rulekit.build("rcprob", random_state=0).fit(*iris).ruleset_
        old = ruleset.to_dict()
        for rule in old["rules"]:
            del rule["answered"]
        again = rulekit.RuleSet.from_dict(old)
        assert again.answered_counts is None
        assert again == attrs.evolve(ruleset, answered_counts=None) != ruleset
        assert again.to_dict() == old

    @pytest.mark.parametrize(
        ("rule", "answered", "problem"),
        [
            (0, [2], "rules[0].answered must have one count per class; got 1."),
            (1, [30, 10, 0], "rules[1].answered must have one count per class; got 3."),
            (1, [30, -1], "rules[1].answered[1] must be a whole number between 0 and"),
            (1, [30, 1.5], "rules[1].answered[1] must be a whole number between 0 and"),
            (1, [30, True], "rules[1].answered[1] must be a whole number between 0 and"),
            (1, "many", "rules[1].answered must be a list; got 'many'."),
            (1, None, "rules[1].answered must be a list; got None."),
            (1, [31, 9], "a rule answers samples that it does not cover."),
            (1, [30, 9], "the rules must answer n_samples samples together."),
        ],
    )
    def test_with_impossible_counts_is_rejected(self, rule, answered, problem):
        document = copy.deepcopy(handmade(answered=COUNTS).to_dict())
        document["rules"][rule]["answered"] = answered
        with pytest.raises(RuleSetFormatError, match=re.escape(problem)):
            rulekit.RuleSet.from_dict(document)

    @pytest.mark.parametrize("lacking", [0, 1, 2])
    def test_of_which_one_rule_lacks_them_is_rejected(self, lacking):
        document = handmade(answered=COUNTS).to_dict()
        del document["rules"][lacking]["answered"]
        with pytest.raises(RuleSetFormatError, match="must have 'answered' if and only if the first rule has it"):
            rulekit.RuleSet.from_dict(document)


@pytest.fixture(scope="module")
def ensembles(cancer):
    """Two forests whose rules, as the loop leaves them, include some that answer nothing; and boosted trees."""
    shapes = ((8, 4, 0), (15, 3, 2))
    forests = [RandomForestClassifier(n, max_depth=d, random_state=s).fit(*cancer) for n, d, s in shapes]
    for forest in forests:
        loop = rulekit.build("rcprob", forest).fit(*cancer).ruleset_
        assert not all(sum(row) for row in one_by_one(loop, *cancer))
    return [*forests, GradientBoostingClassifier(n_estimators=6, random_state=0).fit(*cancer)]


class TestLists:
    """`rclist` has no rule that answers no training sample, and so none inside an earlier one."""

    @pytest.mark.parametrize("small_below", [0, 10**6])
    @pytest.mark.parametrize(
        "limits",
        [{}, {"max_rules": 3}, {"max_seconds": 1e-9}, {"max_candidates": 5}, {"max_memory": "600kB"}],
        ids=["none", "rules", "seconds", "candidates", "memory"],
    )
    @pytest.mark.filterwarnings("ignore::rulekit.core.errors.BudgetWarning")
    def test_have_no_dead_rules_whatever_ends_the_search(self, cancer, ensembles, limits, small_below):
        for ensemble in ensembles:
            model = rulekit.build("rclist", ensemble, refine__small_below=small_below, **limits).fit(*cancer)
            counts = one_by_one(model.ruleset_, *cancer)
            assert all(sum(row) for row in counts[:-1])
            assert all(rule.inside is None for rule in model.ruleset_)

    def test_other_presets_keep_theirs_marked(self, cancer, ensembles):
        ruleset = rulekit.build("rcprob", ensembles[0]).fit(*cancer).ruleset_
        dead = [not sum(row) for row in one_by_one(ruleset, *cancer)]
        assert [rule.n_answered == 0 for rule in ruleset] == dead
        assert ruleset.to_text().count("  none  ") == dead.count(True) > 0


def test_explanations_of_a_rule_that_answered_nothing_say_so():
    assert "It answers none of the training samples" in str(handmade(answered=SOME).explain(SECOND))
    assert "interval" not in str(handmade(answered=SOME).explain(SECOND))
    assert "answers none and covers 40" in str(handmade(answered=SOME).explain(BOTH))


class TestRulesAgainstTheirRegion:
    """Rules of few samples that answer another class than most of what they cover read like mistakes."""

    def test_one_is_explained(self):
        ruleset = attrs.evolve(
            handmade(answered=[[0, 30], [3, 1], [30, 4]]), counts=np.array([[2, 30], [3, 10], [6, 2]])
        )
        sentence = "Rule 2 covers more samples of another class than of its own, but answers fewer: "
        assert f"{sentence}earlier rules answer the others." in ruleset.to_text()
        assert sentence in ruleset.to_markdown()

    def test_several_are_named(self):
        counts = np.array([[40, 30], [3, 10], [6, 2]])
        ruleset = attrs.evolve(handmade(answered=[[0, 30], [3, 1], [30, 4]]), counts=counts)
        assert "Rules 1 and 2 cover more samples of another class than of their own" in ruleset.to_text()

    @pytest.mark.parametrize("answered", [[[2, 30], [3, 3], [6, 2]], [[2, 30], [2, 3], [6, 2]]])
    def test_rules_without_a_majority_of_their_own_are_not_excused(self, answered):
        ruleset = attrs.evolve(handmade(answered=answered), counts=np.array([[2, 30], [3, 10], [6, 2]]))
        assert "another class" not in ruleset.to_text()
