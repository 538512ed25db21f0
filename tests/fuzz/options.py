"""Parameters of an extractor, right and wrong, and the ensembles that it starts from."""

from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from rulekit.priors.mean import Mean

from .drawn import Drawn

FRACTIONS: tuple[Any, ...] = (0.0, 0, 1, 1.0, 0.5, 0.999, 1e-300, np.float32(0.25), np.int64(1))
PARTS = ("priors", "search_estimator", "final_estimator", "combine", "cover", "simplify", "inference")
RIGHT: dict[str, tuple[Any, ...]] = {
    "min_precision": FRACTIONS,
    "min_coverage": FRACTIONS,
    "confidence": (1e-300, 0.1, 0.25, 1, np.float64(0.5)),
    "rule_order": ("support", "coverage", "precision"),
    "priors": ("product", "mean", "weighted-mean", "log-linear", Mean()),
    "search_estimator": ("empirical", "laplace", "m-estimate", "naive-bayes", "hybrid", "ensemble-m-estimate"),
    "final_estimator": ("empirical", "laplace", "m-estimate", "naive-bayes", "hybrid", "ensemble-m-estimate"),
    "combine": ("combine", None),
    "cover": ("cover", None),
    "simplify": ("simplify", None),
    "inference": ("decision-list", "aggregate"),
    "max_seconds": (None, 0, 0.01, 60),
    "max_candidates": (None, 1, 10, np.int64(100)),
    "max_rules": (None, 1, 3),
    "max_memory": (None, "1GB", 2**30, "0.5 GiB"),
    "on_interrupt": ("raise", "best"),
    "keep_index": (True, False),
    "n_jobs": (None, 1, 2, -1),
    "random_state": (None, 0),
}
NOT_A_FRACTION: tuple[Any, ...] = (
    -0.1,
    1.5,
    10**400,
    np.nan,
    np.inf,
    "0.5",
    None,
    True,
    [],
    {},
    1j,
    np.array([0.5]),
    pd.NA,
)
NOT_A_PART: tuple[Any, ...] = ("betta", "", 42, [], {}, Mean, object(), np.array(["mean"]), 0.5)
WRONG: dict[str, tuple[Any, ...]] = {
    "min_precision": NOT_A_FRACTION,
    "min_coverage": NOT_A_FRACTION,
    "confidence": (0, *NOT_A_FRACTION),
    "rule_order": ("suport", None, 1, ["support"], np.array(["support"])),
    "max_seconds": (-1, np.nan, "1", True, []),
    "max_candidates": (-1, 1.5, "1", True, []),
    "max_rules": (-1, 1.5, "1", True, []),
    "max_memory": (0, -1, "much", 1.5, True, []),
    "on_interrupt": ("keep", None, 1, np.array(["best"])),
    "n_jobs": (0, 1.5, "two", True, []),
    "adapter": NOT_A_PART,
    "no_such_parameter": (1,),
    "final_estimator__no_such_parameter": (1,),
    **dict.fromkeys(PARTS, NOT_A_PART),
}
#: Factories: from a depth to an ensemble.
ENSEMBLES: dict[str, Any] = {
    "tree": lambda depth: DecisionTreeClassifier(max_depth=depth, random_state=0),
    "forest": lambda depth: RandomForestClassifier(2, max_depth=depth, random_state=0),
    "extra trees": lambda depth: ExtraTreesClassifier(2, max_depth=depth, random_state=0),
    "bagging": lambda depth: BaggingClassifier(DecisionTreeClassifier(max_depth=depth), 2, random_state=0),
    "boosting": lambda depth: GradientBoostingClassifier(n_estimators=2, max_depth=depth, random_state=0),
    "histograms": lambda depth: HistGradientBoostingClassifier(
        max_iter=2, max_depth=depth, min_samples_leaf=1, random_state=0
    ),
    "adaboost": lambda depth: AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=depth), n_estimators=2, random_state=0
    ),
}
WRONG_ENSEMBLES: tuple[Any, ...] = (
    42,
    "no such",
    [],
    DecisionTreeClassifier,
    DecisionTreeRegressor(),
    KNeighborsClassifier(),
)


@st.composite
def parameters(draw: st.DrawFn, *, is_wrong: bool) -> Drawn:
    """A few parameters, one of them wrong if so asked."""
    names = draw(st.lists(st.sampled_from(sorted(RIGHT)), max_size=4, unique=True))
    chosen = {name: draw(st.sampled_from(RIGHT[name])) for name in names}
    if is_wrong:
        name = draw(st.sampled_from(sorted(WRONG)))
        chosen[name] = draw(st.sampled_from(WRONG[name]))
    return Drawn(chosen, ", ".join(f"{name}={value!r}" for name, value in chosen.items()), is_wrong)


@st.composite
def ensembles(draw: st.DrawFn, *, is_wrong: bool) -> Drawn:
    """An unfitted ensemble, or what is none."""
    if is_wrong:
        model = draw(st.sampled_from(WRONG_ENSEMBLES))
        return Drawn(model, repr(model), is_wrong=True)
    kind, depth = draw(st.sampled_from(sorted(ENSEMBLES))), draw(st.sampled_from([1, 2, 3]))
    return Drawn(ENSEMBLES[kind](depth), f"{kind} of depth {depth}")
