"""The published study as definitions that can be run, from a minute to days."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any, Final

import rulekit
from rulekit.plugin import InvalidParameterError
from rulekit_paper_study.datasets import PUBLISHED

#: The published split is RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=42).
SEED: Final = 42
#: The study does not say which score selects. Macro-F1 brings the published numbers of rules, log-loss a third of them.
SELECTION: Final = {"ensemble": "accuracy", "variant": "macro_f1"}
SMALL: Final = 1100
DOUBTFUL: Final = {name: dataset.doubt for name, dataset in PUBLISHED.items() if dataset.doubt}

_TREES: Final = {"n_estimators": [50, 100, 250], "max_depth": [3, 4, 5, 6]}
_ENSEMBLES: Final[dict[str, Any]] = {"rf": {"grid": _TREES}, "gbm": {"grid": _TREES}}
#: A decision tree leaf by leaf, as the study counts its rules: the method `tree` makes one leaf the default rule. In a
#: study's file "none" stands for None.
_LEAVES: Final[dict[str, Any]] = {
    "method": "rc+",
    "parameters": {"ensemble": "tree", "combine": "none", "cover": "none", "simplify": "drop-redundant"},
}
_VARIANTS: Final[dict[str, Any]] = {
    "rcprob": {
        "grid": {"min_precision": [0.5, 0.75], "min_coverage": [0.0, 0.001, 0.01], "confidence": [0.1, 0.25, 0.4]}
    },
    "rc+": {"grid": {"min_precision": [0.5, 0.75, 0.95], "min_coverage": [0.0, 0.01], "confidence": [0.1, 0.25, 0.4]}},
    "decision-tree": {
        **_LEAVES,
        "grid": {"ensemble__max_depth": ["none", 2, 3, 4, 6], "ensemble__ccp_alpha": [0.0, 0.005, 0.01]},
    },
}
#: Methods that plugins bring, with the published grids.
_FROM_PLUGINS: Final[dict[str, Any]] = {
    "intrees": {"grid": {"max_decay": [0.05, 0.01], "min_freq": [0.1, 0.01]}},
    "defragtrees": {"grid": {"max_iter": [50, 100], "max_rules": [4, 8, 16]}},
}
_CALIBRATED: Final = ("htru2", "maintenance", "occupancy", "pageblocks0", "spambase", "vehicle")
#: Presumably: the study says "L2-regularised Dirichlet calibration", and its authors pull to zero.
_MAPS: Final[dict[str, Any]] = {"temperature": "temperature", "dirichlet": {"method": "dirichlet", "penalty": "zero"}}


def profile_definition(name: str) -> dict[str, Any]:
    """The definition of the published study at some size, for `Study.from_dict`.

    Parameters
    ----------
    name : {"smoke", "small", "once", "full", "calibration", "sensitivity"}
        - smoke: three tiny datasets, two folds and next to no grids, to see that everything works;
        - small: every dataset of up to 1,100 samples, one repeat of five folds, the published grids;
        - once: all 23 datasets, one repeat of five folds, which are the first of `full`;
        - full: all 23 datasets, three repeats;
        - calibration: RC+, RCProb and a decision tree with temperature scaling and Dirichlet calibration;
        - sensitivity: settings of n0 and tau with a fixed ensemble.

        The first four have the methods that plugins bring, as far as these are installed; see `missing_methods`.

    Returns
    -------
    definition : dict
        A copy, with the keys of a study's file but for the name, which `rulekit study run paper` adds.

    Examples
    --------
    >>> from rulekit_paper_study.profiles import profile_definition
    >>> profile_definition("small")["outer"]
    {'splits': 5, 'repeats': 1}
    """
    if name not in _PROFILES:
        raise InvalidParameterError(f"The published study has no profile {name!r}. Known: {', '.join(_PROFILES)}.")
    return {"seed": SEED, "selection": dict(SELECTION), **deepcopy(_PROFILES[name]())}


def missing_methods(name: str) -> list[str]:
    """Methods of the published study that a profile has to do without, since their plugins are not installed.

    Examples
    --------
    >>> from rulekit_paper_study.profiles import missing_methods
    >>> missing_methods("sensitivity")
    []
    """
    return [] if name in _WITHOUT_PLUGINS else [method for method in _FROM_PLUGINS if method not in _brought()]


def with_aggregate(definition: dict[str, Any]) -> dict[str, Any]:
    """The definition with `rcprob aggregate` and `rc+ aggregate`: the same grids, another inference mode."""
    variants = definition["variants"]
    added = {
        f"{name} aggregate": {"method": name, **variants[name], "parameters": {"inference": "aggregate"}}
        for name in ("rcprob", "rc+")
    }
    return {**definition, "variants": {**variants, **added}}


def _brought() -> dict[str, Any]:
    """The methods of plugins that are installed."""
    known = {component.name for component in rulekit.list_components("method")}
    return {name: settings for name, settings in _FROM_PLUGINS.items() if name in known}


def _smoke() -> dict[str, Any]:
    own = {
        "rcprob": {"grid": {"min_coverage": [0.0, 0.01]}},
        "rc+": {"grid": {"min_coverage": [0.0, 0.01]}},
        "decision-tree": {**_LEAVES, "grid": {"ensemble__max_depth": [2, 3]}},
    }
    return with_aggregate(
        {
            "datasets": ["cryotherapy", "divorce", "new-thyroid"],
            "outer": {"splits": 2, "repeats": 1},
            "inner": {"splits": 2},
            "ensembles": {name: {"grid": {"n_estimators": [10], "max_depth": [2, 3]}} for name in _ENSEMBLES},
            "variants": {**own, **{name: {} for name in _brought()}},
        }
    )


def _small() -> dict[str, Any]:
    return with_aggregate(
        {
            "datasets": [name for name, dataset in PUBLISHED.items() if dataset.n_samples <= SMALL],
            "outer": {"splits": 5, "repeats": 1},
            "inner": {"splits": 3},
            "ensembles": _ENSEMBLES,
            "variants": {**_VARIANTS, **_brought()},
        }
    )


def _once() -> dict[str, Any]:
    # The cheapest first: a run that is stopped has as many whole datasets as possible.
    return {**_small(), "datasets": sorted(PUBLISHED, key=_cost)}


def _cost(name: str) -> int:
    """In what order the datasets take longer: boosting grows trees for each class."""
    return PUBLISHED[name].n_samples * PUBLISHED[name].n_features * PUBLISHED[name].n_classes


def _full() -> dict[str, Any]:
    return {**_once(), "outer": {"splits": 5, "repeats": 3}}


def _calibration() -> dict[str, Any]:
    plain = {name: {"method": name, **settings} for name, settings in _VARIANTS.items()}
    calibrated = {
        f"{name} {called}": {**settings, "calibration": calibration}
        for name, settings in plain.items()
        for called, calibration in _MAPS.items()
    }
    return {
        "datasets": list(_CALIBRATED),
        # A fifth to test on, and a quarter of the rest to calibrate with: 60, 20 and 20 percent.
        "outer": {"splits": 5, "repeats": 1, "calibration": 0.25},
        "inner": {"splits": 3},
        "ensembles": _ENSEMBLES,
        "variants": {**plain, **calibrated},
    }


def _sensitivity() -> dict[str, Any]:
    settings = [("n0", n0, 5.0) for n0 in (50.0, 100.0, 200.0, 400.0)]
    settings += [("tau", 50.0, tau) for tau in (0.0, 1.0, 2.5, 20.0, 50.0)]
    return {
        # Not published. Those with several classes give numbers of rules and macro-F1 of the published size.
        "datasets": [name for name, dataset in PUBLISHED.items() if dataset.n_classes > 2],
        "outer": {"splits": 3, "repeats": 1},
        "inner": {"splits": 3},
        "ensembles": {"rf": {}, "gbm": {}},
        "variants": {
            f"{varied}={n0 if varied == 'n0' else tau:g}": {
                "method": "rcprob",
                "parameters": {
                    "inference": "aggregate",
                    "final_estimator__crossover": n0,
                    "final_estimator__strength": tau,
                },
            }
            for varied, n0, tau in settings
        },
    }


_PROFILES: Final[dict[str, Callable[[], dict[str, Any]]]] = {
    "smoke": _smoke,
    "small": _small,
    "once": _once,
    "full": _full,
    "calibration": _calibration,
    "sensitivity": _sensitivity,
}
#: Names of the profiles: the main study from the quickest on, then studies of their own.
PROFILES: Final = tuple(_PROFILES)
_WITHOUT_PLUGINS: Final = frozenset({"calibration", "sensitivity"})
