"""A few of the trials that `python -m tests.fuzz_fit` makes by the thousand; always the same ones."""

from fuzz_fit.outcome import check
from fuzz_fit.trials import Trial, trials
from hypothesis import HealthCheck, Phase, given, settings


@settings(
    max_examples=150,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(trials())
def test_every_input_gets_a_correct_answer_or_a_documented_error(trial: Trial) -> None:
    check(trial)
