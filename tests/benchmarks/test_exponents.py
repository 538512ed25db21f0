import pytest

from benchmarks.exponents import exponent


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 1.7])
def test_a_known_power_law_is_recovered(power):
    sizes = [1e4, 1e5, 1e6]
    assert exponent(sizes, [3e-5 * size**power for size in sizes]) == pytest.approx(power)


def test_noise_is_averaged_on_the_logarithms():
    assert exponent([1, 10, 100], [1, 20, 100]) == pytest.approx(1.0)
