"""The how-to page about files as they are, followed to the letter; an ellipsis stands for any lines."""

import re
import shlex
from pathlib import Path

import pytest
from cli.terminal import run

PAGE = Path(__file__).parents[2] / "docs/how-to/real-files.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def matches(shown: str, printed: str) -> bool:
    """Whether what a page shows is what was printed, but for its ellipses."""
    pattern = "(?:.*\n)*?".join(re.escape(part) for part in shown.split("…\n"))
    return re.fullmatch(pattern, printed) is not None


@pytest.mark.filterwarnings("default::rulekit.datasets.errors.TableWarning")
def test_commands_print_what_the_page_shows(tmp_path, monkeypatch):
    for library in ("xgboost", "skops", "openpyxl", "pyarrow"):
        pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    namespace, printed, n_shown = {}, "", 0
    for language, code in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if language == "python":
            exec(compile(code, PAGE.name, "exec"), namespace)
        elif language == "sh":
            printed = ""
            for line in code.splitlines():
                result = run(*shlex.split(line)[1:])
                printed += result.stderr + re.sub(r" +$", "", result.stdout, flags=re.MULTILINE)
        elif language == "text":
            n_shown += 1
            assert matches(code, printed), printed
    assert n_shown == 9


@pytest.mark.parametrize(
    ("shown", "printed", "expected"),
    [("a\n…\nd\n", "a\nb\nc\nd\n", True), ("a\n…\n", "a\n", True), ("a\n", "a\nb\n", False), ("…\nx\n", "a\n", False)],
)
def test_an_ellipsis_stands_for_any_lines(shown, printed, expected):
    assert matches(shown, printed) == expected
