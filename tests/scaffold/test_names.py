"""Names that a plugin can have, and the errors for others."""

import pytest

from rulekit.scaffold import PluginNameError
from rulekit.scaffold.names import PluginName, check_is_free, check_name


def error_for(distribution):
    """The error message for a name."""
    with pytest.raises(PluginNameError) as caught:
        check_name(PluginName(distribution))
    return str(caught.value)


def test_the_names_in_the_code_follow_from_that_of_the_distribution():
    name = PluginName("rulekit-shy-2d-forest")
    assert (name.module, name.component) == ("rulekit_shy_2d_forest", "shy-2d-forest")
    assert (name.class_name, name.function) == ("Shy2dForest", "shy_2d_forest")


@pytest.mark.parametrize("distribution", ["rulekit-x", "acme-shy-forest", "rulekit2", "rulekit-k9", "r" * 40])
def test_words_that_can_be_names_pass(distribution):
    check_name(PluginName(distribution))


@pytest.mark.parametrize(
    "distribution",
    ["", " ", "Shy", "shy_forest", "shy forest", "-shy", "shy-", "shy--forest", "1shy", "rulekit-1shy", "schön", "a/b"],
)
def test_words_that_cannot_be_are_rejected_with_an_example(distribution):
    message = error_for(distribution)
    assert "lower-case words of letters and digits, joined by hyphens" in message
    assert f"such as rulekit-shy-forest; got {distribution!r}." in message


@pytest.mark.parametrize(
    ("distribution", "hint"),
    [
        ("Shy Forest", "Try rulekit-shy-forest."),
        ("Rulekit_Shy", "Try rulekit-shy."),
        ("json", "Try rulekit-json."),
        ("rulekit", None),
        ("rulekit-1x", None),
        ("class", None),
        ("rulekit-RCProb", None),
    ],
)
def test_a_hint_is_a_name_that_would_pass(distribution, hint):
    message = error_for(distribution)
    assert message.endswith(hint) if hint else "Try" not in message


def test_a_long_name_is_rejected_with_its_length():
    assert error_for("rulekit-" + "x" * 33) == (
        f"The name of a plugin must have at most 40 characters; 'rulekit-{'x' * 33}' has 41. Shorten it."
    )


@pytest.mark.parametrize("distribution", ["rulekit-rcprob", "rulekit-builtins", "rulekit-lambda", "statistics"])
def test_a_name_of_rulekit_or_python_is_rejected(distribution):
    assert error_for(distribution).startswith(
        f"{distribution!r} is already used by rulekit itself, a Python keyword, or "
    )


class TestNamesThatAreInUse:
    def test_a_component_of_the_kind(self):
        with pytest.raises(PluginNameError, match=r"^There is already a prior combiner named 'mean', from rulekit-rc"):
            check_is_free(PluginName("rulekit-mean"), "priors")

    def test_not_one_of_another_kind(self):
        check_is_free(PluginName("rulekit-mean"), "probability")

    def test_a_plugin(self):
        with pytest.raises(PluginNameError, match=r"^There is already a plugin named 'jeffreys'\. Choose another name"):
            check_is_free(PluginName("rulekit-jeffreys"), "inference")

    def test_a_module(self):
        with pytest.raises(PluginNameError, match=r"^There is already a module named 'numpy', in .*numpy"):
            check_is_free(PluginName("numpy"), "probability")

    def test_not_a_folder_that_happens_to_be_here(self, tmp_path, monkeypatch):
        (tmp_path / "rulekit_shy").mkdir()
        monkeypatch.syspath_prepend(tmp_path)
        check_is_free(PluginName("rulekit-shy"), "probability")
