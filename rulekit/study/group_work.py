"""Fitting the ensembles of a group."""

from collections.abc import Mapping
from time import perf_counter
from typing import Any

import attrs

from rulekit.plugin.code_components import CodeComponents
from rulekit.study.data import StudyDataset
from rulekit.study.grids import configurations, has_choice
from rulekit.study.measuring import held_out
from rulekit.study.parts import make_ensemble
from rulekit.study.plan import Group
from rulekit.study.result import Failure, Result
from rulekit.study.search import choose_ensemble
from rulekit.study.work import recorded


@attrs.frozen(eq=False)
class Fitted:
    """A group's ensembles.

    Attributes
    ----------
    outer : fitted classifier
        On the whole training part.
    inner : tuple of fitted classifiers
        On the inner folds; empty if they are not needed.
    result : Result
        Of the ensemble itself, with the hyperparameters that were chosen.
    """

    outer: Any
    inner: tuple[Any, ...]
    result: Result


def result_of(fitted: Fitted | Failure) -> Result | Failure:
    """The result of the ensemble itself, without the fitted models."""
    return fitted.result if isinstance(fitted, Fitted) else fitted


def fit_group(
    samples: StudyDataset,
    group: Group,
    chosen: dict[str, Any] | None,
    needs_inner: bool,
    code: CodeComponents | None = None,
) -> Fitted | Failure:
    """Choose an ensemble's hyperparameters, and fit it with them.

    Parameters
    ----------
    samples : StudyDataset
    group : Group
    chosen : dict or None
        The hyperparameters, if an earlier run has chosen them.
    needs_inner : bool
        Whether a variant will choose its own hyperparameters on the inner folds.
    code : CodeComponents, optional
        Of the process that sends the work.
    """

    def work() -> Fitted:
        if code is not None:
            code.register(replace=True)
        return _fitted(samples, group, chosen, needs_inner)

    fitted, caught = recorded(work)
    if isinstance(fitted, Failure):
        return fitted
    return attrs.evolve(fitted, result=attrs.evolve(fitted.result, warnings=caught))


def _fitted(samples: StudyDataset, group: Group, chosen: dict[str, Any] | None, needs_inner: bool) -> Fitted:
    ensemble, seed = group.ensemble, group.seed
    fold = group.split.outer(samples.subset)

    def make(configuration: Mapping[str, Any]) -> Any:
        return make_ensemble(ensemble, configuration, seed)

    # What was chosen before is a grid of one configuration: it is fitted on each inner fold if a variant needs that.
    grid = ensemble.grid if chosen is None else {name: [value] for name, value in chosen.items()}
    configuration, inner, search_seconds = configurations(grid)[0], [], 0.0
    if has_choice(grid) or needs_inner:
        start = perf_counter()
        search = ensemble.search if has_choice(grid) else None
        folds = group.split.inner(fold.train, group.inner)
        choice = choose_ensemble(make, grid, folds, group.score, search, seed)
        search_seconds = perf_counter() - start if has_choice(grid) else 0.0
        configuration, inner = choice.configuration, choice.models if needs_inner else []
    model = make(configuration)
    start = perf_counter()
    model.fit(fold.train.X, fold.train.y)
    result = Result(
        configuration,
        perf_counter() - start,
        search_seconds,
        len(fold.train),
        len(fold.test),
        **held_out(samples, model, fold.test),
        seed=seed,
    )
    return Fitted(model, tuple(inner), result)
