"""What a worker does: fit a group's ensembles, or run one cell.

Nothing here reads or writes files, so that the work runs wherever rulekit is installed.
"""

import platform
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from time import perf_counter
from typing import Any, TypeVar, cast

import attrs
import numpy as np
import sklearn

from rulekit._version import __version__
from rulekit.builder import build
from rulekit.core.arrays import FloatArray, IntArray
from rulekit.core.engine import engine_name
from rulekit.core.errors import RulekitError
from rulekit.evaluation import evaluate, rule_diagnostics, rule_use
from rulekit.plugin.manager import plugins
from rulekit.plugin.preset import Preset
from rulekit.plugin.registry import Component
from rulekit.reading import transformed
from rulekit.ruleset import RuleSet
from rulekit.study.definition import Ensemble, Study, Variant
from rulekit.study.errors import StudyDefinitionError
from rulekit.study.plan import OWN_ORIGIN, Cell, Group, Records, brings_ensemble, seed_of
from rulekit.study.search import Fold, Sample, choose_ensemble, choose_variant, configurations

#: What the first part of an extractor's fit depends on; see `RuleExtractor.prepare`.
PREPARED_FROM = frozenset({"ensemble", "adapter", "n_jobs", "random_state"})

T = TypeVar("T")


@cache
def current_versions() -> dict[str, Any]:
    """What makes results here."""
    origins = {component.origin for component in plugins().registry}
    return {
        "rulekit": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
        "engine": engine_name(),
        "plugins": sorted(origin for origin in origins if not origin.startswith(OWN_ORIGIN)),
    }


@attrs.frozen(eq=False)
class Result:
    """What is known of a finished cell.

    Attributes
    ----------
    chosen : dict
        Hyperparameters.
    seconds : float
        Of the final fit.
    search_seconds : float
        Of the choice of hyperparameters.
    n_train, n_test : int
    measures : dict of str to float
    truth : ndarray of shape (n_test,)
        Classes of the held-out records, as positions among the labels.
    probabilities : ndarray of shape (n_test, n_classes)
    seed : int
    ruleset : dict or None
        From `RuleSet.to_dict`; None if there are no rules. So are the next two.
    diagnostics : list of dict or None
        From `rule_diagnostics`, one for each rule.
    use : dict or None
        From `rule_use`.
    warnings : tuple of str
    versions : dict
        Of what made it.
    """

    chosen: dict[str, Any]
    seconds: float
    search_seconds: float
    n_train: int
    n_test: int
    measures: dict[str, float]
    truth: IntArray
    probabilities: FloatArray
    seed: int
    ruleset: dict[str, Any] | None = None
    diagnostics: list[dict[str, Any]] | None = None
    use: dict[str, float] | None = None
    warnings: tuple[str, ...] = ()
    versions: dict[str, Any] = attrs.field(factory=current_versions)


@attrs.frozen
class Failure:
    """Why there is no result.

    Attributes
    ----------
    kind : str
        Class of the exception.
    message, traceback : str
    versions : dict
    """

    kind: str
    message: str
    traceback: str
    versions: dict[str, Any] = attrs.field(factory=current_versions)

    @property
    def error(self) -> str:
        """Class and message."""
        return f"{self.kind}: {self.message}"

    @classmethod
    def of(cls, error: BaseException) -> "Failure":
        """The failure that an exception means."""
        return cls(type(error).__name__, str(error), "".join(traceback.format_exception(error)))


@attrs.frozen(eq=False)
class Fitted:
    """A group's ensembles.

    Attributes
    ----------
    outer : fitted classifier
        On the whole training part.
    inner : tuple of fitted classifiers
        On the inner folds; empty if nobody asked for them.
    result : Result
        Of the ensemble itself, with the hyperparameters that were chosen.
    """

    outer: Any
    inner: tuple[Any, ...]
    result: Result


def result_of(fitted: Fitted | Failure) -> Result | Failure:
    """What is known of the ensemble itself, without the ensembles."""
    return fitted.result if isinstance(fitted, Fitted) else fitted


def fit_group(
    records: Records, group: Group, chosen: dict[str, Any] | None, needs_inner: bool, code: Sequence[Component] = ()
) -> Fitted | Failure:
    """Choose an ensemble's hyperparameters, and fit it with them.

    Parameters
    ----------
    records : Records
    group : Group
    chosen : dict or None
        The hyperparameters, if an earlier run has chosen them.
    needs_inner : bool
        Whether a variant will choose its own hyperparameters on the inner folds.
    code : sequence of Component
        From `registered_in_code`.
    """
    return _recorded(lambda: _fit_group(records, group, chosen, needs_inner), code)


def run_cell(
    records: Records, cell: Cell, fitted: Fitted | Failure | None, code: Sequence[Component] = ()
) -> Result | Failure:
    """Choose a variant's hyperparameters, fit it with them, and measure it on held-out records.

    Parameters
    ----------
    records : Records
    cell : Cell
        Of a variant.
    fitted : Fitted, Failure or None
        The group's ensembles; their failure is the cell's. None if the variant brings its own.
    code : sequence of Component
        From `registered_in_code`.
    """
    if isinstance(fitted, Failure):
        return fitted
    return _recorded(lambda: _run_cell(records, cell, fitted), code)


def registered_in_code() -> tuple[Component, ...]:
    """Components of this process that workers would not find by themselves."""
    return tuple(component for component in plugins().registry if component.origin.startswith("code"))


def check_parts(study: Study) -> None:
    """Raise, before any work, if an ensemble or a variant cannot be made."""
    for ensemble in study.ensembles:
        with _told_where(f"[ensembles.{ensemble.name}]"):
            for configuration in configurations(ensemble.grid):
                make_ensemble(ensemble, configuration, seed=0)
    for variant in study.variants:
        with _told_where(f"[variants.{variant.name}]"):
            _check_ensemble_settings(variant, study.selection.variant)
            for configuration in configurations(variant.grid):
                make_variant(variant, configuration, None, seed=0)


def make_ensemble(ensemble: Ensemble, configuration: Mapping[str, Any], seed: int) -> Any:
    """An unfitted ensemble; parameters that its registered function does not take are set on what it makes."""
    registry = plugins().registry
    takes = registry.get("ensemble", ensemble.ensemble).parameters
    parameters = {"random_state": seed, **ensemble.parameters, **configuration}
    model = registry.create(
        "ensemble", ensemble.ensemble, **{name: value for name, value in parameters.items() if name in takes}
    )
    others = {name: value for name, value in parameters.items() if name not in takes and name != "random_state"}
    return model.set_params(**others) if others else model


def make_variant(variant: Variant, configuration: Mapping[str, Any], ensemble: Any, seed: int) -> Any:
    """An unfitted extractor, seeded if it takes a seed."""
    parameters = {**variant.parameters, **configuration}
    if isinstance(plugins().registry.get("method", variant.method).factory, Preset):
        return build(variant.method, ensemble, **{"random_state": seed, **parameters})
    model = build(variant.method, ensemble, **parameters)
    takes_seed = hasattr(model, "get_params") and "random_state" in model.get_params(deep=False)
    return model.set_params(random_state=seed) if takes_seed and "random_state" not in parameters else model


def _check_ensemble_settings(variant: Variant, score: str) -> None:
    is_own = brings_ensemble(variant)
    nested = [name for name in {**variant.parameters, **variant.grid} if name.startswith("ensemble__")]
    if nested and not is_own:
        raise StudyDefinitionError(
            f"{nested[0]} is about the ensemble, which this variant shares with the others: set it under [ensembles]."
        )
    if is_own and score == "fidelity" and len(configurations(variant.grid)) > 1:
        raise StudyDefinitionError("it brings its own ensemble, so that fidelity cannot choose its hyperparameters.")


@contextmanager
def _told_where(where: str) -> Iterator[None]:
    try:
        yield
    except (RulekitError, ValueError, TypeError) as error:
        raise StudyDefinitionError(f"{where}: {' '.join(str(error).split())}") from error


def _recorded(work: Callable[[], T], code: Sequence[Component]) -> T | Failure:
    """What the work returns, with the warnings it gave; or why it failed."""
    try:
        _register(code)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            done: Any = work()
    # Whatever goes wrong in a cell is its result, and must not stop the others.
    except Exception as error:
        return Failure.of(error)
    told = tuple(dict.fromkeys(f"{each.category.__name__}: {each.message}" for each in caught))
    if isinstance(done, Fitted):
        done = attrs.evolve(done, result=attrs.evolve(done.result, warnings=told))
    else:
        done = attrs.evolve(done, warnings=told)
    return cast(T, done)


def _register(code: Sequence[Component]) -> None:
    registry = plugins().registry
    known = {(component.kind, component.name): component.factory for component in registry}
    for component in code:
        if known.get((component.kind, component.name)) is not component.factory:
            # A worker may have an earlier version from the last run of a notebook.
            registry.add(component.kind, component.name, component.factory, origin=component.origin, replace=True)


def _fit_group(records: Records, group: Group, chosen: dict[str, Any] | None, needs_inner: bool) -> Fitted:
    ensemble, seed = group.ensemble, seed_of(group.key)
    fold = group.split.outer(records.sample)

    def make(configuration: Mapping[str, Any]) -> Any:
        return make_ensemble(ensemble, configuration, seed)

    # What was chosen before is a grid of one configuration: it is fitted on each inner fold, if anybody needs that.
    grid = ensemble.grid if chosen is None else {name: [value] for name, value in chosen.items()}
    has_choice = len(configurations(grid)) > 1
    configuration, inner, search_seconds = configurations(grid)[0], [], 0.0
    if has_choice or needs_inner:
        start = perf_counter()
        choice = choose_ensemble(make, grid, group.split.inner(fold.train, group.inner), group.score)
        search_seconds = perf_counter() - start if has_choice else 0.0
        configuration, inner = choice.configuration, choice.models if needs_inner else []
    model, seconds = _fitted(make(configuration), fold.train)
    result = Result(
        configuration,
        seconds,
        search_seconds,
        len(fold.train),
        len(fold.test),
        **_held_out(records, model, fold.test),
        seed=seed,
    )
    return Fitted(model, tuple(inner), result)


def _run_cell(records: Records, cell: Cell, fitted: Fitted | None) -> Result:
    variant, group, seed = cell.variant, cell.group, cell.seed
    assert variant is not None, "the ensemble's own cell comes with its group"
    fold = group.split.outer(records.sample)

    def fit_all(tried: Sequence[Mapping[str, Any]], fold: Fold, ensemble: Any) -> Iterator[Any]:
        grounds: dict[str, Any] = {}
        for configuration in tried:
            yield _fit_sharing(make_variant(variant, configuration, ensemble, seed), configuration, fold.train, grounds)

    chosen, search_seconds = configurations(variant.grid)[0], 0.0
    if len(configurations(variant.grid)) > 1:
        start = perf_counter()
        folds = group.split.inner(fold.train, group.inner)
        ensembles = [None] * len(folds) if fitted is None else fitted.inner
        chosen = choose_variant(fit_all, variant.grid, folds, ensembles, cell.score)
        search_seconds = perf_counter() - start
    ensemble = None if fitted is None else fitted.outer
    model, seconds = _fitted(make_variant(variant, chosen, ensemble, seed), fold.train)
    return Result(
        chosen,
        seconds,
        search_seconds,
        len(fold.train),
        len(fold.test),
        **_held_out(records, model, fold.test, ensemble),
        **_rules(records, model, fold.test),
        seed=seed,
    )


def _fit_sharing(model: Any, configuration: Mapping[str, Any], train: Sample, grounds: dict[str, Any]) -> Any:
    """Fit a model of a grid; what does not depend on its configuration is done once and kept in `grounds`."""
    if not (hasattr(model, "prepare") and hasattr(model, "fit_prepared")):
        return model.fit(train.X, train.y)
    own = repr([item for item in configuration.items() if item[0].partition("__")[0] in PREPARED_FROM])
    if own not in grounds:
        grounds.clear()  # configurations with the same ensemble mostly follow one another
        grounds[own] = model.prepare(train.X, train.y)
    return model.fit_prepared(grounds[own])


def _fitted(model: Any, train: Sample) -> tuple[Any, float]:
    start = perf_counter()
    model.fit(train.X, train.y)
    return model, perf_counter() - start


def _held_out(records: Records, model: Any, test: Sample, ensemble: Any = None) -> dict[str, Any]:
    """How good the predictions of held-out records are, and the predictions themselves."""
    measures = evaluate(model, test.X, test.y, ensemble)
    if ensemble is None:
        measures.pop("fidelity", None)  # to an ensemble of its own, a matter of course
    classes = np.asarray(model.classes_)
    probabilities = np.zeros((len(test), len(records.labels)))
    probabilities[:, classes] = model.predict_proba(test.X)
    measures["accuracy"] = float(np.mean(probabilities.argmax(axis=1) == test.y))
    return {"measures": measures, "truth": test.y, "probabilities": probabilities}


def _rules(records: Records, model: Any, test: Sample) -> dict[str, Any]:
    """The rules with the dataset's own labels, and what held-out records say of each."""
    ruleset = getattr(model, "ruleset_", None)
    if not isinstance(ruleset, RuleSet):
        return {}
    labelled = attrs.evolve(ruleset, classes=records.labels[ruleset.classes])
    X = transformed(getattr(model, "transformer_", None), test.X)
    diagnostics = rule_diagnostics(labelled, X, records.labels[test.y])
    return {
        "ruleset": labelled.to_dict(),
        "diagnostics": diagnostics.reset_index().astype({"group": str}).to_dict("records"),
        "use": rule_use(labelled, X),
    }
