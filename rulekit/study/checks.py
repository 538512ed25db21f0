"""Checks of a study before it runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rulekit.classifier import RuleClassifier
from rulekit.core.errors import RulekitError
from rulekit.core.messages import cut
from rulekit.evaluation.held_out import registered_measures
from rulekit.study.calibrating import calibration_map
from rulekit.study.definition import Study, Variant
from rulekit.study.errors import StudyDefinitionError
from rulekit.study.grids import configurations, has_choice
from rulekit.study.parts import make_ensemble, make_variant
from rulekit.study.plan import brings_ensemble
from rulekit.study.result import Failure
from rulekit.study.trials import check_search


def check_parts(study: Study) -> None:
    """Raise, before any work, if an ensemble or a variant cannot be created, or has an invalid value."""
    for ensemble in study.ensembles:
        with _told_where(f"[ensembles.{cut(ensemble.name)}]"):
            check_search(ensemble.search, ensemble.grid)
            for configuration in configurations(ensemble.grid):
                make_ensemble(ensemble, configuration, seed=0)
    for variant in study.variants:
        with _told_where(f"[variants.{cut(variant.name)}]"):
            _check_ensemble_settings(variant, study.selection.variant)
            check_search(variant.search, variant.grid)
            for configuration in configurations(variant.grid):
                _check_values(make_variant(variant, configuration, None, seed=0))
            if variant.calibration is not None:
                calibration_map(variant.calibration)


def _check_values(model: Any) -> None:
    """Raise if the model rejects the values of its parameters; models of plugins may do so only in `fit`."""
    if isinstance(model, RuleClassifier):
        model.check_parameters()


def _check_ensemble_settings(variant: Variant, score: str) -> None:
    is_own = brings_ensemble(variant)
    nested = [name for name in {**variant.parameters, **variant.grid} if name.startswith("ensemble__")]
    if nested and not is_own:
        raise StudyDefinitionError(
            f"{nested[0]} is a parameter of the ensemble, which all variants share: set it under [ensembles]."
        )
    needs_ensemble = registered_measures()[score].needs == "ensemble"
    if is_own and needs_ensemble and has_choice(variant.grid):
        raise StudyDefinitionError(f"it has its own ensemble, so its hyperparameters cannot be chosen by {score}.")


@contextmanager
def _told_where(where: str) -> Iterator[None]:
    try:
        yield
    except (RulekitError, ValueError, TypeError) as error:
        raise StudyDefinitionError(f"{where}: {' '.join(str(error).split())}") from error
    except Exception as error:  # a plugin's component may raise any exception
        failure = Failure.of(error)
        raise StudyDefinitionError(f"{where} cannot be created: {' '.join(failure.error.split())}") from error
