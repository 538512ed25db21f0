"""The hooks: what a plugin can do, and when it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from rulekit.core.context import SearchStep
    from rulekit.core.rules import Rules
    from rulekit.plugin.manager import Registrar

PROJECT = "rulekit"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def rulekit_register(registry: Registrar) -> None:
    """Register components: `registry.add(kind, name, factory)`.

    Called once per plugin, when rulekit first needs a component (not at import). The built-in components are registered
    through this hook too.
    """


@hookspec
def rulekit_engine_loading(engine: str) -> None:
    """Observe that an engine's machine code is about to be loaded, or compiled if it is not cached yet.

    Called in the first `fit` of a process, and only for an engine that has machine code. Compiling takes a few seconds.

    Parameters
    ----------
    engine : str
        Its name: "numba".
    """


@hookspec
def rulekit_search_started(extractor: Any, n_trees: int) -> None:
    """Observe that a search starts; called once per `fit`, after the ensemble has been read.

    In a study, variants that share work share its calls too: those of a loop over the trees, and those of the refine
    stage and the end of each search that starts from it, are between two calls of this hook each.

    Parameters
    ----------
    extractor : RuleExtractor
        The estimator being fitted.
    n_trees : int
        Number of trees (rounds, in multiclass boosting) that the search will visit, unless it ends early.
    """


@hookspec
def rulekit_after_stage(stage: str, tree: int, rules: Rules, seconds: float) -> None:
    """Observe the result of a stage; called once per stage and tree, and once for a refine stage, never per rule.

    Parameters
    ----------
    stage : {"combine", "cover", "simplify", "refine"}
    tree : int
        Index of the tree, from 0; of the last one for a refine stage.
    rules : Rules
        The stage's result; it must not be modified.
    seconds : float
    """


@hookspec
def rulekit_after_tree(step: SearchStep) -> None:
    """Observe that a tree has passed all stages; called once per tree with its entry of `history_`.

    Also called for the refine stage (`step.is_refinement`), and for the tree in which a budget or an interrupt ended
    the search: `step.truncated_by` says which.
    """


@hookspec
def rulekit_search_finished(extractor: Any) -> None:
    """Observe that a search has ended; called once per `fit`, even if the search failed."""
