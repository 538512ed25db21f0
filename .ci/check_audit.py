"""Check what `pip-licenses` and `pip-audit` found among the distributions that the package and its extras install.

`python check_audit.py licences FILE` fails if a licence is not allowed. `python check_audit.py vulnerabilities FILE`
fails if a vulnerability is known, or if a distribution could not be checked, which pip-audit reports as a success.
"""

import json
import re
import sys
from pathlib import Path

#: Licences that ask for no more than a notice, or for changes of the library's own files (MPL).
ALLOWED = (
    *("MIT", "MIT-0", "MIT License", "MIT No Attribution License (MIT-0)", "The MIT License", "MIT-CMU", "HPND"),
    *("BSD", "BSD License", "BSD 3-Clause", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "3-Clause BSD License"),
    *("Apache", "Apache 2.0", "Apache-2.0", "Apache License 2.0", "Apache License, Version 2.0", "Apache License v2.0"),
    *("Apache Software License", "Apache Software License 2.0"),
    *("PSF-2.0", "PSFL", "Python Software Foundation License", "CNRI-Python", "ISC", "ISC License (ISCL)", "Zlib"),
    *("The Unlicense (Unlicense)", "Unlicense", "CC0-1.0", "BSL-1.0"),
    *("MPL-2.0", "Mozilla Public License 2.0 (MPL 2.0)"),
)
#: The package itself, which is not on the index under audit before its release.
OWN = "rulekit-rcprob"
#: Distributions that state no licence that can be compared, each with the reason why it is allowed.
REVIEWED = {
    "skops": "MIT by its licence file, which its metadata does not name",
    "nvidia-nccl-cu12": "NVIDIA's own; comes with the CUDA build of xgboost, and xgboost-cpu does without it",
}


def is_allowed(stated: str) -> bool:
    """Whether all licences are allowed that must be kept together, and one of those to choose from."""
    together = re.split(r"\s+AND\s+|;\s*", stated.replace("(", " (").strip())
    if stated in ALLOWED:
        return True
    return all(any(_plain(choice) in ALLOWED for choice in re.split(r"\s+OR\s+", part)) for part in together)


def _plain(licence: str) -> str:
    licence = re.sub(r"\s+", " ", licence).strip()
    if licence in ALLOWED:
        return licence
    return re.sub(r"\s+WITH\s+.*", "", licence.strip("() "))


def check_licences(path: Path) -> int:
    """Print each distribution whose licence is not allowed; return how many there are, or 1 if nothing was read."""
    found = json.loads(path.read_text(encoding="utf-8"))
    unknown = [each for each in found if each["Name"].lower() not in REVIEWED and not is_allowed(each["License"])]
    for each in unknown:
        print(f"{each['Name']} {each['Version']}: {each['License']!r} is not an allowed licence.")
    print(f"Licences: {len(found)} distributions, {len(unknown)} with a licence that is not allowed.")
    return len(unknown) if found else 1


def check_vulnerabilities(path: Path) -> int:
    """Print the known vulnerabilities, and what could not be checked; return how many distributions have either."""
    found = [each for each in json.loads(path.read_text(encoding="utf-8"))["dependencies"] if each["name"] != OWN]
    skipped = [each["name"] for each in found if "skip_reason" in each]
    vulnerable = [each for each in found if each.get("vulns")]
    for each in vulnerable:
        print(f"{each['name']} {each['version']}: {', '.join(known['id'] for known in each['vulns'])}")
    if skipped:
        print(f"NOT CHECKED: {len(skipped)} of {len(found)} distributions, such as {', '.join(skipped[:3])}.")
    print(f"Vulnerabilities: {len(vulnerable)} of {len(found) - len(skipped)} checked distributions have some.")
    return len(vulnerable) + len(skipped) if found else 1


CHECKS = {"licences": check_licences, "vulnerabilities": check_vulnerabilities}

if __name__ == "__main__":
    sys.exit(bool(CHECKS[sys.argv[1]](Path(sys.argv[2]))))
