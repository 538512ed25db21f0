"""Errors when a new plugin cannot be written."""

from rulekit.core.errors import RulekitError


class PluginNameError(RulekitError, ValueError):
    """The name is not possible for a distribution, its module or its component."""


class PluginFolderError(RulekitError, OSError):
    """The folder to write to does not exist, or the plugin's own folder exists already."""
