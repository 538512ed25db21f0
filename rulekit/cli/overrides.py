"""--set final_estimator.crossover=20: parameters of a method from the command line."""

import ast
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from rulekit.cli.errors import CommandError

#: Words of other languages than Python, and in any case, that mean what a user expects.
WORDS: dict[str, Any] = {"true": True, "false": False, "none": None, "null": None}
PREFIX = "ensemble__"
#: Parameters that have an option of their own.
OWN_OPTIONS = {
    "ensemble": "--ensemble or --model",
    "random_state": "--seed",
    "ensemble__random_state": "--seed",
}


def parse_overrides(settings: Sequence[str]) -> dict[str, Any]:
    """Parameters for `rulekit.build` from texts such as `final_estimator.crossover=20`.

    Examples
    --------
    >>> parse_overrides(["final_estimator.crossover=20", "priors=mean", "combine=none"])
    {'final_estimator__crossover': 20, 'priors': 'mean', 'combine': None}
    """
    overrides: dict[str, Any] = {}
    for setting in settings:
        name, sign, text = setting.partition("=")
        parameter = name.strip().replace(".", "__")
        if not sign or not parameter.isidentifier():
            raise CommandError(
                f"--set takes NAME=VALUE, such as final_estimator.crossover=20 or priors=mean; got {setting!r}."
            )
        if parameter in OWN_OPTIONS:
            raise CommandError(f"--set {setting}: use {OWN_OPTIONS[parameter]} instead.")
        if parameter in overrides:
            raise CommandError(f"--set gives {name.strip()} twice.")
        overrides[parameter] = parse_value(text.strip())
    return overrides


def ensemble_settings(overrides: Mapping[str, Any], **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters of the method, and those of the ensemble.

    Parameters
    ----------
    overrides : mapping
        From `parse_overrides`; those of the ensemble come as `ensemble__name`.
    **options
        Parameters of the ensemble that have an option of their own; None if it was not given.
    """
    of_method = {name: value for name, value in overrides.items() if not name.startswith(PREFIX)}
    of_ensemble = {name.removeprefix(PREFIX): value for name, value in overrides.items() if name.startswith(PREFIX)}
    given = {name: value for name, value in options.items() if value is not None}
    for name in given.keys() & of_ensemble.keys():
        raise CommandError(
            f"--{name.replace('_', '-')} and --set ensemble.{name} say the same thing: give one of them."
        )
    return of_method, of_ensemble | given


def parse_value(text: str) -> Any:
    """A Python literal if the text is one, a truth value or None if it names one, otherwise the text itself."""
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # "1if" is not a literal, and no reason to warn
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text
