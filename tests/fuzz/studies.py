"""Files of studies: a study, or a documented error; nothing runs."""

import random
import tempfile
from pathlib import Path

from mutations import spliced

from rulekit.core.errors import RulekitError
from rulekit.study import Study

VALID = """\
name = "ablation"
datasets = ["sklearn:iris", "sklearn:wine"]
seed = 3

[ensembles.rf]
grid = { n_estimators = [5, 10] }

[variants.rcprob]
method = "rcprob"

[variants.plain]
method = "rcprob"
parameters = { probability = "empirical", min_precision = 0.75 }

[outer]
splits = 3
repeats = 2
"""


def study_file(rng: random.Random) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.toml"
        path.write_bytes(spliced(VALID, rng).encode("utf-8", "surrogatepass"))
        try:
            study = Study.from_toml(path)
        except RulekitError:
            return "refused"
    assert Study.from_dict(study.to_dict()).to_dict() == study.to_dict()
    return "read"
