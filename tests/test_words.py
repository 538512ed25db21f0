"""One vocabulary: words that the glossary replaces stay out of what users read."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
#: What the field says otherwise, and what to write instead; `docs/reference/glossary.md` explains the words.
BANNED = {
    r"records?": "sample",
    r"stated|states? (that|a probability|probabilities|its|their|what)": "predicted, predicts",
    r"((a|the|same|larger|smaller|class) shares?|shares of)": "fraction",
    r"(a|no|into|of) text(?! (element|file|mode|editor|column))|texts": "string",
    r"places of|by their places": "index, position",
    r"places? in (the|a|each|every) (list|order|array|rule|column|sample|row)": "index, position",
    r"refuse[sd]?|refusing": "not supported, rejected",
    r"told|is said": "is known, is reported",
    r"evidence(?![- ]voting)": "search estimator, likelihoods of conditions",
    r"judge[sd]?": "final estimator, estimates, decides",
    r"(no|any|some)body": "no one, the user, or leave it out",
    r"truth values?": "boolean",
    r"an array of shape [^.]* came|came in an array|came back": "got",
    r"grows? not|in the midst|without a word|without more ado|a matter of course": "plain words",
}
PATTERNS = {re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE): instead for pattern, instead in BANNED.items()}


def python_files() -> list[Path]:
    packages = [ROOT / "rulekit", *(ROOT / "plugins").glob("*/rulekit_*")]
    return sorted(path for each in packages for path in ([each] if each.is_file() else each.rglob("*.py")))


def pages() -> list[Path]:
    folders = {"docs": "**/*.md", "plugins": "*/README.md", ".github": "*.md"}
    found = (path for folder, pattern in folders.items() for path in sorted((ROOT / folder).glob(pattern)))
    return [ROOT / "README.md", *found]


def strings(path: Path) -> Iterator[str]:
    """Docstrings, messages and help of a module: every string in it that has a space."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.value


def prose(page: Path) -> str:
    """A page without its code."""
    return re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def banned(text: str) -> list[str]:
    """What is wrong with a text, and what to write instead."""
    words = " ".join(text.split())
    return [
        f"…{words[max(0, found.start() - 30) : found.end() + 20]}…: {instead}"
        for pattern, instead in PATTERNS.items()
        for found in pattern.finditer(words)
    ]


@pytest.mark.parametrize("path", python_files(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_strings_of_the_code_use_the_words_of_the_glossary(path):
    assert [found for each in strings(path) for found in banned(each)] == []


@pytest.mark.parametrize("page", pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pages_use_the_words_of_the_glossary(page):
    assert banned(prose(page)) == []


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("10 records were read", "sample"),
        ("what the rule states\nthat few believe", "predicted, predicts"),
        ("the class shares of a rule", "fraction"),
        ("pass an array of texts", "string"),
        ("weights are refused", "not supported, rejected"),
    ],
)
def test_a_banned_word_is_found(text, instead):
    assert [found.rpartition(": ")[2] for found in banned(text)] == [instead]
