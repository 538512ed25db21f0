"""Packages on disk: what their files contain, what they import, and which libraries they come from."""

import ast
import hashlib
import sys
from collections.abc import Iterator
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions, version
from importlib.util import find_spec
from pathlib import Path

import attrs

from rulekit.plugin.manager import ENTRY_POINT_GROUP
from rulekit.study.errors import StudyError

#: What a study or Python writes beside code, which no result depends on.
_WRITTEN = (".pyc", ".sqlite", ".sqlite-wal", ".sqlite-shm", ".sqlite.lock", ".report")
OWN = "rulekit"
#: Folders of rulekit that show results and compute none.
_ONLY_SHOWN = ("cli", "export", "plots", "render", "report", "testing", "study/report", "study/tables", "study/figures")


@attrs.frozen
class Contents:
    """What the files of a package contain.

    Attributes
    ----------
    digest : str
        Changes with any byte of any file.
    imports : frozenset of str
        Modules, and what may be modules, that it imports.
    strings : frozenset of str
        Strings in its code, among them the names of components that it asks for.
    """

    digest: str
    imports: frozenset[str]
    strings: frozenset[str]


def home(module: str) -> str:
    """The package that a module belongs to: the outermost one that is no mere folder, or the module itself."""
    parts = module.split(".")
    names = (".".join(parts[: position + 1]) for position in range(len(parts)))
    return next((name for name in names if name in sys.stdlib_module_names or location(name) is not None), parts[0])


def location(package: str) -> Path | None:
    """The folder of a package, or the file of a module; None if it has neither, or is a folder without `__init__`."""
    module = sys.modules.get(package)
    spec = getattr(module, "__spec__", None) if module is not None else _found(package)
    origin = getattr(module, "__file__", None) or (spec.origin if spec is not None and spec.has_location else None)
    if origin is None:
        return None
    return Path(origin).parent if spec is not None and spec.submodule_search_locations else Path(origin)


@cache
def is_installed(package: str) -> bool:
    """Whether a package is a library's: one that pip has installed, and no plugin, whose files count one by one."""
    where = location(package)
    found = [distribution(name) for name in _distributions().get(package.partition(".")[0], [])]
    # Of an editable installation the distribution is elsewhere; what lists its own files was installed as a wheel.
    return where is not None and any(
        where.resolve().is_relative_to(Path(str(each.locate_file(""))).resolve())
        and each.read_text("RECORD") is not None
        and not any(point.group == ENTRY_POINT_GROUP for point in each.entry_points)
        for each in found
    )


def version_of(package: str) -> dict[str, str]:
    """The versions of the distributions that an installed package comes from."""
    names = _distributions().get(package.partition(".")[0], [package])
    return {name: _version(name) for name in dict.fromkeys(names)}


def contents(package: str) -> Contents:
    """What the files of a local package or of a plugin contain; raise if one was edited after its import."""
    where = location(package)
    assert where is not None, "only what has files is read"
    digest, imports, strings = hashlib.sha256(), set[str](), set[str]()
    for name, path in _files(where):
        content = path.read_bytes()
        own = hashlib.sha256(content).hexdigest()
        _check_loaded(path, own)
        digest.update(f"{name} {own}\n".encode())
        if path.suffix == ".py":
            found = _read(content)
            imports |= found[0]
            strings |= found[1]
    return Contents(digest.hexdigest(), frozenset(imports), frozenset(strings))


@cache
def own_digest() -> str:
    """Of the modules of rulekit that compute results."""
    where = location(OWN)
    assert where is not None, "rulekit has files"
    digest = hashlib.sha256()
    for name, path in _files(where):
        if not name.startswith(tuple(f"{folder}/" for folder in _ONLY_SHOWN)):
            digest.update(f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def _files(where: Path) -> Iterator[tuple[str, Path]]:
    """Every file of a package with its name, in an order that is the same everywhere."""
    if where.is_file():
        yield where.name, where
        return
    for path in sorted(where.rglob("*")):
        parts = path.relative_to(where).parts
        is_written = any(part.startswith(".") or part == "__pycache__" or part.endswith(_WRITTEN) for part in parts)
        if path.is_file() and not is_written:
            yield "/".join(parts), path


def _read(content: bytes) -> tuple[set[str], set[str]]:
    """The names that a module imports, and the strings in it."""
    imports, strings = set[str](), set[str]()
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):
        return imports, strings
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imports |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            strings.add(node.value)
    return imports, strings


#: What a file contained when a study first saw the module that was loaded from it.
_SEEN: dict[Path, tuple[ModuleSpec | None, str]] = {}


def _check_loaded(path: Path, digest: str) -> None:
    """Raise if a file was edited since a study of this process saw it: the code that would run is the one before."""
    loaded = _loaded().get(str(path))
    spec, before = _SEEN.get(path, (None, digest))
    if loaded is not None and loaded is spec and before != digest:
        raise StudyError(f"{path} was edited after this process imported it. Restart Python, or reload the module.")
    _SEEN[path] = loaded, digest


def _loaded() -> dict[str, ModuleSpec]:
    modules = ((getattr(module, "__file__", None), getattr(module, "__spec__", None)) for module in _modules())
    return {file: spec for file, spec in modules if file is not None and spec is not None}


def _modules() -> list[object]:
    return [module for module in list(sys.modules.values()) if module is not None]


def _found(package: str) -> ModuleSpec | None:
    try:
        return find_spec(package)
    except (ImportError, ValueError, AttributeError):
        return None


@cache
def _distributions() -> dict[str, list[str]]:
    return {name: list(names) for name, names in packages_distributions().items()}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"
