"""Public names that are imported when they are first asked for."""

import sys
from types import ModuleType

import pytest

from rulekit.core.lazy import lazy_names


@pytest.fixture
def package(monkeypatch):
    """A package with one public name, which lives in the standard library."""
    made = ModuleType("some_package")
    monkeypatch.setitem(sys.modules, "some_package", made)
    made.__getattr__, made.__dir__ = lazy_names("some_package", {"fsum": "math"})
    return made


def test_a_name_is_that_of_its_module_and_is_kept(package):
    import math

    assert "fsum" not in vars(package)
    assert package.fsum is math.fsum
    assert vars(package)["fsum"] is math.fsum


def test_names_are_listed_before_they_are_asked_for(package):
    assert "fsum" in dir(package)


def test_another_name_is_an_attribute_error_that_names_the_package(package):
    with pytest.raises(AttributeError, match=r"^module 'some_package' has no attribute 'gsum'$"):
        _ = package.gsum
