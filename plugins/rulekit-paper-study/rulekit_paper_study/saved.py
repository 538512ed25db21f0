"""Keep a store in the repository, and put it back: `python -m rulekit_paper_study.saved save STORE ARCHIVE`."""

from __future__ import annotations

import argparse
import lzma
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory


def save(store: Path, archive: Path) -> None:
    """Compress a store, also one that a study is writing to, without what belongs to this machine.

    Parameters
    ----------
    store, archive : Path
        The archive is overwritten.
    """
    with TemporaryDirectory() as folder:
        copy = Path(folder, "copy.sqlite")
        with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
            connection.execute("VACUUM INTO ?", (str(copy),))
        with closing(sqlite3.connect(copy)) as connection:
            connection.execute("DELETE FROM facts WHERE name IN ('base', 'writer')")
            connection.commit()
            connection.execute("VACUUM")
        archive.write_bytes(lzma.compress(copy.read_bytes(), preset=9))


def restore(archive: Path, store: Path) -> None:
    """Put a compressed store back; the study goes on from it.

    Parameters
    ----------
    archive, store : Path
        The store must not exist yet.
    """
    with store.open("xb") as file:
        file.write(lzma.decompress(archive.read_bytes()))


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m rulekit_paper_study.saved", description=__doc__)
    parser.add_argument("what", choices=("save", "restore"))
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    options = parser.parse_args()
    (save if options.what == "save" else restore)(options.source, options.target)
    print(f"Written: {options.target}")


if __name__ == "__main__":
    main()
