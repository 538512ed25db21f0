"""The layers: core below everything, components beside one another, nothing heavy at import."""

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

import rulekit

PACKAGE = Path(rulekit.__file__).parent
COMPONENT_FOLDERS = ["adapters", "priors", "probability", "search", "inference", "calibration/maps"]
HEAVY = [
    "xgboost",
    "lightgbm",
    "catboost",
    "matplotlib",
    "pandas",
    "polars",
    "pyarrow",
    "typer",
    "rich",
    "onnx",
    "openpyxl",
    "jinja2",
]
COMPONENT_PACKAGES = [folder.replace("/", ".") for folder in COMPONENT_FOLDERS]
#: Packages that work with rules and models from outside, and which of the others each may use.
TOOLS = {
    "calibration": [],
    "datasets": [],
    "evaluation": [],
    "plots": ["evaluation"],
    "scaffold": [],
    "testing": ["study"],
    "study": ["calibration", "datasets", "evaluation", "plots"],
    "cli": ["datasets", "evaluation", "scaffold", "study"],
}
#: A ruleset writes its own report, and a method its summary, which measure them; rulekit registers its measures.
MEASURING = ["report", "summary.py", "builtins.py"]
#: The two that build models themselves; the others take what they are given.
BUILDING = ["study", "cli"]


def modules_of(folder: str) -> list[Path]:
    return sorted((PACKAGE / folder).rglob("*.py"))


def name_of(path: Path) -> str:
    return ".".join(("rulekit", *path.relative_to(PACKAGE).with_suffix("").parts))


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def imports(nodes: Iterable[ast.AST], package: str) -> Iterator[str]:
    """Full names of all modules that the code imports anywhere, except for type checkers only."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            source = ".".join((*above, *([node.module] if node.module else [])))
            # `from rulekit import adapters` imports a module too, so the names count.
            yield from (f"{source}.{alias.name}" for alias in node.names)
        else:
            yield from imports(node.orelse if is_type_checking(node) else ast.iter_child_nodes(node), package)


@cache
def imports_of(path: Path) -> set[str]:
    name = name_of(path)
    return set(imports(ast.parse(path.read_text(encoding="utf-8")).body, name.rpartition(".")[0]))


def is_within(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


@pytest.mark.parametrize("path", modules_of("core"), ids=name_of)
class TestCore:
    def test_imports_nothing_of_rulekit_above_itself(self, path):
        ours = {module for module in imports_of(path) if is_within(module, "rulekit")}
        assert {module for module in ours if not is_within(module, "rulekit.core")} == set()

    def test_does_not_import_pluggy(self, path):
        assert not any(is_within(module, "pluggy") for module in imports_of(path))


@pytest.mark.parametrize("path", [path for folder in COMPONENT_FOLDERS for path in modules_of(folder)], ids=name_of)
class TestComponents:
    def test_import_core_and_their_own_folder_only(self, path):
        own = name_of(path).rpartition(".")[0]
        ours = {module for module in imports_of(path) if is_within(module, "rulekit")}
        assert {module for module in ours if not is_within(module, "rulekit.core", own)} == set()

    def test_do_not_import_pluggy(self, path):
        assert not any(is_within(module, "pluggy") for module in imports_of(path))


@pytest.mark.parametrize("path", modules_of("render"), ids=name_of)
def test_the_layout_of_tables_and_figures_knows_nothing_of_what_they_show(path):
    ours = {module for module in imports_of(path) if is_within(module, "rulekit")}
    assert {module for module in ours if not is_within(module, "rulekit.core", "rulekit.render")} == set()


@pytest.mark.parametrize("path", modules_of("plugin"), ids=name_of)
def test_the_plugin_layer_imports_neither_extractor_nor_components(path):
    above = [f"rulekit.{name}" for name in ("extractor", "builder", "ruleset", *COMPONENT_PACKAGES)]
    assert not any(is_within(module, *above) for module in imports_of(path))


def tools_in(path: Path) -> set[str]:
    """Tools that a module imports, but for the one that it belongs to; components in their folders are no tools."""
    own, components = path.relative_to(PACKAGE).parts[0], [f"rulekit.{name}" for name in COMPONENT_PACKAGES]
    names = [name for name in imports_of(path) if not is_within(name, *components)]
    return {tool for tool in TOOLS if tool != own and any(is_within(name, f"rulekit.{tool}") for name in names)}


ALL_MODULES = modules_of(".")
#: All that makes rules of a model, and the facade; `python -m rulekit` is the command line by another name.
BELOW_TOOLS = [path for path in ALL_MODULES if path.relative_to(PACKAGE).parts[0] not in (*TOOLS, "__main__.py")]


@pytest.mark.parametrize("path", BELOW_TOOLS, ids=name_of)
def test_what_makes_rules_imports_no_tool(path):
    allowed = {"evaluation"} if path.relative_to(PACKAGE).parts[0] in MEASURING else set()
    assert tools_in(path) <= allowed


@pytest.mark.parametrize("path", [path for tool in TOOLS for path in modules_of(tool)], ids=name_of)
class TestTools:
    def test_import_the_tools_that_they_may(self, path):
        assert tools_in(path) <= set(TOOLS[path.relative_to(PACKAGE).parts[0]])

    def test_import_neither_extractor_nor_builder_unless_they_build(self, path):
        if path.relative_to(PACKAGE).parts[0] not in BUILDING:
            above = [f"rulekit.{name}" for name in ("extractor", "builder", "classifier")]
            facade = [f"rulekit.{name}" for name in ("build", "RuleExtractor", "RuleClassifier")]
            assert not any(is_within(module, *above, *facade) for module in imports_of(path))


#: They make rulesets of their own, or register the modes; no other module needs to distinguish modes.
MAKING_RULESETS = [
    "rulekit.builtins",
    "rulekit.testing.exports",
    "rulekit.testing.measures",
    "rulekit.testing.stage_runs",
]


@pytest.mark.parametrize("path", [path for path in ALL_MODULES if name_of(path) not in MAKING_RULESETS], ids=name_of)
def test_no_module_tells_inference_modes_apart_by_their_classes(path):
    """A mode declares how it answers; a module that looked at its class would know no plugin's mode."""
    if not is_within(name_of(path), "rulekit.inference"):
        assert not any(is_within(module, "rulekit.inference") for module in imports_of(path))


def test_rulekit_imports_no_plugin_nor_what_is_not_installed_with_it():
    outside = ("tests", "benchmarks", "plugins")
    for path in ALL_MODULES:
        names = {module.partition(".")[0] for module in imports_of(path)}
        assert not {name for name in names if name.startswith("rulekit_") or name in outside}, name_of(path)


#: What authors of plugins may import: packages, each with its own `__all__`, never a module inside.
SURFACE = ["rulekit", "rulekit.plugin", "rulekit.testing", "rulekit.evaluation", "rulekit.datasets", "rulekit.study"]
SURFACE += ["rulekit.calibration", *(f"rulekit.study.{part}" for part in ("figures", "report", "statistics", "tables"))]
PROJECT = Path(__file__).parents[1]
PLUGIN_MODULES = sorted((PROJECT / "plugins").glob("*/*.py")) + sorted(
    (PROJECT / "plugins").glob("*/rulekit_*/**/*.py")
)
PLUGIN_TESTS = sorted((PROJECT / "plugins").glob("*/tests/*.py"))
TEMPLATES = sorted((PACKAGE / "scaffold" / "templates").rglob("*.py.template"))
#: What plugins call what they are handed; data frames and lists have an index of their own.
HANDED = ("data", "context", "rules", "batch", "training", "judges", "predicted")
#: Names in a template that are filled in; any word that can be a name will do.
PLACEHOLDER = re.compile(r"\$(\w+)")


def imports_for_types_too(code: str) -> Iterator[tuple[str, str]]:
    """Modules and the names that are imported from them, those for type checkers included; no name for `import x`."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


def beyond_the_surface(code: str) -> set[str]:
    """What code imports from rulekit that is not public for authors of plugins."""
    ours = {(module, name) for module, name in imports_for_types_too(code) if is_within(module, "rulekit")}
    return {
        f"{module}.{name}" for module, name in ours if module not in SURFACE or (name and not is_public(module, name))
    }


def is_public(module: str, name: str) -> bool:
    """Whether a package says that a name is its own, or the name is a public package itself."""
    return name in importlib.import_module(module).__all__ or f"{module}.{name}" in SURFACE


class TestPlugins:
    """Those of this repository show that the public surface is enough."""

    @pytest.mark.parametrize("path", PLUGIN_MODULES, ids=lambda path: path.stem)
    def test_import_the_public_surface_only(self, path):
        assert beyond_the_surface(path.read_text(encoding="utf-8")) == set()

    @pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: f"{path.parent.name} {path.stem}")
    def test_so_do_those_that_the_scaffold_writes(self, path):
        code = PLACEHOLDER.sub(r"\1", path.read_text(encoding="utf-8"))
        assert beyond_the_surface(code) == set()

    @pytest.mark.parametrize("path", PLUGIN_TESTS, ids=lambda path: path.stem)
    def test_their_tests_import_no_internal_package(self, path):
        modules = {module for module, _ in imports_for_types_too(path.read_text(encoding="utf-8"))}
        ours = {module for module in modules - {"rulekit"} if is_within(module, "rulekit")}
        assert {module for module in ours if not is_within(module, *SURFACE[1:])} == set()

    def test_no_attribute_leads_from_the_surface_to_the_index_or_the_engine(self):
        for path in PLUGIN_MODULES:
            attributes = {
                node.attr
                for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                if isinstance(node, ast.Attribute) and ast.unparse(node.value).endswith(HANDED)
            }
            assert not attributes & {"index", "engine"}, path

    def test_there_are_some(self):
        assert len(PLUGIN_MODULES) > 20
        assert len(PLUGIN_TESTS) > 5
        assert len(TEMPLATES) > 10


#: Attributes of conditions that depend on their kind; a region (`rulekit.core.regions`) serves everybody else.
OF_KINDS = {"is_set", "is_upper", "holds_missing", "sets", "cutoff", "cutoffs", "threshold", "thresholds", "operator"}
OF_KINDS |= {"or_missing"}
#: Where the kinds of conditions are known. It may become shorter; a new module asks for a condition's region instead.
KNOWING_KINDS = {
    "core.conditions": "the algebra",
    "core.tree_rules": "where conditions come from",
    "core.set_intersections": "where sets of categories are merged",
    "core.index": "where samples are encoded for them",
    "core.containment": "which antecedents lie inside others",
    "ruleset.condition": "what people see",
    "ruleset.format": "what a file must look like",
    "ruleset.numbers": "how thresholds are rounded for display",
}
#: Those that spell the tests of `rulekit.export.program`, which all regions can be turned into.
SPELLING_TESTS = {f"export.{name}" for name in ("c_source", "onnx_graph", "pmml_model", "python_source", "sql_steps")}
SPELLING_TESTS |= {"report.form"}
#: Trees have thresholds, too.
ABOUT_TREES = ("adapters", "wrappers", "pipelines", "testing", "trees", "core.forest", "core.nodes")


#: A parameter of the extractor, which is called as the attribute of conditions.
PARAMETER = "self.thresholds"


def knows_kinds(code: str) -> bool:
    """Whether code looks at what only some kinds of conditions have, or at the name of a kind."""
    nodes = list(ast.walk(ast.parse(code)))
    attributes = [node for node in nodes if isinstance(node, ast.Attribute) and ast.unparse(node) != PARAMETER]
    return any(node.attr in OF_KINDS for node in attributes) or any(
        isinstance(node, ast.Constant) and node.value == "not in" for node in nodes
    )


class TestConditions:
    def test_few_modules_know_their_kinds(self):
        found = {
            name_of(path).removeprefix("rulekit.")
            for path in ALL_MODULES
            if knows_kinds(path.read_text(encoding="utf-8"))
        }
        others = {name for name in found if not is_within(name, *ABOUT_TREES)}
        assert others == {*KNOWING_KINDS, *SPELLING_TESTS}

    def test_targets_of_exports_see_tests_and_no_conditions(self):
        modules = {"rulekit.core.conditions", "rulekit.core.regions"}
        for name in SPELLING_TESTS:
            path = PACKAGE / f"{name.replace('.', '/')}.py"
            assert not any(is_within(module, *modules) for module in imports_of(path)), name

    @pytest.mark.parametrize(
        "code", ["conditions.is_set", "a.b.cutoffs[ids]", "condition.operator == word", "x = 'not in'"]
    )
    def test_the_rule_sees_them(self, code):
        assert knows_kinds(code)

    def test_the_rule_lets_regions_pass(self):
        assert not knows_kinds("condition.region.holds(value) and region.codes not in seen")

    def test_the_rule_lets_a_parameter_of_the_extractor_pass(self):
        assert not knows_kinds("self.thresholds = thresholds")


class TestTheSurfaceOfPlugins:
    def test_every_name_can_be_imported(self):
        surface = importlib.import_module("rulekit.plugin")
        assert [name for name in surface.__all__ if not hasattr(surface, name)] == []

    def test_no_name_is_listed_that_is_not_public(self):
        surface = importlib.import_module("rulekit.plugin")
        assert sorted(surface.__all__) == sorted(surface._HOMES)

    def test_importing_it_loads_nothing_else(self):
        code = "import sys, rulekit.plugin; print(*(name for name in sys.modules if name.startswith('rulekit')))"
        assert sorted(printed(code).split()) == ["rulekit", "rulekit.core", "rulekit.core.lazy", "rulekit.plugin"]


def test_every_folder_of_a_rule_is_there():
    assert all(modules_of(folder) for folder in ["core", "plugin", *COMPONENT_FOLDERS, *TOOLS])


class TestTheTestItself:
    """A rule that never fails guards nothing."""

    @pytest.mark.parametrize(
        ("code", "expected"),
        [
            ("import rulekit.search.loop", {"rulekit.search.loop"}),
            ("from rulekit import search", {"rulekit.search"}),
            ("from ..search import loop", {"rulekit.search.loop"}),
            ("from . import rules", {"rulekit.core.rules"}),
            ("def f():\n    import pluggy", {"pluggy"}),
            ("if TYPE_CHECKING:\n    import pluggy\nelse:\n    import numpy", {"numpy"}),
        ],
    )
    def test_sees_imports_of_every_form(self, code, expected):
        assert set(imports(ast.parse(code).body, "rulekit.core")) == expected

    @pytest.mark.parametrize(
        ("code", "expected"),
        [
            ("from rulekit.core.rules import Rules", {"rulekit.core.rules.Rules"}),
            ("import rulekit.core.rules", {"rulekit.core.rules."}),
            ("from rulekit.plugin import registry", {"rulekit.plugin.registry"}),
            ("from rulekit.plugin.manager import plugins", {"rulekit.plugin.manager.plugins"}),
            ("from rulekit import core", {"rulekit.core"}),
            ("if TYPE_CHECKING:\n    from rulekit.ruleset import RuleSet", {"rulekit.ruleset.RuleSet"}),
            ("from rulekit import RuleSet, plugin\nfrom rulekit.plugin import Rules\nimport rulekit_own", set()),
        ],
    )
    def test_sees_what_is_not_public(self, code, expected):
        assert beyond_the_surface(code) == expected


def printed(code: str) -> str:
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.strip()


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    """Top-level modules that `import rulekit` loads; scikit-learn loads pandas by itself where that is installed."""
    before = "import sys, sklearn.base; before = set(sys.modules)"
    return set(
        printed(f"{before}; import rulekit; print(*{{n.partition('.')[0] for n in {{*sys.modules}} - before}})").split()
    )


@pytest.mark.parametrize("library", HEAVY)
def test_import_rulekit_does_not_load(library, loaded):
    assert library not in loaded


def test_the_components_load_neither_the_tools_around_them_nor_what_writes_files():
    """Maps are registered before the first fit, formats too: what uses them comes when it is asked for."""
    around = ["rulekit.calibration.calibrated_rules", "rulekit.export.program", "rulekit.export.tables"]
    assert printed(f"import sys, rulekit; rulekit.build('rcprob'); print(*set({around}) & set(sys.modules))") == ""


def test_import_rulekit_needs_none_of_them():
    hidden = f"import sys; sys.modules.update(dict.fromkeys({HEAVY}))"
    assert printed(f"{hidden}; import rulekit; print(rulekit.build('rcprob').min_precision)") == "0.5"


def test_import_rulekit_looks_for_no_plugins():
    code = "import rulekit; from rulekit.plugin.manager import plugins; print(plugins.cache_info().currsize)"
    assert printed(code) == "0"


def test_tools_load_neither_boosting_libraries_nor_plots_nor_pytest():
    """Not at import: a study without figures, or on a worker, should not wait for them."""
    tools = ", ".join(f"rulekit.{tool}" for tool in TOOLS)
    heavy = ["xgboost", "lightgbm", "catboost", "matplotlib", "dask", "pytest", "polars"]
    assert printed(f"import sys, {tools}; print(*set({heavy}) & set(sys.modules))") == ""
