"""Links to the plugins' own pages lead somewhere in the repository, not on the site: there they are names only."""

import re
from typing import Any

from sphinx.application import Sphinx

TO_A_PLUGIN = re.compile(r"\[(?P<name>[\w-]+)\]\((?:\.\./)+plugins/[\w./-]+\)")


def name_plugins(app: Sphinx, page: str, source: list[str]) -> None:
    """Show the name that a link to a plugin has."""
    source[0] = TO_A_PLUGIN.sub(r"`\g<name>`", source[0])


def setup(app: Sphinx) -> dict[str, Any]:
    """Listen to pages being read."""
    app.connect("source-read", name_plugins)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
