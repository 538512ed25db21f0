"""The code behind a result: which files and library versions its parts come from, so that no result outlives them."""

from rulekit.study.code.parts import Code

__all__ = ["Code"]
