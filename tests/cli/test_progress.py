"""The bar that follows the search."""

import io

import pytest
from rich.console import Console
from rich.progress import Progress, Task
from sklearn.datasets import load_iris

import rulekit
from rulekit.cli.progress import SearchProgress, progress
from rulekit.plugin.hookspecs import hookimpl
from rulekit.plugin.manager import plugins


def console(*, is_terminal: bool) -> Console:
    return Console(file=io.StringIO(), width=140, force_terminal=is_terminal)


def watched(screen: Console) -> str:
    with progress(screen) as shown, shown.step("Extracting"):
        rulekit.build("rcprob", random_state=0).fit(*load_iris(return_X_y=True))
    return screen.file.getvalue()


class Bar:
    """Looks at the bar when a search ends, whatever of it a fast one leaves time to draw."""

    def __init__(self, display: Progress) -> None:
        self.display = display

    @hookimpl
    def rulekit_search_finished(self) -> None:
        (self.last,) = self.display.tasks


def bar_after(model: rulekit.RuleExtractor) -> Task:
    display = Progress(console=console(is_terminal=True), auto_refresh=False)
    watcher, bar = SearchProgress(display), Bar(display)
    with rulekit.observe(watcher), rulekit.observe(bar), watcher.step("Extracting"):
        model.fit(*load_iris(return_X_y=True))
    return bar.last


@pytest.fixture(scope="module")
def bar() -> Task:
    """The bar after a whole search."""
    return bar_after(rulekit.build("rcprob", random_state=0))


class TestTerminal:
    def test_shows_what_is_done(self, bar):
        assert bar.description.startswith("Extracting, search score 0.")

    def test_shows_the_best_of_a_score_below_0(self):
        """It began at 0, the best value that the log-loss can have, and called every score macro-F1."""
        model = rulekit.build("rcprob", search_score="log-loss", ensemble__n_estimators=3, random_state=0)
        bar = bar_after(model.set_params(ensemble="rf"))
        best = max(step.score for step in model.history_)
        assert best < 0
        assert bar.description == f"Extracting, search score {best:.3f}"

    def test_counts_the_trees(self, bar):
        assert (bar.completed, bar.total) == (100, 100)

    def test_gets_the_bar(self):
        assert "Extracting" in watched(console(is_terminal=True))

    def test_shows_why_the_first_search_begins_later(self, monkeypatch):
        pytest.importorskip("numba")
        monkeypatch.setattr("rulekit.classifier.is_loaded", lambda: False)
        with rulekit.using_engine("numba"):
            shown = watched(console(is_terminal=True))
        assert "Extracting: loading the numba engine (the first use compiles it" in shown


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
