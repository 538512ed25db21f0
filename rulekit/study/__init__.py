"""Studies: methods compared over datasets and ensembles, with results stored in a file."""

from typing import TYPE_CHECKING

from rulekit.core.lazy import lazy_names

if TYPE_CHECKING:
    from rulekit.study.definition import CrossValidation, Ensemble, Selection, Source, Study, Variant
    from rulekit.study.run import Summary, run_study
    from rulekit.study.store import Store
    from rulekit.study.trials import TrialSearch

__all__ = [
    "CrossValidation",
    "Ensemble",
    "Selection",
    "Source",
    "Store",
    "Study",
    "Summary",
    "TrialSearch",
    "Variant",
    "run_study",
]

# Imported on demand: reports do not need the modules that run a study, nor vice versa.
_HOMES = {
    "CrossValidation": "rulekit.study.definition",
    "Ensemble": "rulekit.study.definition",
    "Selection": "rulekit.study.definition",
    "Source": "rulekit.study.definition",
    "Store": "rulekit.study.store",
    "Study": "rulekit.study.definition",
    "Summary": "rulekit.study.run",
    "TrialSearch": "rulekit.study.trials",
    "Variant": "rulekit.study.definition",
    "run_study": "rulekit.study.run",
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
