"""The command line: it works, or says what is wrong and ends with 2."""

import random
import tempfile
import warnings
from pathlib import Path

from typer.testing import CliRunner

from rulekit.cli.app import app
from rulekit.core.errors import BudgetWarning, FewRulesWarning, ManyRulesWarning
from rulekit.datasets import TableWarning

from .documents import texts
from .mutations import spliced
from .overrides import VALID as SETTINGS
from .stores import damaged, whole
from .studies import VALID as STUDY

TABLE = "a,b,class\n" + "".join(f"{i % 7},{i % 5 / 2},{'xy'[i % 2]}\n" for i in range(40))
#: What is held out, with the columns of the rulesets in `documents`.
HELD_OUT = "x0,x1,x2,class\n" + "".join(f"{i},{['blue', 'red'][i % 2]},{i / 3},{i % 2 > 0}\n" for i in range(10))
OPTIONS = [
    ("--method", "rc+"),
    ("--method", "none"),
    ("--set", "min_precision=2"),
    ("--set", "max_rules=2"),
    ("--set", "max_memory=1MB"),
    ("--set", "final_estimator.crossover"),
    ("--ensemble", "gbm"),
    ("--ensemble", "hist-gbm"),
    ("--ensemble", "trees"),
    ("--test", "0.5"),
    ("--test", "-1"),
    ("--test", "0"),
    ("--max-depth", "1"),
    ("--max-depth", "-1"),
    ("--learning-rate", "nan"),
    ("--drop", "a"),
    ("--drop", "z"),
    ("--seed", "x"),
    ("--seed", "99999999999"),
    ("--separator", ";"),
    ("--separator", ""),
    ("--out", "rules.json"),
    ("--out", "no/folder/rules.json"),
]
FORMATS = ["json", "python", "sql", "c", "pmml", "onnx", "csv", "excel", "nothing", ""]


def command_line(rng: random.Random) -> str:
    """A command with files and options that are right, wrong, or changed in some places."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        # They are printed, as a line that begins with "Warning:".
        for told in (BudgetWarning, FewRulesWarning, ManyRulesWarning, TableWarning):
            warnings.simplefilter("always", told)
        arguments = rng.choice(COMMANDS)(Path(folder), rng)
        result = CliRunner().invoke(app, arguments)
    assert result.exit_code in (0, 2), (arguments, result.output, result.exception)
    assert "Traceback" not in result.output, (arguments, result.output)
    return f"ended with {result.exit_code}"


def _file(folder: Path, name: str, text: str, rng: random.Random) -> str:
    """A file that is right or, more often, changed."""
    path = folder / name
    path.write_text(spliced(text, rng) if rng.random() < 0.7 else text, encoding="utf-8", errors="surrogatepass")
    return str(path)


def _extract(folder: Path, rng: random.Random) -> list[str]:
    chosen = [word for option in rng.sample(OPTIONS, rng.randrange(4)) for word in option]
    if rng.random() < 0.3:
        chosen += ["--set", spliced(rng.choice(SETTINGS), rng)]
    # Relative paths of the options above would lead into the working directory.
    chosen = [str(folder / word) if word.endswith("rules.json") else word for word in chosen]
    target = rng.choice(["class", "class", "class", "a", ""])
    return ["extract", _file(folder, "data.csv", TABLE, rng), "--target", target, "--n-estimators", "2", *chosen]


def _export(folder: Path, rng: random.Random) -> list[str]:
    given = ["--set", spliced("table=patients", rng)] if rng.random() < 0.3 else []
    rules = _file(folder, "rules.json", rng.choice(texts()), rng)
    return ["export", rules, "--to", rng.choice(FORMATS), *given]


def _report(folder: Path, rng: random.Random) -> list[str]:
    rules = _file(folder, "rules.json", rng.choice(texts()), rng)
    data = _file(folder, "data.csv", HELD_OUT, rng)
    more = rng.choice([[], ["--examples", "2"], ["--examples", "-2"], ["--compare", rules]])
    return ["report", rules, data, "--target", "class", "--out", str(folder / "rules.html"), *more]


def _study(folder: Path, rng: random.Random) -> list[str]:
    """Studies whose files are right would run: the datasets of this one are not there."""
    text = STUDY.replace('"sklearn:iris"', '"no such table"')
    return ["study", "run", _file(folder, "study.toml", text, rng), "--jobs", "1"]


def _results(folder: Path, rng: random.Random) -> list[str]:
    path = folder / "study.sqlite"
    path.write_bytes(damaged(whole(), rng) if rng.random() < 0.8 else whole())
    return rng.choice(
        [
            ["study", "status", str(path), "--traceback"],
            ["study", "compare", "rcprob", "plain", "--store", str(path)],
            ["study", "compare", "rcprob", "none", "--store", str(path), "--ensemble", "rf"],
        ]
    )


def _words(folder: Path, rng: random.Random) -> list[str]:
    """Commands that read no file."""
    words = ["components", "--kind", "probability", "info", "extract", "--help", "study", "--version", "nothing", ""]
    return [rng.choice(words) for _ in range(rng.randint(1, 4))]


def _new_plugin(folder: Path, rng: random.Random) -> list[str]:
    name = spliced("rulekit-shy-forest", rng)
    return ["new-plugin", name, "--kind", rng.choice(["ensemble", "probability", "x"]), "--folder", str(folder)]


COMMANDS = [_extract, _extract, _export, _report, _study, _results, _words, _new_plugin]
