"""One ruleset, many threads: every answer is what a single thread gets, to the last bit."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import rulekit

N_THREADS = 16
N_SAMPLES = 3000


@pytest.fixture(scope="module")
def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_SAMPLES, 4))
    return X, ((X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(scale=0.5, size=N_SAMPLES)) > 0).astype(int)


@pytest.fixture(scope="module")
def model(data: tuple[np.ndarray, np.ndarray]) -> rulekit.RuleExtractor:
    X, y = data
    forest = RandomForestClassifier(10, max_depth=4, random_state=0)
    return rulekit.build("rcprob", forest, min_coverage=0.02).fit(X[:500], y[:500])


@pytest.mark.parametrize("inference", ["decision-list", "aggregate"])
def test_a_shared_ruleset_answers_the_same_in_every_thread(
    data: tuple[np.ndarray, np.ndarray], model: rulekit.RuleExtractor, inference: str
) -> None:
    X, y = data
    shared = rulekit.build("rcprob", model.ensemble_, min_coverage=0.02, inference=inference).fit(X[:500], y[:500])
    parts = np.array_split(np.arange(N_SAMPLES), 8 * N_THREADS)
    expected = shared.ruleset_.predict_proba(X)
    # Nothing that was worked out once and kept may be half there when a second thread looks: start from a fresh one.
    fresh = rulekit.RuleSet.from_dict(shared.ruleset_.to_dict())
    barrier = Barrier(N_THREADS)

    def answer(first: int) -> list[tuple[int, bytes, bytes, str]]:
        barrier.wait()
        return [
            (
                part,
                fresh.predict_proba(X[rows]).tobytes(),
                fresh.predict(X[rows]).tobytes(),
                str(fresh.explain(X[rows])[0]),
            )
            for part, rows in enumerate(parts)
            if part % N_THREADS == first
        ]

    with ThreadPoolExecutor(N_THREADS) as threads:
        answers = {part: rest for found in threads.map(answer, range(N_THREADS)) for part, *rest in found}
    for part, rows in enumerate(parts):
        probabilities, classes, explanation = answers[part]
        assert probabilities == expected[rows].tobytes()
        assert classes == shared.ruleset_.predict(X[rows]).tobytes()
        assert explanation == str(shared.ruleset_.explain(X[rows])[0])


@pytest.mark.usefixtures("engine")
def test_fits_in_threads_do_not_disturb_one_another(
    data: tuple[np.ndarray, np.ndarray], model: rulekit.RuleExtractor
) -> None:
    X, y = data

    def document(n_samples: int) -> dict:
        return rulekit.build("rcprob", model.ensemble_).fit(X[:n_samples], y[:n_samples]).ruleset_.to_dict()

    sizes = [100, 150, 200, 250] * 2
    expected = {size: document(size) for size in set(sizes)}
    with ThreadPoolExecutor(len(sizes)) as threads:
        assert [expected[size] for size in sizes] == list(threads.map(document, sizes))
