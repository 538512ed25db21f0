"""Fuzzing of adapters: it finds nothing in those of rulekit, and what is wrong in adapters made to be wrong."""

import os
import subprocess
import sys
import zlib
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from documented_errors import documented_names
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier
from testing import broken_adapters

from rulekit import rule_model
from rulekit.adapters.catboost import CatBoostAdapter
from rulekit.adapters.sklearn_trees import SklearnForestAdapter, SklearnTreeAdapter
from rulekit.core.errors import InvalidParameterError
from rulekit.core.forest import Forest
from rulekit.ruleset import matching
from rulekit.testing import ConformanceError, ModelChoices, Space, check_agreement, fuzz_adapter
from rulekit.testing.fuzz.__main__ import main
from rulekit.testing.fuzz.libraries import SPACES, library_space
from rulekit.testing.fuzz.running import run

LIBRARIES = tuple(SPACES)
#: Seconds in CI, so that the four together take 40 seconds; configurations elsewhere, where the seed stays the same.
SECONDS, FEW = 10.0, 60
QUESTIONS = {"training samples", "other samples", "thresholds", "missing values", "missing values everywhere"}
OF_CATEGORIES = {"unseen categories", "other order of categories"}


def moving_seed() -> int:
    """A seed that depends on the commit, or on the date where there is none."""
    asked = ["git", "rev-parse", "HEAD"]
    found = subprocess.run(asked, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    return zlib.crc32((found.stdout.strip() or datetime.now(UTC).date().isoformat()).encode())


@pytest.mark.parametrize("library", LIBRARIES)
def test_rulekit_agrees_with_the_library(library):
    """For some seconds in CI, from a seed that moves on; a few configurations elsewhere.

    `python -m rulekit.testing.fuzz LIBRARY --seed SEED --first NUMBER --n 1` repeats a failure. A fuzzer that only sees
    errors would find nothing: much must be compared, and what is raised must be documented.
    """
    pytest.importorskip(library)
    n, seed, seconds = (10**6, moving_seed(), SECONDS) if os.environ.get("CI") else (FEW, 0, None)
    report = run(library_space(library), n, seed, name=library, seconds=seconds)
    assert not report.failures, f"{report}\n\n{report.script}"
    assert report.n_agreed > max(20, 0.4 * report.n_configurations), str(report)
    assert report.compared.keys() >= QUESTIONS, str(report)
    assert not report.compared.keys().isdisjoint(OF_CATEGORIES), str(report)
    raised = {kind.__name__ for kind in report.error_classes | report.warning_classes}
    assert raised <= documented_names() | {"ValueError", "TypeError", "NotFittedError"}


BROKEN = {
    "lightgbm": broken_adapters.UnseenAsCode,
    "catboost": broken_adapters.UnsortedClasses,
    "xgboost": broken_adapters.LabelsInOrderOfTable,
    "sklearn, missing values": broken_adapters.MissingToTheRight,
    "sklearn, thresholds": broken_adapters.BelowThresholds,
}


@pytest.mark.parametrize("library", BROKEN)
def test_a_wrong_adapter_is_found_and_shown_by_a_short_script(library):
    """Within 200 configurations, of which CI tries more; the script is shorter than 20 lines and shows the same."""
    pytest.importorskip(library.partition(",")[0])
    adapter = BROKEN[library]()
    report = fuzz_adapter(adapter, n=200, seed=1, most_failures=1)
    (failure,) = report.failures
    assert failure.kind in ("probabilities", "leaves", "rules")
    assert len(failure.script.splitlines()) < 20
    with pytest.raises(ConformanceError, match=f"{type(adapter).__name__}.* does not agree with the library"):
        exec(failure.script, {"__name__": "script"})
    again = fuzz_adapter(adapter, n=1, seed=1, first=failure.number)
    assert [found.number for found in again.failures] == [failure.number]


def test_classes_in_the_order_of_the_library_are_found(monkeypatch):
    """CatBoost orders "9" and "10" as numbers. Comparisons go by label, so they agree in any order of the classes."""
    pytest.importorskip("catboost")
    monkeypatch.setattr(Forest, "with_sorted_classes", lambda self: self)
    (failure,) = fuzz_adapter(CatBoostAdapter(), n=40, seed=1, most_failures=1).failures
    assert failure.kind == "classes"
    assert {"9", "10"} <= set(failure.configuration.y)
    with pytest.raises(ConformanceError, match="are not sorted"):
        exec(failure.script, {"__name__": "script"})


def test_codes_that_a_library_truncates_are_found(monkeypatch):
    """Fractional numbers in a column of codes: the library truncates them, and sets of codes do not hold them."""
    pytest.importorskip("xgboost")
    for module in (rule_model, matching):
        monkeypatch.setattr(module, "check_codes", lambda *_: None)
    report = run(library_space("xgboost"), 20, 20261118, most_failures=1)
    assert [failure.kind for failure in report.failures] == ["probabilities"]
    assert {name for name, _ in report.failures[0].configuration.asked} == {"fractional codes"}


def test_a_script_is_a_program_of_its_own():
    report = fuzz_adapter(broken_adapters.BelowThresholds(), n=100, seed=1, most_failures=1)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", report.script], capture_output=True, text=True, env=environment)
    assert done.returncode == 1
    assert "ConformanceError: BelowThresholds() does not agree with the library" in done.stderr


class TestOutcomes:
    def test_an_undocumented_error_is_a_failure(self):
        report = fuzz_adapter(broken_adapters.Raising(), n=30, seed=0, most_failures=1)
        assert [failure.kind for failure in report.failures] == ["KeyError in forest"]
        with pytest.raises(ConformanceError, match="KeyError"):
            report.raise_for_failures()

    def test_what_the_library_does_not_support_is_counted(self):
        wrong = ModelChoices(RandomForestClassifier, {"n_estimators": (0,)}, fits=("model.fit(X, y)",))
        report = fuzz_adapter(SklearnForestAdapter(), n=5, space=Space([wrong]))
        assert (report.n_rejected, report.n_agreed, report.failures) == (5, 0, [])

    def test_documented_errors_are_counted_by_class(self):
        strings = Space([DecisionTreeClassifier], tables=[("frame", ("category",))])
        report = fuzz_adapter(SklearnTreeAdapter(), n=20, space=strings)
        assert report.documented["EnsembleMismatchError"] == report.n_documented > 0
        assert "EnsembleMismatchError" in str(report)

    def test_an_adapter_without_models_asks_for_some(self):
        class Nothing(SklearnTreeAdapter):
            def accepts(self, model):
                return False

        with pytest.raises(InvalidParameterError, match="Pass the models of your library: space=Space"):
            fuzz_adapter(Nothing(), n=1)
        with pytest.raises(InvalidParameterError, match="accepts none of the models of the space"):
            fuzz_adapter(Nothing(), n=1, space=Space([DecisionTreeClassifier]))


class TestDrawing:
    @pytest.mark.parametrize("library", LIBRARIES)
    def test_seed_and_number_give_the_same_configuration(self, library):
        pytest.importorskip(library)
        one, other = ([library_space(library).draw(3, number) for number in range(20)] for _ in range(2))
        assert list(map(str, one)) == list(map(str, other))
        assert len(set(map(str, one))) == 20

    def test_what_once_gave_wrong_answers_is_drawn(self):
        pytest.importorskip("lightgbm")
        drawn = [library_space("lightgbm").draw(0, number) for number in range(150)]
        frames = [each for each in drawn if each.X.container == "frame"]
        assert any(each.X.positions("ordered") for each in frames)
        assert any({"9", "10"} <= set(each.y) for each in drawn)
        assert any(each.orders for each in frames)
        asked = [dict(each.asked) for each in frames]
        assert any("other order of categories" in tables for tables in asked)
        unseen = [tables["unseen categories"] for tables in asked if "unseen categories" in tables]
        assert any(column.has_missing for table in unseen for column in table.columns if column.categories)


def test_the_command_prints_what_came_of_a_library(capsys):
    assert main(["sklearn", "--n", "8", "--seed", "1"]) == 0
    assert capsys.readouterr().out.startswith("sklearn: 8 configurations, seed 1, in ")


def test_agreement_is_checked_at_the_samples_that_are_passed():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]] * 5), np.array([0, 0, 1, 1] * 5)
    model = RandomForestClassifier(n_estimators=1, random_state=0).fit(X, y)
    threshold = np.array([[model.estimators_[0].tree_.threshold[0]]])
    check_agreement(broken_adapters.BelowThresholds(), model, X, y)
    with pytest.raises(ConformanceError, match=r"does not agree with the library: probabilities, not as the library's"):
        check_agreement(broken_adapters.BelowThresholds(), model, X, y, threshold)
