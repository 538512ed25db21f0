"""Files of studies: a study, or a documented error; nothing runs."""

import random
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from rulekit.core.errors import RulekitError
from rulekit.study import Study
from rulekit.study.checks import check_parts

from .mutations import mutated, spliced

VALID = """\
name = "ablation"
datasets = ["sklearn:iris", { spec = "own.csv", target = "class", name = "mine" }]
folder = "data"
seed = 3
cell_seconds = 60.5

[ensembles.rf]
grid = { n_estimators = [5, 10], max_depth = [3, "none"] }
parameters = { min_samples_leaf = 2 }

[variants.rcprob]
method = "rcprob"
calibrations = ["temperature", { method = "dirichlet", l2 = 0.1 }]

[variants.plain]
method = "rcprob"
parameters = { final_estimator = "m-estimate", min_precision = 0.75 }
grid = { final_estimator.strength = [10, 20] }
calibration = "beta"

[factorial]
method = "rc+"
vary = { priors = ["product", "mean"], inference = ["decision-list", "aggregate"] }
parameters = { confidence = 0.5 }

[outer]
splits = 3
repeats = 2
calibration = 0.25

[inner]
splits = 4

[selection]
ensemble = "log_loss"
variant = "fidelity"
"""


def study_file(rng: random.Random) -> str:
    """A file with some changes is refused, or is that of a study."""
    if rng.random() < 0.5:
        return described(mutated(tomllib.loads(VALID), rng))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.toml"
        path.write_bytes(spliced(VALID, rng).encode("utf-8", "surrogatepass"))
        return read(path)


def read(path: Path) -> str:
    """Read a file."""
    try:
        study = Study.from_toml(path)
    except RulekitError:
        return "refused"
    return _checked(study)


def described(document: Any) -> str:
    """Read a document."""
    try:
        study = Study.from_dict(document)
    except RulekitError:
        return "refused"
    return _checked(study)


def _checked(study: Study) -> str:
    """What was read goes back and forth, and every part of it can be made, or is refused before any work."""
    assert Study.from_dict(study.to_dict()).to_dict() == study.to_dict()
    try:
        check_parts(study)
    except RulekitError:
        return "refused in time"
    return "read"
