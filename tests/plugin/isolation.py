"""Tests that register something put the registry back afterwards."""

from collections.abc import Iterator
from contextlib import contextmanager

from rulekit.plugin.manager import plugins
from rulekit.plugin.registry import Registry


@contextmanager
def registry_put_back() -> Iterator[Registry]:
    """The registry of this process; whatever is added, replaced or dropped inside is undone at the end."""
    registry = plugins().registry
    before = {kind: dict(components) for kind, components in registry._components.items()}
    received, unavailable = dict(registry.received), dict(registry.unavailable)
    try:
        yield registry
    finally:
        registry._components, registry.received, registry.unavailable = before, received, unavailable
