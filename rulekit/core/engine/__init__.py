"""The engine under the search: NumPy, or compiled by numba where that is installed; the rules are the same."""

from rulekit.core.engine.choice import engine_name, is_loaded, new_engine, using_engine

__all__ = ["engine_name", "is_loaded", "new_engine", "using_engine"]
