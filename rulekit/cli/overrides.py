"""--set final_estimator.crossover=20: parameters of a method from the command line."""

import ast
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from rulekit.cli.errors import CommandError

#: Words that stand for a Python value, in upper or lower case.
WORDS: dict[str, Any] = {"true": True, "false": False, "none": None, "null": None}
PREFIX = "ensemble__"
#: Parameters that have their own option.
OWN_OPTIONS = {
    "ensemble": "--ensemble or --model",
    "random_state": "--seed",
    "ensemble__random_state": "--seed",
}


def parse_overrides(settings: Sequence[str]) -> dict[str, Any]:
    """Parameters for `rulekit.build` from strings such as `final_estimator.crossover=20`.

    Examples
    --------
    >>> parse_overrides(["final_estimator.crossover=20", "priors=mean", "combine=none"])
    {'final_estimator__crossover': 20, 'priors': 'mean', 'combine': None}
    """
    overrides: dict[str, Any] = {}
    for setting in settings:
        name, sign, value = setting.partition("=")
        parameter = name.strip().replace(".", "__")
        if not sign or not parameter.isidentifier():
            raise CommandError(
                f"--set takes NAME=VALUE, such as final_estimator.crossover=20 or priors=mean; got {setting!r}."
            )
        if parameter in OWN_OPTIONS:
            raise CommandError(f"--set {setting}: use {OWN_OPTIONS[parameter]} instead.")
        if parameter in overrides:
            raise CommandError(f"--set {name.strip()} is given twice.")
        overrides[parameter] = parse_value(value.strip())
    return overrides


def ensemble_settings(overrides: Mapping[str, Any], **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters of the method, and those of the ensemble.

    Parameters
    ----------
    overrides : mapping
        From `parse_overrides`; those of the ensemble are called `ensemble__name`.
    **options
        Parameters of the ensemble that have their own option; None if it was not given.
    """
    of_method = {name: value for name, value in overrides.items() if not name.startswith(PREFIX)}
    of_ensemble = {name.removeprefix(PREFIX): value for name, value in overrides.items() if name.startswith(PREFIX)}
    given = {name: value for name, value in options.items() if value is not None}
    for name in given.keys() & of_ensemble.keys():
        raise CommandError(
            f"--{name.replace('_', '-')} and --set ensemble.{name} set the same parameter: give only one of them."
        )
    return of_method, of_ensemble | given


def parse_value(value: str) -> Any:
    """A Python literal if the string is one, a boolean or None if it names one, otherwise the string itself."""
    if value.lower() in WORDS:
        return WORDS[value.lower()]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # "1if" is a plain string here, not code to warn about
            return ast.literal_eval(value)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return value
