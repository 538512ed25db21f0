"""A key changes with every file, version and definition that a result depends on, and with no other."""

import functools
import importlib
import sys
import threading
import types
import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from plugin.isolation import registry_put_back
from study.made_up import small_study, write_tables

from rulekit import Preset
from rulekit.study import Ensemble, Variant
from rulekit.study.code import Code, packages
from rulekit.study.data import load_datasets
from rulekit.study.errors import StudyError, UnknownCodeWarning
from rulekit.study.plan import plan

#: A plugin's package, what it uses, and what it does not use.
USED = {
    "codetest/__init__.py": "from codetest.estimator import Own\n",
    "codetest/estimator.py": "from codetest_base import Base\nfrom .deep.constants import ONE\n\n"
    "class Own(Base):\n    def estimate(self, rules):\n        import codetest_lazy\n"
    "        return ONE * rules.priors\n",
    "codetest/deep/__init__.py": "",
    "codetest/deep/constants.py": "ONE = 1.0\n",
    "codetest/table.json": '{"weight": 1}',
    "codetest_base.py": "import codetest_helper as helper\nfrom rulekit.plugin import ProbabilityEstimator\n\n"
    "class Base(ProbabilityEstimator):\n    '''A base.'''\n",
    "codetest_helper.py": "def half(x):\n    return x / 2\n",
    "codetest_lazy.py": "TWO = 2\n",
}
UNUSED = {"codetest_other.py": "THREE = 3\n", "codetest/study.sqlite": "results", "codetest/.notes": "private"}


def forget_modules():
    for name in [name for name in sys.modules if name.partition(".")[0].startswith("codetest")]:
        del sys.modules[name]
    importlib.invalidate_caches()


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """The package's folder, and the registry with its estimator."""
    folder = tmp_path_factory.mktemp("code")
    for name, content in {**USED, **UNUSED}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    sys.path.insert(0, str(folder))
    with registry_put_back() as registry:
        registry.add("probability", "own", importlib.import_module("codetest").Own, origin="codetest 1.0")
        registry.add(
            "method", "ours", Preset("Ours.", {"final_estimator": "own"}, base="rcprob"), origin="codetest 1.0"
        )
        forget_modules()  # as in a new process
        yield folder
    sys.path.remove(str(folder))
    forget_modules()


def facts(variant):
    return Code().of_variant(variant)


OWN = Variant("own", "rcprob", {"final_estimator": "own"})


class TestFiles:
    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(name=st.sampled_from([*USED, *UNUSED]), content=st.binary(min_size=1, max_size=8))
    def test_every_byte_of_every_file_that_is_used_counts_and_of_no_other(self, tree, name, content):
        path, before = tree / name, facts(OWN)
        original = path.read_bytes()
        try:
            path.write_bytes(original + b"\n# " + content.replace(b"\n", b" "))
            assert (facts(OWN) != before) == (name in USED)
        finally:
            path.write_bytes(original)
        assert facts(OWN) == before

    @pytest.mark.parametrize(
        "variant",
        [
            Variant("ours"),
            Variant("grid", "rcprob", grid={"final_estimator": ["hybrid", "own"]}),
            Variant("nested", "rcprob", {"search_estimator": "own"}),
        ],
        ids=["preset", "grid", "parameter"],
    )
    def test_count_wherever_the_part_is_named(self, tree, variant):
        assert {"code of codetest", "code of codetest_helper"} <= facts(variant).keys()

    def test_a_preset_counts_itself(self, tree):
        assert "min_precision" not in facts(Variant("ours"))["preset ours"]
        assert "preset rcprob" not in facts(Variant("rcprob"))

    def test_a_part_that_code_asks_for_by_its_name_counts(self, tree):
        path = tree / "codetest_asks.py"
        path.write_text("from rulekit.plugin import make_component\n\ndef method(ensemble):\n    return 'own'\n")
        with registry_put_back() as registry:
            registry.add("method", "asks", importlib.import_module("codetest_asks").method, origin="codetest 1.0")
            assert "code of codetest_base" in Code()._facts([registry.get("method", "asks").factory])

    def test_edited_after_the_process_has_imported_them_are_rejected(self, tree):
        """The cells ran on the code as it was imported, and were stored as if made by the code as it is now."""
        path = tree / "codetest_helper.py"
        original = path.read_text()
        importlib.import_module("codetest_helper")
        facts(OWN)
        try:
            path.write_text(original.replace("/ 2", "/ 3"))
            with pytest.raises(StudyError, match=r"codetest_helper.py was edited after this process imp"):
                facts(OWN)
            importlib.reload(sys.modules["codetest_helper"])
            assert facts(OWN)
        finally:
            path.write_text(original)
            forget_modules()


class TestVersions:
    @pytest.mark.parametrize("library", ["numpy", "scikit-learn", "scipy", "xgboost-cpu"])
    def test_of_libraries_count(self, monkeypatch, library):
        def of(ensemble):
            code = Code()
            return {**code.of_every_cell(), **code.of_ensemble(Ensemble(ensemble))}

        before = of("xgboost")
        real = packages.version
        monkeypatch.setattr(packages, "version", lambda name: "99.0" if name == library else real(name))
        changed = {name for name, value in of("xgboost").items() if before[name] != value}
        assert changed == {library}
        assert "xgboost-cpu" not in of("rf")

    def test_of_the_library_of_a_variants_own_ensemble_counts(self):
        assert "lightgbm" in facts(Variant("own", "rcprob", {"ensemble": "lightgbm"}))

    def test_of_rulekit_and_its_code_count(self, monkeypatch):
        before = Code().of_every_cell()
        monkeypatch.setattr("rulekit.study.code.parts.__version__", "99.0")
        monkeypatch.setattr(packages, "own_digest", lambda: "edited")
        after = Code().of_every_cell()
        assert {name for name in before if before[name] != after[name]} == {"rulekit", "code of rulekit"}


#: What a notebook may define; each edit changes what `Own` does, or does not.
NOTEBOOK = """
import math
from rulekit.plugin import ProbabilityEstimator
WEIGHTS = [1.0, 2.0]

def helper(x):
    return x * WEIGHTS[0]

def unused(x):
    return x

class Base(ProbabilityEstimator):
    def scale(self, x, by=1.0):
        return x * by

def outer(y):
    def inner(x):
        return helper(x) + y
    return inner

class Own(Base):
    factor = 3
    def estimate(self, rules):
        return [self.scale(outer(4.0)(each)) for each in rules.priors] + math.pi
"""


def digest_of(source):
    space = {"__name__": "__main__"}
    exec(source, space)
    return Code()._facts([space["Own"]])["code of Own"]


class TestScriptsAndNotebooks:
    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("[1.0, 2.0]", "[1.0, 2.5]"),
            ("x * WEIGHTS", "x / WEIGHTS"),
            ("by=1.0", "by=2.0"),
            ("return x * by", "return x + by"),
            ("helper(x) + y", "helper(x) - y"),
            ("outer(4.0)", "outer(5.0)"),
            ("factor = 3", "factor = 4"),
            ("+ math.pi", "+ math.e"),
        ],
    )
    def test_whatever_a_class_uses_counts(self, old, new):
        assert digest_of(NOTEBOOK.replace(old, new)) != digest_of(NOTEBOOK)

    def test_what_it_does_not_use_and_comments_do_not(self):
        edited = NOTEBOOK.replace("    return x\n", "    return 2 * x\n").replace(
            "import math", "# A comment.\nimport math"
        )
        assert digest_of(edited) == digest_of(NOTEBOOK)

    def test_methods_that_are_wrapped_count(self):
        source = "import functools\nclass Own:\n    @property\n    def a(self):\n        return 1\n"
        source += "    @staticmethod\n    def b():\n        return 2\n    c = functools.partial(int, base=2)\n"
        digests = {digest_of(source.replace(*each)) for each in (("x", "x"), ("1", "3"), ("n 2", "n 3"), ("=2", "=8"))}
        assert len(digests) == 4

    def test_local_modules_that_they_import_count(self, tree):
        space = {"__name__": "__main__"}
        exec("import codetest_helper\nclass Own:\n    def f(self):\n        return codetest_helper.half(2)\n", space)
        assert "code of codetest_helper" in Code()._facts([space["Own"]])
        forget_modules()


class TestWhatCannotBeKnown:
    @pytest.fixture
    def keys(self, tmp_path):
        write_tables(tmp_path)
        space = {"__name__": "__main__", "LOCK": threading.Lock()}
        exec(NOTEBOOK.replace("+ math.pi", "+ len(LOCK)"), space)
        with registry_put_back() as registry:
            registry.add("probability", "locked", space["Own"], origin="code in __main__")
            variants = [Variant("locked", "rcprob", {"final_estimator": "locked"}), Variant("rc+")]
            study = small_study(tmp_path, datasets=["one"], variants=variants)
            samples = load_datasets(study)
            yield lambda: {tuple(cell.labels.values()): cell.key for cell in plan(study, samples)}

    def test_is_said_once_and_runs_again(self, keys):
        with pytest.warns(UnknownCodeWarning, match=r"cannot be read, so their cells run again.*Own: a lock") as caught:
            first = keys()
        assert len(caught) == 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnknownCodeWarning)
            second = keys()
        assert {name[2] for name in first if first[name] != second[name]} == {"locked"}

    def test_compiled_code_in_a_file_is_known_by_its_bytes(self, tmp_path, monkeypatch):
        monkeypatch.syspath_prepend(tmp_path)
        library = tmp_path / "codetest_fast.so"
        found = []
        for content in (b"\x7fELF one", b"\x7fELF two"):
            library.write_bytes(content)
            module = types.ModuleType("codetest_fast")
            module.__file__ = str(library)
            monkeypatch.setitem(sys.modules, "codetest_fast", module)
            made = type("Fast", (), {"__module__": "codetest_fast"})
            found.append(Code()._facts([functools.partial(made), made])["code of codetest_fast"])
        assert found[0] != found[1]
