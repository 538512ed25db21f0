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


def as_frame(library: str, X: np.ndarray) -> Any:
    """Samples in a frame of columns."""
    columns = {f"x{position}": column for position, column in enumerate(np.ascontiguousarray(X.T))}
    module = pytest.importorskip(library)
    return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)


@pytest.fixture(scope="module")
def named() -> rulekit.RuleExtractor:
    """A model that was fitted on names."""
    X = np.random.default_rng(0).normal(size=(300, N_FEATURES))
    forest = RandomForestClassifier(5, max_depth=3, random_state=0)
    return rulekit.build("rcprob", forest).fit(as_frame("pandas", X), (X[:, 0] + X[:, 1] > 0).astype(int))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
class TestFrames:
    @pytest.mark.parametrize("who", ["model", "ruleset"])
    def test_are_not_copied_as_a_whole(self, library: str, who: str, named: rulekit.RuleExtractor) -> None:
        """Two million samples of 50 values took 846 MB more than the same samples in an array."""
        X = np.random.default_rng(1).normal(size=(N_SAMPLES, N_FEATURES)).astype(np.float32)
        frame = as_frame(library, X)
        predict = named.predict_proba if who == "model" else named.ruleset_.predict_proba
        predicted, peak = peak_of(lambda: predict(frame))
        assert peak < BYTES_OF_ANSWERS + 4 * BYTES_OF_A_BLOCK < X.size * 8
        assert predicted.tobytes() == named.ruleset_.predict_proba(X).tobytes()

    def test_are_warned_of_once(self, library: str, model: rulekit.RuleExtractor) -> None:
        """This model was fitted without names."""
        frame = as_frame(library, np.zeros((2 * BLOCK_SAMPLES, N_FEATURES)))
        with pytest.warns(UserWarning, match="fitted without feature names") as caught:
            model.predict_proba(frame)
        assert len(caught) == 1

    def test_have_the_errors_of_the_whole(self, library: str, named: rulekit.RuleExtractor) -> None:
        X = np.zeros((N_SAMPLES, N_FEATURES))
        X[BLOCK_SAMPLES + 3, 2] = np.nan
        expected = r"^Input X contains NaN.\nRuleExtractor does not accept missing values encoded as NaN natively"
        with pytest.raises(ValueError, match=expected):
            named.predict_proba(as_frame(library, X))


def test_missing_values_in_several_blocks_of_a_frame_are_all_named() -> None:
    pd = pytest.importorskip("pandas")
    X = np.random.default_rng(0).normal(size=(300, 3))
    X[:30, 0] = np.nan
    forest = RandomForestClassifier(5, max_depth=3, random_state=0)
    model = rulekit.build("rcprob", forest).fit(pd.DataFrame(X, columns=["a", "b", "c"]), (X[:, 1] > 0).astype(int))
    frame = pd.DataFrame(np.zeros((2 * BLOCK_SAMPLES, 3)), columns=["a", "b", "c"])
    frame.loc[0, "b"] = frame.loc[BLOCK_SAMPLES + 1, "c"] = np.nan
    for predict in (model.predict_proba, model.ruleset_.predict_proba):
        with pytest.raises(ValueError, match="missing values in 'b', 'c', which had none in training"):
            predict(frame)


def test_categories_in_blocks_are_answered_like_one_by_one() -> None:
    pd = pytest.importorskip("pandas")
    lightgbm = pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    small = pd.DataFrame({"a": rng.normal(size=400), "b": pd.Categorical(rng.choice(["u", "v", "w"], 400))})
    y = ((small["a"] > 0) ^ (small["b"] == "u")).astype(int)
    model = rulekit.build("rcprob", lightgbm.LGBMClassifier(n_estimators=5, verbose=-1)).fit(small, y)
    frame = pd.concat([small] * (2 * BLOCK_SAMPLES // 400 + 1), ignore_index=True)
    expected = np.tile(model.predict_proba(small), (len(frame) // 400, 1))
    np.testing.assert_array_equal(model.predict_proba(frame), expected)
