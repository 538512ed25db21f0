"""Ctrl-C at a chosen moment of a search."""

import signal

import rulekit


class Presses:
    """An observer that sends a real SIGINT at one moment of the search."""

    def __init__(self, moment: str, tree: int = 0) -> None:
        self._moment = (moment, tree)

    def _press(self, moment: str, tree: int = 0) -> None:
        if (moment, tree) == self._moment:
            signal.raise_signal(signal.SIGINT)

    @rulekit.hookimpl
    def rulekit_search_started(self, extractor, n_trees):
        self._press("started")

    @rulekit.hookimpl
    def rulekit_after_stage(self, stage, tree, rules, seconds):
        self._press(stage, tree)

    @rulekit.hookimpl
    def rulekit_after_tree(self, step):
        self._press("tree", step.tree)

    @rulekit.hookimpl
    def rulekit_search_finished(self, extractor):
        self._press("finished")
