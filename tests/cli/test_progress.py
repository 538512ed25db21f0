"""The bar that follows the search."""

import io

import pytest
from rich.console import Console
from sklearn.datasets import load_iris

import rulekit
from rulekit.cli.progress import progress
from rulekit.plugin.manager import plugins


def console(*, is_terminal: bool) -> Console:
    return Console(file=io.StringIO(), width=100, force_terminal=is_terminal)


def watched(screen: Console) -> str:
    with progress(screen) as shown, shown.step("Extracting"):
        rulekit.build("rcprob", random_state=0).fit(*load_iris(return_X_y=True))
    return screen.file.getvalue()


class TestTerminal:
    def test_shows_what_is_done(self):
        assert "Extracting, macro-F1 0." in watched(console(is_terminal=True))

    def test_counts_the_trees(self):
        assert "/100" in watched(console(is_terminal=True))


class TestPipe:
    def test_gets_nothing(self):
        assert watched(console(is_terminal=False)) == ""


class TestObserver:
    def test_is_gone_afterwards(self):
        before = plugins().hook.rulekit_after_tree.get_hookimpls()
        watched(console(is_terminal=False))
        assert plugins().hook.rulekit_after_tree.get_hookimpls() == before

    def test_is_gone_when_the_search_fails(self):
        before = plugins().hook.rulekit_after_tree.get_hookimpls()
        with pytest.raises(ValueError, match="no"), progress(console(is_terminal=False)):
            raise ValueError("no")
        assert plugins().hook.rulekit_after_tree.get_hookimpls() == before

    def test_does_not_mind_a_search_outside_a_step(self):
        with progress(console(is_terminal=True)):
            rulekit.build("rcprob", random_state=0).fit(*load_iris(return_X_y=True))
