"""The page of errors and warnings is complete."""

import importlib
import inspect
import pkgutil

import pytest
from documented_errors import documented_names, raised_classes

import rulekit
from rulekit.core.errors import InvalidParameterError


def test_every_exception_and_warning_of_rulekit_is_on_the_page():
    names = [module.name for module in pkgutil.walk_packages(rulekit.__path__, "rulekit.")]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    own = {
        name
        for module in modules
        for name, kind in vars(module).items()
        if inspect.isclass(kind) and issubclass(kind, BaseException) and kind.__module__ == module.__name__
    }
    assert len(own) > 30
    assert own - documented_names() == set()


def test_errors_are_noted_wherever_they_are_caught():
    with raised_classes() as found, pytest.raises(ValueError, match="wrong"):
        raise InvalidParameterError("wrong")
    assert found == {InvalidParameterError}
