"""Installed plugins: real distributions, found by their metadata."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from rulekit.core.errors import (
    BrokenPluginError,
    ComponentTypeError,
    DuplicateComponentError,
    IncompatiblePluginError,
    RulekitError,
    UnknownComponentError,
)
from rulekit.plugin.manager import Plugins, plugins

GOOD = """
    import rulekit
    from rulekit.core.interfaces import PriorCombiner

    class Left(PriorCombiner):
        "Takes the distribution of the rules so far."
        def combine(self, left, right, left_support, right_support):
            return left[:, None, :].repeat(len(right), axis=1)

    @rulekit.hookimpl
    def rulekit_register(registry):
        registry.add("priors", "NAME", Left)
"""
OBJECT = """
    import rulekit
    from rulekit.priors.mean import Mean

    class Plugin:
        @rulekit.hookimpl
        def rulekit_register(self, registry):
            registry.add("priors", "NAME", type("Mine", (Mean,), {}))

    plugin = Plugin()
"""
Install = Callable[..., Path]


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RULEKIT_PLUGINS", raising=False)
    monkeypatch.delenv("RULEKIT_BLOCK_PLUGINS", raising=False)


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Writes a distribution `rulekit-<name> 1.0` with one module and one entry point, and puts it on the path."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(name: str, code: str, *, plugin: str | None = None) -> Path:
        module = f"plugin_for_tests_{name}"
        monkeypatch.delitem(sys.modules, module, raising=False)
        (tmp_path / f"{module}.py").write_text(dedent(code).replace("NAME", name), encoding="utf-8")
        info = tmp_path / f"rulekit_{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: rulekit-{name}\nVersion: 1.0\n", encoding="utf-8")
        (info / "entry_points.txt").write_text(f"[rulekit]\n{plugin or name} = {module}\n", encoding="utf-8")
        return tmp_path

    return write


def load() -> Plugins:
    """All plugins, loaded afresh; those of this process are left alone."""
    return plugins.__wrapped__()


def priors(loaded: Plugins) -> set[str]:
    return {component.name for component in loaded.registry.of_kind("priors")}


class TestGoodPlugins:
    def test_their_components_are_registered(self, install):
        install("good", GOOD)
        assert "good" in priors(load())

    def test_their_components_bear_the_distribution_and_its_version(self, install):
        install("good", GOOD)
        assert load().registry.get("priors", "good").origin == "rulekit-good 1.0"

    def test_several_are_loaded(self, install):
        install("good", GOOD)
        install("other", GOOD)
        assert {"good", "other"} <= priors(load())

    def test_built_in_components_are_there_too(self, install):
        install("good", GOOD)
        assert "product" in priors(load())

    def test_one_may_replace_a_built_in_component_on_purpose(self, install):
        install("good", GOOD.replace('"NAME", Left', '"mean", Left, replace=True'))
        assert load().registry.get("priors", "mean").origin == "rulekit-good 1.0"

    def test_an_entry_point_may_name_an_object(self, install, tmp_path):
        install("good", OBJECT)
        points = tmp_path / "rulekit_good-1.0.dist-info" / "entry_points.txt"
        points.write_text("[rulekit]\ngood = plugin_for_tests_good:plugin\n", encoding="utf-8")
        assert "good" in priors(load())


class TestBrokenPlugins:
    def test_one_that_cannot_be_imported_is_named_with_what_to_do(self, install):
        install("broken", "import nowhere_to_be_found")
        message = (
            "Plugin 'broken' (rulekit-broken 1.0) could not be imported: ModuleNotFoundError: No module named "
            "'nowhere_to_be_found'. Fix or uninstall it, or set RULEKIT_BLOCK_PLUGINS=broken to continue without it."
        )
        with pytest.raises(BrokenPluginError, match=f"^{re.escape(message)}$"):
            load()

    def test_one_with_wrong_syntax_is_named(self, install):
        install("broken", "def (:")
        with pytest.raises(
            BrokenPluginError, match=re.escape("'broken' (rulekit-broken 1.0) could not be imported: Sy")
        ):
            load()

    def test_one_whose_entry_point_leads_nowhere_is_named(self, install, tmp_path):
        install("broken", GOOD)
        points = tmp_path / "rulekit_broken-1.0.dist-info" / "entry_points.txt"
        points.write_text("[rulekit]\nbroken = plugin_for_tests_broken:nothing\n", encoding="utf-8")
        with pytest.raises(
            BrokenPluginError, match=re.escape("'broken' (rulekit-broken 1.0) could not be imported: Attr")
        ):
            load()

    def test_one_that_fails_while_registering_is_named_with_what_to_do(self, install):
        install(
            "broken",
            """
            import rulekit

            @rulekit.hookimpl
            def rulekit_register(registry):
                raise RuntimeError("out of ideas")
            """,
        )
        message = (
            "Plugin 'broken' (rulekit-broken 1.0) raised while registering: RuntimeError: out of ideas. "
            "Fix or uninstall it, or set RULEKIT_BLOCK_PLUGINS=broken to continue without it."
        )
        with pytest.raises(BrokenPluginError, match=f"^{re.escape(message)}$"):
            load()

    def test_the_cause_is_kept(self, install):
        install("broken", "import nowhere_to_be_found")
        with pytest.raises(BrokenPluginError) as caught:
            load()
        assert type(caught.value.__cause__) is ModuleNotFoundError

    def test_one_is_an_import_error_for_those_who_catch_these(self, install):
        install("broken", "import nowhere_to_be_found")
        with pytest.raises(ImportError):
            load()


HOOK = """
    import rulekit

    @rulekit.hookimpl
    def rulekit_register(registry):
        {}
"""
INCOMPATIBLE = {
    "an unknown hook": (
        "import rulekit\n@rulekit.hookimpl\ndef rulekit_after_leaf(leaf): ...",
        IncompatiblePluginError,
        "unknown hook 'rulekit_after_leaf'",
    ),
    "an unknown argument": (
        "import rulekit\n@rulekit.hookimpl\ndef rulekit_after_tree(leaf): ...",
        IncompatiblePluginError,
        "'leaf'",
    ),
    "a class without the interface": (
        HOOK.format('registry.add("priors", "odd", dict)'),
        ComponentTypeError,
        "must be a subclass of rulekit.plugin.PriorCombiner",
    ),
    "a class that lacks a method": (
        HOOK.format(
            "from rulekit.core.interfaces import CoverStage; "
            'registry.add("cover", "odd", type("Odd", (CoverStage,), {}))'
        ),
        ComponentTypeError,
        "lacks cover",
    ),
    "a name that is taken": (
        HOOK.format('from rulekit.priors.mean import Mean; registry.add("priors", "mean", type("Mine", (Mean,), {}))'),
        DuplicateComponentError,
        "Two prior combiners are named 'mean': one from rulekit-rcprob",
    ),
    "an unknown kind": (
        HOOK.format('registry.add("prior", "odd", dict)'),
        RulekitError,
        "No kind of component named 'prior'",
    ),
    "no hook at all": ("def rulekit_register(registry): ...", IncompatiblePluginError, "rulekit.hookimpl"),
}


@pytest.mark.parametrize(("code", "error", "message"), INCOMPATIBLE.values(), ids=INCOMPATIBLE)
class TestIncompatiblePlugins:
    def test_the_error_says_what_is_wrong(self, code, error, message, install):
        install("odd", code)
        with pytest.raises(error, match=re.escape(message)):
            load()

    def test_the_error_names_the_distribution(self, code, error, message, install):
        install("odd", code)
        with pytest.raises(error, match=re.escape("rulekit-odd 1.0")):
            load()

    def test_the_error_says_how_to_continue_without_the_plugin(self, code, error, message, install):
        install("odd", code)
        with pytest.raises(error, match=r"RULEKIT_BLOCK_PLUGINS"):
            load()

    def test_blocking_it_helps(self, code, error, message, install, monkeypatch):
        install("odd", code)
        monkeypatch.setenv("RULEKIT_BLOCK_PLUGINS", "odd")
        assert "odd" not in priors(load())


class TestNames:
    def test_two_plugins_of_one_name_are_both_named(self, install):
        install("one", GOOD, plugin="same")
        install("two", GOOD, plugin="same")
        message = (
            r"^Two plugins are named 'same': rulekit-(one|two) 1\.0 and rulekit-(one|two) 1\.0\. Uninstall one of them"
        )
        with pytest.raises(DuplicateComponentError, match=message):
            load()

    def test_two_plugins_with_one_component_are_both_named(self, install):
        install("one", GOOD.replace("NAME", "same"))
        install("two", GOOD.replace("NAME", "same"))
        either = r"rulekit-(one|two) 1\.0"
        message = rf"^Two prior combiners are named 'same': one from {either}, one from {either}\."
        with pytest.raises(DuplicateComponentError, match=message):
            load()

    def test_a_plugin_called_like_the_built_in_one_is_named(self, install):
        install("good", GOOD, plugin="builtins")
        with pytest.raises(RulekitError, match=re.escape("rulekit-good 1.0")):
            load()


class TestEnvironment:
    def test_a_blocked_plugin_is_not_loaded(self, install, monkeypatch):
        install("good", GOOD)
        monkeypatch.setenv("RULEKIT_BLOCK_PLUGINS", "good")
        assert "good" not in priors(load())

    def test_a_blocked_plugin_is_not_even_imported(self, install, monkeypatch):
        install("broken", "import nowhere_to_be_found")
        monkeypatch.setenv("RULEKIT_BLOCK_PLUGINS", "broken")
        assert "product" in priors(load())

    def test_several_are_blocked_with_commas_and_blanks(self, install, monkeypatch):
        install("one", GOOD)
        install("two", GOOD)
        monkeypatch.setenv("RULEKIT_BLOCK_PLUGINS", " one , two,")
        assert not {"one", "two"} & priors(load())

    def test_only_the_plugins_asked_for_are_loaded(self, install, monkeypatch):
        install("one", GOOD)
        install("two", GOOD)
        monkeypatch.setenv("RULEKIT_PLUGINS", "two")
        assert {"one", "two"} & priors(load()) == {"two"}

    def test_no_plugin_is_loaded_if_none_is_asked_for(self, install, monkeypatch):
        install("one", GOOD)
        monkeypatch.setenv("RULEKIT_PLUGINS", "")
        assert "one" not in priors(load())

    def test_built_in_components_are_always_there(self, monkeypatch):
        monkeypatch.setenv("RULEKIT_PLUGINS", "")
        assert "product" in priors(load())

    def test_asking_for_a_plugin_that_is_not_installed_lists_those_that_are(self, install, monkeypatch):
        install("one", GOOD)
        monkeypatch.setenv("RULEKIT_PLUGINS", "one,tow")
        message = r"^RULEKIT_PLUGINS names plugins that are not installed: tow\. Installed: (.*, )?one(, .*)?\.$"
        with pytest.raises(UnknownComponentError, match=message):
            load()

    def test_blocking_wins_over_asking(self, install, monkeypatch):
        install("one", GOOD)
        monkeypatch.setenv("RULEKIT_PLUGINS", "one")
        monkeypatch.setenv("RULEKIT_BLOCK_PLUGINS", "one")
        assert "one" not in priors(load())


def run(folder: Path, code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Python in a process of its own, with the folder's distributions installed."""
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, **variables, "PYTHONPATH": path}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)


class TestInAProcessOfItsOwn:
    BUILD = "import rulekit; print(type(rulekit.build('rcprob', priors='good').priors).__name__)"

    def test_a_broken_plugin_stops_not_the_import_but_the_first_use_with_its_name(self, install):
        done = run(install("broken", "import nowhere_to_be_found"), f"import rulekit; print('imported'); {self.BUILD}")
        assert done.stdout.strip() == "imported"
        assert "BrokenPluginError: Plugin 'broken' (rulekit-broken 1.0) could not be imported" in done.stderr

    def test_a_plugins_component_is_built_by_name_where_a_broken_plugin_is_blocked(self, install):
        folder = install("broken", "import nowhere_to_be_found")
        install("good", GOOD)
        assert run(folder, self.BUILD, RULEKIT_BLOCK_PLUGINS="broken").stdout.strip() == "Left"

    def test_an_observer_that_is_installed_is_told_of_every_search(self, install):
        folder = install(
            "watching",
            """
            import rulekit

            @rulekit.hookimpl
            def rulekit_search_finished(extractor):
                print("finished", type(extractor).__name__)
            """,
        )
        code = "import rulekit; rulekit.build('rcprob', 'tree').fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])"
        assert run(folder, code).stdout.strip() == "finished RuleExtractor"
