"""Code that has no file: what a notebook, a console or a script defines, followed through everything that it uses."""

import hashlib
import pickle
import sys
import types
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from rulekit.study.code.packages import home, location

#: The modules of scripts and notebooks: of a script's file a result depends on some of the definitions only.
_SCRIPTS = frozenset({"__main__", "__mp_main__"})
_PLAIN = (type(None), bool, int, float, complex, str, bytes)
#: Of a class: what Python adds to it, and what no result depends on.
_ADDED = frozenset(
    {
        *("__dict__", "__weakref__", "__module__", "__doc__", "__firstlineno__", "__static_attributes__"),
        *("__abstractmethods__", "_abc_impl", "__annotations__", "__annotate_func__", "__annotations_cache__"),
    }
)


class UnknownCodeError(ValueError):
    """Something whose content cannot be known."""


class Walk:
    """Follows values into a digest.

    Parameters
    ----------
    modules : set of str
        Receives the modules that the values come from, which are not followed.
    """

    def __init__(self, modules: set[str]) -> None:
        self.modules = modules
        self._seen: dict[int, Any] = {}

    def digest(self, value: Any) -> str:
        """A hash of a value and of everything that it uses; raise `UnknownCodeError` if some of it cannot be known."""
        found = hashlib.sha256()
        for part in self._parts(value):
            found.update(len(part).to_bytes(8, "little") + part)
        return found.hexdigest()

    def _parts(self, value: Any) -> Iterator[bytes]:
        yield type(value).__qualname__.encode()
        if isinstance(value, _PLAIN):
            yield repr(value).encode()
            return
        if id(value) in self._seen:
            return
        self._seen[id(value)] = value  # kept, so that no other object gets its id
        yield from self._followed(value)

    def _followed(self, value: Any) -> Iterator[bytes]:
        if isinstance(value, types.ModuleType):
            self._note(value.__name__)
            yield value.__name__.encode()
        elif isinstance(value, type | types.FunctionType | types.BuiltinFunctionType) and not is_loose(value):
            self._note(getattr(value, "__module__", None) or "builtins")
            yield value.__qualname__.encode()
        elif isinstance(value, type):
            yield from self._of_class(value)
        elif isinstance(value, types.FunctionType):
            yield from self._of_function(value)
        elif isinstance(value, types.CodeType):
            yield from self._of_code(value)
        elif isinstance(value, list | tuple):
            for each in value:
                yield from self._parts(each)
        elif isinstance(value, set | frozenset):
            yield from (digest.encode() for digest in sorted(Walk(self.modules).digest(each) for each in value))
        elif isinstance(value, dict):
            for name, each in value.items():
                yield from self._parts(name)
                yield from self._parts(each)
        else:
            yield from self._of_object(value)

    def _of_class(self, value: type) -> Iterator[bytes]:
        yield value.__qualname__.encode()
        for base in value.__bases__:
            yield from self._parts(base)
        for name, each in sorted(vars(value).items()):
            if name not in _ADDED:
                yield name.encode()
                yield from self._parts(each)

    def _of_function(self, value: types.FunctionType) -> Iterator[bytes]:
        yield from self._of_code(value.__code__)
        yield from self._parts([value.__defaults__, value.__kwdefaults__])
        for cell in value.__closure__ or ():
            yield from self._parts(cell.cell_contents)
        for name in sorted(_names(value.__code__) & value.__globals__.keys()):
            yield name.encode()
            yield from self._parts(value.__globals__[name])

    def _of_code(self, code: types.CodeType) -> Iterator[bytes]:
        yield code.co_code
        yield from self._parts([code.co_names, code.co_varnames, code.co_freevars])
        for constant in code.co_consts:
            yield from self._parts(constant)

    def _of_object(self, value: Any) -> Iterator[bytes]:
        wrapped = getattr(value, "__func__", None) or getattr(value, "__wrapped__", None)
        if isinstance(value, property):
            yield from self._parts([value.fget, value.fset, value.fdel])
        elif isinstance(value, partial):
            yield from self._parts([value.func, value.args, value.keywords])
        elif wrapped is not None:
            yield from self._parts(wrapped)
        elif isinstance(value, np.ndarray | np.generic) and value.dtype.kind != "O":
            yield from self._parts([str(value.dtype), list(value.shape), value.tobytes()])
        elif hasattr(value, "__dict__") and is_loose(type(value)):
            yield from self._parts(type(value))
            yield from self._parts(dict(vars(value)))
        else:
            self._note(getattr(value, "__module__", None) or "builtins")
            yield from self._parts(type(value))
            yield _pickled(value)

    def _note(self, module: str) -> None:
        self.modules.add(module)


def is_loose(value: Any) -> bool:
    """Whether a class or function comes from no module with a file of its own."""
    package = home(getattr(value, "__module__", None) or "builtins")
    return package in _SCRIPTS or (package not in sys.stdlib_module_names and location(package) is None)


def _names(code: types.CodeType) -> set[str]:
    """The global names that some code uses, with the functions inside it."""
    inside = (_names(constant) for constant in code.co_consts if isinstance(constant, types.CodeType))
    return set(code.co_names).union(*inside)


def _pickled(value: Any) -> bytes:
    try:
        return pickle.dumps(value, protocol=4)
    except Exception as error:  # pickling runs code of the object's author
        raise UnknownCodeError(f"a {type(value).__name__} cannot be read: {error}") from error
