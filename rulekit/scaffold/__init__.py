"""New plugins: distributions that can be installed right away, with one working component and its tests."""

from rulekit.scaffold.errors import PluginFolderError, PluginNameError
from rulekit.scaffold.writing import write_plugin

__all__ = ["PluginFolderError", "PluginNameError", "write_plugin"]
