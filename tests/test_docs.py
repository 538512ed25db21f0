"""Every snippet in the documentation runs, and prints what the page shows."""

import ast
import contextlib
import doctest
import importlib
import io
import pkgutil
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmark_data import find_mixed_folder

import rulekit
from rulekit.plugin.manager import plugins
from rulekit.study import Study
from rulekit.testing import ConformanceError

PROJECT = Path(__file__).parents[1]
PAGES = sorted([PROJECT / "README.md", *(PROJECT / "docs").rglob("*.md"), *PROJECT.glob("plugins/*/README.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: Pages about tables that rulekit does not bring along.
WITH_TABLES = ("docs/how-to/rare-classes.md",)
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(rulekit.__path__, "rulekit.")
    if not module.name.endswith("__main__")
)


@pytest.fixture(autouse=True)
def fresh_registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Without plugins, whose names snippets may use; and what snippets register is forgotten before and after."""
    monkeypatch.setenv("RULEKIT_PLUGINS", "")
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
    if page_name(page) in WITH_TABLES:
        monkeypatch.setenv("RULEKIT_DATA", str(find_mixed_folder()))
    if page.is_relative_to(PROJECT / "plugins"):
        monkeypatch.delenv("RULEKIT_PLUGINS")
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    namespace: dict[str, Any] = {"__name__": "snippet"}
    for position, (language, code) in enumerate(blocks):
        if language != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, f"{page.name}, block {position}", "exec"), namespace)
        follows, shown = blocks[position + 1] if position + 1 < len(blocks) else ("", "")
        if follows == "text":
            assert shown == printed.getvalue()
    for name in [name for name in namespace if name.startswith("test_")]:
        run_test_of_a_page(namespace[name])


def run_test_of_a_page(test: Any) -> None:
    """As pytest would, a test that `parametrize_with_checks` decorates."""
    (mark,) = test.pytestmark
    for case in mark.args[1]:
        outcome = pytest.raises(ConformanceError) if case.marks else contextlib.nullcontext()
        with outcome:
            test(*case.values)


def test_the_guides_estimator_of_the_whole_list_has_at_most_15_lines() -> None:
    """The proof that the seam is in the right place: an estimator of answered samples needs no more."""
    content = (PROJECT / "docs/how-to/add-a-part.md").read_text(encoding="utf-8")
    code = [code for language, code in BLOCK.findall(content) if language == "python"]
    classes = [node for block in code for node in ast.parse(block).body if isinstance(node, ast.ClassDef)]
    (own,) = [node for node in classes if "rules.answered_counts" in ast.unparse(node)]
    assert "def estimate_list" in ast.unparse(own)
    assert len(ast.unparse(own).replace("\n\n", "\n").splitlines()) <= 15


def test_study_files_on_pages_can_be_read() -> None:
    """Of those that name a dataset; others are parts of one."""
    found = [code for page in PAGES for language, code in BLOCK.findall(page.read_text("utf-8")) if language == "toml"]
    studies = [tomllib.loads(code) for code in found if "datasets" in tomllib.loads(code)]
    assert len(studies) > 0
    for document in studies:
        Study.from_dict({"name": "from a page", **document})


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_hold(name: str) -> None:
    failures, _ = doctest.testmod(importlib.import_module(name))
    assert failures == 0
