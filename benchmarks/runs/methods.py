"""The methods beside RC+ and RCProb, those of plugins included, against RCProb on the same ensembles."""

import warnings
from collections.abc import Iterator
from typing import Any

import rulekit
from benchmarks.cases import METHODS, Case, cases
from benchmarks.engines import using
from benchmarks.limits import limit
from benchmarks.measures import PLUGINS
from benchmarks.rows import Row
from benchmarks.settings import Settings
from benchmarks.timing import side_by_side

BASELINE = "rcprob"


def run(settings: Settings) -> Iterator[Row]:
    """Ratios for every dataset, ensemble, installed method and engine."""
    known = [each.name for each in rulekit.list_components("method") if each.name not in METHODS]
    # Others share no ensemble with RCProb.
    methods = [name for name in known if getattr(rulekit.build(name), "needs_ensemble", True)]
    for case in cases(settings):
        for method in methods:
            settings.announce(f"{case} {method} and {BASELINE}")
            for engine in settings.engines:
                yield _row(case, method, engine, settings.repeats)


def _row(case: Case, method: str, engine: str, repeats: int) -> Row:
    models = {name: rulekit.build(name, case.model) for name in (method, BASELINE)}

    def fit(model: Any) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a method may say that it had to stop early
            model.fit(case.X, case.y)

    with using(engine):
        seconds = side_by_side({name: lambda model=model: fit(model) for name, model in models.items()}, repeats)
    return Row(
        "methods",
        engine,
        f"{case} {method}",
        PLUGINS.name,
        seconds[method] / seconds[BASELINE],
        limit(PLUGINS, engine),
        f"{seconds[method]:.3f} s / {seconds[BASELINE]:.3f} s, {len(models[method].ruleset_)} rules",
    )
