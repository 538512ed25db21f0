"""Values of `--set`: parameters, or a `CommandError`."""

import random

from rulekit.cli.errors import CommandError
from rulekit.cli.overrides import parse_overrides

from .mutations import spliced

VALID = [
    "final_estimator.crossover=20",
    "priors=mean",
    "combine=none",
    "min_precision=[0.5, {'a': (1, 2.5e3)}, None, True]",
    "ensemble.max_depth=3",
    "inference='aggregate'",
    "max_memory=2 * (3 + 4)",
    "n_jobs=0x1f",
    "rule_order=b'support' 'x' \\",
]


def settings(rng: random.Random) -> str:
    """Texts with some changes are refused, or give parameters with names and plain values."""
    return parsed([spliced(rng.choice(VALID), rng) for _ in range(rng.randint(1, 3))])


def parsed(texts: list[str]) -> str:
    """Read the texts of several `--set`."""
    try:
        overrides = parse_overrides(texts)
    except CommandError:
        return "refused"
    assert len(overrides) == len(texts)
    assert all(name.isidentifier() for name in overrides)
    return "read"
