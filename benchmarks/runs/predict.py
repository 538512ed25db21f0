"""Prediction with rules against prediction with the forest that they come from."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rulekit
from benchmarks.engines import using
from benchmarks.forests import MOST_SAMPLES, Size, samples, stored_forest
from benchmarks.limits import limit
from benchmarks.measures import PREDICTION
from benchmarks.rows import Row
from benchmarks.settings import Settings
from benchmarks.timing import side_by_side

N_RULES = 50
#: From so few noisy samples come more rules than are wanted, in a second.
TRAINED_ON = Size(5_000)


def run(settings: Settings, n_samples: int = MOST_SAMPLES, trained_on: Size = TRAINED_ON) -> Iterator[Row]:
    """Time of `predict_proba` on many samples."""
    settings.announce("predict: training a forest, extracting rules")
    X, y = samples(n_samples)
    forest = stored_forest(settings.cache, trained_on).load()
    with using(settings.engines[0]):
        model = rulekit.build("rc+", forest).fit(X[: trained_on.n_samples], y[: trained_on.n_samples])
    ruleset = first_rules(model.ruleset_, N_RULES)
    settings.announce(f"predict: {n_samples:,} samples")
    works: dict[str, Callable[[], Any]] = {"forest": lambda: forest.predict_proba(X)}
    works |= {engine: _prediction(ruleset, X, engine) for engine in settings.engines}
    seconds = side_by_side(works, settings.repeats)
    for engine in settings.engines:
        yield Row(
            "predict",
            engine,
            f"{len(ruleset)} rules, {n_samples:,} samples, {trained_on.n_trees} trees of depth {trained_on.depth}",
            PREDICTION.name,
            seconds[engine] / seconds["forest"],
            limit(PREDICTION, engine) if (len(ruleset), n_samples) == (N_RULES, MOST_SAMPLES) else None,
            f"{seconds[engine]:.3f} s / {seconds['forest']:.3f} s",
        )


def first_rules(ruleset: rulekit.RuleSet, n_rules: int) -> rulekit.RuleSet:
    """A ruleset of the first rules, the last of them the default rule."""
    document = ruleset.to_dict()
    *rules, default = document["rules"]
    return rulekit.RuleSet.from_dict({**document, "rules": [*rules[: n_rules - 1], default]})


def _prediction(ruleset: rulekit.RuleSet, X: NDArray[np.float64], engine: str) -> Callable[[], Any]:
    def predict() -> None:
        with using(engine):
            ruleset.predict_proba(X)

    return predict
