"""rulekit info."""

import json

import numpy as np
import pytest
import sklearn
from cli.terminal import run
from plugin.isolation import registry_put_back

import rulekit


def test_names_the_engine_and_why():
    assert "engine     numpy: set by RULEKIT_ENGINE" in run("info", RULEKIT_ENGINE="numpy").stdout


def test_names_numba_with_its_version_where_it_runs():
    numba = pytest.importorskip("numba")
    assert f"engine     numba: loops compiled by numba {numba.__version__}" in run("info", RULEKIT_ENGINE="").stdout


def test_says_how_to_be_faster_without_numba(monkeypatch):
    monkeypatch.setattr("rulekit.core.engine.choice._best", lambda: "numpy")
    assert "pip install 'rulekit-rcprob[fast]'" in run("info", RULEKIT_ENGINE="").stdout


def test_names_versions():
    shown = run("info").stdout
    assert f"rulekit    {rulekit.__version__}\n" in shown
    assert f"numpy {np.__version__}, scikit-learn {sklearn.__version__}" in shown


def test_names_plugins():
    with registry_put_back() as registry:
        registry.add("ensemble", "stump", lambda: None, origin="acme-stumps 3.1")
        (line,) = [line for line in run("info").stdout.splitlines() if line.startswith("plugins ")]
        assert "acme-stumps 3.1" in line.removeprefix("plugins").strip().split(", ")


def test_says_the_same_as_json():
    facts = json.loads(run("info", "--json", RULEKIT_ENGINE="numpy").stdout)
    assert facts["engine"] == "numpy"
    assert facts["libraries"]["numpy"] == np.__version__


def test_an_unknown_engine_is_an_error_in_one_line():
    result = run("info", RULEKIT_ENGINE="fortran")
    assert result.exit_code == 2
    assert "RULEKIT_ENGINE" in result.stderr
