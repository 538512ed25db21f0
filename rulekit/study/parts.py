"""Ensembles and extractors from their definitions in a study."""

from collections.abc import Mapping
from typing import Any

from rulekit.builder import build
from rulekit.plugin.manager import plugins
from rulekit.plugin.preset import Preset
from rulekit.study.definition import Ensemble, Variant


def make_ensemble(ensemble: Ensemble, configuration: Mapping[str, Any], seed: int) -> Any:
    """An unfitted ensemble; parameters that its registered function does not accept are set on its result."""
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
    parameters = {"ensemble": ensemble, **variant.parameters, **configuration}
    if isinstance(plugins().registry.get("method", variant.method).factory, Preset):
        return build(variant.method, **{"random_state": seed, **parameters})
    model = build(variant.method, **parameters)
    takes_seed = hasattr(model, "get_params") and "random_state" in model.get_params(deep=False)
    return model.set_params(random_state=seed) if takes_seed and "random_state" not in parameters else model
