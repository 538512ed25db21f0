"""Fitted models, each of them fitted once and used by several cells."""

import copy
import warnings
from collections.abc import Iterator, Mapping
from time import perf_counter
from typing import Any

import attrs

from rulekit.classifier import RuleClassifier
from rulekit.extractor import RuleExtractor
from rulekit.plugin.manager import plugins
from rulekit.study.definition import Variant
from rulekit.study.grids import configurations, fits_of
from rulekit.study.parts import make_variant
from rulekit.study.subsets import Fold

#: What the first part of an extractor's fit depends on; see `RuleExtractor.prepare`.
PREPARED_FROM = frozenset({"ensemble", "adapter", "n_jobs", "random_state"})


@attrs.frozen(eq=False)
class Fit:
    """A fitted model.

    Attributes
    ----------
    model : fitted classifier
    seconds : float
    warnings : tuple of WarningMessage
        That the fit gave.
    """

    model: Any
    seconds: float
    warnings: tuple[warnings.WarningMessage, ...]


class Fits:
    """Models of a bundle's variants, fitted on the same samples from the same ensemble.

    Parameters
    ----------
    fold : Fold
    ensemble : fitted classifier or None
        None if the variants bring their own.
    seed : int
    shares_training_data : bool
        Whether work that does not depend on the configuration is done once. Otherwise each fit is complete, and its
        time can be compared.
    """

    def __init__(self, fold: Fold, ensemble: Any, seed: int, *, shares_training_data: bool) -> None:
        self.fold, self.ensemble = fold, ensemble
        self._seed, self._shares_training_data = seed, shares_training_data
        self._kept: dict[tuple[int, ...], Fit] = {}
        self._prepared: dict[str, Any] = {}

    def of(self, variant: Variant, position: int) -> Fit:
        """The model of the configuration at an index of a variant's grid."""
        return self._fit(variant, configurations(variant.grid)[position], fits_of(variant.grid)[position])

    def models(self, variant: Variant) -> Iterator[Any]:
        """The models of all configurations of a variant's grid, in order."""
        for configuration, asked in zip(configurations(variant.grid), fits_of(variant.grid), strict=True):
            yield self._fit(variant, configuration, asked).model
        self._prepared.clear()  # they are large, and most likely no longer needed

    def _fit(self, variant: Variant, configuration: Mapping[str, Any], asked: tuple[int, ...]) -> Fit:
        wanted = make_variant(variant, configuration, self.ensemble, self._seed)
        if asked not in self._kept:
            self._kept[asked] = self._made(wanted, configuration)
        kept = self._kept[asked]
        for each in kept.warnings:
            # Every cell that uses the model gets its warnings, not only the first.
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
        return attrs.evolve(kept, model=answering_as(wanted, kept.model))

    def _made(self, model: Any, configuration: Mapping[str, Any]) -> Fit:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            start = perf_counter()
            if self._shares_training_data and isinstance(model, RuleClassifier):
                data = self._training_data(model, configuration)
                model = model.fit(data, data.y)
            else:
                model = model.fit(self.fold.train.X, self.fold.train.y)
            return Fit(model, perf_counter() - start, tuple(caught))

    def _training_data(self, model: Any, configuration: Mapping[str, Any]) -> Any:
        # An ensemble that is fitted there may have to do without samples that the final estimator holds back.
        names = PREPARED_FROM | ({"final_estimator"} if self.ensemble is None else set())
        own = repr([item for item in configuration.items() if item[0].partition("__")[0] in names])
        if own not in self._prepared:
            self._prepared.clear()  # configurations with the same ensemble mostly follow one another
            self._prepared[own] = model.prepare(self.fold.train.X, self.fold.train.y)
        return self._prepared[own]


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
