"""Groups, cells and their keys: a key changes with what a result depends on, and with nothing else."""

import importlib
import re

import attrs
import pandas as pd
import pytest
from sklearn.model_selection import RepeatedStratifiedKFold
from study.made_up import small_study, write_tables

import rulekit
from rulekit.plugin.manager import plugins
from rulekit.study import CrossValidation, Ensemble, Selection, Source, Variant
from rulekit.study.data import load_datasets
from rulekit.study.errors import StudyDefinitionError
from rulekit.study.plan import Group, Split, plan

SHY = """
from rulekit.core.interfaces import ProbabilityEstimator


class Shy(ProbabilityEstimator):
    def estimate(self, rules):
        return {predicted}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_tables(tmp_path_factory.mktemp("tables"))


@pytest.fixture
def keys(folder):
    """Keys by what tables call the cells, of the small study with some changes."""

    def of(tables=folder, **changes):
        study = small_study(tables, **changes)
        return {tuple(cell.labels.values()): cell.key for cell in plan(study, load_datasets(study))}

    return of


def changed(before, after):
    """Ensembles and variants of which a key has changed."""
    return {name[1:3] for name in before if name in after and before[name] != after[name]}


class TestCells:
    def test_are_those_of_each_dataset_ensemble_variant_and_fold(self, keys):
        names = list(keys())
        assert len(names) == 2 * 2 * 4 * 2
        assert names[:4] == [("one", "rf", variant, 1, 1) for variant in ("ensemble", "rcprob", "rc+", "dt")]

    def test_of_a_variant_with_its_own_ensemble_are_the_same_for_all_ensembles(self, keys):
        found = keys()
        assert found["one", "rf", "dt", 1, 1] == found["one", "gbm", "dt", 1, 1]
        assert len(set(found.values())) == 28

    def test_share_a_seed_within_a_group(self, folder):
        study = small_study(folder)
        first = plan(study, load_datasets(study))[:3]
        assert len({cell.seed for cell in first}) == 1


class TestKeys:
    @pytest.mark.parametrize(
        "changes",
        [
            {"name": "other"},
            {"datasets": ["two", "one"]},
            {"datasets": ["one"]},
            {"outer": CrossValidation(2, repeats=2)},
            {"variants": [Variant("rc+")]},
            {"ensembles": [Ensemble("gbm", parameters={"n_estimators": 3})]},
        ],
        ids=["name", "order", "other datasets", "repeats", "other variants", "other ensembles"],
    )
    def test_do_not_change_with(self, keys, changes):
        assert changed(keys(), keys(**changes)) == set()

    @pytest.mark.parametrize("changes", [{"seed": 8}, {"outer": CrossValidation(3)}], ids=["seed", "outer splits"])
    def test_all_change_with(self, keys, changes):
        assert len(changed(keys(), keys(**changes))) == 8

    def test_change_with_the_grid_of_a_variant_for_that_variant_alone(self, keys):
        variants = [Variant("rcprob", grid={"min_precision": [0.5, 0.8]}), Variant("rc+")]
        assert changed(keys(), keys(variants=variants)) == {("rf", "rcprob"), ("gbm", "rcprob")}

    def test_change_with_the_order_of_a_grid_because_it_decides_between_equals(self, keys):
        variants = [Variant("rcprob", grid={"min_precision": [0.75, 0.5]}), Variant("rc+")]
        assert changed(keys(), keys(variants=variants)) == {("rf", "rcprob"), ("gbm", "rcprob")}

    def test_change_with_the_parameters_of_an_ensemble_for_what_comes_from_it(self, keys):
        ensembles = [Ensemble("gbm", parameters={"n_estimators": 4})]
        expected = {("gbm", "ensemble"), ("gbm", "rcprob"), ("gbm", "rc+")}
        assert changed(keys(), keys(ensembles=ensembles)) == expected

    def test_change_with_the_inner_splits_where_there_is_something_to_choose(self, keys):
        found = changed(keys(), keys(inner=CrossValidation(3)))
        assert found == {
            *(("rf", name) for name in ("ensemble", "rcprob", "rc+", "dt")),
            *(("gbm", name) for name in ("rcprob", "dt")),
        }

    def test_change_with_the_score_of_variants_where_these_have_something_to_choose(self, keys):
        found = changed(keys(), keys(selection=Selection(variant="log_loss")))
        assert found == {(ensemble, name) for ensemble in ("rf", "gbm") for name in ("rcprob", "dt")}

    def test_change_with_the_data(self, keys, folder, tmp_path):
        write_tables(tmp_path)
        table = pd.read_csv(tmp_path / "one.csv")
        table.loc[0, "a"] += 1
        table.to_csv(tmp_path / "one.csv", index=False)
        before, after = keys(), keys(tmp_path)
        assert {name[0] for name in before if before[name] != after[name]} == {"one"}

    def test_do_not_change_with_what_tables_call_a_variant_or_an_ensemble(self, keys):
        ensembles = [Ensemble("forest", "rf", grid={"n_estimators": [2, 4], "max_depth": [2]})]
        found = keys(ensembles=ensembles, variants=[Variant("plus", "rc+")])
        assert found["one", "forest", "plus", 1, 1] == keys()["one", "rf", "rc+", 1, 1]

    def test_change_with_the_code_of_a_part_that_rulekit_does_not_ship(self, keys, tmp_path, monkeypatch):
        monkeypatch.syspath_prepend(tmp_path)
        found = []
        try:
            for predicted in ("rules.priors", "1 - rules.priors"):
                # A module of another name each time: Python would take the first from its cache.
                module = f"shy_{len(found)}"
                (tmp_path / f"{module}.py").write_text(SHY.format(predicted=predicted))
                made = importlib.import_module(module).Shy
                rulekit.register("probability", "shy", made, replace=True)
                found.append(keys(variants=[Variant("shy", "rcprob", {"final_estimator": "shy"}), Variant("rc+")]))
        finally:
            plugins.cache_clear()
        assert changed(*found) == {("rf", "shy"), ("gbm", "shy")}

    def test_are_those_of_an_instance_s_class_and_parameters(self, keys):
        from rulekit.probability.m_estimate import MEstimate

        found = [keys(variants=[Variant("m", "rcprob", {"final_estimator": MEstimate(m)})]) for m in (2.0, 2.0, 3.0)]
        assert found[0] == found[1]
        assert len(changed(found[0], found[2])) == 2


class TestSeeds:
    """Neither an upgrade nor edited code may change the random numbers, nor may another version of rulekit."""

    split = Split("data", "print", 5, 2, 3, 42)

    def test_are_those_of_earlier_versions(self):
        group = Group(self.split, Ensemble("rf", grid={"n_estimators": [50, 100]}), 3, "accuracy")
        assert (group.seed, self.split.seed_of_folds) == (10601009, 196516404)

    def test_do_not_depend_on_code_and_versions(self):
        groups = [Group(self.split, Ensemble("rf"), 3, "accuracy", {"numpy": number}) for number in ("2.0", "2.1")]
        assert groups[0].seed == groups[1].seed
        assert groups[0].key != groups[1].key


class TestSplits:
    def test_are_those_of_repeated_stratified_folds(self, folder):
        study = small_study(folder, outer=CrossValidation(3, repeats=2))
        samples = load_datasets(study)
        subset = samples["one"].subset
        expected = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=7).split(subset.X, subset.y)
        splits = list(
            dict.fromkeys(cell.group.split for cell in plan(study, samples) if cell.labels["dataset"] == "one")
        )
        found = [split.outer(subset) for split in splits]
        assert [fold.test.X.index.tolist() for fold in found] == [test.tolist() for _, test in expected]

    def test_have_inner_folds_that_cover_the_training_part(self, folder):
        study = small_study(folder)
        samples = load_datasets(study)
        split = plan(study, samples)[0].group.split
        train = split.outer(samples["one"].subset).train
        held_out = [row for fold in split.inner(train, 3) for row in fold.test.X.index]
        assert sorted(held_out) == sorted(train.X.index)


class TestSamples:
    def test_have_labels_and_their_positions(self, folder):
        samples = load_datasets(small_study(folder))["two"]
        assert samples.labels.tolist() == ["no", "so", "yes"]
        assert sorted(set(samples.subset.y.tolist())) == [0, 1, 2]

    def test_turn_texts_into_categories_before_anything_is_split(self, tmp_path):
        table = pd.DataFrame({"a": range(8), "b": list("xyxyxyxz"), "target": [0, 1] * 4})
        table.to_csv(tmp_path / "own.csv", index=False)
        study = attrs.evolve(small_study(tmp_path), datasets=["own.csv"], folder=None, base=tmp_path)
        X = load_datasets(study)["own"].subset.X
        assert [str(dtype) for dtype in X.dtypes] == ["float64", "category"]
        assert X["b"].cat.categories.tolist() == ["x", "y", "z"]

    def test_take_the_target_and_the_name_that_a_source_gives(self, folder):
        source = Source(str(folder / "one.csv"), target="a", name="others")
        samples = load_datasets(small_study(folder, datasets=[source], outer=CrossValidation(2)))
        assert (list(samples), samples["others"].subset.X.columns.tolist()) == (["others"], ["b", "c", "target"])

    def test_of_one_name_are_rejected(self, folder):
        with pytest.raises(StudyDefinitionError, match=r"Two datasets are called 'one'. Rename one: \{ spec = 'one', "):
            load_datasets(small_study(folder, datasets=["one", "one"]))

    def test_with_a_class_too_small_to_be_split_are_rejected(self, tmp_path):
        pd.DataFrame({"a": range(9), "target": [0, 1, 0, 1, 0, 1, 0, 1, 2]}).to_csv(tmp_path / "own.csv", index=False)
        with pytest.raises(StudyDefinitionError, match="'own' has only 1 samples of class 2: with 2 outer and 2 inner"):
            load_datasets(small_study(tmp_path, datasets=["own"]))

    def test_of_one_class_are_rejected(self, tmp_path):
        pd.DataFrame({"a": range(9), "target": [1] * 9}).to_csv(tmp_path / "own.csv", index=False)
        with pytest.raises(StudyDefinitionError, match="'own' has only one class, 1"):
            load_datasets(small_study(tmp_path, datasets=["own"]))

    @pytest.mark.parametrize(
        ("splits", "message"),
        [
            ({"outer": CrossValidation(100_000)}, "for 100000 splits: its classes allow at most [outer] splits = 5."),
            ({"outer": CrossValidation(6)}, "for 6 splits: its classes allow at most [outer] splits = 5."),
            ({"inner": CrossValidation(3)}, "for 3 splits: its classes allow at most [inner] splits = 2."),
        ],
    )
    def test_with_fewer_samples_than_splits_are_rejected(self, tmp_path, splits, message):
        """Every cell failed, one by one."""
        pd.DataFrame({"a": range(9), "target": [0, 1, 0, 1, 0, 1, 0, 1, 1]}).to_csv(tmp_path / "own.csv", index=False)
        with pytest.raises(StudyDefinitionError, match=re.escape(message)):
            load_datasets(small_study(tmp_path, datasets=["own"], **splits))
        assert load_datasets(small_study(tmp_path, datasets=["own"], outer=CrossValidation(5)))
