"""What can be wrong with a plugin that is to be written."""

from rulekit.core.errors import RulekitError


class PluginNameError(RulekitError, ValueError):
    """A distribution, its module or its component cannot have that name."""


class PluginFolderError(RulekitError, OSError):
    """There is no folder to write to, or something is there already."""
