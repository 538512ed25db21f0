"""Fitted models of a bundle's variants: each piece of work that several of them need is done once."""

import copy
import json
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from time import perf_counter
from typing import Any, Generic, TypeVar

import attrs
import numpy as np
from sklearn.base import BaseEstimator

from rulekit.classifier import RuleClassifier
from rulekit.core.training_data import TrainingData
from rulekit.extractor import RuleExtractor
from rulekit.plugin.manager import plugins
from rulekit.search.loop import Found, Loop
from rulekit.study.definition import Variant
from rulekit.study.grids import AFTER_THE_LOOP, AFTER_THE_SEARCH, ANSWERING, configurations
from rulekit.study.parts import make_variant
from rulekit.study.subsets import Fold, Subset

#: What the first part of an extractor's fit depends on; see `RuleExtractor.prepare`.
PREPARED_FROM = frozenset({"ensemble", "adapter", "n_jobs", "random_state", "max_memory"})

T = TypeVar("T")


@attrs.frozen(eq=False)
class Effort:
    """A piece of work that was done, for one fit or for several.

    Attributes
    ----------
    seconds : float
    warnings : tuple of WarningMessage
    """

    seconds: float
    warnings: tuple[warnings.WarningMessage, ...]


@attrs.frozen(eq=False)
class Fit:
    """A fitted model.

    Attributes
    ----------
    model : fitted classifier
    efforts : tuple of Effort
        Everything that was done for it, whether others used it too or not.
    """

    model: Any
    efforts: tuple[Effort, ...]

    @property
    def seconds(self) -> float:
        """How long the fit takes by itself."""
        return sum(effort.seconds for effort in self.efforts)


@attrs.frozen(eq=False)
class _Wanted:
    """A model to fit, with the keys of the work that it can share.

    Attributes
    ----------
    model : classifier
        Not fitted yet.
    fit, data, loop, search : str
        Equal keys mean equal results.
    """

    model: Any
    fit: str
    data: str
    loop: str
    search: str

    @property
    def order(self) -> tuple[str, str, bool, str]:
        """Brings equal work together; a loop for a refine stage comes first, because it may serve others too."""
        return self.data, self.loop, getattr(self.model, "refine", None) is None, self.search


class Fits:
    """Models of a bundle's variants, fitted on the same samples from the same ensemble.

    Parameters
    ----------
    fold : Fold
    ensemble : fitted classifier or None
        None if the variants bring their own.
    seed : int
    """

    def __init__(self, fold: Fold, ensemble: Any, seed: int) -> None:
        self.fold, self.ensemble, self._seed = fold, ensemble, seed
        self._wanted: dict[tuple[str, int], _Wanted | BaseException] = {}
        self._fits: dict[str, Fit | BaseException] = {}
        self._bench = _Workbench(fold.train)

    def make(self, asked: Iterable[tuple[Variant, int]]) -> None:
        """Fit the models of some configurations, each given by a variant and the index in its grid."""
        wanted: dict[str, _Wanted] = {}
        for variant, position in asked:
            if (variant.name, position) not in self._wanted:
                each = self._wanted[variant.name, position] = _or_error(partial(self._asked, variant, position))
                if isinstance(each, _Wanted) and each.fit not in self._fits:
                    wanted[each.fit] = each
        for each in sorted(wanted.values(), key=lambda each: each.order):
            self._fits[each.fit] = _or_error(partial(self._bench.fit, each))

    def tidy_up(self) -> None:
        """Keep the fitted models only: what they were made from is large."""
        self._bench = _Workbench(self.fold.train)

    def of(self, variant: Variant, position: int) -> Fit:
        """The model of a configuration that was made; raise what its fit raised, and warn what it warned of."""
        wanted = _or_raise(self._wanted[variant.name, position])
        fit = _or_raise(self._fits[wanted.fit])
        for effort in fit.efforts:
            for each in effort.warnings:
                warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
        return attrs.evolve(fit, model=answering_as(wanted.model, fit.model))

    def _asked(self, variant: Variant, position: int) -> _Wanted:
        configuration = configurations(variant.grid)[position]
        model = make_variant(variant, configuration, self.ensemble, self._seed)
        facts = {"ensemble": self.ensemble, **variant.parameters, **configuration}
        answering: frozenset[str] = frozenset()
        if type(model) is RuleExtractor:
            model.begin_fit()  # raises if the parts do not fit together
            own = {name: value for name, value in facts.items() if name.partition("__")[0] == "ensemble"}
            facts, answering = model.get_params(deep=False) | own, ANSWERING
        else:  # other methods may use their parameters in any way
            facts["method"] = variant.method

        def key(left_out: Collection[str]) -> str:
            return _identity({name: value for name, value in facts.items() if name not in left_out})

        # An ensemble that is fitted here may have to do without samples that the final estimator holds back.
        names = PREPARED_FROM | ({"final_estimator"} if self.ensemble is None else set())
        not_prepared = {name for name in facts if name.partition("__")[0] not in names}
        return _Wanted(model, key(answering), key(not_prepared), key(AFTER_THE_LOOP), key(AFTER_THE_SEARCH))


class _Workbench:
    """Fits one model after the other, and keeps the latest parts of a fit for the models that follow."""

    def __init__(self, train: Subset) -> None:
        self._train = train
        self._data: _Latest[TrainingData] = _Latest()
        self._loop: _Latest[Loop] = _Latest()
        self._found: _Latest[Found] = _Latest()

    def fit(self, wanted: _Wanted) -> Fit:
        """A fitted model."""
        model, train = wanted.model, self._train
        if not isinstance(model, RuleClassifier):
            fitted, effort = _timed(lambda: model.fit(train.X, train.y))
            return Fit(fitted, (effort,))
        data, reading = self._data.of(wanted.data, lambda: copy.copy(model).prepare(train.X, train.y))
        if type(model) is RuleExtractor and model.max_seconds is None and model.max_memory is None:
            return self._extracted(model, wanted, data, reading)
        fitted, effort = _timed(lambda: model.fit(data, data.y))
        return Fit(fitted, (reading, effort))

    def _extracted(self, model: RuleExtractor, wanted: _Wanted, data: TrainingData, reading: Effort) -> Fit:
        components = model.begin_fit()
        data = model.prepare(data, data.y, components)
        budget = model.budget(data)
        if data.held_back is not None:  # from the search too, which is therefore this model's own
            fitted, effort = _timed(lambda: model.fit(data, data.y))
            return Fit(fitted, (reading, effort))
        loop, looping = self._loop.of(
            wanted.data + wanted.loop,
            lambda: model.loop(data, components, budget),
            lambda loop: loop.serves(components["refine"]),
        )
        found, searching = self._found.of(
            wanted.data + wanted.search, lambda: model.search(data, components, budget, loop)
        )
        fitted, finishing = _timed(lambda: model.finish(data, components, found, budget))
        return Fit(fitted, (reading, looping, searching, finishing))


class _Latest(Generic[T]):
    """The result of the latest work of a kind: earlier ones are large, and no longer needed."""

    def __init__(self) -> None:
        self._key: str | None = None
        self._made: tuple[T, Effort] | None = None

    def of(self, key: str, work: Callable[[], T], serves: Callable[[T], bool] = lambda _: True) -> tuple[T, Effort]:
        """The result for this key: the latest one if that has the same key and serves, or else one made now."""
        if self._made is None or self._key != key or not serves(self._made[0]):
            self._made = None
            self._key, self._made = key, _timed(work)
        return self._made


def _timed(work: Callable[[], T]) -> tuple[T, Effort]:
    """What some work returns, with its time and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = perf_counter()
        done = work()
        return done, Effort(perf_counter() - start, tuple(caught))


def _or_error(work: Callable[[], T]) -> T | BaseException:
    """What some work returns or raises: parts of others may raise what they like, even `SystemExit`."""
    try:
        return work()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return error


def _or_raise(outcome: T | BaseException) -> T:
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


def _identity(facts: Mapping[str, Any]) -> str:
    """A string that is the same, in this process, for the same ensemble and parts that are equal."""
    # Ensembles that were fitted on different samples can have the same parameters.
    ensemble = facts.get("ensemble")
    plain = facts if isinstance(ensemble, str) or ensemble is None else {**facts, "ensemble": id(ensemble)}
    return json.dumps(plain, sort_keys=True, default=_described)


def _described(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, BaseEstimator):
        return {"class": id(type(value)), **value.get_params(deep=False)}
    return f"{type(value).__qualname__} at {id(value)}"


def answering_as(wanted: Any, fitted: Any) -> Any:
    """A fitted extractor with the inference mode of another one; any other model is returned as it is.

    Parameters
    ----------
    wanted : RuleExtractor or other classifier
        All of its parameters but the inference mode are those of `fitted`.
    fitted : the same, fitted
    """
    if type(wanted) is not RuleExtractor:  # other methods may use their parameters in any way
        return fitted
    answering = copy.copy(fitted)
    answering.inference = wanted.inference
    inference = plugins().registry.make_components({"inference": wanted.inference})["inference"]
    answering.ruleset_ = attrs.evolve(fitted.ruleset_, inference=inference)
    return answering
