"""Where the figures come from: machine and versions."""

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any, Final

#: Distributions whose versions matter, as far as they are installed.
DISTRIBUTIONS: Final = (
    "rulekit-rcprob",
    "numpy",
    "scipy",
    "scikit-learn",
    "pandas",
    "numba",
    "rulecosi",
    "ruleopt",
    "te2rules",
)


def machine() -> dict[str, Any]:
    """Processor, cores, system and load, in plain types."""
    return {
        "system": platform.platform(),
        "processor": processor(),
        "cores": os.cpu_count(),
        # Above zero when the run starts, others work on the machine too.
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }


def versions() -> dict[str, str]:
    """Versions of Python and of the libraries that are installed."""
    found = {"python": platform.python_version()}
    for name in DISTRIBUTIONS:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def processor() -> str:
    """The processor's name, as exactly as the system tells."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
