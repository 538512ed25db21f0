"""The lists of links on pages called `index` are the site's navigation: it is written once, and reads well anywhere.

A list item that begins with a link to a page, `- [Title](page.md)`, puts that page under `Title` into the navigation;
on the first page of all, the heading above becomes the heading of that part.
"""

import re
from collections.abc import Iterator
from typing import Any

from sphinx.application import Sphinx

HEADING = re.compile(r"^## (?P<title>.+)$")
ENTRY = re.compile(r"^- \[(?P<title>[^\]]+)\]\((?P<page>[\w/.-]+)\.(?:md|rst)\)")
#: In the repository, the gallery is a folder of scripts; on the site, the page that is made of them.
SOURCE_OF_GALLERY, PAGE_OF_GALLERY = "(gallery/README.rst)", "(examples/index.rst)"


def parts(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Headings with the entries below them; what stands above the first heading has none."""
    heading: str = ""
    entries: list[str] = []
    for line in lines:
        if found := HEADING.match(line):
            yield heading, entries
            heading, entries = found["title"], []
        elif found := ENTRY.match(line):
            entries.append(f"{found['title']} <{found['page']}>")
    yield heading, entries


def add_navigation(app: Sphinx, page: str, source: list[str]) -> None:
    """Append a hidden table of contents to a page of links."""
    if page.rpartition("/")[2] != "index" or app.env.doc2path(page).suffix != ".md":
        return
    text = source[0].replace(SOURCE_OF_GALLERY, PAGE_OF_GALLERY)
    tables = [
        "\n".join(["```{toctree}", ":hidden:", *([f":caption: {heading}"] if heading else []), "", *entries, "```"])
        for heading, entries in parts(text.splitlines())
        if entries
    ]
    source[0] = "\n\n".join([text, *tables])


def setup(app: Sphinx) -> dict[str, Any]:
    """Listen to pages being read."""
    app.connect("source-read", add_navigation)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
