"""Write the page of all published tables beside ours: `python -m rulekit_paper_study STORES --out PAGE`."""

import argparse
from pathlib import Path

from rulekit.study import Store
from rulekit_paper_study.page import write_page
from rulekit_paper_study.published import read_published


def main() -> None:
    """Read the stores that the command line names, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m rulekit_paper_study", description=__doc__)
    parser.add_argument("main", type=Path, help="store of the profile small, once or full")
    parser.add_argument("others", type=Path, nargs="*", help="stores of the profiles calibration and sensitivity")
    parser.add_argument("--paper", type=Path, help="folder of the published tables; default: RULEKIT_PAPER")
    parser.add_argument("--out", type=Path, default=Path("reproduction-tables.md"), help="Markdown file to write")
    options = parser.parse_args()
    stores = {_profile(path): Store(path) for path in (options.main, *options.others)}
    write_page(stores, read_published(options.paper), options.out)
    print(f"Written: {options.out}")


def _profile(path: Path) -> str:
    """The profile that a store is of, by the name of its study, such as `paper-once`."""
    return str(Store(path).definition().get("name", path.stem)).removeprefix("paper-")


if __name__ == "__main__":
    main()
