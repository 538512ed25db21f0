"""Which configurations of a grid are tried: all of them, a random choice, or those that Optuna suggests."""

from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any

import attrs
import numpy as np

from rulekit.core.errors import MissingExtraError
from rulekit.core.messages import short
from rulekit.datasets.spelling import hint, listed
from rulekit.study.errors import StudyDefinitionError
from rulekit.study.grids import configurations, has_choice
from rulekit.study.values import at_least

KINDS = ("random", "optuna")

#: The mean scores of configurations, given by their indices in the grid; larger is better.
Merits = Callable[[Sequence[int]], Sequence[float]]


@attrs.frozen
class TrialSearch:
    """A search that tries some configurations of a grid.

    Attributes
    ----------
    kind : {"random", "optuna"}
        A random choice without repetition, or what Optuna's tree-structured Parzen estimator suggests from the trials
        before; both are seeded by the cell.
    trials : int
        Number of configurations to try.
    """

    kind: str = attrs.field()
    trials: int = attrs.field(validator=at_least(1))

    @kind.validator
    def _is_known(self, _: Any, kind: Any) -> None:
        if kind not in KINDS:
            near = hint(str(kind), KINDS)
            raise StudyDefinitionError(f"search: unknown kind {short(kind)}.{near} Known: {listed(KINDS)}.")


def as_search(given: Any) -> TrialSearch | None:
    """A search from a study's file: None, or a table with its kind and number of trials."""
    if given is None or isinstance(given, TrialSearch):
        return given
    if not isinstance(given, Mapping) or set(given) != {"kind", "trials"}:
        raise StudyDefinitionError(
            f'search must be a table such as {{ kind = "random", trials = 30 }}, got {short(given)}.'
        )
    return TrialSearch(**given)


def check_search(search: TrialSearch | None, grid: Mapping[str, Sequence[Any]]) -> None:
    """Raise if a search has nothing to choose from, or lacks its library."""
    if search is None:
        return
    if not has_choice(grid):
        raise StudyDefinitionError("search needs a grid with several values to choose from.")
    if search.kind == "optuna":
        _optuna()


def planned(grid: Mapping[str, Sequence[Any]], search: TrialSearch | None, seed: int) -> list[int]:
    """Indices of the configurations that are tried whatever their scores are, in the order of the grid."""
    n_configurations = len(configurations(grid))
    if search is None:
        return list(range(n_configurations))
    if search.kind == "optuna":
        return []
    n_trials = min(search.trials, n_configurations)
    return sorted(np.random.default_rng(seed).choice(n_configurations, n_trials, replace=False).tolist())


def best_position(grid: Mapping[str, Sequence[Any]], search: TrialSearch | None, seed: int, merits_of: Merits) -> int:
    """The index of the best configuration that is tried, the first of equals in the order of the grid.

    Parameters
    ----------
    grid : mapping of str to sequence
    search : TrialSearch or None
        None tries all configurations.
    seed : int
    merits_of : callable
        Called for configurations that were not tried before.
    """
    if search is not None and search.kind == "optuna":
        merits = _suggested(grid, search.trials, seed, merits_of)
    else:
        positions = planned(grid, search, seed)
        merits = dict(zip(positions, merits_of(positions), strict=True))
    return max(merits, key=lambda position: (merits[position], -position))


def _suggested(grid: Mapping[str, Sequence[Any]], n_trials: int, seed: int, merits_of: Merits) -> dict[int, float]:
    """The merits of the configurations that Optuna suggests; one that it repeats counts as a trial; it is not rerun."""
    optuna = _optuna()
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        trials = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
        merits: dict[int, float] = {}
        for _ in range(n_trials):
            trial = trials.ask()
            indices = [_index(trial, name, values) for name, values in grid.items()]
            position = int(np.ravel_multi_index(indices, [len(values) for values in grid.values()]))
            if position not in merits:
                [merits[position]] = merits_of([position])
            trials.tell(trial, merits[position])
        return merits
    finally:
        optuna.logging.set_verbosity(verbosity)


def _index(trial: Any, name: str, values: Sequence[Any]) -> int:
    """The index of a suggested value: of ascending numbers as a number, so that near values count as similar."""
    is_number = all(isinstance(value, Real) and not isinstance(value, bool) for value in values)
    if is_number and all(np.diff(np.array(values, dtype=float)) > 0):
        return int(trial.suggest_int(name, 0, len(values) - 1))
    return int(trial.suggest_categorical(name, list(range(len(values)))))


def _optuna() -> Any:
    try:
        import optuna
    except ImportError as error:
        raise MissingExtraError(
            'search = { kind = "optuna", … } needs optuna, which is not installed: '
            "pip install 'rulekit-rcprob[optuna]'."
        ) from error
    return optuna
