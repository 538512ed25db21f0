"""Sections as files in a folder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import attrs

from rulekit.render.table import Table
from rulekit.study import figures
from rulekit.study.report.parts import Part, Section

#: Of a file's name, without its suffix and a number: longer names do not fit every file system and archive.
LONGEST = 80


@attrs.frozen
class Writer:
    """Writes sections into a folder.

    Attributes
    ----------
    folder : Path
    formats : tuple of str
        Of the figures.
    """

    folder: Path
    formats: tuple[str, ...]
    _taken: set[str] = attrs.field(factory=set, init=False, repr=False)

    def write(self, title: str, sections: Sequence[Section]) -> Path:
        """Write all files; return the Markdown file."""
        for name in ("tables", "figures"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        lines = [f"# {title}\n"]
        for section in sections:
            if section.parts:
                lines += [f"## {section.title}\n", *(self._part(part) for part in section.parts)]
        path = self.folder / "report.md"
        path.write_text("\n".join(lines), encoding="utf-8")
        return path

    def _part(self, part: Part) -> str:
        """Write the part's files; return its Markdown."""
        if isinstance(part, str):
            return f"{part}\n"
        stem = self._stem(part.name)
        if isinstance(part, Table):
            for suffix, content in (("csv", part.to_csv()), ("tex", attrs.evolve(part, name=stem).to_latex())):
                (self.folder / "tables" / f"{stem}.{suffix}").write_text(content, encoding="utf-8")
            return part.to_markdown()
        if not self.formats:
            return f"{part.caption} (The figure was not requested.)\n"
        figures.save(part.figure, self.folder / "figures", stem, self.formats)
        return f"![{part.caption}](figures/{stem}.{self.formats[0]})\n\n{part.caption}\n"

    def _stem(self, name: str) -> str:
        """A name for files that no other part has: `rc+` and `rc` must not share one."""
        plain = re.sub(r"[^a-z0-9]+", "-", name.lower().replace("+", " plus "))[:LONGEST].strip("-")
        stem, position = plain, 1
        while stem in self._taken:
            position += 1
            stem = f"{plain}-{position}"
        self._taken.add(stem)
        return stem
