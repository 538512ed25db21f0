"""Where a plugin is written to, and that nothing there is lost."""

import pytest

from rulekit.core.errors import UnknownComponentError
from rulekit.plugin.kinds import KINDS
from rulekit.scaffold import PluginFolderError, PluginNameError, write_plugin


def test_the_files_that_were_written_are_returned(tmp_path):
    paths = write_plugin("rulekit-shy", "cover", tmp_path)
    assert sorted(paths) == sorted(path for path in tmp_path.rglob("*") if path.is_file())
    names = ["README.md", "pyproject.toml", "rulekit_shy.py", "test_shy.py"]
    assert sorted(path.name for path in paths) == names


def test_a_folder_of_that_name_is_left_as_it_is(tmp_path):
    (tmp_path / "rulekit-shy").mkdir()
    (tmp_path / "rulekit-shy" / "README.md").write_text("mine")
    with pytest.raises(PluginFolderError, match=r"rulekit-shy already exists and is not overwritten\. Choose"):
        write_plugin("rulekit-shy", "cover", tmp_path)
    assert [path.name for path in tmp_path.rglob("*")] == ["rulekit-shy", "README.md"]
    assert (tmp_path / "rulekit-shy" / "README.md").read_text() == "mine"


def test_so_is_a_file(tmp_path):
    (tmp_path / "rulekit-shy").write_text("mine")
    with pytest.raises(PluginFolderError, match="rulekit-shy already exists"):
        write_plugin("rulekit-shy", "cover", tmp_path)
    assert (tmp_path / "rulekit-shy").read_text() == "mine"


def test_a_folder_to_write_to_must_be_there(tmp_path):
    with pytest.raises(PluginFolderError, match=r"^There is no folder .*nowhere\. Create it, or choose another"):
        write_plugin("rulekit-shy", "cover", tmp_path / "nowhere")


def test_an_unknown_kind_is_rejected_and_the_known_ones_are_named(tmp_path):
    with pytest.raises(
        UnknownComponentError, match=r"^No kind of component named 'covers'\. Did you mean 'cover'\?"
    ) as error:
        write_plugin("rulekit-shy", "covers", tmp_path)
    assert all(kind in str(error.value) for kind in KINDS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("distribution", "kind", "own"),
    [
        ("rulekit-any", "cover", "Any"),
        ("rulekit-rulekit", "ensemble", "rulekit"),
        ("rulekit-decision-list", "method", "DecisionList"),
        ("rulekit-probability-estimator", "probability", "ProbabilityEstimator"),
        ("rulekit-simple-namespace", "probability", "SimpleNamespace"),
    ],
)
def test_a_component_called_like_something_that_the_code_imports_is_rejected(distribution, kind, own, tmp_path):
    """Else it would take its place, and the code would mean something else."""
    with pytest.raises(PluginNameError, match=rf"would be called {own} in the code, which already uses that name"):
        write_plugin(distribution, kind, tmp_path)
    assert list(tmp_path.iterdir()) == []
