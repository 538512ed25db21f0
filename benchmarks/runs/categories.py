"""Extraction from tables with categories against the same tables coded as numbers."""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import attrs
import numpy as np
import pandas as pd

import rulekit
from benchmarks.engines import using
from benchmarks.limits import limit
from benchmarks.measures import CATEGORIES
from benchmarks.rows import Row
from benchmarks.settings import Settings
from benchmarks.timing import side_by_side

TABLES: Final = ("bank_marketing", "hypothyroid")
METHODS: Final = ("rcprob", "rclist")
MIN_COVERAGE: Final = 0.001
N_TREES: Final = 100
#: What stands for a missing label where a library knows no missing categories.
NO_LABEL: Final = "none"


@attrs.frozen(eq=False)
class Coded:
    """An ensemble fitted on a table, and the number of its leaves."""

    model: Any
    X: pd.DataFrame
    y: Any
    n_leaves: int


def run(settings: Settings) -> Iterator[Row]:
    """Ratios for every table, library, method and engine; a table that is not there is named."""
    for name in TABLES:
        path = settings.mixed / f"{name}.csv"
        if not path.exists():
            yield Row("categories", "", name, CATEGORIES.name, None, detail=f"no {path.name} in {settings.mixed}")
            continue
        for library, make in LIBRARIES.items():
            if find_spec(library):
                settings.announce(f"{name} {library}: training")
                both = {is_native: _coded(path, library, make, is_native) for is_native in (True, False)}
                yield from _rows(f"{name} {library}", both, settings)


def table(path: Path, library: str, *, is_native: bool) -> tuple[pd.DataFrame, Any, list[str]]:
    """Features, classes, and the names of the categorical columns, of which there are none if they are coded."""
    X = pd.read_csv(path).dropna(axis="columns", how="all")
    y = np.unique(X.pop("target"), return_inverse=True)[1]
    names = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    X[names] = X[names].astype("category")
    if not is_native:
        return X.assign(**{name: X[name].cat.codes.where(X[name].notna()) for name in names}), y, []
    if library == "catboost":
        X[names] = X[names].astype(object).where(X[names].notna(), NO_LABEL)
    return X, y, names


def _coded(path: Path, library: str, make: Callable[[list[str]], Any], is_native: bool) -> Coded:
    X, y, names = table(path, library, is_native=is_native)
    model = make(names).fit(X, y)
    leaves = rulekit.build("rcprob", model).prepare(X, y).leaves
    return Coded(model, X, y, sum(len(of_round.priors) for of_round in leaves))


def _rows(case: str, both: dict[bool, Coded], settings: Settings) -> Iterator[Row]:
    for method in METHODS:
        for engine in settings.engines:
            settings.announce(f"{case} {method}: extraction")
            models = {
                is_native: rulekit.build(method, coded.model, min_coverage=MIN_COVERAGE)
                for is_native, coded in both.items()
            }
            works = {is_native: _fit(models[is_native], coded, engine) for is_native, coded in both.items()}
            seconds = side_by_side(works, settings.repeats, is_cpu=True)
            per_leaf = {is_native: seconds[is_native] / coded.n_leaves for is_native, coded in both.items()}
            yield Row(
                "categories",
                engine,
                f"{case} {method}",
                CATEGORIES.name,
                per_leaf[True] / per_leaf[False],
                limit(CATEGORIES, engine),
                " / ".join(
                    f"{seconds[is_native]:.3f} s, {coded.n_leaves} leaves, {len(models[is_native].ruleset_)} rules"
                    for is_native, coded in both.items()
                ),
            )


def _fit(model: Any, coded: Coded, engine: str) -> Callable[[], Any]:
    def fit() -> None:
        with using(engine):
            model.fit(coded.X, coded.y)

    return fit


def _lightgbm(names: list[str]) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=N_TREES, n_jobs=1, verbose=-1)


def _xgboost(names: list[str]) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_estimators=N_TREES, n_jobs=1, tree_method="hist", enable_categorical=bool(names))


def _hist(names: list[str]) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(max_iter=N_TREES, early_stopping=False, categorical_features=names or None)


def _catboost(names: list[str]) -> Any:
    from catboost import CatBoostClassifier

    options = {"verbose": 0, "thread_count": 1, "allow_writing_files": False, "one_hot_max_size": 100}
    return CatBoostClassifier(iterations=N_TREES, cat_features=names or None, **options)


#: What makes an ensemble for the names of the categorical columns, by the module that it needs.
LIBRARIES: Final[dict[str, Callable[[list[str]], Any]]] = {
    "lightgbm": _lightgbm,
    "xgboost": _xgboost,
    "sklearn": _hist,
    "catboost": _catboost,
}
