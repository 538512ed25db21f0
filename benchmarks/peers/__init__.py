"""Other extractors, run on the same fitted ensembles where they are installed.

A peer must extract rules from an ensemble that somebody else has fitted. Libraries that fit one of their own are none:
skope-rules, and RuleFit in imodels, which clones the ensemble that it is given and fits the clone.
"""

from typing import Final

from benchmarks.peers.peer import Finding, Peer, PlainRule
from benchmarks.peers.rulecosi import RuleCosi
from benchmarks.peers.ruleopt import RuleOpt
from benchmarks.peers.te2rules import TE2Rules

__all__ = ["PEERS", "Finding", "Peer", "PlainRule", "RuleCosi", "RuleOpt", "TE2Rules"]

PEERS: Final[tuple[Peer, ...]] = (RuleCosi(), RuleOpt(), TE2Rules())
