"""Local files with components that a study uses: imported before anything is looked up by its name."""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from rulekit.core.errors import RulekitError
from rulekit.study.code.packages import OWN, contents, home, is_installed, location
from rulekit.study.errors import StudyDefinitionError


def import_files(files: Sequence[str], base: Path | None) -> None:
    """Import Python files, which register components; each is imported once in a process.

    Parameters
    ----------
    files : sequence of str
    base : Path or None
        Where relative paths start from.
    """
    for file in files:
        path = ((base or Path()) / Path(file).expanduser()).resolve()
        if path.suffix != ".py" or not path.is_file():
            raise StudyDefinitionError(f"modules: there is no Python file {path}.")
        known = sys.modules.get(path.stem)
        if known is None:
            # Workers get the code with the work: those of a cluster have no such files, and those that are already
            # running search for modules where they did when they were started.
            for module in _with_its_neighbours(_imported(path)):
                _cloudpickle().register_pickle_by_value(module)
        elif Path(getattr(known, "__file__", None) or "").resolve() != path:
            raise StudyDefinitionError(f"modules: {path.name} has the name of another module. Rename the file.")


def _with_its_neighbours(module: ModuleType) -> list[ModuleType]:
    """A module, and the modules and packages of its folder that it has imported, directly or through one of these."""
    folder = Path(str(module.__file__)).parent
    found, waiting = [module], [module.__name__]
    while waiting:
        imported = {home(name) for name in contents(waiting.pop()).imports} & sys.modules.keys()
        for name in sorted(imported - {each.__name__ for each in found} - sys.stdlib_module_names - {OWN}):
            where = location(name)
            if where is not None and where.parent.resolve() == folder and not is_installed(name):
                found.append(sys.modules[name])
                waiting.append(name)
    return found


def _cloudpickle() -> ModuleType:
    """The library that joblib pickles with; versions before 1.6 contain it."""
    try:
        return import_module("joblib.externals.cloudpickle")
    except ImportError:
        return import_module("cloudpickle")


def _imported(path: Path) -> ModuleType:
    # As for a script, so that it can import its neighbours.
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None, "it ends in .py"
    assert spec.loader is not None, "it ends in .py"
    module = sys.modules[path.stem] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[path.stem]
        if isinstance(error, RulekitError):
            raise
        raise StudyDefinitionError(f"{path} cannot be imported: {type(error).__name__}: {error}.") from error
    return module
