"""Warnings name the line of the user that called `fit`, whatever lies between."""

import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rulekit
from rulekit.calibration import CalibratedRules
from rulekit.core.errors import FewRulesWarning
from rulekit.core.messages import warn_caller

PLUGIN = """
import rulekit
from rulekit.core.messages import warn_caller
from rulekit.core.errors import FewRulesWarning

class Careful(rulekit.RuleExtractor):
    def prepare(self, *given):
        self._warn()
        return super().prepare(*given)

    def _warn(self):
        warn_caller("mind this", FewRulesWarning)
"""


def extractor(kind: Any = rulekit.RuleExtractor) -> Any:
    """One that warns, since no rule covers all samples."""
    return kind(RandomForestClassifier(2, random_state=0), min_coverage=1.0)


@pytest.fixture(scope="module")
def plugin() -> Any:
    """A method of another distribution, whose `prepare` warns, and whose search, which is rulekit's own, warns too."""
    namespace = {"__name__": "some_plugin.method"}
    exec(compile(PLUGIN, "some_plugin/method.py", "exec"), namespace)
    return namespace["Careful"]


def lines(caught: Any, *messages: str) -> set[tuple[str, int]]:
    """File and line of the warnings; all messages must be among them."""
    ours = [each for each in caught if str(each.message).startswith(messages)]
    assert {message for message in messages if not any(str(each.message).startswith(message) for each in ours)} == set()
    return {(each.filename, each.lineno) for each in ours}


def here(before: int = 1) -> tuple[str, int]:
    """This file, and the line that many lines before the one that asks."""
    return __file__, sys._getframe(1).f_lineno - before


class TestTheLineIsTheCallers:
    def test_of_fit(self):
        X, y = load_iris(return_X_y=True)
        with pytest.warns(FewRulesWarning) as caught:
            extractor().fit(X, y)
        assert lines(caught, "No rule") == {here(1)}

    def test_of_a_pipelines_fit(self):
        X, y = load_iris(return_X_y=True)
        with pytest.warns(FewRulesWarning) as caught:
            make_pipeline(StandardScaler(), extractor()).fit(X, y)
        assert lines(caught, "No rule") == {here(1)}

    def test_of_a_grid_searchs_fit(self):
        X, y = load_iris(return_X_y=True)
        with pytest.warns(FewRulesWarning) as caught:
            GridSearchCV(extractor(), {"confidence": [0.25]}, cv=2).fit(X, y)
        assert lines(caught, "No rule") == {here(1)}

    def test_of_fit_of_something_around_it(self):
        X, y = load_iris(return_X_y=True)
        with pytest.warns(FewRulesWarning) as caught:
            CalibratedRules(extractor(), cv=2).fit(X, y)
        assert lines(caught, "No rule") == {here(1)}

    def test_of_fit_of_a_plugins_method(self, plugin):
        X, y = load_iris(return_X_y=True)
        with pytest.warns(FewRulesWarning) as caught:
            extractor(plugin).fit(X, y)
        assert lines(caught, "mind this", "No rule") == {here(1)}

    def test_of_a_pipeline_with_a_plugins_method(self, plugin):
        X, y = load_iris(return_X_y=True)
        with pytest.warns(FewRulesWarning) as caught:
            make_pipeline(StandardScaler(), extractor(plugin)).fit(X, y)
        assert lines(caught, "mind this", "No rule") == {here(1)}

    def test_of_warn_caller_itself_if_nothing_lies_between(self):
        with pytest.warns(UserWarning, match="mind this") as caught:
            warn_caller("mind this", UserWarning)
        assert lines(caught, "mind this") == {here(1)}


def test_a_thread_that_no_user_called_gets_its_warning_all_the_same():
    with pytest.warns(UserWarning, match="mind this"), ThreadPoolExecutor(1) as pool:
        pool.submit(warn_caller, "mind this", UserWarning).result()


def test_the_filter_of_a_line_shows_a_warning_once():
    """Python keeps what it has shown in the module that is named, so this must be the caller's."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            warn_caller("once", UserWarning)
    assert [str(each.message) for each in caught] == ["once"]


def test_a_script_sees_its_own_line(tmp_path: Path):
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np, rulekit\n"
        "X = np.arange(40.0).reshape(20, 2)\n"
        "model = rulekit.build('rcprob', 'rf', min_coverage=1.0)\n"
        "model.fit(X, np.repeat([0, 1], 10))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert done.stderr.startswith(f"{script}:4: FewRulesWarning: No rule")
