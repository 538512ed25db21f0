"""rulekit components."""

import json

import pytest
from cli.terminal import run, text
from plugin.isolation import registry_put_back

import rulekit
from rulekit.plugin.kinds import KINDS, PARAMETERS


@pytest.fixture
def plugged():
    """An ensemble of a plugin, with a parameter that has no default and one of an unusual type."""

    def stump(size, shape=(1, 2)):
        """A stump."""

    with registry_put_back() as registry:
        registry.add("ensemble", "stump", stump, origin="acme-stumps 3.1")
        yield


@pytest.fixture(scope="module")
def shown():
    """What the command prints without options."""
    return run("components").stdout


class TestTables:
    @pytest.mark.parametrize("component", rulekit.list_components(), ids=lambda found: f"{found.kind} {found.name}")
    def test_have_every_component_with_its_line(self, component, shown):
        assert f" {component.name} {component.summary} " in text(shown)

    @pytest.mark.parametrize("kind", sorted(set(KINDS) - {"study"}))
    def test_have_every_kind(self, kind, shown):
        """But for those of which rulekit ships none."""
        assert any(line.startswith(f"{kind}: ") for line in shown.splitlines())

    def test_state_parameters_defaults_and_origin(self, shown):
        expected = f"smoothing=1.0, strength=5.0, crossover=50.0; rulekit-rcprob {rulekit.__version__}"
        assert expected in text(shown)

    def test_say_so_where_there_are_no_parameters(self):
        assert "no parameters; rulekit-rcprob" in text(run("components", "--kind", "cover").stdout)

    def test_name_the_distribution_of_a_plugin(self, plugged):
        assert "stump A stump. size, shape=(1, 2); acme-stumps 3.1" in text(run("components").stdout)

    def test_fit_a_narrow_terminal(self):
        assert max(map(len, run("components", COLUMNS="60").stdout.splitlines())) <= 60


class TestKind:
    def test_shows_one_kind_only(self):
        shown = run("components", "--kind", "inference").stdout
        assert [line.partition(":")[0] for line in shown.splitlines() if ": --" in line] == ["inference"]

    @pytest.mark.parametrize(("parameter", "kind"), PARAMETERS.items())
    def test_names_the_parameter_that_takes_it(self, parameter, kind):
        """Scores were said to be chosen by a parameter `score`, which there is not."""
        shown = text(run("components", "--kind", kind).stdout)
        assert f"--set {parameter}=NAME" in shown or f"No {KINDS[kind]} is installed." in shown

    def test_without_a_component_says_so(self, monkeypatch):
        monkeypatch.setattr("rulekit.plugin.catalogue.list_components", lambda kind: [])
        shown = text(run("components", "--kind", "refine").stdout)
        assert shown.strip() == "No refine stage is installed. rulekit new-plugin NAME --kind refine writes one."

    def test_that_does_not_exist_is_an_error_that_names_the_nearest(self):
        result = run("components", "--kind", "probabilty")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("Error: No kind of component named 'probabilty'. Did you mean 'probability'?")


class TestJson:
    def test_has_every_component(self):
        listed = json.loads(run("components", "--json").stdout)
        expected = [(component.kind, component.name, component.summary) for component in rulekit.list_components()]
        assert [(entry["kind"], entry["name"], entry["summary"]) for entry in listed] == expected

    def test_names_parameters_and_origin(self):
        listed = {entry["name"]: entry for entry in json.loads(run("components", "--json").stdout)}
        assert listed["hybrid"]["parameters"] == {"smoothing": 1.0, "strength": 5.0, "crossover": 50.0}
        assert listed["hybrid"]["origin"] == f"rulekit-rcprob {rulekit.__version__}"

    def test_tells_parameters_without_a_default_apart(self, plugged):
        (entry,) = [entry for entry in json.loads(run("components", "--json").stdout) if entry["name"] == "stump"]
        assert (entry["required"], entry["parameters"]) == (["size"], {"shape": "(1, 2)"})

    def test_takes_a_kind(self):
        listed = json.loads(run("components", "--json", "--kind", "cover").stdout)
        assert [entry["name"] for entry in listed] == ["cover"]
