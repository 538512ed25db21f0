"""The benchmark: a study of any methods at equal sizes, and its table."""

import json
import math

import attrs
import numpy as np
import pandas as pd
import pytest
from cli.terminal import run
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

import rulekit
from rulekit.core.errors import InvalidParameterError
from rulekit.model import find_adapter
from rulekit.plugin.manager import plugins
from rulekit.study import Store
from rulekit.study.benchmark import benchmark_frame, benchmark_study, benchmark_table, definition, differences
from rulekit.study.benchmark.forests import committed_forests, forest_hash, forests_of, versions
from rulekit.study.parts import make_variant

OWN_METHOD = """
from rulekit.trees.methods import PlainTree
import rulekit


@rulekit.register("method", "three-leaves")
class ThreeLeaves(PlainTree):
    '''A tree of three leaves.'''

    def __init__(self, ensemble=None, *, max_leaves=3, max_depth=None, ccp_alpha=0.0, final_estimator="laplace",
                 adapter=None, n_jobs=None, random_state=None):
        super().__init__(ensemble, max_leaves=max_leaves, max_depth=max_depth, ccp_alpha=ccp_alpha,
                         final_estimator=final_estimator, adapter=adapter, n_jobs=n_jobs, random_state=random_state)

    @classmethod
    def size_parameters(cls, n_rules):
        return None
"""


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """One small dataset, one ensemble of two trees."""
    monkeypatch.setattr(definition, "BUNDLED", ("iris",))
    monkeypatch.setattr(definition, "ENSEMBLES", {"rf": {"n_estimators": 2, "max_depth": 2}})
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    plugins.cache_clear()


class TestStudy:
    def test_has_each_method_at_every_size_or_at_its_own(self):
        study = benchmark_study(["rcprob", "tree", "intrees", "defragtrees"])
        sizes = {variant.name: variant.parameters for variant in study.variants}
        assert sizes == {
            **{f"rcprob {size}": {"max_rules": size - 1} for size in (8, 16, 32)},
            **{f"tree {size}": {"max_leaves": size} for size in (8, 16, 32)},
            "intrees": {},
            **{f"defragtrees {size}": {"max_rules": size - 1} for size in (8, 16, 32)},
        }

    @pytest.mark.filterwarnings("ignore:max_rules=7")
    @pytest.mark.parametrize("method", [component.name for component in rulekit.list_components("method")])
    def test_limits_the_rules_to_the_size(self, method):
        X, y = load_iris(return_X_y=True)
        ensemble = RandomForestClassifier(20, max_depth=4, random_state=0).fit(X, y)
        for variant in benchmark_study([method]).variants[:1]:
            needs = getattr(rulekit.build(method), "needs_ensemble", True)
            model = make_variant(variant, {}, ensemble if needs else None, 0).fit(X, y)
            assert variant.factors["rules"] in ("8", "own")
            assert variant.factors["rules"] == "own" or len(model.ruleset_) <= 8

    def test_has_the_datasets_of_a_folder_that_it_knows(self, tmp_path):
        for name in ("pima", "vehicle", "unknown"):
            (tmp_path / f"{name}.csv").write_text("a,target\n1,0\n")
        specs = [source.spec for source in benchmark_study(["tree"], tmp_path).datasets]
        assert specs == ["sklearn:breast-cancer", "sklearn:iris", "sklearn:wine", "pima", "vehicle"]

    def test_needs_a_method(self):
        with pytest.raises(InvalidParameterError, match="at least one method"):
            benchmark_study([])


def cell(dataset, variant, fold, log_loss, seconds, *, status="done", n_rules=5.0, macro_f1=0.5):
    method, _, size = variant.partition(" ")
    levels = (None, None) if variant == "ensemble" else (method, size or "own")
    values = {"log_loss": log_loss, "seconds": seconds, "n_rules": n_rules, "macro_f1": macro_f1}
    return {
        **{"dataset": dataset, "ensemble": "rf", "variant": variant, "repeat": 1, "fold": fold, "status": status},
        **values,
        **{"fidelity": math.nan, "n_conditions": 9.0, "factor_method": levels[0], "factor_rules": levels[1]},
    }


#: Two folds of three datasets. Mean log-losses of the ensemble: 0.2, 0.4, 0.5.
CELLS = [
    *(cell("a", "ensemble", fold, loss, 2.0) for fold, loss in ((1, 0.1), (2, 0.3))),
    *(cell("b", "ensemble", fold, 0.4, 1.0) for fold in (1, 2)),
    *(cell("c", "ensemble", fold, 0.5, 1.0) for fold in (1, 2)),
    # 0.3 / 0.2, 0.8 / 0.4, 0.5 / 0.5: the median of 1.5, 2 and 1 is 1.5. Times: 4 / 4, 1 / 2, 6 / 2.
    *(cell("a", "m 16", fold, loss, 2.0, n_rules=4.0) for fold, loss in ((1, 0.2), (2, 0.4))),
    *(cell("b", "m 16", fold, 0.8, 0.5, n_rules=8.0) for fold in (1, 2)),
    *(cell("c", "m 16", fold, 0.5, 3.0, macro_f1=0.8) for fold in (1, 2)),
    # b lacks a fold, c failed in one: only a is left.
    *(cell("a", "own", fold, 0.6, 1.0) for fold in (1, 2)),
    cell("b", "own", 1, 0.4, 1.0),
    cell("c", "own", 1, 0.4, 1.0),
    cell("c", "own", 2, math.nan, math.nan, status="failed"),
]


@pytest.fixture(scope="module")
def rulesets():
    """Rules that answer one after the other: of three that say something one is outside; and rules that vote."""
    X, y = load_iris(return_X_y=True)
    rules = rulekit.build("tree", max_leaves=3).fit(X, y).ruleset_.to_dict()
    votes = rulekit.build("rcprob", inference="aggregate", random_state=0).fit(X, y).ruleset_.to_dict()
    ten = {"n_fired": 10, "held_out_precision": 1.0}
    key = {"dataset": "a", "ensemble": "rf", "repeat": 1}
    return [
        ({**key, "variant": "m 16", "fold": 1}, rules, [{"probability": 0.9, **ten}, {"probability": 0.6, **ten}], {}),
        ({**key, "variant": "m 16", "fold": 2}, rules, [{"probability": 0.8, **ten}], {}),
        ({**key, "variant": "own", "fold": 1}, votes, [{"probability": 0.6, **ten}], {}),
    ]


@pytest.fixture(scope="module")
def frame(rulesets):
    return benchmark_frame(pd.DataFrame(CELLS), rulesets)


class TestTable:
    def test_has_the_figures_computed_by_hand(self, frame):
        sized = frame.set_index("method").loc["m"]
        assert sized["log_loss"] == pytest.approx(1.5)
        assert sized["time"] == pytest.approx(1.0)
        assert sized["n_rules"] == pytest.approx((4 + 8 + 5) / 3)
        assert sized["macro_f1"] == pytest.approx(0.6)
        assert sized["outside"] == pytest.approx(1 / 3)
        assert (sized["rules"], sized["n_datasets"], sized["n_left_out"]) == ("16", 3, 0)

    def test_leaves_out_datasets_without_all_folds(self, frame):
        own = frame.set_index("method").loc["own"]
        assert own["log_loss"] == pytest.approx(3.0)
        assert (own["rules"], own["n_datasets"], own["n_left_out"]) == ("own", 1, 2)

    def test_says_nothing_of_the_probabilities_of_rules_that_answer_together(self, frame):
        assert np.isnan(frame.set_index("method").loc["own", "outside"])

    def test_shows_one_row_for_each_method_the_best_first(self, frame):
        table = benchmark_table(frame, "rf")
        assert table.rows == [
            ["m", "-", "1.50", "-", "-", "5.7", "33 %", "0.600", "-", "9", "1.00"],
            ["own", "-", "-", "-", "3.00", "5.0", "-", "0.500", "-", "9", "0.50"],
        ]
        assert table.notes[1:] == ["Without 2 datasets, because a fit failed or is missing: own."]


@pytest.fixture(scope="module")
def forest():
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(2, max_depth=2, random_state=0).fit(X, y)
    return find_adapter(model).forest(model)


class TestForests:
    def test_have_the_same_hash_only_if_all_numbers_are_the_same(self, forest):
        tree = forest.rounds[0][0]
        for name in ("thresholds", "values", "left"):
            array = getattr(tree, name).copy()
            array[0] += 1
            changed = attrs.evolve(forest, rounds=((attrs.evolve(tree, **{name: array}),), *forest.rounds[1:]))
            assert forest_hash(changed) != forest_hash(forest)
        assert forest_hash(attrs.evolve(forest)) == forest_hash(forest)

    def test_of_a_study_are_those_that_its_first_fold_trains(self, tiny):
        study = benchmark_study(["tree"])
        first, second = forests_of(study), forests_of(study)
        assert first == second
        assert first["versions"] == versions()
        other = forests_of(attrs.evolve(study, seed=1))["forests"]["iris"]
        assert other["data"] == first["forests"]["iris"]["data"]
        assert other["rf"] != first["forests"]["iris"]["rf"]

    def test_that_are_committed_are_of_all_datasets_and_ensembles(self):
        committed = committed_forests()
        assert set(committed["forests"]) == {*definition.BUNDLED, *definition.FROM_FOLDER}
        assert {tuple(hashes) for hashes in committed["forests"].values()} == {("data", *definition.ENSEMBLES)}
        assert committed["versions"].keys() == versions().keys()

    def test_that_differ_are_told_with_the_versions(self):
        made = {"versions": {"numpy": "1", "scikit-learn": "2"}, "forests": {"a": {"data": "x", "rf": "y"}}}
        assert differences(made, made) == []
        other = {"versions": {"numpy": "1", "scikit-learn": "3"}, "forests": {"a": {"data": "x", "rf": "z"}}}
        assert differences(other, made) == [
            "Other trees than in the committed benchmark (scikit-learn 3 instead of 2): rf on a."
        ]
        other = {"versions": made["versions"], "forests": {"a": {"data": "?", "rf": "z"}, "b": {"data": "x"}}}
        assert differences(other, made) == [
            "Not in the committed benchmark: b.",
            "Other data than in the committed benchmark: a.",
        ]


class TestCommand:
    def test_prints_a_row_for_each_method_and_adds_another_without_running_the_first_again(self, tiny):
        (tiny / "own.py").write_text(OWN_METHOD)
        first = run("benchmark", "tree", "--jobs", 1, RULEKIT_DATA="")
        assert first.exit_code == 0, first.stderr
        assert [line.split()[0] for line in first.stdout.splitlines()[3:4]] == ["tree"]
        assert "12 cells; 1 at a time" in first.stderr
        options = ("--module", "own.py", "--out", "table.md", "--forests", "forests.json")
        second = run("benchmark", "tree", "three-leaves", "--jobs", 1, *options, RULEKIT_DATA="")
        assert second.exit_code == 0, second.stderr
        assert "15 cells, 12 of them already done" in second.stderr
        rows = {line.split()[0]: line.split() for line in second.stdout.splitlines()[3:5]}
        assert rows.keys() == {"tree", "three-leaves"}
        assert rows["three-leaves"][1:4] == ["-", "-", "-"]
        assert rows["tree"][4] == "-"
        assert float(rows["three-leaves"][5]) == 3.0
        assert len(Store(tiny / "benchmark.sqlite").results()) == 15
        assert "| three-leaves | - | - | - |" in (tiny / "table.md").read_text()
        assert json.loads((tiny / "forests.json").read_text())["versions"] == versions()

    def test_says_that_other_ensembles_are_not_those_of_the_committed_table(self, tiny):
        shown = run("benchmark", "tree", "--jobs", 1, RULEKIT_DATA="").stderr
        assert "Other trees than in the committed benchmark: rf on iris." in shown
        assert "not with the committed ones" in shown

    def test_names_a_method_that_is_near_an_unknown_one(self, tiny):
        result = run("benchmark", "rclst", RULEKIT_DATA="")
        assert result.exit_code == 2
        assert "rclst" in result.stderr
        assert "rclist" in result.stderr
