"""Predictions of many samples need memory for their answers, and for one block of samples."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import rulekit
from rulekit.ruleset.ruleset import BLOCK_SAMPLES

N_SAMPLES, N_FEATURES = 10 * BLOCK_SAMPLES + 1, 16
BYTES_OF_A_BLOCK = 8 * BLOCK_SAMPLES * N_FEATURES
BYTES_OF_ANSWERS = 8 * N_SAMPLES * 2


@pytest.fixture(scope="module")
def model() -> rulekit.RuleExtractor:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, N_FEATURES))
    forest = RandomForestClassifier(5, max_depth=3, random_state=0)
    return rulekit.build("rcprob", forest).fit(X, (X[:, 0] + X[:, 1] > 0).astype(int))


@pytest.fixture(scope="module", params=["float64", "float32", "int16"])
def mapped(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> np.memmap:
    """Samples in a file."""
    path: Path = tmp_path_factory.mktemp("samples") / request.param
    samples = np.memmap(path, dtype=request.param, mode="w+", shape=(N_SAMPLES, N_FEATURES))
    samples[:] = np.random.default_rng(1).integers(-3, 4, samples.shape)
    samples.flush()
    return np.memmap(path, dtype=request.param, mode="r", shape=(N_SAMPLES, N_FEATURES))


def peak_of(work: Callable[[], Any]) -> tuple[Any, int]:
    """What comes out, and the bytes that were allocated at most at one time on the way."""
    tracemalloc.start()
    try:
        return work(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("who", ["model", "ruleset"])
def test_samples_in_a_file_are_not_copied_as_a_whole(who: str, model: rulekit.RuleExtractor, mapped: np.memmap) -> None:
    """Values of another type were turned into doubles all at once, which takes more memory than the file."""
    predict = model.predict_proba if who == "model" else model.ruleset_.predict_proba
    predicted, peak = peak_of(lambda: predict(mapped))
    assert peak < BYTES_OF_ANSWERS + 4 * BYTES_OF_A_BLOCK < mapped.size * 8
    for start in (0, BLOCK_SAMPLES - 5, N_SAMPLES - 10):
        some = slice(start, start + 10)
        assert predicted[some].tobytes() == predict(np.array(mapped[some], dtype=float)).tobytes()


@pytest.mark.parametrize("position", [0, BLOCK_SAMPLES + 7, N_SAMPLES - 1])
def test_an_infinity_in_any_block_is_rejected(model: rulekit.RuleExtractor, position: int) -> None:
    X = np.zeros((N_SAMPLES, N_FEATURES), dtype=np.float32)
    X[position, 3] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        model.predict_proba(X)
    with pytest.raises(ValueError, match="infinity"):
        model.ruleset_.predict_proba(X)
