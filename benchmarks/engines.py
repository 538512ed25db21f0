"""The engines that rulekit can search with; the one place that chooses among them."""

from contextlib import AbstractContextManager
from importlib.util import find_spec
from typing import Final

import rulekit

ENGINES: Final = ("numba", "numpy")


def installed_engines() -> tuple[str, ...]:
    """Engines that work here: numba only where it is installed."""
    return ENGINES if find_spec("numba") else ("numpy",)


def using(engine: str) -> AbstractContextManager[object]:
    """Search and predict with this engine inside the `with` block."""
    return rulekit.using_engine(engine)
