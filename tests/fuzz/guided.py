"""Readers of files, fuzzed by atheris: `python -m tests.fuzz.guided TARGET -runs=100000`.

Inputs that reach new code are kept and changed further: documents as documents, texts byte by byte with the words that
their readers know. What fails is written to a file, and `python -m tests.fuzz.guided TARGET FILE` tries it again. All
options of libFuzzer are taken. atheris is no dependency of the project: ``pip install atheris``.
"""

import json
import os
import random
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs

# Instrumented code cannot be compiled by numba.
os.environ["RULEKIT_ENGINE"] = "numpy"
try:
    import atheris
except ImportError:
    sys.exit("This needs atheris: pip install atheris")
INSTRUMENTED = {"include": ["rulekit", "tomllib", "json", "ast"], "exclude": ["rulekit.core.engine"]}
with atheris.instrument_imports(**INSTRUMENTED):
    from . import documents, overrides, stores, studies, tables_in_files
    from .mutations import PIECES, mutated

#: Words of libFuzzer's dictionary.
WORDS = [*PIECES[:-1], '"""', "'''", "[[", "]]", "0x", "1979-05-27", "inf", "nan", "none", "__", "b'", "(", "lambda"]
#: An input that takes so many seconds hangs, one that takes so much memory exhausts a machine.
LIMITS = ("-timeout=20", "-rss_limit_mb=4096")


@attrs.frozen
class Reader:
    """Something that reads bytes from anywhere.

    Attributes
    ----------
    read : callable
        Raises for what is neither a correct result nor a documented error.
    examples : list of bytes
        What it reads without complaint.
    is_json : bool
        Whether changes may be those of a document.
    """

    read: Callable[[bytes], str]
    examples: list[bytes]
    is_json: bool = False


def _document(data: bytes) -> str:
    """A document as a careless reader of JSON gives it, with NaN, repeated keys and numbers of any size."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return "no JSON"
    return documents.described(document)


def _settings(data: bytes) -> str:
    return overrides.parsed(data.decode("utf-8", "replace").split("\n"))


def _in_a_file(name: str, read: Callable[[Path], str]) -> Callable[[bytes], str]:
    """A reader of files, given bytes."""
    folder = tempfile.TemporaryDirectory()

    def write_and_read(data: bytes) -> str:
        path = Path(folder.name) / name
        path.write_bytes(data)
        return read(path)

    return write_and_read


READERS = {
    "json": lambda: Reader(documents.read, [text.encode() for text in documents.texts()], is_json=True),
    "dict": lambda: Reader(_document, [text.encode() for text in documents.texts()], is_json=True),
    "study": lambda: Reader(_in_a_file("study.toml", studies.read), [studies.VALID.encode()]),
    "settings": lambda: Reader(_settings, [text.encode() for text in overrides.VALID]),
    "store": lambda: Reader(_in_a_file("study.sqlite", stores.read), [stores.whole()]),
    "table": lambda: Reader(_in_a_file("data.csv", tables_in_files.read), [tables_in_files.VALID.encode()]),
}


def main() -> None:
    """Fuzz one reader; libFuzzer ends the process."""
    if len(sys.argv) < 2 or sys.argv[1] not in READERS:
        sys.exit(f"python -m tests.fuzz.guided {{{','.join(READERS)}}} [options of libFuzzer]")
    warnings.simplefilter("error")
    with atheris.instrument_imports(**INSTRUMENTED):
        reader = READERS[sys.argv[1]]()
        # Much of rulekit is imported only where it is needed.
        assert {reader.read(example) for example in reader.examples} == {"read"}

    def test(data: bytes) -> None:
        reader.read(data)

    def change(data: bytes, max_size: int, seed: int) -> bytes:
        """Every other change is one of the document."""
        rng = random.Random(seed)
        try:
            changed = json.dumps(mutated(json.loads(data), rng)).encode() if rng.random() < 0.5 else b""
        except (ValueError, RecursionError):
            changed = b""
        return changed[:max_size] or atheris.Mutate(data, max_size)

    with _beginning(reader.examples) as arguments:
        given = [*LIMITS, *sys.argv[2:]]
        is_repeated = any(Path(word).is_file() for word in sys.argv[2:])
        options = {"custom_mutator": change} if reader.is_json else {}
        atheris.Setup([sys.argv[0], *given, *([] if is_repeated else arguments)], test, **options)
        atheris.Fuzz()


@contextmanager
def _beginning(examples: list[bytes]) -> Iterator[list[str]]:
    """Arguments that name a folder of examples and a dictionary of words."""
    with tempfile.TemporaryDirectory() as folder:
        corpus, words = Path(folder) / "corpus", Path(folder) / "words"
        corpus.mkdir()
        for position, example in enumerate(examples):
            (corpus / str(position)).write_bytes(example)
        lines = (json.dumps(word.encode().decode("latin-1")) for word in WORDS)
        words.write_text("\n".join(line for line in lines if "\\u" not in line), encoding="ascii")
        yield [f"-dict={words}", str(corpus)]


if __name__ == "__main__":
    main()
