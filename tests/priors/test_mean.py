"""The plain average."""

from priors.pairs import combined

from rulekit.priors.mean import Mean


def test_the_mean_is_elementwise():
    assert combined(Mean(), [0.25, 0.75], [0.5, 0.5]) == [0.375, 0.625]


def test_supports_do_not_matter():
    assert combined(Mean(), [0.25, 0.75], [0.5, 0.5], [100], [0]) == [0.375, 0.625]
