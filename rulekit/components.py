"""Components by name or by instance."""

from typing import Any

from sklearn.base import clone

from rulekit.core.errors import ComponentTypeError
from rulekit.plugin.kinds import INTERFACES, KINDS
from rulekit.plugin.manager import plugins

#: Which kind of component each parameter of a `RuleExtractor` takes.
KIND_OF_PARAMETER = {
    "adapter": "adapter",
    "priors": "priors",
    "evidence": "probability",
    "probability": "probability",
    "combine": "combine",
    "cover": "cover",
    "simplify": "simplify",
    "inference": "inference",
}
#: Parameters that may be None: an adapter is then chosen by the model, a stage left out.
OPTIONAL = frozenset({"adapter", "combine", "cover", "simplify"})


def instance(parameter: str, value: Any) -> Any:
    """The component that a parameter's value stands for: made if it is a name, otherwise the value itself."""
    kind = KIND_OF_PARAMETER[parameter]
    if value is None and parameter in OPTIONAL:
        return None
    if isinstance(value, str):
        return plugins().registry.create(kind, value)
    if not isinstance(value, INTERFACES[kind]):
        article = "an" if KINDS[kind][0] in "aeiou" else "a"
        hint = f" Did you mean {value.__name__}()?" if isinstance(value, type) else ""
        raise ComponentTypeError(
            f"{parameter} must be the name of {article} {KINDS[kind]} or an instance of {INTERFACES[kind].__name__}, "
            f"got {value!r}.{hint}"
        )
    return value


def named_ensemble(name: str, random_state: int | None) -> Any:
    """An unfitted ensemble by its name, seeded if it takes a seed."""
    registry = plugins().registry
    takes_seed = "random_state" in registry.get("ensemble", name).parameters
    return registry.create("ensemble", name, **({"random_state": random_state} if takes_seed else {}))


def fresh(parameter: str, value: Any) -> Any:
    """A component that may be fitted without changing what the user passed."""
    component = instance(parameter, value)
    return component if component is None or isinstance(value, str) else clone(component)
