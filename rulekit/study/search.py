"""Choosing hyperparameters by inner cross-validation."""

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

import attrs
import numpy as np
from sklearn.base import BaseEstimator

from rulekit.evaluation.held_out import evaluated, measured, named_measures, registered_measures
from rulekit.study.grids import configurations
from rulekit.study.statistics.outcomes import outcome
from rulekit.study.subsets import Fold, Subset
from rulekit.study.trials import TrialSearch, best_position

SIZE = "n_estimators"


@attrs.frozen(eq=False)
class Choice:
    """The best configuration so far.

    Attributes
    ----------
    configuration : dict
    position : int
        In the order of the grid.
    merit : float
        Mean score over the folds, negated where lower is better.
    models : list
        One fitted model for each fold.
    """

    configuration: dict[str, Any]
    position: int
    merit: float
    models: list[Any]

    def is_better_than(self, other: "Choice | None") -> bool:
        """Whether it has more merit, or as much and comes first in the grid."""
        return other is None or (self.merit, -self.position) > (other.merit, -other.position)


def merit(name: str, model: Any, test: Subset, ensemble: Any = None) -> float:
    """A fitted model's score on some samples, negated where lower is better.

    Parameters
    ----------
    name : str
        Name of the measure.
    model : fitted classifier
    test : Subset
    ensemble : fitted classifier or None
        The ensemble that fidelity compares with.
    """
    value = _score(name, model, test, ensemble)
    return outcome(name).sign * value


def _score(name: str, model: Any, test: Subset, ensemble: Any) -> float:
    (measure,) = named_measures([name]).values()
    # A class with a single sample may be in a test part only.
    unseen = np.setdiff1d(test.y, model.classes_)
    classes = np.union1d(model.classes_, unseen) if len(unseen) else None
    found = evaluated(model, test.X, test.y, ensemble if measure.needs == "ensemble" else None, classes)
    return measured(found, {name: measure})[name]


def ensemble_scores() -> list[str]:
    """Measures that hyperparameters of an ensemble can be chosen by."""
    known = registered_measures()
    return [name for name in variant_scores() if known[name].needs == "predictions"]


def variant_scores() -> list[str]:
    """Measures that hyperparameters of a variant can be chosen by: those with a direction."""
    return [name for name, measure in registered_measures().items() if measure.is_higher_better is not None]


def choose_ensemble(
    make: Callable[[Mapping[str, Any]], Any],
    grid: Mapping[str, Sequence[Any]],
    folds: Sequence[Fold],
    by: str,
    search: TrialSearch | None = None,
    seed: int = 0,
) -> Choice:
    """The configuration of an ensemble with the best mean score, and its fitted ensembles.

    Parameters
    ----------
    make : callable
        An unfitted ensemble from a configuration.
    grid : mapping of str to list
    folds : sequence of Fold
    by : str
        Name of the score.
    search : TrialSearch, optional
        Which configurations to try; by default all.
    seed : int
        Of the search.
    """
    tried = configurations(grid)
    best: Choice | None = None

    def merits_of(positions: Sequence[int]) -> list[float]:
        nonlocal best
        merits: dict[int, float] = {}
        for family in _families(tried, positions):
            fitted = [fit_family([make(tried[position]) for position in family], fold.train) for fold in folds]
            for rank, position in enumerate(family):
                models = [of_fold[rank] for of_fold in fitted]
                merits[position] = mean_merit(merit(by, *pair) for pair in zip(models, _tests(folds), strict=True))
                candidate = Choice(tried[position], position, merits[position], models)
                # Only the best one's ensembles are kept: those of a whole grid would fill the memory.
                best = candidate if candidate.is_better_than(best) else best
        return [merits[position] for position in positions]

    best_position(grid, search, seed, merits_of)
    assert best is not None, "a grid has at least one configuration"
    return best


def _tests(folds: Sequence[Fold]) -> list[Subset]:
    return [fold.test for fold in folds]


def mean_merit(merits: Iterable[float]) -> float:
    """Mean over the folds; a configuration with NaN in any fold loses."""
    mean = float(np.mean(list(merits)))
    return -np.inf if np.isnan(mean) else mean


def fit_family(models: Sequence[Any], train: Subset) -> list[Any]:
    """Fit ensembles that differ in their number of trees only, each on top of the one before where that is the same.

    Parameters
    ----------
    models : sequence of unfitted ensembles
        From few trees to many.
    train : Subset
    """
    if not _can_grow(models):
        return [model.fit(train.X, train.y) for model in models]
    growing = copy.deepcopy(models[0]).set_params(warm_start=True)
    fitted = []
    for model in models:
        growing.set_params(n_estimators=model.n_estimators).fit(train.X, train.y)
        fitted.append(_as_it_is_now(growing))
    return fitted


def _families(tried: Sequence[Mapping[str, Any]], positions: Sequence[int]) -> list[list[int]]:
    """Positions of configurations that differ in their number of trees only, from few to many."""
    families: dict[str, list[int]] = {}
    for position in positions:
        configuration = tried[position]
        others = {name: value for name, value in configuration.items() if name != SIZE}
        families.setdefault(repr(others), []).append(position)
    for family in families.values():
        family.sort(key=lambda position: tried[position].get(SIZE, 0))
    return list(families.values())


def _can_grow(models: Sequence[Any]) -> bool:
    """Whether an ensemble grown through these sizes has the trees that each would have by itself."""
    first = models[0]
    # scikit-learn guarantees the same random numbers; other libraries may not.
    if len(models) == 1 or not (isinstance(first, BaseEstimator) and type(first).__module__.startswith("sklearn.")):
        return False
    settings = [model.get_params() for model in models]
    if not {SIZE, "warm_start", "random_state"} <= settings[0].keys() or not _grows_quietly(settings[0]):
        return False
    sizes = [setting.pop(SIZE) for setting in settings]
    is_same = all(repr(setting) == repr(settings[0]) for setting in settings)
    return is_same and all(np.diff(sizes) > 0)


def _grows_quietly(settings: Mapping[str, Any]) -> bool:
    """Whether these parameters give the same trees, and raise or warn of nothing else, when more trees are added."""
    # Adding trees to bagging raises with `oob_score`, and warns with these class weights, as a single fit does not.
    weights = settings.get("class_weight")
    return (
        isinstance(settings["random_state"], Integral)
        and settings.get("n_iter_no_change") is None
        and not settings["warm_start"]
        and not settings.get("oob_score")
        and (weights is None or isinstance(weights, Mapping))
    )


def _as_it_is_now(growing: Any) -> Any:
    """A fitted ensemble that keeps its trees when the original goes on growing; the trees themselves are shared."""
    kept = copy.copy(growing)
    for name, value in vars(kept).items():
        if isinstance(value, list | np.ndarray):
            setattr(kept, name, copy.copy(value))
    return kept.set_params(warm_start=False)
