"""Pieces of pictures."""

import pytest

from rulekit.report.svg import Axis, tag


@pytest.mark.parametrize("low", [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95])
@pytest.mark.parametrize("high", [1.0, 0.97])
def test_ticks_are_a_few_and_lie_on_the_axis(low, high):
    ticks = Axis(low, high, 0, 100).ticks()
    assert 2 <= len(ticks) <= 6
    assert all(low - 1e-9 <= tick <= high + 1e-9 for tick in ticks)


def test_texts_and_attributes_are_escaped():
    assert tag("text", "<b>&", class_='"x"', y=1.0) == '<text class="&#34;x&#34;" y="1">&lt;b&gt;&amp;</text>'
