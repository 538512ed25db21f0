"""Writing a plugin to disk."""

import ast
from collections import Counter
from pathlib import Path

from rulekit.scaffold.errors import PluginFolderError, PluginNameError
from rulekit.scaffold.names import PluginName, check_is_free, check_name
from rulekit.scaffold.templates import plugin_files


def write_plugin(distribution: str, kind: str, folder: Path) -> list[Path]:
    """Write a distribution with one working component and its tests; nothing is overwritten.

    Parameters
    ----------
    distribution : str
        Its name, such as "rulekit-shy-forest".
    kind : str
        A kind of component; see `rulekit.list_components`.
    folder : Path
        Where the distribution's own folder is created; it has the distribution's name.

    Returns
    -------
    paths : list of Path
        The files that were written.
    """
    name = PluginName(distribution)
    check_name(name)
    check_is_free(name, kind)
    contents = plugin_files(name, kind)
    for path in (path for path in contents if path.endswith(".py")):
        _check_no_clash(name, contents[path])
    return _written(contents, folder / name.distribution)


def _check_no_clash(name: PluginName, code: str) -> None:
    """Raise if a file would import or define two things under one name, the component being one of them."""
    tree = ast.parse(code)
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    bound = [alias.asname or alias.name for node in imports for alias in node.names]
    bound += [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    twice = [own for own, times in Counter(bound).items() if times > 1]
    if twice:
        raise PluginNameError(
            f"A component named {name.component!r} would be called {twice[0]} in the code, which already uses that "
            "name. Choose another one."
        )


def _written(contents: dict[str, str], target: Path) -> list[Path]:
    if not target.parent.is_dir():
        raise PluginFolderError(f"There is no folder {target.parent}. Create it, or choose another with --folder.")
    if target.exists():
        raise PluginFolderError(
            f"{target} already exists and is not overwritten. Choose another name, or another --folder."
        )
    paths = []
    for relative, content in contents.items():
        path = target / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        paths.append(path)
    return paths
