"""The command line: it works, or says what is wrong and ends with 2."""

import random
import tempfile
from pathlib import Path

from documents import samples
from mutations import spliced
from typer.testing import CliRunner

import rulekit
from rulekit.cli.app import app
from rulekit.export import to_json

TABLE = "a,b,class\n" + "".join(f"{i % 7},{i % 5 / 2},{'xy'[i % 2]}\n" for i in range(40))
OPTIONS = [
    ("--method", "rc+"),
    ("--method", "none"),
    ("--set", "min_precision=2"),
    ("--set", "max_rules=2"),
    ("--set", "max_memory=1MB"),
    ("--set", "probability.n0"),
    ("--test", "0.5"),
    ("--test", "-1"),
    ("--max-depth", "1"),
    ("--drop", "a"),
    ("--drop", "z"),
    ("--seed", "x"),
    ("--separator", ";"),
]


def command_line(rng: random.Random) -> str:
    with tempfile.TemporaryDirectory() as folder:
        arguments = _extract(Path(folder), rng) if rng.random() < 0.5 else _export(Path(folder), rng)
        result = CliRunner().invoke(app, arguments)
    assert result.exit_code in (0, 2), (arguments, result.output, result.exception)
    return f"ended with {result.exit_code}"


def _extract(folder: Path, rng: random.Random) -> list[str]:
    path = folder / "data.csv"
    path.write_text(spliced(TABLE, rng) if rng.random() < 0.7 else TABLE, encoding="utf-8")
    chosen = [word for option in rng.sample(OPTIONS, rng.randrange(3)) for word in option]
    return ["extract", str(path), "--target", rng.choice(["class", "class", "a", ""]), "--n-estimators", "3", *chosen]


def _export(folder: Path, rng: random.Random) -> list[str]:
    path = folder / "rules.json"
    text = to_json(rulekit.RuleSet.from_dict(rng.choice(samples())))
    path.write_text(spliced(text, rng) if rng.random() < 0.7 else text, encoding="utf-8")
    return ["export", str(path), "--to", rng.choice(["json", "python", "sql", "c", "pmml", "csv", "nothing"])]
