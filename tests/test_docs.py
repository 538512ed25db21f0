"""Every snippet in the documentation runs, prints what the page shows, and nothing public is left out."""

import contextlib
import doctest
import importlib
import io
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import rulekit
from rulekit.core import errors
from rulekit.plugin import hookspecs
from rulekit.plugin.manager import plugins

PROJECT = Path(__file__).parents[1]
PAGES = sorted([PROJECT / "README.md", *(PROJECT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(rulekit.__path__, "rulekit.")
    if not module.name.endswith("__main__")
)


@pytest.fixture(autouse=True)
def fresh_registry() -> Iterator[None]:
    """Snippets register components: forget them before and after."""
    plugins.cache_clear()
    yield
    plugins.cache_clear()


def page_name(page: Path) -> str:
    return str(page.relative_to(PROJECT))


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_snippets_run_and_print_what_the_page_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    namespace: dict[str, object] = {"__name__": "snippet"}
    for position, (language, code) in enumerate(blocks):
        if language != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, f"{page.name}, block {position}", "exec"), namespace)
        follows, shown = blocks[position + 1] if position + 1 < len(blocks) else ("", "")
        if follows == "text":
            assert shown == printed.getvalue()


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_hold(name: str) -> None:
    failures, _ = doctest.testmod(importlib.import_module(name))
    assert failures == 0


def documented(*pages: str) -> str:
    return "\n".join((PROJECT / "docs" / page).read_text(encoding="utf-8") for page in pages)


def test_every_hook_is_in_the_reference() -> None:
    text = documented("reference/hooks.md")
    hooks = [name for name in vars(hookspecs) if name.startswith("rulekit_")]
    assert [name for name in hooks if f"`{name}(" not in text] == []


def test_every_component_and_parameter_is_in_the_reference() -> None:
    text = documented("reference/components.md")
    missing = []
    for component in rulekit.list_components():
        if f"`{component.name}`" not in text:
            missing.append(component.name)
        if component.kind != "method":
            missing += [f"{component.name}.{name}" for name in component.parameters if f"`{name}" not in text]
    assert missing == []


def test_every_interface_is_in_the_reference() -> None:
    from rulekit.plugin.kinds import INTERFACES, KINDS

    text = documented("reference/interfaces.md")
    assert [kind for kind in KINDS if f"`{kind}`" not in text] == []
    assert [interface.__name__ for interface in INTERFACES.values() if f"`{interface.__name__}`" not in text] == []


def test_every_error_is_in_the_reference() -> None:
    text = documented("reference/hooks.md", "reference/errors.md")
    public = [name for name in vars(errors) if name.endswith(("Error", "Warning"))]
    assert [name for name in public if f"`{name}`" not in text] == []


def test_every_public_name_is_in_the_changelog() -> None:
    text = documented("changelog.md")
    names = [name for name in rulekit.__all__ if name not in ("__version__", "hookimpl", "RulekitError")]
    assert [name for name in names if f"rulekit.{name}" not in text] == []


def test_every_command_line_option_is_in_the_reference() -> None:
    from typer.main import get_command

    from rulekit.cli.app import app

    text = documented("reference/command-line.md")
    commands = get_command(app).commands
    assert [name for name in commands if f"`rulekit {name}" not in text] == []
    options = {option for command in commands.values() for parameter in command.params for option in parameter.opts}
    assert sorted(option for option in options if option.startswith("--") and f"`{option}`" not in text) == []


def test_every_measure_is_in_the_reference() -> None:
    from rulekit import evaluation

    text = documented("reference/measures.md")
    assert [name for name in evaluation.__all__ if f"`{name}" not in text] == []
