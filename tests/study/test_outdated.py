"""What of a store is out of date, and why."""

import sqlite3

import pandas as pd
import pytest
from cli.terminal import run
from study.made_up import small_study, write_tables

from rulekit.probability.m_estimate import MEstimate
from rulekit.study import Ensemble, Store, Variant, run_study
from rulekit.study.code import packages
from rulekit.study.outdated import outdated

N_CELLS = 2 * 2 * 3  # datasets, folds, and the ensemble with two variants


@pytest.fixture
def store(tmp_path):
    write_tables(tmp_path)
    study = small_study(
        tmp_path,
        ensembles=[Ensemble("rf", parameters={"n_estimators": 2})],
        variants=[Variant("rcprob"), Variant("dt", "tree")],
    )
    run_study(study, tmp_path / "made-up.sqlite", n_jobs=1)
    return Store(tmp_path / "made-up.sqlite")


def edit(path, statement):
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


def test_status_says_which_cells_are_out_of_date_and_why(store, monkeypatch):
    assert "No result is out of date." in run("study", "status", store.path).stdout
    table = pd.read_csv(store.path.with_name("one.csv"))
    table.loc[0, "a"] += 1
    table.to_csv(store.path.with_name("one.csv"), index=False)
    assert outdated(store).reasons == {"data has changed": {"ensemble": 2, "rcprob": 2, "dt": 2}}
    real = packages.version
    monkeypatch.setattr(packages, "version", lambda name: "99.0" if name == "scikit-learn" else real(name))
    printed = run("study", "status", store.path).stdout
    assert "12 of 12 finished cells are out of date and would run again:" in printed
    assert f"2 of ensemble, 2 of rcprob, 2 of dt: scikit-learn was {real('scikit-learn')}, is 99.0\n" in printed
    assert "data has changed; scikit-learn was" in printed


def test_cells_of_an_earlier_version_are_out_of_date(store):
    edit(store.path, "DROP TABLE made_from")
    assert outdated(store).reasons == {
        "an earlier version of rulekit did not note what they depend on": {"ensemble": 4, "rcprob": 4, "dt": 4}
    }


def test_what_cannot_be_checked_here_is_said(tmp_path):
    write_tables(tmp_path)
    study = small_study(
        tmp_path,
        datasets=["one"],
        ensembles=[Ensemble("rf", parameters={"n_estimators": 2})],
        variants=[Variant("m", "rcprob", {"final_estimator": MEstimate(3.0)})],
    )
    run_study(study, tmp_path / "python.sqlite", n_jobs=1)
    found = outdated(Store(tmp_path / "python.sqlite"))
    assert (found.cells, found.n_finished) == ((), 4)
    assert "MEstimate" in found.problem
    printed = run("study", "status", tmp_path / "python.sqlite").stdout
    assert "Whether results are out of date cannot be checked here: No probability estimator named" in printed


def test_only_what_is_out_of_date_runs_again(store):
    table = pd.read_csv(store.path.with_name("one.csv"))
    table.loc[0, "a"] += 1
    table.to_csv(store.path.with_name("one.csv"), index=False)
    study = small_study(
        store.path.parent,
        ensembles=[Ensemble("rf", parameters={"n_estimators": 2})],
        variants=[Variant("rcprob"), Variant("dt", "tree")],
    )
    summary = run_study(study, store, n_jobs=1)
    assert (summary.n_cells, summary.n_before, summary.n_done) == (N_CELLS, N_CELLS // 2, N_CELLS // 2)
    assert outdated(store).cells == ()
