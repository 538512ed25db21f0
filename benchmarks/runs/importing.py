"""What a program pays for `import rulekit`, and for a first model, beside `import sklearn`, which a model needs."""

import subprocess
import sys
from collections.abc import Iterator
from statistics import median
from typing import Final

from benchmarks.limits import limit
from benchmarks.measures import IMPORTING
from benchmarks.rows import Row
from benchmarks.settings import Settings

BASE: Final = "import sklearn"
CASES: Final = {
    "import rulekit": "import rulekit",
    'rulekit.build("rcprob")': 'import rulekit; rulekit.build("rcprob")',
}


def run(settings: Settings) -> Iterator[Row]:
    """The import alone, and with the first look for components, plugins included."""
    statements = (BASE, *CASES.values())
    times: dict[str, list[float]] = {statement: [] for statement in statements}
    for turn in range(settings.repeats + 1):
        settings.announce(f"import: turn {turn + 1} of {settings.repeats + 1}")
        for statement in statements:
            seconds = seconds_in_a_fresh_process(statement)
            if turn:  # the first one reads files that the others find in memory
                times[statement].append(seconds)
    base = median(times[BASE])
    for case, statement in CASES.items():
        own = median(times[statement])
        detail = f"{own:.3f} s, {BASE} {base:.3f} s"
        yield Row("import", "", case, IMPORTING.name, own / base, limit(IMPORTING, "", case), detail)


def seconds_in_a_fresh_process(statement: str) -> float:
    """Wall time of a statement in a Python that has just started; the start itself does not count."""
    code = f"from time import perf_counter as now\nstart = now()\n{statement}\nprint(now() - start)"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
