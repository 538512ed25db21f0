"""A study's file, and every mistake in it."""

import re
from time import perf_counter

import pytest

from rulekit.study import CrossValidation, Ensemble, Selection, Source, Study, Variant
from rulekit.study.data import load_datasets
from rulekit.study.errors import StudyDefinitionError
from rulekit.study.factorial import factorial

MINIMAL = """
datasets = ["pima"]
[ensembles.rf]
[variants.rcprob]
"""
FULL = """
name = "estimators"
datasets = ["pima", "sklearn:iris", { spec = "own.csv", target = "class", name = "mine" }]
folder = "data"
seed = 42

[outer]
splits = 5
repeats = 3
[inner]
splits = 4
[selection]
ensemble = "log_loss"
variant = "fidelity"

[ensembles.forest]
ensemble = "rf"
parameters = { min_samples_leaf = 2 }
grid = { n_estimators = [50, 100], max_depth = [3, "none"] }

[variants.mean]
method = "rcprob"
parameters.priors = "mean"
parameters.final_estimator.crossover = 20
grid = { min_precision = [0.5, 0.75] }
"""


def study(tmp_path, text):
    path = tmp_path / "study.toml"
    path.write_text(text, encoding="utf-8")
    return Study.from_toml(path)


def error(tmp_path, text):
    """What is wrong with a study's file, without its name."""
    with pytest.raises(StudyDefinitionError) as raised:
        study(tmp_path, text)
    where, _, message = str(raised.value).partition("study.toml")
    assert where.startswith(str(tmp_path))
    return message.removeprefix(": ")


class TestFile:
    def test_gives_every_part(self, tmp_path):
        assert study(tmp_path, FULL) == Study(
            "estimators",
            ["pima", "sklearn:iris", Source("own.csv", "class", "mine")],
            [Ensemble("forest", "rf", {"min_samples_leaf": 2}, {"n_estimators": [50, 100], "max_depth": [3, None]})],
            [
                Variant(
                    "mean",
                    "rcprob",
                    {"priors": "mean", "final_estimator__crossover": 20},
                    {"min_precision": [0.5, 0.75]},
                )
            ],
            outer=CrossValidation(5, 3),
            inner=CrossValidation(4),
            selection=Selection("log_loss", "fidelity"),
            seed=42,
            folder="data",
        )

    def test_of_four_lines_is_enough(self, tmp_path):
        found = study(tmp_path, MINIMAL)
        assert (found.name, found.outer, found.inner, found.seed) == (
            "study",
            CrossValidation(5, 1),
            CrossValidation(3),
            0,
        )
        assert (found.ensembles, found.variants) == ((Ensemble("rf", "rf"),), (Variant("rcprob", "rcprob"),))

    def test_is_where_relative_paths_start_from(self, tmp_path):
        assert study(tmp_path, MINIMAL).base == tmp_path

    def test_gives_the_same_study_as_its_document(self, tmp_path):
        found = study(tmp_path, FULL)
        assert Study.from_dict(found.to_dict()) == found

    def test_that_is_not_there(self, tmp_path):
        with pytest.raises(StudyDefinitionError) as raised:
            Study.from_toml(tmp_path / "none.toml")
        assert str(raised.value) == f"File not found: {tmp_path / 'none.toml'}."

    def test_that_is_no_toml(self, tmp_path):
        assert error(tmp_path, "datasets = [").startswith(" is not a TOML file: ")


class TestMistakes:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (MINIMAL.replace("datasets", "dataset"), "the study: unknown key 'dataset'. Did you mean 'datasets'?"),
            ("[ensembles.rf]\n[variants.rcprob]", "the study lacks datasets."),
            (MINIMAL.replace('["pima"]', "[]"), "The study 'study' has no datasets."),
            (MINIMAL.replace('"pima"', "3"), "dataset 1: a dataset is a string, or a table with a spec; got 3."),
            (MINIMAL.replace('"pima"', '{ target = "a" }'), "dataset 1 lacks spec."),
            (MINIMAL.replace("[variants.rcprob]", ""), "The study 'study' has no variants."),
            (MINIMAL.replace("[variants.rcprob]", "[variants.ensemble]"), "[variants.ensemble]: No variant may be"),
            (MINIMAL + "metod = 'rc+'", "[variants.rcprob]: unknown key 'metod'. Did you mean 'method'?"),
            (MINIMAL + "grid = { confidence = 0.1 }", "[variants.rcprob]: grid.confidence must be a list of values"),
            (MINIMAL + "grid = { confidence = [] }", "[variants.rcprob]: grid.confidence must be a list of values"),
            (MINIMAL + "[outer]\nsplits = 1", "[outer]: splits must be an integer of at least 2, got 1."),
            (MINIMAL + "[outer]\nrepeats = true", "[outer]: repeats must be an integer of at least 1, got True."),
            (MINIMAL + "[outer]\nsplit = 3", "[outer]: unknown key 'split'. Did you mean 'splits'?"),
            (MINIMAL + "[selection]\nvariant = 'f1'", "[selection]: variant: unknown score 'f1'."),
            (MINIMAL + "[selection]\nensemble = 'n_rules'", "[selection]: ensemble: unknown score 'n_rules'."),
            (
                MINIMAL + "[inner]\nrepeats = 2",
                "Not supported: repeats of the inner cross-validation. Give only its splits.",
            ),
            (
                MINIMAL + "[outer]\ncalibration = 1",
                "[outer]: calibration must be a number between 0 and 1, the fraction",
            ),
            (MINIMAL + "[outer]\ncalibration = true", "[outer]: calibration must be a number between 0 and 1"),
            (
                MINIMAL + "[inner]\ncalibration = 0.5",
                "Not supported: calibration under [inner], use [outer]",
            ),
            (
                MINIMAL + "calibration = 'beta'",
                "[variants.rcprob]: calibration needs samples that nothing else is fitted on. Set a fraction of each "
                "training part aside, such as [outer] calibration = 0.25.",
            ),
            (MINIMAL + "calibration = 3", "[variants.rcprob]: calibration must be the name of a map, or a table with"),
            (
                MINIMAL + "calibration = { l2 = 1 }",
                "[variants.rcprob]: calibration must have the name of a map as its method, got",
            ),
            (MINIMAL + "calibrations = 'beta'", "[variants.rcprob]: calibrations must be a list of maps, got 'beta'."),
            (MINIMAL + "calibrations = []", "[variants.rcprob]: calibrations must be a list of maps, got []."),
            (
                MINIMAL + "calibration = 'beta'\ncalibrations = ['beta']",
                "[variants.rcprob]: give either calibration or calibrations, not both.",
            ),
            ("outer = 3\n" + MINIMAL, "[outer] must be a table, got 3."),
            ("name = 3\n" + MINIMAL, "name must be a string, got 3."),
            ("folder = ['a']\n" + MINIMAL, "folder must be a string, got ['a']."),
            (MINIMAL.replace('["pima"]', "0.5"), "datasets must be a list of specs, got 0.5."),
            (MINIMAL.replace('"pima"', "{ spec = {} }"), "dataset 1: spec must be a string, got {}."),
            (MINIMAL.replace('"pima"', '{ spec = "a", name = 3 }'), "dataset 1: name must be a string, got 3."),
            (MINIMAL + "method = ['rc+']", "[variants.rcprob]: method must be a string, got ['rc+']."),
            (MINIMAL + "parameters = [1]", "[variants.rcprob]: parameters must be a table, got [1]."),
            (MINIMAL + "grid = 3", "[variants.rcprob]: grid must be a table, got 3."),
            (MINIMAL + "[selection]\nvariant = ['f1']", "[selection]: variant: unknown score ['f1']."),
            (MINIMAL + "[factorial]\nmethod = []\nvary = {}", "[factorial]: method must be a string, got []."),
            (MINIMAL + "[factorial]\nmethod = 'rc+'\nvary = 1", "[factorial]: vary must be a table, got 1."),
            (
                MINIMAL + "[factorial]\nmethod = 'rc+'\nparameters = 1\nvary = { priors = ['mean'] }",
                "[factorial]: parameters must be a table, got 1.",
            ),
            ("cell_seconds = 1" + "0" * 400 + "\n" + MINIMAL, "cell_seconds must be a number above 0, got 1000"),
            ("seed = -1\n" + MINIMAL, "seed must be an integer of at least 0 and at most 4294967295, got -1."),
            (
                f"seed = {2**32}\n" + MINIMAL,
                "seed must be an integer of at least 0 and at most 4294967295, got 429",
            ),
            (MINIMAL + "[factorial]\nmethod = 'rcprob'", "[factorial] lacks vary."),
            (
                MINIMAL + "[factorial]\nmethod = 'rcprob'\nvary = { priors = 'mean' }",
                "[factorial]: vary.priors must be",
            ),
        ],
    )
    def test_are_reported_with_their_position(self, tmp_path, text, message):
        assert error(tmp_path, text).startswith(message)

    def test_like_two_variants_of_one_name_are_told(self):
        with pytest.raises(StudyDefinitionError, match="Two variants are called 'rcprob'"):
            Study("twice", ["pima"], [Ensemble("rf")], [Variant("rcprob"), Variant("rcprob")])


class TestHostileFiles:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("a = " + "[" * 5000, "is not a TOML file"),
            ("seed = " + "9" * 5000, "is not a TOML file: Exceeds the limit"),
            ("# " + "x" * 2**20, "has 1,048,578 bytes (limit 1,048,576)"),
        ],
    )
    def test_are_rejected_by_name(self, tmp_path, text, message):
        with pytest.raises(StudyDefinitionError, match=re.escape(message)):
            study(tmp_path, text)

    @pytest.mark.parametrize("part", ["a", '"="', "' # '", '"\\""'])
    @pytest.mark.parametrize(
        "line", ["{} = 1", "[{}]", "x = [{{{} = 1}}]", 'x = {{y = """""""", {} = 1, z = """"""""}}']
    )
    def test_keys_without_end_are_rejected_at_once(self, tmp_path, line, part):
        """One of 50,000 parts took two minutes."""
        start = perf_counter()
        message = error(tmp_path, line.format(" . ".join([part] * 50_000)))
        assert perf_counter() - start < 2
        assert "has 50,000 parts (limit 20)" in message

    @pytest.mark.parametrize("quotes", ["'{}'", '"{}"', "'''\n{}\n'''", '"""\n\\"{}\n"""', "2 # {}"])
    def test_dots_in_texts_are_no_keys(self, tmp_path, quotes):
        words = ".".join(["word"] * 50)
        text = f"{MINIMAL}parameters.min_precision = {quotes.format(words)}"
        assert len(study(tmp_path, text).variants) == 1

    @pytest.mark.parametrize(
        "text",
        [
            f"{'a' * 200_000} = 1",
            f"{MINIMAL}[variants.{'a' * 200_000}]\n{'b' * 200_000} = 1",
            f"{MINIMAL}grid.{'a' * 200_000} = 1",
            f"seed = '{'a' * 200_000}'{MINIMAL}",
            f"{MINIMAL}[selection]\nvariant = '{'a' * 200_000}'",
        ],
        ids=["key", "variant", "parameter", "value", "score"],
    )
    def test_long_names_are_cut_in_messages(self, tmp_path, text):
        assert len(error(tmp_path, text)) < 500

    @pytest.mark.parametrize(
        ("table", "called"),
        [("[factorial]\nmethod = 'rc+'\nvary = ", "[factorial]: vary"), ("grid = ", "[variants.rcprob]: grid")],
    )
    def test_combinations_without_end_are_rejected_at_once(self, tmp_path, table, called):
        """Thirty lists of ten values each: a file of a kilobyte filled the memory."""
        lists = ", ".join(f"p{position} = {list(range(10))}" for position in range(30))
        expected = f"{called} has {10**30:,} combinations of values; the limit is 10,000."
        assert error(tmp_path, f"{MINIMAL}{table}{{ {lists} }}") == expected

    def test_a_hundred_thousand_variants_are_read_in_time(self):
        """Each name was compared with every other."""
        variants = {f"v{position}": {"method": "rcprob"} for position in range(100_000)}
        document = {"name": "many", "datasets": ["pima"], "ensembles": {"rf": {}}, "variants": variants}
        assert len(Study.from_dict(document).variants) == 100_000

    def test_tables_in_tables_are_rejected(self):
        parameters = {}
        for _ in range(5000):
            parameters = {"a": parameters}
        document = {
            "name": "deep",
            "datasets": ["pima"],
            "ensembles": {"rf": {"parameters": parameters}},
            "variants": {},
        }
        with pytest.raises(StudyDefinitionError, match="nested too deeply"):
            Study.from_dict(document)


class TestCalibration:
    text = (
        MINIMAL
        + """
    calibrations = ["temperature", { method = "dirichlet", l2 = 0.1 }]
    grid = { confidence = [0.1, 0.25] }
    [outer]
    calibration = 0.25
    """
    )

    def test_of_a_variant_gives_it_siblings(self, tmp_path):
        found = study(tmp_path, self.text)
        assert found.outer == CrossValidation(5, 1, 0.25)
        grid = {"confidence": [0.1, 0.25]}
        assert found.variants == (
            Variant("rcprob", grid=grid),
            Variant("rcprob temperature", "rcprob", grid=grid, calibration="temperature"),
            Variant("rcprob dirichlet l2=0.1", "rcprob", grid=grid, calibration={"method": "dirichlet", "l2": 0.1}),
        )

    def test_gives_the_same_study_as_its_document(self, tmp_path):
        found = study(tmp_path, self.text)
        assert Study.from_dict(found.to_dict()) == found

    def test_says_the_same_in_either_way(self):
        assert Variant("a", calibration={"method": "beta"}) == Variant("a", calibration="beta")
        assert Variant("a", calibration="none").calibration is None

    def test_is_no_part_of_the_document_of_a_study_without_it(self, tmp_path):
        document = study(tmp_path, MINIMAL).to_dict()
        assert (document["outer"], list(document["variants"]["rcprob"])) == (
            {"splits": 5, "repeats": 1},
            ["method", "parameters", "grid"],
        )


class TestFactorial:
    def test_makes_every_combination_a_variant(self, tmp_path):
        text = """
        datasets = ["pima"]
        [ensembles.rf]
        [factorial]
        method = "rcprob"
        vary = { final_estimator = ["hybrid", "m-estimate"], priors = ["product", "mean"] }
        grid = { confidence = [0.1, 0.25] }
        """
        variants = study(tmp_path, text).variants
        assert [variant.name for variant in variants] == [
            "hybrid · product",
            "hybrid · mean",
            "m-estimate · product",
            "m-estimate · mean",
        ]
        assert variants[3].parameters == {"final_estimator": "m-estimate", "priors": "mean"}
        assert variants[3].grid == {"confidence": [0.1, 0.25]}
        assert variants[3].factors == {"final_estimator": "m-estimate", "priors": "mean"}

    def test_names_its_levels_so_that_labels_are_short_and_differ(self):
        vary = {"combine": ["none", "combine"], "final_estimator__crossover": [20, 50], "priors": ["mean"]}
        assert [each.name for each in factorial("rcprob", vary)] == [
            "no combine · crossover=20",
            "no combine · crossover=50",
            "combine · crossover=20",
            "combine · crossover=50",
        ]

    def test_varies_calibration_too(self):
        vary = {"priors": ["mean"], "calibration": ["none", "beta", {"method": "dirichlet", "l2": 1}]}
        variants = factorial("rcprob", vary)
        assert [each.name for each in variants] == [
            "uncalibrated",
            "beta",
            "dirichlet l2=1",
        ]
        assert [each.calibration for each in variants] == [None, "beta", {"method": "dirichlet", "l2": 1}]
        assert variants[2].parameters == {"priors": "mean"}

    def test_comes_after_the_variants_that_are_named(self, tmp_path):
        text = MINIMAL + "[factorial]\nmethod = 'rc+'\nvary = { confidence = [0.1] }"
        assert [variant.name for variant in study(tmp_path, text).variants] == ["rcprob", "rc+ confidence=0.1"]

    def test_keeps_what_all_have_in_common(self):
        (variant,) = factorial("rcprob", {"combine": ["none"]}, parameters={"final_estimator": {"crossover": 20}})
        assert (variant.name, variant.parameters) == (
            "rcprob combine=none",
            {"final_estimator__crossover": 20, "combine": None},
        )


class TestPrimaryOutcomes:
    def test_are_log_loss_unless_the_study_names_others(self):
        assert of_one_variant().primary == ("log_loss",)
        assert of_one_variant(primary=["brier", "n_rules"]).primary == ("brier", "n_rules")

    @pytest.mark.parametrize(
        ("primary", "message"),
        [
            (["seconds"], "primary: seconds is not tested, because durations differ from run to run."),
            (["log_los"], "primary: variants cannot be compared by 'log_los'. Did you mean 'log_loss'?"),
            ([], "primary must be a list of names"),
            (["brier", "brier"], "Two primary are called 'brier'."),
        ],
    )
    def test_that_cannot_be_tested_are_rejected(self, primary, message):
        with pytest.raises(StudyDefinitionError, match=re.escape(message)):
            of_one_variant(primary=primary)


def of_one_variant(**changes):
    return Study("s", ["sklearn:iris"], [Ensemble("rf")], [Variant("rcprob")], **changes)


def test_a_dataset_says_how_its_file_is_read(tmp_path):
    rows = "".join(f"{number};{'?' if number == 3 else 'x'};{'no' if number % 2 else 'yes'}\n" for number in range(40))
    (tmp_path / "bare.csv").write_text(rows)
    source = {"spec": "bare.csv", "separator": ";", "missing": ["?"], "columns": ["a", "b", "target"]}
    document = {"name": "mine", "datasets": [source], "ensembles": {"rf": {}}, "variants": {"rcprob": {}}}
    study = Study.from_dict(document, base=tmp_path)
    assert study.to_dict()["datasets"] == [source]
    assert Study.from_dict(study.to_dict(), base=tmp_path) == study
    (found,) = load_datasets(study).values()
    assert found.subset.X.columns.tolist() == ["a", "b"]
    assert found.subset.X["b"].isna().sum() == 1
    with pytest.raises(StudyDefinitionError, match="missing must be a list of strings, got 3"):
        Study.from_dict({**document, "datasets": [{**source, "missing": 3}]})
