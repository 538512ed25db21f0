"""Studies that a plugin brings: run by their name, and recognised in their results."""

import pytest
from cli.terminal import run
from plugin.isolation import registry_put_back
from study.made_up import write_tables

from rulekit.core.errors import InvalidParameterError, UnknownComponentError
from rulekit.core.interfaces import ReadyStudy
from rulekit.study.ready import ready_study, ready_study_of
from rulekit.study.report import Section


class Mine(ReadyStudy):
    """A study of the made-up tables."""

    apart = {"two": "It is doubtful."}  # noqa: RUF012, read only
    folder = ""

    def definition(self, profile):
        return {
            "datasets": ["one", "two"],
            "folder": self.folder,
            "outer": {"splits": 2},
            "ensembles": {"rf": {"parameters": {"n_estimators": 2}}},
            "variants": {"rcprob": {}},
        }

    def notes(self, profile):
        return [f"Runs {profile}."]

    def sections(self, results, rulesets, *, profile=None, published=None):
        rules = list(rulesets)
        return [Section("Mine", [f"{len(results)} cells, {len(rules)} rulesets, {profile}, published in {published}."])]


class InParts(Mine):
    profiles = ("small", "large")


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """Both studies, registered, in a folder of their own."""
    monkeypatch.setattr(Mine, "folder", str(write_tables(tmp_path)))
    monkeypatch.chdir(tmp_path)
    with registry_put_back() as registry:
        registry.add("study", "mine", Mine, origin="mine 1.0")
        registry.add("study", "parts", InParts, origin="mine 1.0")
        yield tmp_path


def error(*arguments):
    result = run("study", *arguments)
    assert result.exit_code == 2
    return result.stderr.removeprefix("Error: ").strip()


class TestByName:
    def test_a_study_runs_and_its_report_has_its_sections(self, mine):
        result = run("study", "run", "mine", "--jobs", 1)
        assert result.exit_code == 0, result.stderr
        assert result.stderr.splitlines()[0] == "Runs None."
        assert run("study", "report", "mine.sqlite", "--paper", "there").exit_code == 0
        text = (mine / "mine.report" / "report.md").read_text(encoding="utf-8")
        assert "8 cells, 4 rulesets, None, published in there." in text
        assert "two is reported separately, in the tables by dataset only. It is doubtful." in text

    def test_the_name_of_the_study_says_the_profile(self, mine):
        study, notes = ready_study("parts", "large")
        assert (study.name, list(notes)) == ("parts-large", ["Runs large."])

    def test_a_file_of_another_name_is_no_study_of_a_plugin(self, mine):
        assert error("run", "mine.toml").startswith("File not found: mine.toml")


class TestRecognition:
    @pytest.mark.parametrize(
        ("name", "expected"),
        [("mine", (Mine, None)), ("parts-small", (InParts, "small")), ("parts-large", (InParts, "large"))],
    )
    def test_results_are_recognised_by_their_name(self, mine, name, expected):
        study, profile = ready_study_of(name)
        assert (type(study), profile) == expected

    @pytest.mark.parametrize("name", ["other", "mine-small", "parts", "parts-tiny"])
    def test_other_results_are_nobodys(self, mine, name):
        assert ready_study_of(name) is None


class TestErrors:
    def test_a_profile_has_to_be_named_where_there_are_some(self, mine):
        assert error("run", "parts") == "The study 'parts' has several profiles. Choose one: --profile small or large."

    def test_an_unknown_profile(self, mine):
        with pytest.raises(
            InvalidParameterError, match=r"^The study 'parts' has no profile 'big'\. Known: small, large\.$"
        ):
            ready_study("parts", "big")

    def test_a_profile_where_there_are_none(self, mine):
        with pytest.raises(InvalidParameterError, match=r"^The study 'mine' has no profile 'big'\. Known: none\.$"):
            ready_study("mine", "big")

    def test_an_unknown_name(self, mine):
        with pytest.raises(
            UnknownComponentError, match=r"No file or installed study is named 'yours'\. Installed .*mine"
        ):
            ready_study("yours", None)
        assert error("run", "yours").startswith("No file or installed study is named 'yours'.")


class TestWithoutThePlugin:
    @pytest.fixture
    def _none(self):
        with registry_put_back() as registry:
            registry._components["study"].clear()
            yield

    @pytest.mark.usefixtures("_none")
    def test_it_is_told_how_to_get_it(self):
        assert error("run", "paper", "--profile", "small") == (
            "The study 'paper' is not installed: pip install rulekit-paper-study."
        )

    @pytest.mark.usefixtures("_none")
    def test_a_report_of_its_results_says_so(self, mine):
        text = "name = 'paper-small'\ndatasets = ['one', 'two']\nfolder = '.'\nouter = {splits = 2}\n"
        (mine / "own.toml").write_text(text + "[ensembles.rf]\nparameters = {n_estimators = 2}\n[variants.rcprob]\n")
        assert run("study", "run", "own.toml", "--jobs", 1).exit_code == 0
        shown = run("study", "report", "own.sqlite").stderr
        assert (
            "The study 'paper' is not installed: pip install rulekit-paper-study. Without it, the report has" in shown
        )
