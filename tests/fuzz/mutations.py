"""Changes of documents and texts, one or several at a time."""

import copy
import random
from typing import Any

NUMBERS = [0, -1, 1, 2, 2**31, 2**53, 2**63, -(2**63), 10**30, 0.5, -0.0, 1e308, 5e-324, float("inf"), float("nan")]
TEXTS = [
    "",
    "a",
    "<=",
    "in",
    "str",
    "object",
    "int64",
    "<U3",
    "decision-list",
    "aggregate",
    "os.system",
    "é\x00",
    "x" * 20_000,
]
PIECES = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "\\",
    "NaN",
    "Infinity",
    "1e999",
    "-",
    "0",
    "null",
    "true",
    "\\ud800",
    "9" * 50,
]


def anything(rng: random.Random, depth: int = 0) -> Any:
    """A value of plain types."""
    kind = rng.randrange(8 if depth < 3 else 5)
    if kind == 0:
        return rng.choice([None, True, False])
    if kind < 3:
        return rng.choice(NUMBERS)
    if kind < 5:
        return rng.choice(TEXTS)
    inner = [anything(rng, depth + 1) for _ in range(rng.randrange(4))]
    return inner if kind < 7 else {rng.choice(TEXTS): value for value in inner}


def mutated(document: Any, rng: random.Random) -> Any:
    """A copy with one to three changes: another value, one that stands elsewhere, one less, one twice."""
    changed = {"document": copy.deepcopy(document)}
    for _ in range(rng.randint(1, 3)):
        positions = list(_positions(changed))
        container, key = rng.choice(positions)
        way = rng.randrange(5)
        if way == 0 and container is not changed:
            del container[key]
        elif way == 1:
            other, there = rng.choice(positions)
            container[key] = copy.deepcopy(other[there])
        elif way == 2 and isinstance(container, list):
            container.insert(rng.randint(0, len(container)), copy.deepcopy(container[key]))
        elif way == 3 and type(container[key]) in (int, float):
            container[key] = rng.choice(
                [-container[key], container[key] + 1, float(container[key]), bool(container[key])]
            )
        else:
            container[key] = anything(rng)
    return changed["document"]


def spliced(text: str, rng: random.Random) -> str:
    """A text with one to three places changed, digits more often than others."""
    for _ in range(rng.randint(1, 3)):
        digits = [position for position, sign in enumerate(text) if sign.isdigit()]
        if digits and rng.random() < 0.4:
            position = rng.choice(digits)
            text = text[:position] + rng.choice("0123456789") + text[position + 1 :]
            continue
        start = rng.randint(0, len(text))
        stop = min(len(text), start + rng.choice([0, 0, 1, 2, 5, 40]))
        piece = rng.choice(PIECES) if rng.random() < 0.7 else text[(at := rng.randint(0, len(text))) : at + 30]
        text = text[:start] + piece * rng.choice([1, 1, 1, 2, 5000]) + text[stop:]
    return text


def _positions(value: Any) -> Any:
    """Every (container, key) of a document."""
    steps = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    for key, inner in steps:
        yield value, key
        yield from _positions(inner)
