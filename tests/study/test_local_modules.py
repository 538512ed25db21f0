"""What researchers do with a study: parts in a local file, figures in any format, an archive for a repository."""

import hashlib
import io
import json
import sys
from zipfile import ZipFile

import pandas as pd
import pytest
from cli.terminal import run
from plugin.isolation import registry_put_back
from study.made_up import write_tables

from rulekit.study import Store, Study
from rulekit.study.errors import StudyDefinitionError

MODULE = """
import rulekit
from rulekit.plugin import ProbabilityEstimator
from sklearn.linear_model import LogisticRegression

import local_helper


@rulekit.register("probability", "drawn")
class Drawn(ProbabilityEstimator):
    def estimate(self, rules):
        return local_helper.drawn(rules.counts)


@rulekit.register("method", "logistic")
def logistic(ensemble=None, C=1.0):
    return LogisticRegression(C=C)
"""
HELPER = "def drawn(counts):\n    return (counts + 0.5) / (counts + 0.5).sum(axis=1, keepdims=True)\n"
STUDY = """
datasets = ["one"]
folder = "."
modules = ["local_parts.py"]
outer.splits = 2
inner.splits = 2
[ensembles.rf]
parameters = { n_estimators = 2 }
[variants.drawn]
method = "rcprob"
parameters = { final_estimator = "drawn" }
[variants.logistic]
grid = { C = [0.1, 1.0] }
"""


@pytest.fixture
def study(tmp_path, monkeypatch):
    write_tables(tmp_path)
    for name, content in (("local_parts.py", MODULE), ("local_helper.py", HELPER), ("study.toml", STUDY)):
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path])
    with registry_put_back():
        yield tmp_path / "study.toml"
    for name in ("local_parts", "local_helper"):
        sys.modules.pop(name, None)


def test_run_by_their_names_in_workers_too_and_any_classifier_is_a_variant(study):
    result = run("study", "run", study, "--jobs", 2)
    assert result.exit_code == 0, result.stderr
    results = Store(study.with_suffix(".sqlite")).results()
    assert results.groupby("variant")["log_loss"].count().to_dict() == {"drawn": 2, "ensemble": 2, "logistic": 2}
    logistic = results[results["variant"] == "logistic"]
    assert logistic["n_rules"].isna().all()
    assert logistic["fidelity"].notna().all()
    assert "No result is out of date." in run("study", "status", study.with_suffix(".sqlite")).stdout


def test_reach_workers_that_were_started_before_with_other_files_of_the_same_names(
    study, tmp_path_factory, monkeypatch
):
    """Living workers search for modules where they did when they were started, and keep what they have imported."""
    runs = {}
    for smoothing in ("0.5", "50.0"):
        folder = tmp_path_factory.mktemp("study")
        write_tables(folder)
        (folder / "local_parts.py").write_text(MODULE, encoding="utf-8")
        (folder / "local_helper.py").write_text("from local_numbers import S\n" + HELPER.replace("0.5", "S"))
        (folder / "local_numbers.py").write_text(f"S = {smoothing}\n")
        (folder / "study.toml").write_text(STUDY)
        with monkeypatch.context() as here:
            here.setattr(sys, "path", [*sys.path])
            result = run("study", "run", folder / "study.toml", "--jobs", 2)
        assert result.exit_code == 0, result.stderr
        results = Store(folder / "study.sqlite").results()
        runs[smoothing] = results[results["variant"] == "drawn"]["log_loss"].mean()
        for name in ("local_parts", "local_helper", "local_numbers"):
            del sys.modules[name]
    assert runs["0.5"] != runs["50.0"]


def test_results_depend_on_the_file_and_on_what_it_imports(study):
    assert run("study", "run", study, "--jobs", 1).exit_code == 0
    (study.parent / "local_helper.py").write_text(HELPER.replace("0.5", "0.7"), encoding="utf-8")
    for name in ("local_parts", "local_helper"):  # as in a new process
        del sys.modules[name]
    lines = run("study", "status", study.with_suffix(".sqlite")).stdout
    assert "4 of 6 finished cells are out of date and would run again:" in lines
    assert "2 of drawn, 2 of logistic: code of local_helper has changed" in lines


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, r"modules: there is no Python file .*local_parts.py"),
        ("raise ValueError('no')", r"local_parts.py cannot be imported: ValueError: no\."),
    ],
)
def test_that_cannot_be_imported_are_an_error(study, content, message):
    path = study.with_name("local_parts.py")
    path.unlink() if content is None else path.write_text(content)
    with pytest.raises(StudyDefinitionError, match=message):
        Study.from_toml(study)


def test_of_another_module_s_name_are_rejected(study):
    study.with_name("json.py").write_text("")
    study.write_text(STUDY.replace("local_parts.py", "json.py"))
    with pytest.raises(StudyDefinitionError, match=r"json.py has the name of another module. Rename the file\."):
        Study.from_toml(study)


def test_figures_are_written_in_the_formats_of_the_command_line(study):
    assert run("study", "run", study, "--jobs", 1).exit_code == 0
    store = study.with_suffix(".sqlite")
    out = study.with_name("out")
    result = run("study", "report", store, "--out", out, "--formats", "pdf,png", "--reference", "drawn")
    assert result.exit_code == 0, result.stderr
    assert {path.suffix for path in (out / "figures").iterdir()} == {".pdf", ".png"}
    result = run("study", "report", store, "--formats", "gif")
    assert "--formats: unknown format gif. Known: png, svg, pdf, eps." in result.stderr


def test_an_archive_has_everything_and_right_checksums(study, tmp_path):
    assert run("study", "run", study, "--jobs", 1).exit_code == 0
    store = Store(study.with_suffix(".sqlite"))
    assert run("study", "export", store.path).exit_code == 0
    with ZipFile(store.path.with_suffix(".zip")) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    sums = dict(reversed(line.split("  ")) for line in contents.pop("SHA256SUMS").decode().splitlines())
    assert sums == {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    assert contents["modules/local_parts.py"].decode() == MODULE
    assert "6 cells of a study made with rulekit: 6 done, 0 failed." in contents["README.md"].decode()
    assert all(f"`{name.partition('/')[0]}" in contents["README.md"].decode() for name in sums if name != "README.md")
    assert json.loads(contents["study.json"]) == store.definition()
    results = pd.read_csv(io.BytesIO(contents["results.csv"]))
    assert results["log_loss"].tolist() == store.results()["log_loss"].tolist()
    predictions = pd.read_csv(io.BytesIO(contents["predictions.csv"]))
    _, truth, predicted = next(store.predictions())
    first = predictions.iloc[: len(truth)]
    assert first["class"].tolist() == truth.tolist()
    assert first[["probability_0", "probability_1"]].to_numpy().tolist() == predicted.tolist()
    run("study", "export", store.path, "--out", tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == store.path.with_suffix(".zip").read_bytes()
