"""Plugins of every kind, written to a folder and put beside one another as if they were installed."""

from pathlib import Path

from rulekit.scaffold import write_plugin


def name_for(kind: str) -> str:
    """A plugin's name, long enough to show lines that a name may make too long."""
    return f"rulekit-somewhat-longish-{kind}-name".ljust(40, "x")[:40]


def written_and_found(kinds: list[str], folder: Path) -> list[Path]:
    """Write a plugin of each kind; with the folders on the path, Python takes them for installed distributions."""
    written = []
    for kind in kinds:
        name = name_for(kind)
        write_plugin(name, kind, folder)
        metadata = folder / name / f"{name.replace('-', '_')}-0.1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1.0\n")
        component = name.removeprefix("rulekit-")
        (metadata / "entry_points.txt").write_text(f"[rulekit]\n{component} = {name.replace('-', '_')}\n")
        written.append(folder / name)
    return written
