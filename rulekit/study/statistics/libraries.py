"""Libraries that come with the extra `study`, imported when they are needed."""

from importlib import import_module
from typing import Any

from rulekit.core.errors import MissingExtraError


def library(name: str) -> Any:
    """Import a module; where it is missing, say which extra brings it."""
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError(
            f"The analysis of studies needs {name.partition('.')[0]}, which is not installed: "
            "pip install 'rulekit-rcprob[study]'."
        ) from error
