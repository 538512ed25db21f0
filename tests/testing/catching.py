"""Running one check on a component that is broken on purpose."""

import pytest

from rulekit.testing import ConformanceError, checks_for
from rulekit.testing.suite import seam_of


def caught_by(check, component, models=()):
    """The message of the check for a broken component."""
    with pytest.raises(ConformanceError) as caught:
        dict(checks_for(component, models=models))[check](component)
    return str(caught.value)


def passed_by(component, models=()):
    """Names of the checks that a component passes."""
    passed = set()
    for name, check in checks_for(component, models=models):
        try:
            check(component)
        except ConformanceError:
            continue
        passed.add(name)
    return passed


def promise_of(check, component):
    """The first line of a check's docstring."""
    (found,) = [own for own in seam_of(component).checks if own.__name__ == check]
    return found.__doc__.partition("\n")[0]


def assert_caught(check, component, got, models=()):
    """The message names the component and the check, contains the promise and what was found instead."""
    message = caught_by(check, component, models)
    first, promise, rest = message.split("\n", 2)
    assert first.endswith(f" fails {check}.")
    assert type(component).__name__ in first
    assert promise == f"Promise: {promise_of(check, component)}"
    assert rest.startswith("Got: ")
    assert got in rest


def assert_only_caught(check, component):
    """No other check fails for the component: the failures show what is wrong."""
    assert {name for name, _ in checks_for(component)} - passed_by(component) == {check}


def of_one_fault(cases, spoiling_more):
    """Cases whose component breaks one promise only; those of `spoiling_more` break others with it."""
    return [case for case in cases if not isinstance(case[0], spoiling_more)]


def assert_every_check_is_tried(cases, component, models=(), elsewhere=()):
    """A check that nothing fails guards nothing: each has a component that it catches."""
    names = {name for name, _ in checks_for(component, models=models)}
    assert names - {case.values[1] if hasattr(case, "values") else case[1] for case in cases} - set(elsewhere) == set()
