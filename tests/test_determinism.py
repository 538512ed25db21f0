"""Same samples, same ensemble, same rules: to the last bit, whatever the process, threads, engine and memory layout."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

import rulekit

METHODS = ["rcprob", "rc+"]

# What a fresh process prints: one hash for each method.
SCRIPT = """
import warnings; warnings.simplefilter("ignore")
import test_determinism as here
print(*(here.digest(here.extracted(method)) for method in here.METHODS))
"""


def samples(n_samples: int = 500) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(n_samples, 8, n_informative=6, n_classes=3, flip_y=0.1, random_state=0)
    return X, np.array(["low", "mid", "high"])[y]


def forest(X: np.ndarray, y: np.ndarray) -> RandomForestClassifier:
    return RandomForestClassifier(12, max_depth=4, random_state=0).fit(X, y)


def extracted(method: str, **parameters: object) -> rulekit.RuleExtractor:
    X, y = samples()
    return rulekit.build(method, forest(X, y), **parameters).fit(X, y)


def digest(model: rulekit.RuleExtractor) -> str:
    """Of every rule, probability and count, to the last bit, and of what the rules answer."""
    answers = np.ascontiguousarray(model.predict_proba(samples()[0]))
    return hashlib.sha256(json.dumps(model.ruleset_.to_dict()).encode() + answers.tobytes()).hexdigest()


@pytest.fixture(scope="module")
def expected() -> dict[str, str]:
    return {method: digest(extracted(method)) for method in METHODS}


def in_a_process(**environment: str) -> list[str]:
    path = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]))
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=os.environ | environment | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout.split()


@pytest.mark.parametrize("method", METHODS)
class TestHere:
    def test_a_second_run(self, method, expected):
        assert digest(extracted(method)) == expected[method]

    def test_the_same_object_fitted_again(self, method, expected):
        assert digest(extracted(method).fit(*samples())) == expected[method]

    @pytest.mark.parametrize("n_jobs", [2, 4, -1])
    def test_any_number_of_threads(self, method, n_jobs, expected, monkeypatch):
        monkeypatch.setattr("rulekit.core.engine.interface.WORDS_WORTH_A_THREAD", 1)
        assert digest(extracted(method, n_jobs=n_jobs)) == expected[method]

    @pytest.mark.parametrize("name", ["numpy", "numba"])
    def test_either_engine(self, method, name, expected):
        if name == "numba":
            pytest.importorskip("numba")
        with rulekit.using_engine(name):
            assert digest(extracted(method)) == expected[method]


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "1", "OMP_NUM_THREADS": "1"},
        {"PYTHONHASHSEED": "4242", "OMP_NUM_THREADS": "2", "RULEKIT_ENGINE": "numpy"},
    ],
    ids=["one hash seed", "another, other threads and engine"],
)
def test_another_process(environment, expected):
    assert in_a_process(**environment) == list(expected.values())


def mixed_blocks(X: np.ndarray) -> pd.DataFrame:
    """A frame whose columns lie in several blocks of memory, as those of frames that grow do."""
    frame = pd.DataFrame(X[:, ::2], columns=[str(column) for column in range(0, X.shape[1], 2)])
    for column in range(1, X.shape[1], 2):
        frame[str(column)] = X[:, column].astype(object).astype(float)
    return frame[[str(column) for column in range(X.shape[1])]]


LAYOUTS = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "every second row of a larger array": lambda X: np.repeat(X, 2, axis=0)[::2],
    "every second column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "reversed twice": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "read-only": lambda X: np.frombuffer(X.tobytes()).reshape(X.shape),
    "big-endian": lambda X: X.astype(">f8"),
    "lists": lambda X: X.tolist(),
}


@pytest.mark.parametrize("method", METHODS)
class TestLayout:
    @pytest.mark.parametrize("layout", LAYOUTS)
    def test_of_an_array(self, method, layout, expected):
        X, y = samples()
        model = rulekit.build(method, forest(X, y)).fit(LAYOUTS[layout](X), y)
        assert digest(model) == expected[method]

    def test_of_a_frame(self, method):
        X, y = samples()
        names = [str(column) for column in range(X.shape[1])]
        ensemble = forest(pd.DataFrame(X, columns=names), y)
        whole, mixed = (
            rulekit.build(method, ensemble).fit(frame, y) for frame in (pd.DataFrame(X, columns=names), mixed_blocks(X))
        )
        assert mixed_blocks(X)._mgr.nblocks > 1
        assert whole.ruleset_ == mixed.ruleset_
        np.testing.assert_array_equal(whole.predict_proba(mixed_blocks(X)), mixed.predict_proba(mixed_blocks(X)))
