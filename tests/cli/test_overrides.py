"""--set NAME=VALUE."""

import pytest

from rulekit.cli.errors import CommandError
from rulekit.cli.overrides import ensemble_settings, parse_overrides, parse_value


@pytest.mark.parametrize(
    ("string", "expected"),
    [
        ("20", 20),
        ("0.75", 0.75),
        ("1e-3", 0.001),
        ("-1", -1),
        ("true", True),
        ("False", False),
        ("none", None),
        ("null", None),
        ("m-estimate", "m-estimate"),
        ("rc+", "rc+"),
        ("'20'", "20"),
        ("[1, 2]", [1, 2]),
        ("1if", "1if"),
        ("", ""),
        ("a=b", "a=b"),
    ],
)
def test_a_value_is_a_literal_a_word_or_a_string(string, expected):
    value = parse_value(string)
    assert (type(value), value) == (type(expected), expected)


class TestNames:
    def test_dots_become_double_underscores(self):
        assert parse_overrides(["final_estimator.crossover=20"]) == {"final_estimator__crossover": 20}

    def test_spaces_around_the_sign_do_not_count(self):
        assert parse_overrides(["priors = mean"]) == {"priors": "mean"}

    @pytest.mark.parametrize("setting", ["probability", "=3", "a b=3", "1=2", ""])
    def test_anything_but_name_and_value_is_refused(self, setting):
        with pytest.raises(
            CommandError, match=r"--set takes NAME=VALUE, such as final_estimator.crossover=20 or priors=mean; got"
        ):
            parse_overrides([setting])

    def test_a_name_given_twice_is_rejected(self):
        with pytest.raises(CommandError, match=r"--set final_estimator\.crossover is given twice\."):
            parse_overrides(["final_estimator.crossover=1", "final_estimator.crossover=2"])

    @pytest.mark.parametrize(
        ("setting", "option"),
        [
            ("ensemble=rf", "--ensemble or --model"),
            ("random_state=1", "--seed"),
            ("ensemble.random_state=1", "--seed"),
        ],
    )
    def test_what_has_an_option_of_its_own_is_refused(self, setting, option):
        with pytest.raises(CommandError, match=f"--set {setting}: use {option} instead."):
            parse_overrides([setting])


class TestEnsembleSettings:
    def test_are_taken_out_of_the_methods(self):
        overrides = {"min_precision": 0.6, "ensemble__ccp_alpha": 0.1}
        assert ensemble_settings(overrides) == ({"min_precision": 0.6}, {"ccp_alpha": 0.1})

    def test_include_the_options_that_were_given(self):
        assert ensemble_settings({}, max_depth=2, n_estimators=None) == ({}, {"max_depth": 2})

    def test_given_in_both_ways_are_rejected(self):
        with pytest.raises(CommandError, match=r"--max-depth and --set ensemble\.max_depth set the same parameter"):
            ensemble_settings({"ensemble__max_depth": 3}, max_depth=2)
