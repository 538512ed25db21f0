"""What is measured: each measure's name, its title, its unit, and which direction is better."""

from typing import Final, Literal

import attrs

Better = Literal["lower", "higher", "neither"]


@attrs.frozen
class Measure:
    """A kind of figure.

    Attributes
    ----------
    name : str
        Identifies it in rows and files.
    title : str
        What the figure says, as the title of a table.
    unit : str
        "times", "share", "s", "MB", "rules", "files", or "" for an exponent.
    better : {"lower", "higher", "neither"}
    """

    name: str
    title: str
    unit: str
    better: Better

    def text(self, value: float) -> str:
        """A value with as many digits as matter."""
        if self.unit in ("times", "s"):
            return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 100 else f"{value:.0f}"
        if self.unit == "fraction":
            return f"{value:.0%}"
        return f"{value:.0f}" if self.unit else f"{value:.2f}"

    def bound(self, limit: float) -> str:
        """A limit with its direction."""
        return f"{'≥' if self.better == 'higher' else '≤'} {f'{limit:.0%}' if self.unit == 'share' else f'{limit:g}'}"

    def is_within(self, value: float, limit: float) -> bool:
        """Whether a value is as good as the limit, or better."""
        return value >= limit if self.better == "higher" else value <= limit


EXTRACTION: Final = Measure(
    "extraction / training", "CPU time of extraction as a multiple of that of training", "times", "lower"
)
METHODS: Final = Measure("rcprob / rc+", "CPU time of RCProb as a multiple of that of RC+", "times", "lower")
RULECOSI: Final = Measure(
    "rulecosi / rc+", "CPU time of the public RuleCOSI+ code as a multiple of that of rc+", "times", "higher"
)
SAME_RULES: Final = Measure("same rules", "Rules equal to those of the public RuleCOSI+ code", "fraction", "higher")
PEERS: Final = Measure(
    "peer / rcprob", "CPU time of another extractor as a multiple of that of rcprob", "times", "higher"
)
PLUGINS: Final = Measure(
    "method / rcprob", "Time of a plugin's method as a multiple of that of rcprob", "times", "lower"
)
PREDICTION: Final = Measure(
    "ruleset / forest", "Time of predict_proba, a ruleset's as a multiple of its forest's", "times", "lower"
)
WAREHOUSE: Final = Measure(
    "SQL / ensemble",
    "CPU time of exported SQL in DuckDB, as a multiple of the ensemble's predict_proba",
    "times",
    "lower",
)
LARGE: Final = Measure(
    "extraction / CPU of training",
    "Many samples: time of extraction as a multiple of the CPU time of training",
    "times",
    "lower",
)
MEMORY: Final = Measure("peak memory", "Peak memory above the start of the extraction, in MB", "MB", "lower")
RESIDENT: Final = Measure(
    "peak RSS", "Peak resident memory of the whole process that extracts, its samples included, in MB", "MB", "lower"
)
BESIDE_SAMPLES: Final = Measure(
    "beside samples", "Peak memory of predict_proba beside its samples and answers, in MB", "MB", "lower"
)
CATEGORIES: Final = Measure(
    "categories / numbers",
    "CPU time of extraction for each leaf: with categories, as a multiple of that with their codes as numbers",
    "times",
    "lower",
)
DEEP: Final = Measure(
    "deep / CPU of training",
    "Forests without a limit of depth: CPU time of extraction as a multiple of that of training",
    "times",
    "lower",
)
WEIGHTS: Final = Measure(
    "weights / none", "CPU time with weights of samples or classes as a multiple of that without", "times", "lower"
)
SWAP: Final = Measure(
    "plain / built-in",
    "CPU time with an estimator in plain NumPy as a multiple of that with the built-in",
    "times",
    "lower",
)
SECONDS: Final = Measure("seconds", "Time of extraction, in seconds", "s", "lower")
EXPONENT: Final = Measure("exponent", "Power of the size that the CPU time of extraction grows with", "", "lower")
N_RULES: Final = Measure("rules", "Number of rules", "rules", "neither")
PRIVATE_MEMORY: Final = Measure(
    "private MB", "Peak memory of the whole process without files that the system keeps in memory", "MB", "lower"
)
UNIT: Final = Measure("unit cost", "What extraction from samples in parts costs, to estimate larger runs", "", "lower")
COMPILING: Final = Measure("compiling", "Nothing compiled yet: first fit minus second, in seconds", "s", "lower")
LOADING: Final = Measure("loading", "Compiled by an earlier process: first fit minus next, in seconds", "s", "lower")
IMPORTING: Final = Measure(
    "rulekit / sklearn",
    "Time until rulekit is there, in a fresh process, as a multiple of import sklearn",
    "times",
    "lower",
)
LATE: Final = Measure("late", "Seconds by which fit exceeds max_seconds", "s", "lower")
FILES: Final = Measure("files", "Files of rulekit that a first model enters", "files", "lower")

MEASURES: Final[dict[str, Measure]] = {
    measure.name: measure
    for measure in (
        EXTRACTION,
        METHODS,
        RULECOSI,
        SAME_RULES,
        PEERS,
        PLUGINS,
        PREDICTION,
        WAREHOUSE,
        LARGE,
        CATEGORIES,
        DEEP,
        SWAP,
        WEIGHTS,
        EXPONENT,
        SECONDS,
        N_RULES,
        MEMORY,
        RESIDENT,
        BESIDE_SAMPLES,
        PRIVATE_MEMORY,
        UNIT,
        COMPILING,
        LOADING,
        IMPORTING,
        LATE,
        FILES,
    )
}
