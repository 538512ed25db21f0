"""Differential fuzzing of adapters: random configurations of a library, and whether rulekit agrees with it.

`space` and `drawing` draw a `configuration`, `libraries` knows the built-in ones; `outcome` fits its model and compares
(`agreement`) what rulekit reads with what the `library` answers; `shrinking` makes a failure simpler; `running` counts.
"""

from rulekit.testing.fuzz.agreement import check_agreement
from rulekit.testing.fuzz.configuration import Configuration
from rulekit.testing.fuzz.running import Failure, FuzzReport, fuzz_adapter
from rulekit.testing.fuzz.space import ModelChoices, Space

__all__ = ["Configuration", "Failure", "FuzzReport", "ModelChoices", "Space", "check_agreement", "fuzz_adapter"]
