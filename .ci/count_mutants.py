"""Print how many mutants the tests killed and what the others change; exit with 1 below nine in ten.

Run as `python count_mutants.py FOLDER ...`, where mutmut has run.
"""

import json
import os
import sys
from collections import Counter
from pathlib import Path

from mutmut.configuration import reset_config
from mutmut.mutation.diff_apply import get_diff_for_mutant

#: What mutmut notes: the tests passed, or none calls the function. All else was noticed.
SURVIVED = {0: "survived", 33: "not tested"}
#: Ends of tests that fail by themselves; all others were killed, by a limit of time or a crash.
FAILED = (1, 3)
NOT_RUN = None
ENOUGH = 0.9


def outcomes(folder: Path) -> dict[str, int | None]:
    """Exit code of the tests by mutant."""
    found: dict[str, int | None] = {}
    for path in sorted(folder.glob("mutants/rulekit/**/*.meta")):
        found |= json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
    return found


def main(folders: list[str]) -> int:
    """Print survivors and the count; 0 if enough were killed."""
    by_package: dict[str, Counter[str]] = {}
    hung = 0
    for folder in map(Path, folders):
        os.chdir(folder)  # where mutmut looks for the sources
        reset_config()  # and for which of them it has changed
        for mutant, code in outcomes(folder).items():
            outcome = "not run" if code is NOT_RUN else SURVIVED.get(code, "killed")
            hung += outcome == "killed" and code not in FAILED
            by_package.setdefault(mutant.split(".")[1], Counter())[outcome] += 1
            if outcome == "survived":
                changed = [line for line in get_diff_for_mutant(mutant).splitlines() if line[:1] in "+-"]
                print(mutant, *(line for line in changed if line[:3] not in ("+++", "---")), sep="\n")
    total: Counter[str] = Counter()
    for package, counts in sorted(by_package.items()):
        print(f"{package}: {', '.join(f'{count:,} {outcome}' for outcome, count in counts.most_common())}")
        total += counts
    share = total["killed"] / total.total()
    print(
        f"{total['killed']:,} of {total.total():,} mutants killed: {share:.1%}; {hung:,} of them by hanging or crashing"
    )
    return 0 if share >= ENOUGH else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
