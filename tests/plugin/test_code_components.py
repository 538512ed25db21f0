"""Components that a script registers work in the processes that it starts."""

import copy
import json
import os
import pickle
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator

import attrs
import pytest
from plugin.isolation import registry_put_back
from sklearn.datasets import load_iris

import rulekit
from rulekit.calibration import CalibratedRules
from rulekit.core.errors import DuplicateComponentError, UnknownComponentError
from rulekit.core.interfaces import ProbabilityEstimator
from rulekit.plugin.code_components import CodeComponents, SentComponent
from rulekit.plugin.manager import plugins


@pytest.fixture(autouse=True)
def _registry() -> Iterator[None]:
    with registry_put_back():
        yield


class Certain(ProbabilityEstimator):
    """States the prior."""

    def estimate(self, rules):
        return rules.priors


class Other(Certain):
    """Another one."""


def sent(name, factory):
    """A component as another process sends it."""
    with registry_put_back() as registry:
        registry.add("probability", name, factory, origin="code in elsewhere", replace=True)
        return attrs.evolve(CodeComponents.of_this_process(), process="elsewhere")


def factory_of(name):
    return plugins().registry.get("probability", name).factory


class TestRegister:
    def test_adds_a_new_component(self):
        sent("certain", Certain).register(replace=False)
        assert factory_of("certain") is Certain

    def test_twice_changes_nothing(self):
        for _ in range(2):
            sent("certain", Certain).register(replace=False)
        assert factory_of("certain") is Certain

    def test_does_not_replace_another_component_outside_workers(self):
        rulekit.register("probability", "certain", Other)
        with pytest.raises(DuplicateComponentError, match=r"'certain': one from code in .*, one from code in el"):
            sent("certain", Certain).register(replace=False)
        assert factory_of("certain") is Other

    def test_replaces_an_earlier_version_in_a_worker(self):
        for factory in (Other, Certain, Other):
            sent("certain", factory).register(replace=True)
            assert factory_of("certain") is factory

    def test_of_this_process_changes_nothing(self):
        rulekit.register("probability", "certain", Certain)
        own = CodeComponents.of_this_process()
        rulekit.register("probability", "certain", Other, replace=True)
        own.register(replace=True)
        assert factory_of("certain") is Other

    def test_tells_why_a_component_is_not_available(self):
        broken = SentComponent("probability", "certain", b"", "TypeError: cannot pickle '_thread.lock' object")
        CodeComponents("elsewhere", (broken,)).register(replace=True)
        with pytest.raises(UnknownComponentError, match="has registered it in code, but it cannot be pickled: TypeE"):
            plugins().registry.get("probability", "certain")

    def test_of_a_component_that_cannot_be_pickled_names_the_problem(self):
        lock = threading.Lock()

        def made(ensemble):
            return lock

        rulekit.register("method", "unsendable", made)
        (component,) = CodeComponents.of_this_process().components
        assert "cannot pickle" in component.problem


class TestPickles:
    def test_without_registered_code_are_as_before(self):
        assert b"CodeComponents" not in pickle.dumps(rulekit.build("rcprob"))

    def test_of_a_fitted_model_carry_no_code(self):
        model = rulekit.build("tree", random_state=0).fit(*load_iris(return_X_y=True))
        before = pickle.dumps(model)
        rulekit.register("probability", "certain", Certain)
        assert pickle.dumps(model) == before

    def test_and_copies_of_an_unfitted_model_can_be_loaded_where_they_were_made(self):
        rulekit.register("probability", "certain", Certain)
        model = rulekit.build("rcprob", final_estimator="certain")
        for same in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            assert same.get_params().keys() == model.get_params().keys()
            assert vars(same).keys() == vars(model).keys()

    def test_of_an_unfitted_model_bring_their_components(self):
        with registry_put_back():
            rulekit.register("probability", "certain", Certain)
            state = rulekit.build("rcprob").__getstate__()
        state["_code_components"] = attrs.evolve(state["_code_components"], process="elsewhere")
        loaded = rulekit.RuleExtractor.__new__(rulekit.RuleExtractor)
        loaded.__setstate__(state)
        assert factory_of("certain") is Certain

    def test_of_an_unfitted_calibration_carry_code_too(self):
        rulekit.register("probability", "certain", Certain)
        assert b"CodeComponents" in pickle.dumps(CalibratedRules(model=None))


SCRIPT = """
import json, warnings
import numpy as np
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
import rulekit
from rulekit.calibration import CalibratedRules
from rulekit.plugin import CalibrationMap, ProbabilityEstimator, make_component

warnings.simplefilter("error")
warnings.filterwarnings("ignore", "The rules predict the class that the ensemble")  # of a parameter that is made up
warnings.filterwarnings("ignore", "No rule predicts the class")

@rulekit.register("probability", "half-sample")
class HalfSample(ProbabilityEstimator):
    def estimate(self, rules):
        return make_component("probability", "empirical").fit(self.data_).estimate(rules)

    def fit(self, data):
        self.data_ = data
        return self

@rulekit.register("probability", "hybrid", replace=True)
class OwnHybrid(HalfSample):
    def estimate(self, rules):
        return np.full((len(rules.priors), 3), 1 / 3)

@rulekit.register("calibration", "same")
class Same(CalibrationMap):
    def fit(self, probabilities, y):
        return self

    def transform(self, probabilities):
        return probabilities

@rulekit.register("ensemble", "tiny")
def tiny(random_state=None):
    return RandomForestClassifier(2, max_depth=2, random_state=random_state)

X, y = load_iris(return_X_y=True)

def scores(model, grid):
    search = {jobs: GridSearchCV(model, grid, cv=2, n_jobs=jobs, error_score="raise") for jobs in (1, 2)}
    return [search[jobs].fit(X, y).cv_results_["mean_test_score"].tolist() for jobs in (1, 2)]

build = lambda **parameters: rulekit.RuleExtractor("tiny", random_state=0, **parameters)
found = {
    "own parameter": scores(build(final_estimator="half-sample"), {"min_precision": [0.5, 0.6]}),
    "values of a grid": scores(build(final_estimator="empirical"), {"final_estimator": ["half-sample", "laplace"]}),
    "replaced": scores(build(), {"min_precision": [0.5]}),
    "calibration": scores(CalibratedRules(build(final_estimator="laplace"), "same"), {"cv": [2]}),
}
print(json.dumps(found))
"""


@pytest.mark.parametrize("case", ["own parameter", "values of a grid", "replaced", "calibration"])
def test_workers_of_a_script_score_as_the_script_itself(case, in_workers):
    alone, together = in_workers[case]
    assert together == alone


@pytest.fixture(scope="module")
def in_workers(tmp_path_factory):
    """Scores of searches in this script's own process, and in two workers."""
    script = tmp_path_factory.mktemp("script") / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    command = [sys.executable, str(script)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "RULEKIT_ENGINE": "numpy"}
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
