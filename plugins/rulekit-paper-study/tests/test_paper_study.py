"""The published study as a component, and on the command line."""

from cli.terminal import run
from rulekit_paper_study import PaperStudy

import rulekit
from rulekit.plugin.manager import plugins
from rulekit.testing import parametrize_with_checks


@parametrize_with_checks([PaperStudy()])
def test_it_keeps_what_its_kind_promises(component, check):
    check(component)


def test_it_is_found_by_its_name():
    (component,) = [each for each in rulekit.list_components("study") if each.name == "paper"]
    assert (component.factory, component.origin) == (PaperStudy, "rulekit-paper-study 0.1.0")


def error(*arguments):
    result = run("study", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr.removeprefix("Error: ").strip()


class TestErrors:
    def test_of_the_published_study_without_a_profile(self):
        assert error("run", "paper").startswith("The study 'paper' has several profiles. Choose one: --profile smoke,")

    def test_of_the_published_study_with_an_unknown_profile(self):
        assert error("run", "paper", "--profile", "big").startswith("The study 'paper' has no profile 'big'. Known: ")


class TestMissingPlugins:
    def test_are_told_before_the_published_study_runs(self, monkeypatch, tmp_path):
        plugins.cache_clear()
        monkeypatch.setenv("RULEKIT_BLOCK_PLUGINS", "intrees,defragtrees")
        monkeypatch.setenv("RULEKIT_DATA", str(tmp_path))
        try:
            result = run("study", "run", "paper", "--profile", "smoke")
        finally:
            plugins.cache_clear()
        lines = result.stderr.splitlines()
        assert lines[:2] == [
            "Without intrees: its plugin, rulekit-intrees, is not installed.",
            "Without defragtrees: its plugin, rulekit-defragtrees, is not installed.",
        ]
