"""The pages of the documentation hold together: links lead somewhere, and the theory shows measured numbers."""

import re
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import rulekit
from rulekit.plugin.manager import plugins

PROJECT = Path(__file__).parents[1]
DOCS = PROJECT / "docs"
THEORY = DOCS / "explanation"
PAGES = sorted(
    [PROJECT / "README.md", *DOCS.rglob("*.md"), *PROJECT.glob("plugins/*/README.md"), *PROJECT.glob(".github/*.md")]
)
CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
#: Every row of these is a dot of a picture; no page has room for them.
ONLY_DRAWN = {"estimators-by-support", "answered-by-samples"}


def page_name(page: Path) -> str:
    return str(page.relative_to(PROJECT))


def links(page: Path) -> list[str]:
    return LINK.findall(CODE.sub("", page.read_text(encoding="utf-8")))


def anchors(page: Path) -> set[str]:
    """Of the headings, as GitHub and MyST make them: lower case, words joined by hyphens, other signs left out."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_lead_to_files_and_headings_that_exist(page: Path) -> None:
    broken = []
    for link in links(page):
        parts = urlsplit(link)
        target = page.parent / parts.path if parts.path else page
        leads_nowhere = not target.exists() or (bool(parts.fragment) and parts.fragment not in anchors(target))
        if not parts.scheme and leads_nowhere:
            broken.append(link)
    assert broken == []


def test_every_page_can_be_reached_from_the_first_one() -> None:
    reached, open_pages = set(), [DOCS / "index.md"]
    while open_pages:
        page = open_pages.pop()
        reached.add(page)
        linked = {(page.parent / link.partition("#")[0]).resolve() for link in links(page) if "://" not in link}
        open_pages += [target for target in linked if target.suffix == ".md" and target not in reached]
    assert sorted(page_name(page) for page in set(DOCS.rglob("*.md")) - reached) == []


@pytest.mark.parametrize(
    "name", [part.name for part in rulekit.list_components("probability") if part.origin.startswith("rulekit-rcprob ")]
)
def test_every_estimator_has_a_page_on_its_theory(name: str) -> None:
    content = (THEORY / "estimators" / f"{name}.md").read_text(encoding="utf-8")
    # The figures are of single rules: an estimator that needs a list has none.
    needs_order = plugins().registry.create("probability", name).needs_order
    figure = () if needs_order else (f"(../figures/{name}.png)",)
    for part in ("$$", "## When it helps", "## When it does not", *figure):
        assert part in content


def test_fractions_have_braces() -> None:
    """The converter to MathML misreads a fraction such as 1/2 without braces inside another one."""
    content = "".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    assert re.findall(r"\\[td]?frac[^{\s]", content) == []


@pytest.mark.parametrize("numbers", sorted(THEORY.glob("numbers/*.csv")), ids=lambda path: path.stem)
def test_tables_of_the_theory_are_those_that_the_simulation_wrote(
    numbers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(THEORY / "simulation")
    monkeypatch.delitem(sys.modules, "tables", raising=False)
    from tables import markdown

    content = "".join(page.read_text(encoding="utf-8") for page in THEORY.rglob("*.md"))
    assert (markdown(numbers) in content) == (numbers.stem not in ONLY_DRAWN)


def test_every_figure_is_shown() -> None:
    content = "".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    figures = sorted(path.name for path in THEORY.glob("figures/*.png"))
    assert [name for name in figures if f"figures/{name})" not in content] == []


def test_workflows_and_contributors_are_sent_to_scripts_that_exist() -> None:
    documents = [*PROJECT.glob(".github/*.md"), *PROJECT.glob(".github/workflows/*.yml")]
    named = set(re.findall(r"\.ci/\w+", "".join(path.read_text(encoding="utf-8") for path in documents)))
    assert {".ci/run", ".ci/oldest", ".ci/wheel"} <= named
    assert [name for name in sorted(named) if not (PROJECT / name).exists()] == []


def test_contributors_set_up_as_the_readme_does() -> None:
    guide, readme = ((PROJECT / name).read_text(encoding="utf-8") for name in (".github/CONTRIBUTING.md", "README.md"))
    (command,) = re.findall(r"^(.*&& pip install --no-build-isolation \./plugins/\*)$", guide, re.MULTILINE)
    assert command in readme
