"""Docstrings list the parameters and attributes that the code has."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted(path for folder in ("rulekit", "plugins") for path in (ROOT / folder).rglob("*.py"))
Documented = ast.FunctionDef | ast.ClassDef


def listed(node: Documented, section: str) -> set[str] | None:
    """Names in a section of a docstring, None if it has no such section."""
    lines = inspect.cleandoc(ast.get_docstring(node) or "").splitlines()
    if section not in lines:
        return None
    start = lines.index(section) + 2
    ends = (position for position in range(start, len(lines)) if re.fullmatch("-{3,}", lines[position]))
    entries = [line for line in lines[start : next(ends, len(lines) + 1) - 1] if line and not line.startswith(" ")]
    return {name.strip().lstrip("*") for entry in entries for name in entry.partition(" : ")[0].split(",")}


def arguments(node: ast.FunctionDef) -> set[str]:
    given = node.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return {each.arg for each in every if each is not None} - {"self", "cls"}


def methods(node: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    return {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}


def fields(node: ast.ClassDef) -> set[str]:
    """Names that a class body annotates, except those of the class itself."""
    annotated = (each for each in node.body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name))
    return {each.target.id for each in annotated if not ast.unparse(each.annotation).startswith("ClassVar")}


def is_attrs(node: ast.ClassDef) -> bool:
    return any(ast.unparse(each).startswith("attrs.") for each in node.decorator_list)


def differences(node: Documented) -> Iterator[str]:
    """What a docstring lists and the code lacks, or the other way round."""
    parameters, attributes = listed(node, "Parameters"), listed(node, "Attributes")
    if isinstance(node, ast.FunctionDef):
        expected = arguments(node)
    elif "__init__" in methods(node):
        expected = arguments(methods(node)["__init__"])
    else:
        expected = fields(node) if is_attrs(node) else None
    if parameters is not None and expected is not None and parameters != expected:
        yield f"Parameters of {node.name}: {sorted(parameters ^ expected)}"
    if attributes is not None and isinstance(node, ast.ClassDef) and is_attrs(node):
        public = {name for name in fields(node) if not name.startswith("_")}
        if missing := public - attributes | attributes - fields(node) - methods(node).keys():
            yield f"Attributes of {node.name}: {sorted(missing)}"


def documented(source: str) -> Iterator[Documented]:
    yield from (node for node in ast.walk(ast.parse(source)) if isinstance(node, Documented))


def test_docstrings_list_what_the_code_has():
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {difference}"
        for path in FILES
        for node in documented(path.read_text())
        for difference in differences(node)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('def f(a, *b, **c):\n """F.\n\n Parameters\n ---\n a, *b : int\n **c\n """', []),
        ('def f(a):\n """F.\n\n Parameters\n ---\n b : int\n """', ["Parameters of f: ['a', 'b']"]),
        (
            'class C:\n """C.\n\n Parameters\n ---\n a : int\n\n Returns\n ---\n b\n """\n def __init__(self, a, b): 0',
            ["Parameters of C: ['b']"],
        ),
        (
            '@attrs.frozen\nclass C:\n """C.\n\n Attributes\n ---\n old : int\n """\n new: int',
            ["Attributes of C: ['new', 'old']"],
        ),
    ],
    ids=["equal", "renamed parameter", "missing parameter", "renamed attribute"],
)
def test_differences_are_found(source, expected):
    assert [difference for node in documented(source) for difference in differences(node)] == expected
