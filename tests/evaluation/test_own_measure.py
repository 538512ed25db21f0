"""A measure that is registered in code appears wherever measures do, without being listed anywhere."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli.terminal import QUICK, iris_table, run, text
from sklearn.ensemble import RandomForestClassifier
from study.made_up import small_study, write_tables

import rulekit
from rulekit.core.errors import ComponentTypeError
from rulekit.core.interfaces import Measure
from rulekit.evaluation import evaluate
from rulekit.plugin.manager import plugins
from rulekit.study import Selection, Store, Variant, run_study
from rulekit.study.errors import StudyDefinitionError
from rulekit.study.report import write_report


class Doubt(Measure):
    """Mean probability of all classes but the predicted one."""

    heading, meaning = "Doubt [%]", "how much <probability> is left to other classes"
    decimals, is_higher_better = 1, False

    def measure(self, evaluated):
        return float(100 * (1 - evaluated.probabilities.max(axis=1)).mean())


class Size(Measure):
    """Samples that are measured on, of which neither few nor many are good."""

    heading, meaning, is_higher_better, is_headline = "Samples", "measured on", None, False

    def measure(self, evaluated):
        return float(len(evaluated.y))


def register() -> None:
    rulekit.register("measure", "doubt", Doubt)
    rulekit.register("measure", "size", Size)


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    register()
    yield
    plugins.cache_clear()


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return iris_table()


@pytest.fixture(scope="module")
def model(table):
    forest = RandomForestClassifier(3, max_depth=2, random_state=0)
    return rulekit.build("rcprob", forest).fit(table.drop(columns="species"), table["species"])


@pytest.fixture(scope="module")
def expected(model, table) -> float:
    return 100 * (1 - np.max(model.predict_proba(table.drop(columns="species")), axis=1)).mean()


def test_is_computed_by_evaluate_after_the_built_in_ones(model, table, expected):
    found = evaluate(model, table.drop(columns="species"), table["species"])
    assert list(found)[-2:] == ["doubt", "size"]
    assert found["doubt"] == pytest.approx(expected)


def test_is_in_the_table_of_extract(table, tmp_path):
    data = tmp_path / "iris.csv"
    table.to_csv(data, index=False)
    shown = text(run("extract", data, "--target", "species", *QUICK).stdout)
    row = r"Doubt \[%\]( \d+\.\d){4} how much <probability> is left to other classes; lower is better"
    assert len(re.findall(row, shown)) == 1
    assert "Samples 23.000 23.000 23.000 23.000 measured on Training seconds" in shown


def test_is_in_the_comparison_of_the_demo_unless_it_is_no_headline():
    shown = text(run("demo", "--dataset", "iris").stdout)
    heading = shown[shown.index("On the 45 held-out samples") :].partition("random forest")[0]
    assert "Doubt" in heading
    assert "Samples" not in heading


def test_is_on_the_report_page(model, table, expected, tmp_path):
    page = tmp_path / "report.html"
    model.ruleset_.report(page, table.drop(columns="species"), table["species"])
    row = f'<th scope="row">Doubt [%]</th><td class="n">{expected:.1f}</td>'
    assert f'{row}<td class="quiet">how much &lt;probability&gt; is left' in page.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp("own measure")
    study = small_study(
        write_tables(folder),
        datasets=["one"],
        variants=[Variant("rcprob", grid={"min_precision": [0.5, 0.75]}), Variant("rc+")],
        selection=Selection(ensemble="doubt", variant="doubt"),
        measures=["log_loss", "doubt"],
    )
    summary = run_study(study, folder / "own.sqlite", n_jobs=1)
    assert summary.n_failed == 0
    return Store(folder / "own.sqlite")


class TestStudy:
    def test_has_it_among_the_results(self, store):
        results = store.results()
        for (_, _, probabilities), value in zip(store.predictions(), results["doubt"], strict=True):
            assert value == pytest.approx(100 * (1 - probabilities.max(axis=1)).mean())
        assert (results["size"] == results["n_test"]).all()

    def test_compares_by_it_if_the_study_says_so(self, store):
        shown = run("study", "compare", "rcprob", "rc+", "--store", store.path, "--ensemble", "rf").stdout
        assert re.findall(r"^(\S.*?) [↑↓]", shown, re.MULTILINE) == ["Log-loss", "Doubt [%]"]

    def test_compares_by_what_the_command_names(self, store):
        names = ("--measures", "doubt,brier", "--measures", "roc_auc")
        shown = run("study", "compare", "rcprob", "rc+", "--store", store.path, "--ensemble", "rf", *names).stdout
        assert re.findall(r"^(\S.*?) [↑↓]", shown, re.MULTILINE) == ["Log-loss", "Doubt [%]", "Brier score", "ROC AUC"]

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("dout", "No measure named 'dout'. Did you mean 'doubt'?"),
            ("size", "Variants cannot be compared by the measure 'size': it has no direction."),
            ("late", "The results have no value of the measure 'late'. Choose other --measures."),
        ],
    )
    def test_a_measure_that_cannot_be_compared_is_an_error(self, name, message, store):
        rulekit.register("measure", "late", Doubt)
        result = run("study", "compare", "rcprob", "rc+", "--store", store.path, "--measures", name)
        assert (result.exit_code, result.stdout) == (2, "")
        assert message in text(result.stderr)

    def test_reports_it_in_the_tables_that_its_attributes_ask_for(self, store, tmp_path):
        report = write_report(
            store.results(), store.rulesets(), store.predictions(), tmp_path, measures=["log_loss", "doubt"], formats=()
        )
        assert re.search(r"^\| Variant \|.* Doubt \[%\] ↓ \| Samples \|$", report.read_text(), re.MULTILINE)
        assert (tmp_path / "tables" / "by-dataset-doubt-rf.csv").exists()
        assert not (tmp_path / "tables" / "by-dataset-size-rf.csv").exists()

    def test_can_be_read_where_it_is_not_registered(self, store):
        plugins.cache_clear()
        try:
            assert not {"doubt", "size"} & set(store.results())
        finally:
            register()

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"measures": ["size"]}, r"measures: variants cannot be compared by 'size'\..* Known: .*doubt"),
            ({"measures": ["dout"]}, r"variants cannot be compared by 'dout'\. Did you mean 'doubt'\?"),
            ({"measures": []}, r"measures must be a list of names"),
            ({"measures": "doubt"}, r"measures must be a list of names, got 'doubt'"),
            ({"measures": ["doubt", "doubt"]}, r"Two measures are called 'doubt'"),
        ],
    )
    def test_says_what_it_cannot_compare_by(self, changes, message, tmp_path):
        with pytest.raises(StudyDefinitionError, match=message):
            small_study(tmp_path, **changes)

    @pytest.mark.parametrize("field", ["ensemble", "variant"])
    def test_chooses_by_nothing_without_a_direction(self, field):
        with pytest.raises(StudyDefinitionError, match=rf"{field}: unknown score 'size'"):
            Selection(**{field: "size"})

    def test_results_depend_on_the_code_of_measures_that_do_not_come_with_rulekit(self):
        from rulekit.study.code import Code
        from rulekit.study.code.packages import home

        assert f"code of {home(Doubt.__module__)}" in Code().of_every_cell()


def test_without_a_heading_cannot_be_registered():
    class Nameless(Measure):
        meaning, is_higher_better = "nobody knows", True

        def measure(self, evaluated):
            return 0.0

    message = r"'nameless' from code in .* lacks heading, which its interface requires"
    with pytest.raises(ComponentTypeError, match=message):
        rulekit.register("measure", "nameless", Nameless)


def test_what_is_stored_of_a_study_names_its_measures(tmp_path: Path):
    study = small_study(tmp_path, measures=["doubt"])
    assert study.to_dict()["measures"] == ["doubt"]
    assert type(study).from_dict(study.to_dict()).measures == ("doubt",)
