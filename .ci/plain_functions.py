"""Write decorators as assignments below their functions: mutmut leaves decorated functions alone.

`@property` above `def area` becomes `area = property(area)` below it, which means the same; compiled kernels, which are
decorated too, must run with NUMBA_DISABLE_JIT=1. Run as `python plain_functions.py FOLDER ...`.
"""

import ast
import sys
from pathlib import Path

#: What mutmut knows how to handle, and what has no body to change.
LEFT_ALONE = {"classmethod", "staticmethod", "abstractmethod"}


def without_decorators(source: str) -> str:
    """The same module, every decorated function but those of `LEFT_ALONE` followed by its decorators' calls."""
    lines = source.splitlines()
    decorated = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    for function in sorted(decorated, key=lambda node: node.lineno, reverse=True):
        decorators = [ast.unparse(decorator) for decorator in function.decorator_list]
        if not decorators or LEFT_ALONE & set(decorators):
            continue
        indent = " " * function.col_offset
        calls = [f"{indent}{function.name} = {decorator}({function.name})" for decorator in reversed(decorators)]
        lines[function.end_lineno : function.end_lineno] = calls
        del lines[function.decorator_list[0].lineno - 1 : function.lineno - 1]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        for path in Path(folder).rglob("*.py"):
            path.write_text(without_decorators(path.read_text(encoding="utf-8")), encoding="utf-8")
