"""Each benchmark on next to nothing: what it yields, not how fast it is."""

import attrs
import numpy as np
import pandas as pd
import pytest

import rulekit
from benchmarks import extraction, forests, samples_in_files
from benchmarks.extraction import Extraction
from benchmarks.forests import Size, stored_forest
from benchmarks.isolation import TimeLimitError
from benchmarks.runs import (
    BENCHMARKS,
    QUICK,
    beyond,
    blocks,
    categories,
    compilation,
    deep,
    growth,
    importing,
    large,
    late,
    methods,
    predict,
    swap,
    training,
    units,
    walk,
    warehouse,
)
from benchmarks.runs.growth import Axis
from rulekit.plugin.manager import plugins


@pytest.fixture(autouse=True)
def few_samples(monkeypatch):
    monkeypatch.setattr(forests, "MOST_SAMPLES", 3000)


def test_the_quick_ones_are_benchmarks():
    assert set(QUICK) <= set(BENCHMARKS)


def test_training_yields_each_method_and_the_median(tiny_settings):
    rows = list(training.run(tiny_settings))
    cases = {f"tiny {ensemble} {method}" for ensemble in ("RF", "GBM") for method in ("rc+", "rcprob")}
    assert {row.case for row in rows if row.measure == "extraction / training"} == cases
    assert [row.case for row in rows if row.measure == "rcprob / rc+"] == ["median of 2 cases"]
    assert all(row.value > 0 and row.limit is None for row in rows)


def test_swap_yields_each_method(tiny_settings):
    rows = list(swap.run(tiny_settings))
    assert len(rows) == 4
    assert all(row.measure == "plain / built-in" and row.limit == 2.5 for row in rows)


def test_methods_holds_the_others_against_rcprob(tiny_settings, monkeypatch):
    monkeypatch.setenv("RULEKIT_PLUGINS", "")  # those that are installed may be slow
    plugins.cache_clear()
    rulekit.register("method", "brought", rulekit.Preset("RCProb by another name.", {}, base="rcprob"))
    try:
        rows = list(methods.run(tiny_settings))
    finally:
        plugins.cache_clear()
    assert {row.case for row in rows} == {
        f"tiny {ensemble} {method}" for ensemble in ("RF", "GBM") for method in ("brought", "distilled-tree", "rclist")
    }
    assert all(row.measure == "method / rcprob" and row.limit == 10 and row.value > 0 for row in rows)


def test_warehouse_compares_the_same_samples_and_has_no_limit_for_fewer(tiny_settings):
    (row,) = warehouse.run(tiny_settings, block=2000, n_blocks=2, trained_on=1000)
    assert "4,000 samples, 100 trees" in row.case
    assert row.value > 0
    assert row.limit is None


def test_predict_says_how_many_rules_there_were(tiny_settings):
    (row,) = predict.run(tiny_settings, n_samples=1000, trained_on=Size(500, n_trees=10, depth=4))
    assert " rules, 1,000 samples, 10 trees of depth 4" in row.case
    assert (row.value > 0, row.limit) == (True, None)


def test_large_yields_time_and_memory_and_says_when_training_was_cached(tiny_settings, monkeypatch):
    size = Size(1000, n_trees=5, depth=3)
    stored_forest(tiny_settings.cache, size)
    monkeypatch.setattr(large, "extraction", extraction._measure)
    rows = list(large.run(tiny_settings, size))
    assert [row.measure for row in rows] == ["extraction / CPU of training", "peak memory", "peak RSS"] * 2
    assert rows[0].detail.endswith("of CPU, from the cache")


def test_categories_holds_native_columns_against_coded_ones(tiny_settings, tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue", None], 300)
    frame = pd.DataFrame({"colour": colour, "size": rng.normal(size=300), "empty": np.nan})
    frame["target"] = np.where((frame["colour"] == "red") ^ (frame["size"] > 0), "yes", "no")
    frame.to_csv(tmp_path / "bank_marketing.csv", index=False)
    monkeypatch.setattr(categories, "N_TREES", 3)
    monkeypatch.setattr(categories, "LIBRARIES", {"sklearn": categories._hist})
    *rows, absent = categories.run(attrs.evolve(tiny_settings, mixed=tmp_path))
    assert [row.case for row in rows] == ["bank_marketing sklearn rcprob", "bank_marketing sklearn rclist"]
    assert all(row.measure == "categories / numbers" and row.limit == 1.5 and row.value > 0 for row in rows)
    assert (absent.case, absent.value) == ("hypothyroid", None)
    coded, _, names = categories.table(tmp_path / "bank_marketing.csv", "sklearn", is_native=False)
    assert (names, coded.isna().sum().tolist()) == ([], [int(frame["colour"].isna().sum()), 0])


def test_late_measures_every_number_of_samples(tiny_settings):
    rows = list(late.run(tiny_settings, Size(500, n_trees=10, depth=4), (600, 1000), max_seconds=60.0))
    assert [(row.case, row.value, row.limit) for row in rows] == [
        ("600 samples, 60 s", 0.0, None),
        ("1,000 samples, 60 s", 0.0, None),
    ]
    assert all(row.detail.startswith("10 trees, ") for row in rows)


def test_blocks_yields_the_memory_of_both_ways(tiny_settings, monkeypatch):
    monkeypatch.setattr(blocks, "isolated", lambda work, *arguments: work(*arguments))
    monkeypatch.setattr(blocks, "PIECE", 300)
    rows = list(blocks.run(tiny_settings, n_samples=1000, trained_on=Size(500, n_trees=10, depth=4)))
    assert [row.case.partition(", ")[2][:6] for row in rows] == ["an arr", "a file"]
    assert all((row.benchmark, row.measure, row.limit) == ("blocks", "beside samples", None) for row in rows)
    assert all(row.value is None or row.value < 100 for row in rows)


def test_growth_fits_exponents_and_reports_what_was_stopped(tiny_settings, monkeypatch):
    def linear(task, time_limit=None):
        if not task.min_coverage:
            raise TimeLimitError("stopped after 1 s")
        return Extraction(1.0, task.size.n_samples / 1000, None, 5)

    monkeypatch.setattr(growth, "extraction", linear)
    rows = list(growth.run(tiny_settings, {"samples": Axis("n_samples", (200, 400), Size(200, n_trees=2, depth=2))}))
    exponents = {row.case: row.value for row in rows if row.measure == "exponent"}
    assert exponents == {"samples, rc+": pytest.approx(1), "samples, rcprob": pytest.approx(1)}
    assert [row.detail for row in rows if row.value is None] == ["stopped after 1 s"] * 4


def test_growth_in_classes_and_features_makes_problems_of_that_size(tiny_settings, monkeypatch):
    monkeypatch.setattr(growth, "extraction", lambda task, time_limit=None: Extraction(1.0, shape(task), None, 5))

    def shape(task):
        X, y = task.size.samples()
        return float(len(set(y.tolist())) * X.shape[1])

    small = Size(200, n_trees=2, depth=2)
    axes = {"classes": Axis("n_classes", (3, 6), small), "features": Axis("n_features", (40, 80), small)}
    rows = list(growth.run(tiny_settings, axes))
    exponents = {row.case: (row.value, row.limit) for row in rows if row.measure == "exponent"}
    assert exponents["classes, rc+"] == exponents["features, rcprob"] == (pytest.approx(1), 1.1)
    assert "200 samples of 6 classes, 2 trees of depth 2, rc+" in [row.case for row in rows]


def test_deep_measures_default_forests_on_both_tables(tiny_settings, tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"colour": rng.choice(["red", "green", None], 300), "size": rng.normal(size=300)})
    frame["target"] = np.where(frame["size"] > rng.normal(size=300), "yes", "no")
    frame.to_csv(tmp_path / "bank_marketing.csv", index=False)
    monkeypatch.setattr(deep, "isolated", lambda work, *arguments: work(*arguments))
    monkeypatch.setattr(deep, "N_TREES", 5)
    monkeypatch.setattr(deep, "MIN_COVERAGES", (0.01,))
    *rows, absent = deep.run(attrs.evolve(tiny_settings, mixed=tmp_path))
    cases = ["bank_marketing, coverage above 0.01, rc+", "bank_marketing, coverage above 0.01, rcprob"]
    assert [row.case for row in rows if row.measure == "deep / CPU of training"] == cases
    assert [row.limit for row in rows if row.measure == "peak memory"] == [400, 400]
    assert all("leaves" in row.detail and row.value > 0 for row in rows if row.measure == "deep / CPU of training")
    assert (absent.case, absent.value) == ("htru2", None)


@pytest.fixture
def in_this_process(monkeypatch):
    """Files of a few samples, read by this process."""
    for module in (beyond, units):
        monkeypatch.setattr(module, "isolated", lambda work, *arguments, environment: work(*arguments))
    monkeypatch.setattr(samples_in_files, "ROWS_PER_FILE", 300)
    for module in (beyond, units):
        monkeypatch.setattr(module, "trained_ensemble", lambda n_trees: samples_in_files.trained_ensemble(n_trees, 500))


def test_beyond_yields_time_memory_and_growth(tiny_settings, in_this_process):
    rows = list(beyond.run(tiny_settings, sizes=(400, 800), n_trees=2))
    assert [(row.case, row.measure) for row in rows] == [
        ("400 samples", "seconds"),
        ("400 samples", "private MB"),
        ("800 samples", "seconds"),
        ("800 samples", "private MB"),
        ("samples in files", "exponent"),
    ]
    assert [row.limit for row in rows] == [None, 2000, None, 2000, 1.1]
    assert all(row.value > 0 for row in rows[:4])


def test_units_yields_what_estimates_need(tiny_settings, in_this_process, monkeypatch):
    monkeypatch.setattr(units, "seconds_of_a_question", lambda: 0.002)
    rows = list(units.run(tiny_settings, n_samples=400, n_trees=2))
    assert [row.case.partition(",")[0] for row in rows] == [
        "reading and coding a value",
        "search",
        "questions for each tree",
        "bytes of a question and its answer",
        "waiting for a Dask worker",
    ]
    assert all(row.value > 0 for row in rows)


def test_import_holds_both_cases_against_the_median_of_import_sklearn(tiny_settings, monkeypatch):
    """The first turn, which reads files for the others, does not count."""
    seconds = {
        "import sklearn": iter([100.0, 2.0, 4.0, 9.0]),
        "import rulekit": iter([50.0, 1.0, 0.1, 0.2]),
        'import rulekit; rulekit.build("rcprob")': iter([70.0, 5.0, 6.0, 7.0]),
    }
    monkeypatch.setattr(importing, "seconds_in_a_fresh_process", lambda statement: next(seconds[statement]))
    rows = list(importing.run(attrs.evolve(tiny_settings, repeats=3)))
    assert [(row.case, row.value, row.limit) for row in rows] == [
        ("import rulekit", 0.2 / 4, 0.5),
        ('rulekit.build("rcprob")', 6 / 4, None),
    ]


def test_a_statement_is_timed_without_the_start_of_its_process():
    assert 0.2 < importing.seconds_in_a_fresh_process("import time; time.sleep(0.2)") < 10


def test_walk_counts_the_files_that_the_calls_of_each_step_enter(tiny_settings):
    rows = {row.case: row for row in walk.run(tiny_settings)}
    assert [*rows] == ["build", "fit", "predict_proba", "explain", "SQL", "whole walk"]
    assert {"extractor.py", "search/loop.py", "core/engine/numpy_engine.py"} <= set(rows["fit"].detail.split(", "))
    assert "search/loop.py" not in rows["predict_proba"].detail
    assert all(row.is_met is not False for row in rows.values())


def test_compile_says_why_there_is_nothing_to_compile(tiny_settings):
    (row,) = compilation.run(tiny_settings)
    assert (row.value, row.detail.endswith("pip install numba")) == (None, True)


def test_a_forest_is_trained_once(tmp_path):
    first, second = (stored_forest(tmp_path, Size(300, n_trees=2, depth=2)) for _ in range(2))
    assert (first.is_from_cache, second.is_from_cache) == (False, True)
    assert first.cpu_seconds == second.cpu_seconds


def test_fewer_samples_are_the_first_of_many():
    many, few = forests.samples(500)[0], forests.samples(100)[0]
    assert (many[:100] == few).all()
