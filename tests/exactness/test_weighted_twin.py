"""With weights and a limit within classes, the fast search equals its slow twin too."""

from importlib.util import find_spec

import numpy as np
import pytest
from exactness.test_twin import random_data, random_ensemble, random_thresholds
from reference import extract_rules

import rulekit
from rulekit.core.errors import FewRulesWarning

N_CASES = 24
N_PARTS = 4
ENGINES = ["numpy", "numba"] if find_spec("numba") else ["numpy"]


def random_weights(rng, n_samples):
    """Eighths up to 8, whole numbers, or few different ones."""
    kind = rng.integers(3)
    if kind == 0:
        return rng.integers(1, 65, n_samples) / 8
    return rng.integers(1, 6, n_samples).astype(float) if kind == 1 else rng.choice([0.5, 1.0, 40.0], n_samples)


@pytest.mark.filterwarnings(f"ignore::{FewRulesWarning.__module__}.{FewRulesWarning.__name__}")
@pytest.mark.parametrize("method", ["rc+", "rcprob"])
@pytest.mark.parametrize("part", range(N_PARTS))
def test_fast_search_with_weights_equals_its_twin(method: str, part: int) -> None:
    for seed in range(part, N_CASES, N_PARTS):
        rng = np.random.default_rng(1000 + seed)
        X, y = random_data(rng)
        ensemble = random_ensemble(rng, seed).fit(X, y)
        limits = random_thresholds(rng)
        limits["min_class_coverage"] = [None, 0.0, 0.05, 0.2][int(rng.integers(4))]
        class_weight = {int(label): float(rng.choice([0.25, 1.0, 3.0])) for label in np.unique(y)}
        class_weight = class_weight if rng.random() < 0.6 else None
        weights = random_weights(rng, len(y)) if class_weight is None or rng.random() < 0.5 else np.ones(len(y))
        effective = weights * ([class_weight[label] for label in y] if class_weight else 1.0)

        twin = extract_rules(ensemble, X, y, method=method, sample_weight=effective, **limits)
        model = rulekit.build(method, ensemble, class_weight=class_weight, **limits)
        for engine in ENGINES:
            with rulekit.using_engine(engine):
                ruleset = model.fit(X, y, sample_weight=weights).ruleset_
            counts = ruleset.counts if ruleset.weighted is None else ruleset.weighted.counts
            assert [(len(rule.antecedent), rule.class_index, rule.counts) for rule in twin] == [
                (len(rule.conditions), rule.class_index, of_rule.tolist())
                for rule, of_rule in zip(ruleset, counts, strict=True)
            ], f"case {seed}, {engine}"
            expected = [rule.probabilities for rule in twin]
            np.testing.assert_allclose(
                ruleset.probabilities, expected, rtol=0, atol=1e-12, err_msg=f"case {seed}, {engine}"
            )
