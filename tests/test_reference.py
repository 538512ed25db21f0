"""Nothing public is left out of the reference, and no page speaks of a command that does not exist."""

import importlib
import pkgutil
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from typer.main import get_command

import rulekit
from rulekit import evaluation, testing
from rulekit.adapters.sklearn_trees import SklearnForestAdapter
from rulekit.builtins import PRESETS
from rulekit.cli.app import app
from rulekit.core.training_data import TrainingData
from rulekit.plugin import hookspecs
from rulekit.plugin.kinds import INTERFACES, KINDS
from rulekit.study import Study
from rulekit.study.errors import StudyDefinitionError
from rulekit.study.statistics import outcomes
from rulekit.testing import adapters, methods, suite

PROJECT = Path(__file__).parents[1]
HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def documented(*pages: str) -> str:
    return "\n".join((PROJECT / "docs" / page).read_text(encoding="utf-8") for page in pages)


def sections(page: str) -> dict[str, str]:
    """What stands below each heading of a page, up to the next."""
    _, *parts = HEADING.split(documented(page))
    return dict(zip(parts[::2], parts[1::2], strict=True))


def rows(content: str) -> list[list[str]]:
    """The cells of the tables of a page."""
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in content.splitlines()
        if line.startswith("| ")
    ]


def test_every_hook_is_in_the_reference() -> None:
    content = documented("reference/hooks.md")
    hooks = [name for name in vars(hookspecs) if name.startswith("rulekit_")]
    assert [name for name in hooks if f"`{name}(" not in content] == []


HEADINGS = {
    "method": "Methods",
    "regressor": "Regression methods",
    "ensemble": "Ensembles",
    "adapter": "Adapters",
    "priors": "Prior combiners",
    "probability": "Probability estimators",
    "combine": "Stages",
    "cover": "Stages",
    "simplify": "Stages",
    "refine": "Stages",
    "score": "Scores",
    "inference": "Inference modes",
    "export": "Export formats",
    "calibration": "Calibration maps",
    "measure": "Registered measures",
    "study": "Studies",
}
#: Kinds whose components have a page of their own.
PAGE_OF = {"measure": "reference/measures.md"}


@pytest.mark.parametrize("kind", KINDS)
def test_every_component_has_a_line_with_its_parameters(kind: str) -> None:
    lines = rows(sections(PAGE_OF.get(kind, "reference/components.md"))[HEADINGS[kind]])
    missing = []
    for component in [each for each in rulekit.list_components(kind) if each.origin.startswith("rulekit-rcprob ")]:
        own = [cells for cells in lines if f"`{component.name}`" in cells[:2]]
        listed = " ".join(cell for cells in own for cell in cells)
        wanted = [] if kind == "method" else list(component.parameters)
        missing += [f"{component.name}.{name}" for name in wanted if f"`{name}" not in listed]
        missing += [] if own else [component.name]
    assert missing == []


def test_every_parameter_of_an_extractor_is_in_the_reference() -> None:
    content = documented("reference/extractor.md")
    listed = [cells[0] for cells in rows(content)]
    names = rulekit.RuleExtractor().get_params(deep=False)
    assert [name for name in names if not any(f"`{name}`" in cell for cell in listed)] == []


def test_the_table_of_presets_is_that_of_the_code() -> None:
    shown = {
        cells[0].strip("`"): cells[1:] for cells in rows(documented("explanation/data-flow.md")) if len(cells) == 5
    }
    for name, preset in PRESETS.items():
        parts = ("priors", "search_estimator", "refine", "final_estimator")
        assert shown[name] == [preset.parameters.get(part, "–") for part in parts]


def test_every_interface_is_in_the_reference() -> None:
    content = documented("reference/interfaces.md")
    assert [kind for kind in KINDS if f"`{kind}`" not in content] == []
    assert [interface.__name__ for interface in INTERFACES.values() if f"`{interface.__name__}`" not in content] == []


def test_the_page_on_the_surface_of_plugins_lists_its_names_and_no_others() -> None:
    lines = [cells[0] for cells in rows(documented("reference/plugin-surface.md")) if re.fullmatch(r"`\w+`", cells[0])]
    aside = {"tidy", "without_redundancy"}  # methods of `TrainingData`, which has a table of its own
    assert sorted(name.strip("`") for name in lines if name.strip("`") not in aside) == sorted(rulekit.plugin.__all__)


def test_the_page_on_the_surface_of_plugins_names_all_that_training_data_offers() -> None:
    content = sections("reference/plugin-surface.md")["What components are handed"].partition("| of `TrainingData` |")[
        2
    ]
    listed = re.findall(r"`(\w+)(?:\(\))?`", " ".join(cells[0] for cells in rows(content)))
    # How it is made, where it comes from, what explanations measure changes by, and how thresholds are displayed.
    inner = {"of", "index", "leaves", "ensemble", "transformer", "n_features_in", "feature_names_in", "unseen"}
    offered = {name for name in dir(TrainingData) if not name.startswith("_")}
    offered |= {field.name for field in attrs.fields(TrainingData)}
    assert sorted(listed) == sorted(offered - inner - {"feature_scales", "neighbours", "whole_features"})


def test_every_error_is_in_the_reference() -> None:
    content = documented(*(f"reference/{page.name}" for page in (PROJECT / "docs/reference").glob("*.md")))
    modules = [name for _, name, _ in pkgutil.walk_packages(rulekit.__path__, "rulekit.") if "__main__" not in name]
    missing = {
        f"{module}.{name}"
        for module in modules
        for name, found in vars(importlib.import_module(module)).items()
        if isinstance(found, type) and issubclass(found, rulekit.RulekitError | Warning) and found.__module__ == module
        if f"`{name}`" not in content
    }
    assert missing == set()


def test_every_public_name_is_in_the_changelog() -> None:
    content = documented("changelog.md")
    names = [name for name in rulekit.__all__ if name not in ("__version__", "hookimpl", "RulekitError")]
    assert [name for name in names if f"rulekit.{name}" not in content] == []


@pytest.mark.parametrize("name", [name for name in rulekit.__all__ if isinstance(getattr(rulekit, name), type)])
def test_what_a_public_class_inherits_from_rulekit_is_in_the_python_reference(name: str) -> None:
    pages = (PROJECT / "docs/reference/api").glob("*.rst")
    content = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    bases = [each for each in getattr(rulekit, name).__mro__ if each.__module__.startswith("rulekit.")]
    public = [each for each in bases if any(not member.startswith("_") for member in vars(each))]
    assert [each for each in public if not re.search(rf"autoclass:: .*\b{each.__name__}$", content, re.MULTILINE)] == []


@pytest.mark.parametrize("package", ["", ".ruleset", ".evaluation", ".calibration", ".datasets", ".study"])
def test_every_public_name_is_in_the_python_reference(package: str) -> None:
    pages = (PROJECT / "docs/reference/api").glob("*.rst")
    content = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    names = set(importlib.import_module(f"rulekit{package}").__all__) - {"__version__", "RulekitError"}  # among errors
    assert sorted(name for name in names if not re.search(rf"^\.\. .+:: .*\b{name}$", content, re.MULTILINE)) == []


COMMAND = get_command(app)


def commands(command: Any, path: str = "rulekit") -> Iterator[tuple[str, Any]]:
    """Every command that does something, those within others too."""
    inner = getattr(command, "commands", {})
    yield from (found for name, each in inner.items() for found in commands(each, f"{path} {name}"))
    if not inner:
        yield path, command


def options(command: Any) -> set[str]:
    return {option for parameter in command.params for option in parameter.opts if option.startswith("--")}


@pytest.mark.parametrize(("path", "command"), list(commands(COMMAND)))
def test_every_option_is_in_the_section_on_its_command(path: str, command: Any) -> None:
    parts = sections("reference/command-line.md")
    (own,) = [content for heading, content in parts.items() if f"{heading.strip('`')} ".startswith(f"{path} ")]
    listed = own + parts["Command line"]  # which has what all of them have in common
    assert sorted(option for option in options(command) if f"`{option}`" not in listed) == []


ALL_PAGES = [PROJECT / "README.md", *(PROJECT / "docs").rglob("*.md"), *PROJECT.glob("plugins/*/README.md")]
INLINE = re.compile(r"`(rulekit [a-z][^`\n]*)`")
#: What stands for something else on a page: any number of arguments.
ELLIPSES = {"…", "..."}


def mistakes(line: str, *, is_whole: bool) -> list[str]:
    """What the command line would report about a command; one that is only named on a page may lack arguments."""
    _, *words = shlex.split(line, comments=True)
    command, path = COMMAND, ["rulekit"]
    while words and words[0] in getattr(command, "commands", {}):
        path.append(words.pop(0))
        command = command.commands[path[-1]]
    if getattr(command, "commands", {}):
        return [f"no such command: {' '.join([*path, *words[:1]])}"] if words or is_whole else []
    named = {option: each for each in command.params for option in (*each.opts, *each.secondary_opts)}
    left_over = [word for word in words if word not in ELLIPSES]
    values: list[str] = []
    asked: set[str] = set()
    unknown: list[str] = []
    while left_over:
        word, *left_over = left_over
        option, _, value = word.partition("=")
        if not word.startswith("-"):
            values.append(word)
        elif option not in named:
            unknown.append(f"no such option: {option}")
        else:
            asked.add(named[option].name)
            left_over = left_over if value or getattr(named[option], "is_flag", False) else left_over[1:]
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    most = float("inf") if any(each.nargs < 0 for each in arguments) else len(arguments)
    extra = [f"unexpected: {values}"] if len(values) > most else []
    needed = [each for each in command.params if each.required] if is_whole else []
    missing = [each.name for each in needed if each.param_type_name == "option" and each.name not in asked]
    few = ["too few arguments"] if len(values) < sum(each.param_type_name == "argument" for each in needed) else []
    return [*unknown, *extra, *missing, *few]


@pytest.mark.parametrize(
    ("line", "is_whole"),
    [
        ("rulekit components method", False),
        ("rulekit componentz", True),
        ("rulekit extract patients.csv --targets y", True),
        ("rulekit extract patients.csv", True),
        ("rulekit study", True),
        ("rulekit study rn study.toml", True),
    ],
)
def test_commands_that_do_not_exist_are_noticed(line: str, is_whole: bool) -> None:
    assert mistakes(line, is_whole=is_whole) != []


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: str(page.relative_to(PROJECT)))
def test_commands_on_pages_exist_with_their_options_and_arguments(page: Path) -> None:
    content = page.read_text(encoding="utf-8")
    shells = "\n".join(SHELL.findall(content)).replace("\\\n", " ")
    whole = re.findall(r"^(?:.*&& )?(rulekit [^\n#&|>]+)", shells, re.MULTILINE)
    named = INLINE.findall(re.sub(r"^```.*?^```$", "", content, flags=re.MULTILINE | re.DOTALL))
    wrong = [(line, mistakes(line, is_whole=True)) for line in whole]
    wrong += [(line, mistakes(line, is_whole=False)) for line in named]
    assert [(line, found) for line, found in wrong if found] == []


def registered_by_plugins() -> set[tuple[str, str]]:
    """Kinds and names of the components of every plugin in the repository."""
    modules = [path for path in PROJECT.glob("plugins/*/**/*.py") if "tests" not in path.parts]
    found = (re.findall(r"registry\.add\(\s*\"([\w-]+)\", \"([\w+-]+)\"", path.read_text("utf-8")) for path in modules)
    return {pair for pairs in found for pair in pairs}


def test_names_that_pages_give_to_new_components_are_free() -> None:
    """The README said to install the plugins, then to register a component under the name of one of them."""
    taken = registered_by_plugins()
    assert ("probability", "jeffreys") in taken
    clashes = []
    for page in [page for page in ALL_PAGES if "plugins" not in page.relative_to(PROJECT).parts]:
        content = page.read_text(encoding="utf-8")
        own = re.findall(r"(?:register|registry\.add)\(\"(\w+)\", \"([\w+-]+)\"", content)
        own += [(kind, name) for name, kind in re.findall(r"new-plugin rulekit-([\w-]+) --kind (\w+)", content)]
        clashes += [(page.name, pair) for pair in own if pair in taken]
    assert clashes == []


def test_every_measure_is_in_the_reference() -> None:
    content = documented("reference/measures.md")
    assert [name for name in evaluation.__all__ if f"`{name}" not in content] == []
    content += documented("reference/studies.md")
    assert [name for name in outcomes() if f"`{name}" not in content] == []


def test_the_table_of_measures_is_that_of_the_registry() -> None:
    shown = [cells[:4] for cells in rows(sections("reference/measures.md")["Registered measures"])[1:]]
    better = {True: "higher", False: "lower", None: "-"}
    own = [each for each in rulekit.list_components("measure") if each.origin.startswith("rulekit-rcprob ")]
    assert shown == [
        [f"`{each.name}`", measure.heading, better[measure.is_higher_better], measure.needs]
        for each, measure in ((each, each.factory()) for each in own)  # type: ignore[operator]
    ]


def known_keys(table: str) -> set[str]:
    """What a table of a study's file may hold, as the error about an unknown key lists it."""
    document: dict[str, Any] = {"datasets": ["sklearn:iris"], "ensembles": {"rf": {}}, "variants": {"rcprob": {}}}
    level: Any = document | {"name": "keys"}
    full = level
    if table == "datasets":
        full["datasets"] = [{"spec": "sklearn:iris", "unknown": 0}]
    else:
        for name in table.split("."):
            level = level.setdefault(name, {}) if name else level
        level["unknown"] = 0
    with pytest.raises(StudyDefinitionError) as error:
        Study.from_dict(full)
    return set(re.findall(r"[a-z_]+", str(error.value).partition("Known: ")[2]))


@pytest.mark.parametrize(
    ("table", "heading"),
    [
        ("", ""),
        ("datasets", "datasets"),
        ("outer", "[outer]"),
        ("selection", "[selection]"),
        ("ensembles.rf", "[ensembles.NAME]"),
        ("variants.rcprob", "[variants.NAME]"),
        ("factorial", "[factorial]"),
    ],
)
def test_every_key_of_a_study_has_its_line(table: str, heading: str) -> None:
    listed, current = "", ""
    for first, meaning, *_ in rows(sections("reference/studies.md")["The file"]):
        named = re.match(r"`(\[[\w.]+\])`", first)
        current = named[1] if named else current if first.startswith("…") else first.strip("`")
        listed += f"{first} {meaning if heading == 'datasets' else ''} " if heading in ("", current) else ""
    assert sorted(key for key in known_keys(table) if not re.search(rf"\b{key}\b", listed)) == []


def test_every_name_of_rulekit_testing_is_in_the_reference() -> None:
    listed = [cells[0] for cells in rows(documented("reference/testing.md"))]
    assert [name for name in testing.__all__ if not any(cell.startswith(f"`{name}") for cell in listed)] == []


SEAMS = (*suite.SEAMS, methods.SEAM, adapters.seam(SklearnForestAdapter()))


@pytest.mark.parametrize("seam", SEAMS, ids=lambda seam: seam.kind)
def test_every_check_has_a_line_with_its_promise(seam: Any) -> None:
    parts = sections("reference/testing.md")
    heading = "Stages" if seam.kind.endswith("stage") else f"{seam.kind.capitalize()}s".replace("ys", "ies")
    promises = {cells[0].strip("`"): cells[1] for cells in rows(parts["Every kind"] + parts[heading])}
    assert [check.__name__ for check in seam.checks if not promises.get(check.__name__, "").endswith(".")] == []
