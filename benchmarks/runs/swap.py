"""The same search with somebody else's estimator in place of the built-in one."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import rulekit
from benchmarks.cases import Case, cases
from benchmarks.engines import using
from benchmarks.estimators import PlainEvidence, PlainFractions
from benchmarks.limits import limit
from benchmarks.measures import SWAP
from benchmarks.rows import Row
from benchmarks.settings import Settings
from benchmarks.timing import side_by_side

#: What guides the search of each method, written anew.
PLAIN: Final[dict[str, Callable[[], Any]]] = {"rc+": PlainFractions, "rcprob": PlainEvidence}


def run(settings: Settings) -> Iterator[Row]:
    """Ratios for every dataset, ensemble, method and engine."""
    for case in cases(settings):
        for method in PLAIN:
            settings.announce(f"{case} {method}: built-in and plain estimator")
            for engine in settings.engines:
                yield _row(case, method, engine, settings.repeats)


def _row(case: Case, method: str, engine: str, repeats: int) -> Row:
    built_in = rulekit.build(method, case.model)
    plain = rulekit.build(method, case.model, search_estimator=PLAIN[method]())
    works = {"built-in": lambda: built_in.fit(case.X, case.y), "plain": lambda: plain.fit(case.X, case.y)}
    with using(engine):
        seconds = side_by_side(works, repeats, is_cpu=True)
    rules = "same rules" if built_in.ruleset_ == plain.ruleset_ else _difference(built_in, plain)
    return Row(
        "swap",
        engine,
        f"{case} {method}",
        SWAP.name,
        seconds["plain"] / seconds["built-in"],
        limit(SWAP, engine),
        f"{seconds['plain']:.3f} s / {seconds['built-in']:.3f} s, {rules}",
    )


def _difference(built_in: Any, plain: Any) -> str:
    """Evidence that is not summed exactly breaks ties in other ways."""
    return f"ties broken otherwise: {len(plain.ruleset_)} and {len(built_in.ruleset_)} rules"
