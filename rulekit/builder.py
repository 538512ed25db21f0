"""From a method's name to an unfitted classifier."""

from collections.abc import Mapping
from typing import Any

from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.frozen import FrozenEstimator

from rulekit.core.errors import InvalidParameterError, UnsupportedEnsembleError
from rulekit.extractor import RuleExtractor
from rulekit.model import is_fitted, thawed, unwrapped
from rulekit.plugin.kinds import PARAMETERS
from rulekit.plugin.manager import plugins
from rulekit.plugin.preset import Preset
from rulekit.rule_model import RuleModel

#: Methods for classes whose name also stands for a regression method.
FOR_NUMBERS = {"rclist": "list"}


def build(name: str, ensemble: Any = None, **overrides: Any) -> Any:
    """Make an unfitted rule extractor from a method's name.

    Parameters
    ----------
    name : str
        A registered method: "rcprob", "rc+", "tree", or a plugin's; for a number "additive" or "list".
    ensemble : classifier, regressor, str or None, default=None
        A fitted tree ensemble is used as it is and never changed; an unfitted one is cloned and fitted in `fit`; a
        string names a registered ensemble ("rf", "gbm", …). None means the method's default, usually a random forest.
    **overrides
        Parameters of the `RuleExtractor`: components by registered name or as instances, thresholds by value, and
        parameters of components as `final_estimator__crossover=20`.

    Returns
    -------
    extractor : RuleModel
        A `RuleExtractor`, or the classifier that the method's plugin makes.

    Examples
    --------
    >>> import rulekit
    >>> model = rulekit.build("rcprob", final_estimator="m-estimate", final_estimator__strength=2.0)
    >>> model.final_estimator
    MEstimate(strength=2.0)
    """
    factory = _factory(name, ensemble)
    if isinstance(factory, type) and issubclass(factory, RuleModel):
        return _made(name, factory, {"ensemble": ensemble, **overrides})
    if not isinstance(factory, Preset):
        return factory(ensemble, **overrides)
    if ensemble is not None:
        overrides["ensemble"] = ensemble
    return _made(name, RuleExtractor, overridden(preset_parameters(name), overrides))


def _factory(name: str, ensemble: Any) -> Any:
    """What makes a method's model: a regression method if the name is one, or if the ensemble is a regressor."""
    registry = plugins().registry
    regressors = [component.name for component in registry.of_kind("regressor")]
    if isinstance(ensemble, BaseEstimator) and is_regressor(ensemble) and name not in regressors:
        if name not in FOR_NUMBERS:
            raise UnsupportedEnsembleError(
                f"Not supported: {name!r} predicts classes, but {type(thawed(ensemble)).__name__} is a regressor. Use "
                f"one of the methods {', '.join(map(repr, regressors))}."
            )
        name = FOR_NUMBERS[name]
    kind = "regressor" if name in regressors else "method"
    return registry.get(kind, name).factory


def preset_parameters(name: str, heirs: tuple[str, ...] = ()) -> dict[str, Any]:
    """A preset's parameters on top of those of its base."""
    preset = plugins().registry.get("method", name).factory
    if not isinstance(preset, Preset):
        raise InvalidParameterError(f"The base {name!r} of a preset is not a preset.")
    if name in heirs:
        raise InvalidParameterError(f"The preset {name!r} is its own base: {' -> '.join([*heirs, name])}.")
    base = {} if preset.base is None else preset_parameters(preset.base, (*heirs, name))
    return overridden(base, preset.parameters)


def overridden(parameters: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters with changes; parameters of a component that is replaced are dropped."""
    kept = {key: value for key, value in parameters.items() if key.partition("__")[0] not in changes}
    return {**kept, **changes}


def _made(name: str, method: type[RuleModel], parameters: dict[str, Any]) -> RuleModel:
    flat = {key: value for key, value in parameters.items() if "__" not in key}
    nested = {key: value for key, value in parameters.items() if "__" in key}
    known = method().get_params(deep=False)
    unknown = sorted(key for key in parameters if key.partition("__")[0] not in known)
    if unknown:
        raise InvalidParameterError(
            f"rulekit.build({name!r}) got unknown parameters: {', '.join(unknown)}. Known: {', '.join(sorted(known))}."
        )
    owners = {key.partition("__")[0] for key in nested}
    for parameter in PARAMETERS.keys() & known.keys():
        # Names become instances that take nested parameters; instances passed by the user are not modified.
        component = plugins().registry.resolve_parameter(parameter, flat.get(parameter, known[parameter]))
        flat[parameter] = clone(component) if parameter in owners and component is not None else component
    ensemble = _kept(flat.get("ensemble"))
    if "ensemble" in owners and not isinstance(ensemble, str | type | None):
        ensemble = clone(ensemble)
    return method(**{**flat, "ensemble": ensemble}).set_params(**nested)


def _kept(ensemble: Any) -> Any:
    """A fitted ensemble, frozen to survive cloning of the extractor; anything else unchanged."""
    return FrozenEstimator(thawed(ensemble)) if is_fitted(unwrapped(ensemble)) else ensemble
