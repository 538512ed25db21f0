"""The names of a plugin: of its distribution, module and component, and in its code."""

import keyword
import re
import sys
from importlib.metadata import entry_points
from importlib.util import find_spec

import attrs

from rulekit.plugin.catalogue import list_components
from rulekit.plugin.kinds import KINDS
from rulekit.plugin.manager import ENTRY_POINT_GROUP
from rulekit.scaffold.errors import PluginNameError

PREFIX = "rulekit-"
#: With names up to this length, lines of the templates have at most 120 characters.
LONGEST = 40
#: rulekit's own names: the distribution, and the plugin that registers the built-in components.
OWN = ("rulekit-rcprob", "rulekit-builtins")


@attrs.frozen
class PluginName:
    """The names that follow from the name of a distribution.

    Attributes
    ----------
    distribution : str
        Such as "rulekit-shy-forest".
    """

    distribution: str

    @property
    def module(self) -> str:
        """Name of the module: "rulekit_shy_forest"."""
        return self.distribution.replace("-", "_")

    @property
    def component(self) -> str:
        """Name of the component and of the entry point: "shy-forest"."""
        return self.distribution.removeprefix(PREFIX)

    @property
    def class_name(self) -> str:
        """A class in the code: "ShyForest"."""
        return "".join(word.capitalize() for word in self.component.split("-"))

    @property
    def function(self) -> str:
        """A function in the code: "shy_forest"."""
        return self.component.replace("-", "_")


def check_name(name: PluginName) -> None:
    """Raise unless the name is possible for a distribution, a module, a class and a function."""
    given = name.distribution
    if not _is_well_formed(name):
        raise PluginNameError(
            "The name of a plugin must be a distribution name: lower-case words of letters and digits, joined by "
            f"hyphens, where the first word (and the one after {PREFIX}) begins with a letter, such as "
            f"{PREFIX}shy-forest; got {given!r}.{_hint(given)}"
        )
    if len(given) > LONGEST:
        raise PluginNameError(
            f"The name of a plugin must have at most {LONGEST} characters; {given!r} has {len(given)}. Shorten it."
        )
    if _is_taken(name):
        raise PluginNameError(
            f"{given!r} is already used by rulekit itself, a Python keyword, or a module of the standard library. "
            f"Choose another name.{_hint(given)}"
        )


def _is_well_formed(name: PluginName) -> bool:
    words = re.fullmatch("[a-z][a-z0-9]*(-[a-z0-9]+)*", name.distribution)
    # The component's name begins a class name in the code, even if the distribution's name has a prefix.
    return words is not None and name.component[0].isalpha()


def _is_taken(name: PluginName) -> bool:
    modules = {"rulekit", *sys.stdlib_module_names}
    return name.distribution in OWN or keyword.iskeyword(name.function) or name.module in modules


def _hint(given: str) -> str:
    """A hint at a name of the same words with rulekit's prefix, if that is possible."""
    words = re.findall("[a-z0-9]+", given.lower().removeprefix("rulekit"))
    name = PluginName(PREFIX + "-".join(words))
    is_possible = bool(words) and _is_well_formed(name) and not _is_taken(name) and len(name.distribution) <= LONGEST
    return f" Try {name.distribution}." if is_possible and name.distribution != given else ""


def check_is_free(name: PluginName, kind: str) -> None:
    """Raise if a module, a plugin or a component of the kind is installed under that name."""
    for component in list_components(kind):
        if component.name == name.component:
            raise PluginNameError(
                f"There is already a {KINDS[kind]} named {name.component!r}, from {component.origin}. "
                "Choose another name, or uninstall that one."
            )
    if name.component in entry_points(group=ENTRY_POINT_GROUP).names:
        raise PluginNameError(
            f"There is already a plugin named {name.component!r}. Choose another name, or uninstall that one."
        )
    spec = find_spec(name.module)
    # A folder of that name, seen from the folder above it, is a package without an origin.
    if spec is not None and spec.origin is not None:
        raise PluginNameError(
            f"There is already a module named {name.module!r}, in {spec.origin}. "
            "Choose another name, or uninstall that one."
        )
